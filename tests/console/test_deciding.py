"""Approve, reject, and what came of it; each decision counts once."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from lakelight.audit import Entry
from lakelight.errors import TrailError
from lakelight.notion import NotionUnreachable
from lakelight.operations import Kind


def test_an_approval_is_recorded_and_its_run_is_seen_through(browser: Any, house: Any) -> None:
    house.park(house.archive())
    house.on_advance = lambda run_id: house.finish(done=(house.effect(Kind.PAGE_ARCHIVE),))

    text = browser.follow(browser.press("/approvals/A-1/approve"))

    decided = house.get(1)
    assert (decided.state, decided.decided_by) == ("approved", "mei")
    assert house.advanced == [house.run_id]
    assert "approved by mei, 2026-11-30 12:00 UTC" in text
    assert "Done: move a page to the trash · Roadmap" in text
    assert f"lakelight undo {house.run_id}" in text
    assert "Approve" not in text.split("What came of it")[1]


def test_a_rejection_carries_its_reason(browser: Any, house: Any) -> None:
    house.park(house.archive())
    house.on_advance = lambda run_id: house.finish(
        cancelled=(
            house.effect(
                Kind.PAGE_ARCHIVE,
                reason="wait.rejected",
                facts={"approval": "A-1", "by": "mei", "comment": "we still need it"},
            ),
        )
    )

    text = browser.follow(browser.press("/approvals/A-1/reject", comment="we still need it\r\n"))

    assert (house.get(1).state, house.get(1).comment) == ("rejected", "we still need it")
    assert "Not done: move a page to the trash · Roadmap · mei rejected A-1, so it was not written." in text
    assert "lakelight undo" not in text


@pytest.mark.parametrize("second", ["approve", "reject", "edit"])
@pytest.mark.parametrize("first", ["approve", "reject"])
def test_a_second_decision_is_told_who_decided_and_when(
    browser: Any, house: Any, first: str, second: str
) -> None:
    house.park(house.update())
    token = browser.token("/approvals/A-1")
    browser.press(f"/approvals/A-1/{first}")

    answer = browser.client.post(
        f"/approvals/A-1/{second}", data={"token": token, "how": "fields", "do": "approve", "p4": "9"}
    )

    state = {"approve": "approved", "reject": "rejected"}[first]
    assert answer.status_code == 409
    assert f"{state} by mei, 2026-11-30 12:00 UTC" in browser.shown(answer)
    assert house.get(1).state == state
    assert len(house.advanced) == 1


def test_a_decided_approval_has_no_editor(browser: Any, house: Any) -> None:
    house.park(house.update())
    browser.press("/approvals/A-1/reject")

    assert browser.open("/approvals/A-1/edit").status_code == 409


def test_a_decision_about_nothing_is_not_found(browser: Any, house: Any) -> None:
    house.park(house.archive())
    token = browser.token("/approvals/A-1")

    assert browser.client.post("/approvals/A-9/approve", data={"token": token}).status_code == 404


def test_a_stale_preview_leads_to_the_new_one(browser: Any, house: Any) -> None:
    house.park(house.archive())
    house.on_advance = lambda run_id: house.outdate(1) and None

    answer = browser.press("/approvals/A-1/approve")
    text = browser.follow(answer)

    assert answer.headers["location"] == "/approvals/A-2"
    assert "Nothing was written: it changed since the preview that you saw." in text
    assert "Roadmap, as it is now" in text
    assert "Approve Reject" in text
    assert "changed since the preview" in browser.text("/approvals/A-1")
    assert "Go on with A-2" in browser.text("/approvals/A-1")


def test_what_takes_long_is_said_to_go_on_and_goes_on(browse: Callable[..., Any], house: Any) -> None:
    house.park(house.archive())
    browser = browse(patience=timedelta(milliseconds=1))
    let_go = asyncio.Event()

    async def slowly() -> None:
        await let_go.wait()
        house.finish(done=(house.effect(Kind.PAGE_ARCHIVE),))

    house.on_advance = lambda run_id: slowly()
    # One event loop for all requests, as in a server.
    with browser.client:
        meanwhile = browser.follow(browser.press("/approvals/A-1/approve"))
        browser.client.portal.call(let_go.set)
        for _ in range(200):
            afterwards = browser.text("/approvals/A-1")
            if "Done:" in afterwards:
                break

    assert "It is being carried out." in meanwhile
    assert "Look again" in meanwhile
    assert "Done: move a page to the trash" in afterwards


def test_a_run_that_cannot_be_brought_on_leaves_the_decision_standing(browser: Any, house: Any) -> None:
    house.park(house.archive())

    def fail(run_id: str) -> None:
        raise NotionUnreachable("ConnectTimeout")

    house.on_advance = fail

    text = browser.follow(browser.press("/approvals/A-1/approve"))

    assert house.get(1).state == "approved"
    assert "No answer came from Notion that can be trusted (ConnectTimeout)." in text
    assert "It is being carried out." in text


def test_a_fault_of_ours_in_a_run_does_not_take_the_page_with_it(browser: Any, house: Any) -> None:
    house.park(house.archive())

    def fail(run_id: str) -> None:
        raise KeyError(run_id)

    house.on_advance = fail

    assert "approved by mei" in browser.follow(browser.press("/approvals/A-1/approve"))


def test_a_decision_that_cannot_be_recorded_does_not_count(browse: Callable[..., Any], house: Any) -> None:
    house.park(house.archive())

    class Full:
        def append(self, connection: object, entry: Entry) -> None:
            raise TrailError(cause="storage.full")

    from lakelight.execution.confirmations import Confirmations

    browser = browse(confirmations=Confirmations(house.database, house.approvals, Full()))  # type: ignore[arg-type]

    answer = browser.press("/approvals/A-1/approve")

    assert answer.status_code == 503
    assert "The audit trail could not be written" in browser.shown(answer)
    assert house.get(1).state == "pending"
    assert house.advanced == []


def test_a_run_that_waits_for_more_names_it(browser: Any, house: Any) -> None:
    house.park(house.archive(1))
    house.park(house.archive(2))

    text = browser.follow(browser.press("/approvals/A-1/approve"))

    assert "The run waits for your decision about: A-2" in text
    assert "being carried out" not in text


def test_what_the_guard_stopped_after_all_is_told(browser: Any, house: Any) -> None:
    house.park(house.archive())
    house.on_advance = lambda run_id: house.finish(
        stopped=(
            house.effect(Kind.PAGE_ARCHIVE, reason="guard.reason.level", facts={"needs": 2, "level": 1}),
        )
    )

    text = browser.follow(browser.press("/approvals/A-1/approve"))

    assert "Stopped by the guard: move a page to the trash · Roadmap · This needs level 2" in text
