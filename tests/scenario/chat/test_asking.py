"""One request, one reply: what is read, written, refused, parked and asked back."""

from typing import Any

import pytest


async def test_a_search_brings_what_is_there_and_writes_nothing(study: Any) -> None:
    reply = await study.ask("search for Docker")

    titles = {row["title"] for found in reply.found for row in found.get("results", ())}
    assert (reply.ending, reply.exit_code) == ("done", 0)
    assert titles == {"Docker notes", "Docker guide"}
    assert study.writes() == []
    assert study.run_state(reply.run_id) == "done"


async def test_a_page_is_read(study: Any) -> None:
    reply = await study.ask("read the page Unfiled notes")

    (found,) = reply.found
    assert reply.exit_code == 0
    assert found["title"] == "Unfiled notes"
    assert "Hiring plan" in found["markdown"]
    assert study.writes() == []


async def test_a_database_is_asked_with_a_filter(study: Any) -> None:
    reply = await study.ask("查询 知识库 里 领域 是 基础设施 的页", language="zh")

    assert reply.exit_code == 0, reply
    assert [row["title"] for found in reply.found for row in found["rows"]] == ["备份方案"]
    assert study.writes() == []


async def test_a_write_at_level_1_is_done_and_told_with_its_page(study: Any) -> None:
    study.policy(level=1)

    reply = await study.ask("append to the page Unfiled notes: Ship on Friday")

    (done,) = reply.done
    assert (reply.ending, reply.exit_code) == ("done", 0)
    assert (done.tool, done.kind, done.title) == ("append_content", "block.append", "Unfiled notes")
    assert "Ship on Friday" in await study.body("Unfiled notes")
    assert study.writes() == [("PATCH", f"/blocks/{study.pages['Unfiled notes']}/children")]


@pytest.mark.parametrize(
    ("level", "mode", "words", "reason", "decision"),
    [
        pytest.param(
            0, "normal", "append to the page Unfiled notes: No", "guard.reason.level", "deny", id="level 0"
        ),
        pytest.param(
            1, "normal", "archive the page Unfiled notes", "guard.reason.level", "deny", id="archive at 1"
        ),
        pytest.param(
            3, "frozen", "append to the page Unfiled notes: No", "guard.reason.frozen", "deny", id="frozen"
        ),
        pytest.param(
            3,
            "preview",
            "append to the page Unfiled notes: No",
            "guard.reason.preview_mode",
            "preview_only",
            id="preview mode",
        ),
    ],
)
async def test_what_the_policy_forbids_is_told_and_never_reaches_notion(
    study: Any, level: int, mode: str, words: str, reason: str, decision: str
) -> None:
    study.policy(level=level, mode=mode)
    before = await study.snapshot()

    reply = await study.ask(words)

    (stopped,) = reply.stopped
    assert (reply.exit_code, stopped.reason, stopped.facts["decision"]) == (4, reason, decision)
    assert (reply.done, reply.waiting) == ((), ())
    assert study.writes() == []
    assert await study.snapshot() == before
    told = [body["guard"]["decision"] for _, body in study.events("guard.")]
    assert told == [decision]
    assert study.run_state(reply.run_id) == "done"


async def test_an_archive_waits_for_a_person(study: Any) -> None:
    reply = await study.ask("archive the page Unfiled notes")

    (waiting,) = reply.waiting
    assert (reply.exit_code, reply.ending, waiting.approval) == (5, "waiting", "A-1")
    assert study.approvals() == [(1, "pending")]
    assert study.writes() == []
    assert not await study.trashed("Unfiled notes")
    assert study.run_state(reply.run_id) == "waiting"


async def test_a_page_that_two_titles_name_is_asked_about(study: Any) -> None:
    root = study.office.workspace.root_page_id
    other = await study.office.new_page(root, "Unfiled notes", "another")

    reply = await study.ask("append to the page Unfiled notes: Ship on Friday")

    assert (reply.ending, reply.exit_code) == ("asked", 0)
    assert {each["id"] for each in reply.question["candidates"]} == {study.pages["Unfiled notes"], other}
    assert study.writes() == []


async def test_a_page_that_is_not_there_is_asked_about(study: Any) -> None:
    reply = await study.ask("archive the page Unfield notes")

    assert reply.ending in {"asked", "needs_model"}
    assert reply.done == ()
    assert study.writes() == []
    assert study.approvals() == []


async def test_a_write_without_a_target_is_asked_about(study: Any) -> None:
    reply = await study.ask("append to this page: Ship on Friday")
    with_page = await study.ask(
        "append to this page: Ship on Friday", page=study.pages["Unfiled notes"], session="chat_2"
    )

    assert reply.ending == "asked"
    assert reply.done == ()
    assert with_page.exit_code == 0
    assert len(study.writes()) == 1


async def test_a_page_that_vanished_after_it_was_named_is_no_reason_to_write_elsewhere(study: Any) -> None:
    page = study.pages["Unfiled notes"]
    await study.office.trash(page)

    reply = await study.ask("append to this page: Ship on Friday", page=page)

    assert reply.done == ()
    assert study.writes() == []
