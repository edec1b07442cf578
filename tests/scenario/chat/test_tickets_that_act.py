"""Tickets whose brief is a command: they park, go on after a decision, say so, and can be taken back."""

from typing import Any

import pytest

ARCHIVE = {"开发内容": "归档 Unfiled notes"}
SET = {"开发内容": "把 Docker notes 的 领域 设为 基础设施"}


def scoped(study: Any, more: str = "") -> str:
    root = study.office.workspace.root_page_id
    return f'[agents."译典A05"]\nlevel = 2\npages = ["{root}"]\n{more}'


async def parked(study: Any, fields: dict[str, str]) -> str:
    """A ticket that waits for A-1; its page."""
    study.policy(more=scoped(study, 'ask = ["page.properties.update"]'))
    page: str = await study.office.ticket("请处理", **fields)
    await study.office.work()
    assert study.approvals() == [(1, "pending")]
    assert (await study.office.entry(page)).reason == "approval"
    assert await study.office.value(page, "状态") == "待确认"
    study.writes()
    return page


async def test_an_approved_ticket_is_done_and_its_receipt_says_what_it_did(study: Any) -> None:
    page = await parked(study, ARCHIVE)

    await study.approve()

    assert await study.trashed("Unfiled notes")
    assert (await study.office.entry(page)).state == "done"
    assert await study.office.receipts(page) == [1]
    assert await study.office.value(page, "状态") == "已完成"
    assert (await study.office.value(page, "自检结果")).startswith("✅ ")
    body = await study.office.body(page)
    assert "Unfiled notes" in body
    assert study.writes()[0][1] == f"/pages/{study.pages['Unfiled notes']}"


async def test_a_rejected_ticket_is_done_with_what_was_cancelled_and_why(study: Any) -> None:
    page = await parked(study, ARCHIVE)

    await study.reject(why="五月再说")

    assert not await study.trashed("Unfiled notes")
    assert (await study.office.entry(page)).state == "done"
    assert await study.office.receipts(page) == [1]
    body = await study.office.body(page)
    assert "Unfiled notes" in body
    assert "五月再说" in body
    assert [path for _, path in study.writes() if study.pages["Unfiled notes"] in path] == []


async def test_an_edited_change_of_a_ticket_is_what_notion_gets(study: Any) -> None:
    page = await parked(study, SET)

    await study.edit({"properties": {"领域": {"select": {"name": "计划"}}}})

    assert await study.value("Docker notes", "领域") == "计划"
    assert study.approvals() == [(1, "superseded"), (2, "used")]
    granted = [(event, body["approval"]) for event, body in study.events("confirmation.")]
    assert granted == [("confirmation.superseded", 1), ("confirmation.granted", 2)]
    assert await study.office.receipts(page) == [1]

    run = (await study.office.entry(page)).run_id
    told = await study.undo(run)

    assert ("page.properties.update", "undone") in told
    assert await study.value("Docker notes", "领域") == ""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"properties": {"领域": {"select": {"name": "计划"}}}, "in_trash": True}, id="trash"),
        pytest.param({"properties": {}, "erase_content": True}, id="erase"),
        pytest.param({"children": []}, id="append"),
    ],
)
async def test_an_edit_that_does_something_else_sends_nothing(study: Any, body: dict[str, Any]) -> None:
    await parked(study, SET)

    await study.edit(body)

    assert await study.value("Docker notes", "领域") == ""
    assert [path for _, path in study.writes() if study.pages["Docker notes"] in path] == []


async def test_a_ticket_that_is_moved_away_takes_its_question_back(study: Any) -> None:
    page = await parked(study, ARCHIVE)
    await study.office.edit(page, 状态="已完成")

    await study.office.work()

    assert study.approvals() == [(1, "withdrawn")]
    assert not await study.trashed("Unfiled notes")


async def test_a_decision_made_while_nobody_serves_is_carried_out_at_the_next_start(study: Any) -> None:
    page = await parked(study, ARCHIVE)
    async with study.house() as house:
        await house.confirmations.approve(1, "冰朔")

    await study.office.work()

    assert await study.trashed("Unfiled notes")
    assert await study.office.receipts(page) == [1]


async def test_a_stale_question_of_a_ticket_is_asked_anew(study: Any) -> None:
    page = await parked(study, ARCHIVE)
    await study.office.write_below(study.pages["Unfiled notes"], "New words")

    assert await study.approve() is None

    assert study.approvals() == [(1, "stale"), (2, "pending")]
    assert not await study.trashed("Unfiled notes")
    assert (await study.office.entry(page)).facts == {"approval": "A-2"}

    await study.approve(2)

    assert await study.trashed("Unfiled notes")
    assert await study.office.receipts(page) == [1]


async def test_a_ticket_that_is_taken_back_is_as_before_and_is_not_worked_again(study: Any) -> None:
    study.policy(more=scoped(study))
    page = await study.office.ticket("请处理", **SET)
    before = await study.snapshot()
    await study.office.work()
    assert await study.value("Docker notes", "领域") == "基础设施"
    run = (await study.office.entry(page)).run_id

    told = await study.undo(run)

    assert {result for _, result in told} == {"undone"}
    assert [kind for kind, _ in told].count("ticket.mark") == 1
    assert await study.snapshot() == before

    await study.office.work()
    await study.office.work()

    assert await study.snapshot() == before
    assert len(study.state("SELECT id FROM runs WHERE kind = 'ticket'")) == 1
    assert (await study.office.entry(page)).state == "ignored"
    assert "taken back" in await study.office.reason(page)

    await study.office.edit(page, 约束="再来一次")
    await study.office.work()

    assert len(await study.office.receipts(page)) == 1


async def test_the_marks_of_a_ticket_that_waited_are_taken_back_as_one(study: Any) -> None:
    before = await study.snapshot()
    page = await parked(study, ARCHIVE)
    await study.approve()
    run = (await study.office.entry(page)).run_id

    done = await study.office.command("undo", run)

    assert done.code == 0, done
    assert done.out.count("mark a ticket") == 1
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["Taken back"] * 3
    assert await study.office.value(page, "状态") != "已完成"
    assert not await study.trashed("Unfiled notes")
    assert set(before) <= set(await study.snapshot())

    again = await study.office.command("undo", run)

    assert again.code == 0
    assert [line.split(":")[0] for line in again.out.splitlines()] == ["Was taken back before"] * 3


async def test_a_mark_that_somebody_has_changed_since_is_left_alone(study: Any) -> None:
    page = await parked(study, ARCHIVE)
    await study.approve()
    run = (await study.office.entry(page)).run_id
    await study.owner.send("PATCH", f"/pages/{page}", {"properties": {"自检结果": {"rich_text": []}}})

    told = await study.undo(run)

    assert told[0] == ("ticket.mark", "changed_since")
    assert {result for _, result in told[1:]} == {"undone"}
    assert await study.office.value(page, "状态") == "已完成"


async def test_the_list_tells_one_question_from_another(study: Any) -> None:
    page = await parked(study, SET)
    await study.ask("archive the page Unfiled notes")

    listed = await study.office.command("approvals", "list")

    number = (await study.office.entry(page)).number
    ticket, chat = (line.split("  ") for line in listed.out.splitlines())
    assert ticket[:4] == ["A-1", "waits for a decision", "just now", number]
    assert ticket[-2:] == ["change properties · Docker notes", "领域: – → 基础设施"]
    assert chat[:4] == ["A-2", "waits for a decision", "just now", "chat"]
    assert "Unfiled notes" in chat[-1]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        pytest.param((), "No reason was given.", id="no reason"),
        pytest.param(("--reason", "not in May"), "“not in May”", id="a reason"),
    ],
)
async def test_a_rejection_tells_a_reason_only_when_there_is_one(
    study: Any, reason: tuple[str, ...], said: str
) -> None:
    await study.ask("archive the page Unfiled notes")

    done = await study.office.command("approvals", "reject", "A-1", *reason)

    assert said in done.out
    assert "“”" not in done.out
