"""A ticket's way through the whole house: from Notion to Notion."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.jobs import AlreadyRunning
from notion_embedded.server import system_clock

UNMAPPED = {
    "LAKELIGHT_TICKETS__STATUSES__WORKING": "",
    "LAKELIGHT_TICKETS__STATUSES__NEEDS_YOU": "",
    "LAKELIGHT_TICKETS__STATUSES__DONE": "",
}


class Minute:
    """The workspace's clock, which stands at a second of a minute until it is moved."""

    def __init__(self) -> None:
        self.moment = system_clock().replace(second=20, microsecond=0)

    def __call__(self) -> datetime:
        return self.moment

    def go(self, **by: float) -> None:
        self.moment += timedelta(**by)


async def test_a_ready_ticket_gets_one_receipt_and_its_marks(office: Any) -> None:
    page = await office.ticket()

    done = await office.work()

    assert done == {
        "tickets": {"done": 1, "waiting": 0, "skipped": 0, "failed": 0},
        "writes": 3,
        "approvals_waiting": 0,
        "seconds": 0,
    }
    assert await office.receipts(page) == [1]
    assert await office.value(page, "状态") == "已完成"
    assert (await office.value(page, "自检结果")).startswith("✅ 已完成 · 回执 R-1 · ")
    assert "未使用模型（模板）" in await office.body(page)


ASSIGNMENTS = {
    "by key": ({"负责Agent": "译典A05"}, "译典A05", "done", ""),
    "by id, in another case": ({"负责Agent": "5th-le-hk-a04"}, "培园A04", "done", ""),
    "by name": ({"负责Agent": "培园·功能开发"}, "培园A04", "done", ""),
    "by key in full width": ({"负责Agent": "译典Ａ０５"}, "译典A05", "done", ""),
    "by alias": ({"负责Agent": "小译"}, "译典A05", "done", ""),
    "by the constraints": ({"负责Agent": "", "约束": "请 培园A04 来做"}, "培园A04", "done", ""),
    "nobody": ({"负责Agent": ""}, "", "skipped", "nobody"),
    "two in the constraints": ({"负责Agent": "", "约束": "译典A05 或 培园A04"}, "", "skipped", "two_named"),
    "two in the field": ({"负责Agent": "译典A05，培园A04"}, "", "skipped", "two_agents"),
    "unknown": ({"负责Agent": "无名A99"}, "", "skipped", "assignee_unknown"),
    "off": ({"负责Agent": "霜砚"}, "", "skipped", "agent_off"),
}


async def test_a_ticket_goes_to_the_agent_that_it_names_and_to_no_other(office: Any) -> None:
    office.write_roster(
        译典A05={"aliases": ["小译"]}, 霜砚={"id": "W01", "name": "霜砚", "instructionPageId": "<待填写>"}
    )
    pages = {title: await office.ticket(title, **fields) for title, (fields, *_) in ASSIGNMENTS.items()}

    await office.work()

    entries = {title: await office.entry(page) for title, page in pages.items()}
    assert {title: (entry.agent, entry.state, entry.reason) for title, entry in entries.items()} == {
        title: tuple(expected) for title, (_, *expected) in ASSIGNMENTS.items()
    }
    for title, (_, _, state, _) in ASSIGNMENTS.items():
        assert len(await office.receipts(pages[title])) == (state == "done"), title
        assert await office.value(pages[title], "状态") == ("已完成" if state == "done" else "待开发")


async def test_a_skipped_ticket_is_taken_once_somebody_is_assigned(office: Any) -> None:
    page = await office.ticket(负责Agent="")
    await office.work()
    await office.edit(page, 负责Agent="培园A04")

    await office.work()

    assert await office.receipts(page) == [1]


async def test_what_is_edited_before_a_draft_is_what_gets_answered(office: Any, model: Any) -> None:
    office.environment |= model.settings()
    model.answer = lambda: model.completion("")
    page = await office.ticket(开发内容="旧的要求")
    await office.work()
    await office.edit(page, 开发内容="新的要求")
    model.answer = None

    await office.work()

    assert await office.receipts(page) == [1]
    assert "新的要求" in model.asked[-1]["messages"][1]["content"]
    assert "旧的要求" not in model.asked[-1]["messages"][1]["content"]


async def test_a_waiting_ticket_that_is_given_to_another_agent_is_worked_by_that_one(office: Any) -> None:
    await office.trash(office.personas["译典A05"])
    page = await office.ticket()
    await office.work()
    await office.edit(page, 负责Agent="培园A04")

    await office.work()

    assert (await office.entry(page)).agent == "培园A04"
    assert await office.receipts(page) == [1]


async def test_a_waiting_ticket_that_is_moved_away_is_dropped(office: Any) -> None:
    await office.trash(office.personas["译典A05"])
    page = await office.ticket()
    async with office.up():
        await office.until(lambda: office.heard.count("ticket.waiting") == 1)
        await office.edit(page, 状态="已完成")
        await office.until(lambda: office.heard.count("ticket.dropped") == 1)
        await office.trash(office.personas["译典A05"], out=True)
        await office.polls(2)

    entry = await office.entry(page)
    assert (entry.state, entry.reason) == ("ignored", "status_changed")
    assert await office.receipts(page) == []
    assert await office.value(page, "自检结果") == ""


async def test_a_ticket_moved_away_while_nobody_polled_is_dropped(office: Any, model: Any) -> None:
    office.environment |= model.settings()
    model.answer = lambda: model.completion("")
    page = await office.ticket()
    await office.work()
    await office.edit(page, 状态="已完成")
    model.answer = None

    await office.work()

    assert (await office.entry(page)).reason == "status_changed"
    assert await office.receipts(page) == []


async def test_a_ticket_in_the_trash_is_dropped_and_taken_again_when_it_is_back(office: Any) -> None:
    await office.trash(office.personas["译典A05"])
    page = await office.ticket()
    await office.work()
    await office.trash(page)
    await office.trash(office.personas["译典A05"], out=True)
    await office.work()
    assert (await office.entry(page)).state != "done"
    await office.trash(page, out=True)

    await office.work()

    assert await office.receipts(page) == [1]


async def test_a_finished_ticket_set_to_ready_again_gets_a_second_receipt(office: Any) -> None:
    page = await office.ticket()
    other = await office.ticket("另一张")
    await office.work()
    await office.edit(page, 状态="待开发")

    await office.work()

    first = await office.receipts(page)
    assert len(first) == 2
    assert first[-1] == 3
    assert len(await office.receipts(other)) == 1


async def test_without_status_words_a_ticket_is_answered_once_and_left_as_it_is(office: Any) -> None:
    office.environment |= UNMAPPED
    page = await office.ticket()

    async with office.up():
        await office.until(lambda: office.heard.count("ticket.done") == 1)
        await office.polls(4)
    await office.work()

    assert await office.receipts(page) == [1]
    assert await office.value(page, "状态") == "待开发"
    assert (await office.value(page, "自检结果")).startswith("✅ ")


async def test_a_second_edit_within_the_same_minute_is_answered_too(opened: Any, tmp_path: Path) -> None:
    clock = Minute()
    async with opened(tmp_path, clock=clock) as office:
        await office.furnish()
        office.start_ledger()
        office.environment |= UNMAPPED
        clock.go(minutes=1)
        page = await office.ticket()
        async with office.up():
            await office.until(lambda: office.heard.count("ticket.done") == 1)
            clock.go(seconds=30)
            await office.edit(page, 开发内容="又有一条要求。")
            await office.until(lambda: office.heard.count("ticket.done") == 2)
            clock.go(seconds=60)
            await office.polls(4)

        assert await office.receipts(page) == [1, 2]


async def test_an_edit_of_the_body_alone_is_news_a_minute_later(opened: Any, tmp_path: Path) -> None:
    clock = Minute()
    async with opened(tmp_path, clock=clock) as office:
        await office.furnish()
        office.start_ledger()
        office.environment |= UNMAPPED
        page = await office.ticket()
        async with office.up():
            await office.until(lambda: office.heard.count("ticket.done") == 1)
            clock.go(minutes=1)
            await office.write_below(page, "补充：还要一张表。")
            await office.until(lambda: office.heard.count("ticket.done") == 2)
            await office.polls(3)

        assert await office.receipts(page) == [1, 2]
        assert office.heard.count("ticket.started") == 2


async def test_polls_without_news_cost_one_request_however_many_rows_there_are(
    opened: Any, tmp_path: Path
) -> None:
    clock = Minute()
    async with opened(tmp_path, clock=clock) as office:
        clock.go(days=-1)
        await office.furnish()
        for number in range(300):
            await office.ticket(f"第 {number} 张", 状态="已完成")
        clock.go(days=1)
        async with office.up():
            await office.polls(1)
            before = len(office.requests())
            polled = office.heard.count("poll.done")
            await office.polls(5)
            polls = office.heard.count("poll.done") - polled
            sent = office.requests()[before:]

        assert set(sent) == {("POST", f"/data_sources/{office.source_id}/query")}
        assert polls <= len(sent) <= polls + 1
        assert [event for event, _ in office.heard.events if event.startswith("ticket.")] == []


@pytest.mark.slow
async def test_only_one_house_works_on_a_workspace(office: Any) -> None:
    page = await office.ticket()
    async with office.up():
        with pytest.raises(AlreadyRunning):
            await office.build()
        second = await office.process("up", "--once")
        await office.until(lambda: office.heard.count("ticket.done") == 1)

    assert second.code == 1
    assert "already works on this state" in second.err
    assert await office.receipts(page) == [1]


async def test_tickets_from_before_the_first_start_are_taken_only_when_asked_for(
    opened: Any, tmp_path: Path
) -> None:
    clock = Minute()
    async with opened(tmp_path, clock=clock) as office:
        clock.go(days=-1)
        await office.furnish()
        old = []
        for title in ("最早", "其次", "再次"):
            old.append(await office.ticket(title))
            clock.go(minutes=5)
        clock.moment = system_clock() + timedelta(minutes=1)
        new = await office.ticket("新的")

        await office.work()
        first = [await office.receipts(page) for page in (*old, new)]
        await office.work()
        await office.work(backlog=1)
        states = [(await office.entry(page)).state for page in (*old, new)]

        assert first == [[], [], [], [1]]
        assert states == ["done", "backlog", "backlog", "done"]
        assert await office.receipts(old[0]) == [2]


@pytest.mark.slow
async def test_a_retry_from_another_process_is_heard_by_the_running_house(office: Any) -> None:
    page = await office.ticket()
    async with office.up():
        await office.until(lambda: office.heard.count("ticket.done") == 1)
        asked = await office.process("tickets", "retry", "T-1", "--json")
        await office.until(lambda: office.heard.count("ticket.done") == 2)

    assert (asked.code, asked.data) == (0, {"retried": ["T-1"], "busy": []})
    assert await office.receipts(page) == [1, 2]


async def test_a_retry_wakes_a_ticket_that_waits(office: Any) -> None:
    await office.trash(office.personas["译典A05"])
    page = await office.ticket()
    async with office.up():
        await office.until(lambda: office.heard.count("ticket.waiting") == 1)
        await office.trash(office.personas["译典A05"], out=True)
        await office.command("tickets", "retry", page)
        await office.until(lambda: office.heard.count("ticket.done") == 1)

    assert await office.receipts(page) == [1]


async def test_a_plan_leaves_notion_and_the_state_as_they_were(
    office: Any, contents: Callable[[Path], str]
) -> None:
    ready = await office.ticket()
    await office.ticket("没有人", 负责Agent="")
    before = contents(office.workspace.file), contents(office.folder / "state.db")

    done = await office.command("up", "--dry-run", "--json")

    assert done.code == 0
    assert done.data["tickets"][0] == {
        "page_id": ready,
        "number": "T-1",
        "title": "整理文档",
        "agent": "译典A05",
        "by": "field",
        "persona": "ok",
        "decision": "allow",
        "writes": ["self_check", "status", "receipt"],
    }
    assert done.data["tickets"][1]["skipped"] == "nobody"
    assert (contents(office.workspace.file), contents(office.folder / "state.db")) == before
    assert {method for method, path in office.requests() if not path.endswith("/query")} == {"GET"}


async def test_a_plan_before_the_first_start_does_not_open_the_ledger(opened: Any, tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        await office.furnish()
        await office.ticket()

        done = await office.command("up", "--dry-run")

        assert done.code == 0
        assert "T-1" in done.out
        assert not (office.folder / "state.db").exists()
