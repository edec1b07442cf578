"""A ticket to start from."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from lakelight.tickets.ticket import Ticket

EMPTY = Ticket(
    page_id="p1",
    url="https://www.notion.so/p1",
    number="",
    title="",
    assignee=(),
    status="待开发",
    priority="",
    brief="",
    constraints="",
    branch="",
    repository="",
    handoff="",
    self_check="",
    created=datetime(2026, 11, 30, 8, tzinfo=UTC),
    last_edited=datetime(2026, 11, 30, 8, tzinfo=UTC),
    last_edited_by="u1",
    created_by="u1",
    in_trash=False,
)


@pytest.fixture(scope="session")
def a_ticket() -> Callable[..., Ticket]:
    def make(**changed: Any) -> Ticket:
        return replace(EMPTY, **changed)

    return make
