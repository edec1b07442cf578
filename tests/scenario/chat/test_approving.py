"""A question to a person: said yes to, edited, refused, outdated; and what Notion hears of each."""

import asyncio
import json
from typing import Any

import pytest

from lakelight.agent.chats import load_reply
from lakelight.agent.journal import Journal
from lakelight.guard.approvals import AlreadyDecided

ARCHIVE = "archive the page Unfiled notes"


@pytest.fixture
async def asked(study: Any) -> Any:
    """A study in which an archive waits for a yes."""
    reply = await study.ask(ARCHIVE)
    assert [each.approval for each in reply.waiting] == ["A-1"]
    assert study.writes() == []
    study.run = reply.run_id
    return study


async def see_through(house: Any, run_id: str) -> Any:
    """Bring a run on, and read what came of it."""
    await house.advance(run_id)
    journal = await Journal.open(house.database, house.clock, run_id)
    known: Any = journal.get("reply")
    return load_reply(known)


def confirmations(study: Any) -> list[tuple[str, int]]:
    return [(event, body["approval"]) for event, body in study.events("confirmation.")]


async def test_what_is_approved_is_sent_once_and_the_run_is_done(asked: Any) -> None:
    reply = await asked.approve()

    (done,) = reply.done
    assert (reply.exit_code, reply.run_id, done.kind, done.title) == (
        0,
        asked.run,
        "page.archive",
        "Unfiled notes",
    )
    assert asked.writes() == [("PATCH", f"/pages/{asked.pages['Unfiled notes']}")]
    assert await asked.trashed("Unfiled notes")
    assert asked.run_state(asked.run) == "done"
    assert asked.approvals() == [(1, "used")]
    assert confirmations(asked) == [("confirmation.granted", 1)]


@pytest.mark.parametrize(
    "words", ["archive Unfiled notes and Docker guide", "archive Unfiled notes, then archive Docker guide"]
)
async def test_the_rest_of_a_request_comes_after_what_was_approved(study: Any, words: str) -> None:
    first = await study.ask(words)

    between = await study.approve(1)

    assert [each.approval for each in first.waiting] == ["A-1"]
    assert between is None or [each.approval for each in between.waiting] == ["A-2"]
    assert await study.trashed("Unfiled notes")
    assert not await study.trashed("Docker guide")
    reply = await study.approve(2)
    assert [done.title for done in reply.done] == ["Unfiled notes", "Docker guide"]
    assert await study.trashed("Docker guide")


async def test_what_is_rejected_makes_no_write_and_the_reason_is_in_the_reply(asked: Any) -> None:
    reply = await asked.reject(why="keep it until May")

    (cancelled,) = reply.cancelled
    assert (cancelled.kind, cancelled.title) == ("page.archive", "Unfiled notes")
    assert cancelled.facts["comment"] == "keep it until May"
    assert cancelled.facts["by"] == "冰朔"
    assert (reply.done, reply.failed, reply.waiting) == ((), (), ())
    assert asked.writes() == []
    assert not await asked.trashed("Unfiled notes")
    assert asked.run_state(asked.run) == "done"
    assert confirmations(asked) == [("confirmation.declined", 1)]


@pytest.mark.parametrize("change", ["body", "title", "child"])
async def test_a_target_that_changed_since_the_preview_is_shown_anew_and_not_written(
    asked: Any, change: str
) -> None:
    page = asked.pages["Unfiled notes"]
    match change:
        case "body":
            await asked.office.write_below(page, "New: do not lose this")
        case "title":
            await asked.owner.send(
                "PATCH",
                f"/pages/{page}",
                {"properties": {"title": {"title": [{"text": {"content": "Filed notes"}}]}}},
            )
        case _:
            await asked.office.new_page(page, "A page within", "with words")

    reply = await asked.approve()

    assert reply is None
    assert asked.writes() == []
    assert not await asked.trashed("Unfiled notes")
    assert asked.approvals() == [(1, "stale"), (2, "pending")]
    assert asked.run_state(asked.run) == "waiting"
    assert confirmations(asked) == [("confirmation.granted", 1), ("confirmation.invalid", 1)]
    old, new = (json.loads(row[0]) for row in asked.state("SELECT preview FROM approvals ORDER BY number"))
    assert new["title"] == ("Filed notes" if change == "title" else "Unfiled notes")
    assert new["counts"]["content"] - old["counts"]["content"] == (change == "body")
    assert [line["text"] for line in new["deleted"][1:]] == (["A page within"] if change == "child" else [])

    again = await asked.approve(2)

    assert [each.kind for each in again.done] == ["page.archive"]
    assert len(asked.writes()) == 1
    assert asked.approvals() == [(1, "stale"), (2, "used")]


async def test_a_target_that_is_gone_is_not_written(asked: Any) -> None:
    await asked.office.trash(asked.pages["Unfiled notes"])

    reply = await asked.approve()

    assert reply is None or reply.done == ()
    assert asked.writes() == []


async def test_who_decides_second_is_told_who_decided_and_when(asked: Any) -> None:
    await asked.reject(why="no")

    with pytest.raises(AlreadyDecided) as told:
        await asked.approve()

    assert (told.value.facts["by"], told.value.facts["state"]) == ("冰朔", "rejected")
    assert str(told.value.facts["at"]).startswith("20")
    assert asked.writes() == []


async def test_a_question_survives_restarts_and_other_work(asked: Any) -> None:
    for _ in range(3):
        async with asked.office.up():
            await asked.office.polls(1)
    await asked.ask("search for Docker", session="chat_2")
    assert asked.approvals() == [(1, "pending")]
    assert asked.writes() == []

    reply = await asked.approve()

    assert [each.kind for each in reply.done] == ["page.archive"]
    assert len(asked.writes()) == 1


@pytest.mark.parametrize(
    ("level", "mode", "reason"),
    [
        pytest.param(1, "normal", "guard.reason.level", id="level lowered"),
        pytest.param(2, "frozen", "guard.reason.frozen", id="frozen"),
        pytest.param(2, "preview", "guard.reason.preview_mode", id="preview mode"),
    ],
)
async def test_a_policy_that_has_become_stricter_stops_what_was_approved(
    asked: Any, level: int, mode: str, reason: str
) -> None:
    asked.policy(level=level, mode=mode)

    reply = await asked.approve()

    assert [each.reason for each in reply.stopped] == [reason]
    assert reply.exit_code == 4
    assert asked.writes() == []
    assert not await asked.trashed("Unfiled notes")
    assert asked.run_state(asked.run) == "done"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"in_trash": True, "erase_content": True}, id="erase as well"),
        pytest.param({"erase_content": True}, id="erase"),
        pytest.param({"properties": {"title": {"title": []}}}, id="rename"),
        pytest.param({"in_trash": True, "is_locked": True}, id="lock as well"),
        pytest.param({"in_trash": False}, id="restore"),
        pytest.param({}, id="nothing"),
    ],
)
async def test_an_edit_into_something_else_is_refused_by_the_guard(asked: Any, body: dict[str, Any]) -> None:
    reply = await asked.edit(body)

    assert [each.reason for each in reply.stopped] in (
        ["guard.reason.other_effect"],
        ["guard.reason.unknown_effect"],
    )
    assert reply.exit_code == 4
    assert asked.writes() == []
    assert not await asked.trashed("Unfiled notes")


async def test_an_approval_of_a_run_that_was_dropped_is_withdrawn(asked: Any) -> None:
    async with asked.house() as house:
        await house.chats.cancel(asked.run)

    with pytest.raises(AlreadyDecided):
        await asked.approve()

    assert asked.approvals() == [(1, "withdrawn")]
    assert asked.writes() == []


async def test_a_decision_whose_process_died_is_carried_out_by_the_next_command(asked: Any) -> None:
    async with asked.house() as house:
        await house.confirmations.approve(1, "冰朔")

    async with asked.house() as house:
        for run_id in await house.abandoned():
            await house.advance(run_id)

    assert await asked.trashed("Unfiled notes")
    assert asked.run_state(asked.run) == "done"


async def test_a_decision_is_carried_out_by_a_serving_house_that_hears_of_it(asked: Any) -> None:
    async with asked.office.up():
        await asked.office.polls(1)
        async with asked.house() as house:
            await house.confirmations.approve(1, "冰朔")
        await asked.office.until(lambda: asked.run_state(asked.run) == "done")

    assert await asked.trashed("Unfiled notes")
    assert len(asked.writes()) == 1


async def test_two_who_carry_out_one_decision_at_once_write_once_and_say_the_same(asked: Any) -> None:
    async with asked.house() as house:
        await house.confirmations.approve(1, "冰朔")
        await asyncio.gather(*(house.advance(asked.run) for _ in range(3)))

    async with asked.house() as house:
        reply = await see_through(house, asked.run)
    assert [each.kind for each in reply.done] == ["page.archive"]
    assert reply.stopped == ()
    assert len(asked.writes()) == 1


async def test_two_processes_that_carry_out_one_decision_write_once(asked: Any) -> None:
    async with asked.house() as one, asked.house() as other:
        await one.confirmations.approve(1, "冰朔")
        await asyncio.gather(one.see_through(asked.run), other.see_through(asked.run))

        first, second = [await see_through(house, asked.run) for house in (one, other)]
    assert [each.kind for each in first.done] == ["page.archive"]
    assert first == second
    assert len(asked.writes()) == 1


async def test_two_who_decide_at_once_are_two_of_whom_one_is_heard(asked: Any) -> None:
    async with asked.house() as one, asked.house() as other:
        answers = await asyncio.gather(
            one.confirmations.approve(1, "甲"), other.confirmations.reject(1, "乙"), return_exceptions=True
        )

    assert [type(answer) for answer in answers].count(AlreadyDecided) == 1
    assert len(confirmations(asked)) == 1
