"""The disk is full in the middle of a ticket: nothing is written half, and it goes on when there is room."""

import itertools
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_a_ticket_whose_state_finds_no_more_room_is_finished_when_there_is_some(stage: Any) -> None:
    stage.open_ledger()
    reached = set()

    for room in itertools.count(0, 2):
        page = stage.add_ticket()
        ((size,),) = stage.query("PRAGMA page_count")
        run = stage.up(max_pages=size + room)
        if stage.state(page) == "done":
            break
        reached.add(len(stage.proxy.counted))
        assert "no room" in run.child.output or "trail cannot be written" in run.child.output
        # Whatever went out had been said before.
        stage.check_sends()
        stage.until_done(page)
        stage.check_done(page)

    stage.check_done(page)
    assert len(reached) >= 2, "the room ran out at one place only"
    stage.check_sends()
    stage.check_trail()
