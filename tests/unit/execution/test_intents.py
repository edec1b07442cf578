"""An intent comes back from its row as it was, and what is known for good is not changed."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lakelight.execution.intents import Anchor, Intent, State, close_intent, find_intent, open_intent
from lakelight.operations import Kind, Operation, Outcome, Overtaken, Refused, Written, request
from lakelight.storage import Connection, Database, migrate

at = datetime(2026, 11, 30, 8, tzinfo=UTC)
later = datetime(2026, 11, 30, 9, tzinfo=UTC)
operation = Operation(
    id="op_1", kind=Kind.BLOCK_APPEND, target="page-1", request=request("PATCH", "/x", {"children": []})
)
anchor = Anchor(last_child="b1", notion_minute="2026-11-30T08:00:00.000Z", before={"状态": "待开发"})


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    with database.transaction() as connection:
        yield connection
    database.close()


def test_an_intent_comes_back_as_it_was_said(connection: Connection) -> None:
    said = open_intent(connection, operation, anchor, "run_1", at)

    assert said == Intent(
        operation=operation, anchor=anchor, run_id="run_1", sends=1, sent_at=at, state="sent", outcome={}
    )
    assert find_intent(connection, "op_1") == said
    assert said.settled() is None


def test_an_operation_that_was_never_about_to_be_sent_has_no_intent(connection: Connection) -> None:
    assert find_intent(connection, "op_1") is None


@pytest.mark.parametrize(("state", "kept"), [("sent", anchor), ("unsent", Anchor(last_child="b9"))])
def test_each_send_counts_and_only_a_send_that_did_not_arrive_gives_up_its_anchor(
    connection: Connection, state: State, kept: Anchor
) -> None:
    open_intent(connection, operation, anchor, "run_1", at)
    close_intent(connection, "op_1", state, {})
    again = open_intent(connection, operation, Anchor(last_child="b9"), "run_1", later)

    assert (again.sends, again.sent_at, again.state, again.anchor) == (2, later, "sent", kept)


ENDS: list[tuple[State, dict[str, Any], Outcome]] = [
    (
        "written",
        {"ids": ["b2"], "differences": ["状态"], "found": True},
        Written(ids=("b2",), differences=("状态",), found=True),
    ),
    (
        "refused",
        {"code": "validation_error", "status": 400, "message": "no"},
        Refused(code="validation_error", status=400, message="no"),
    ),
    ("overtaken", {}, Overtaken()),
]


@pytest.mark.parametrize(("state", "row", "outcome"), ENDS)
def test_what_came_of_it_is_told_for_good(
    connection: Connection, state: State, row: dict[str, Any], outcome: Outcome
) -> None:
    open_intent(connection, operation, anchor, "run_1", at)
    close_intent(connection, "op_1", state, row)
    close_intent(connection, "op_1", "unsent", {})
    open_intent(connection, operation, anchor, "run_1", later)

    intent = find_intent(connection, "op_1")
    assert intent is not None
    assert (intent.settled(), intent.state, intent.sends) == (outcome, state, 1)
