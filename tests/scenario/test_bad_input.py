"""What is wrong in Notion, in the settings or on the disk: said with its cure, and nothing half written.

After it is mended, the ticket is finished with exactly one receipt.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from lakelight.cli.session import exit_code
from lakelight.errors import LakelightError, StorageFull
from lakelight.messages import Messages
from lakelight.notion import NotionError, NotionRefused
from lakelight.tickets.source import SourceError

NOTHING_SENT = {"GET"}


def said(error: LakelightError) -> tuple[str, str]:
    return Messages("zh").explain(error), Messages("en").explain(error)


def writes(office: Any) -> list[tuple[str, str]]:
    """The requests that change something."""
    return [
        (method, path)
        for method, path in office.requests()
        if method not in NOTHING_SENT and not path.endswith(("/query", "/search"))
    ]


@pytest.mark.slow
async def test_a_wrong_token_is_said_with_where_to_find_the_right_one(office: Any) -> None:
    page = await office.ticket()
    right = office.environment["GH_NOTION_TOKEN"]
    office.environment["GH_NOTION_TOKEN"] = "ntn_000000000000000000000000000000000000000000000"

    with pytest.raises(NotionRefused) as caught:
        await office.work()
    found = await office.doctor()
    started = await office.process("--lang", "zh", "up")

    zh, en = said(caught.value)
    assert exit_code(caught.value) == started.code == 3
    assert "令牌" in zh
    assert zh in started.err
    assert "notion.so/profile/integrations" in en
    assert (found["notion"].state, found["notion"].key) == ("problem", "notion.unauthorized")

    office.environment["GH_NOTION_TOKEN"] = right
    await office.work()
    assert await office.receipts(page) == [1]


async def test_a_database_that_is_not_shared_is_taken_up_by_itself_once_it_is(office: Any) -> None:
    page = await office.ticket()
    office.unshare(office.workspace.root_page_id)
    office.share(office.agents_page)

    async with office.up():
        await office.until(lambda: office.heard.count("poll.failed") > 0)
        found = await office.doctor()
        office.share(office.database_id)
        await office.until(lambda: office.heard.count("ticket.done") == 1)

    error = next(facts["error"] for name, facts in office.heard.events if name == "poll.failed")
    zh, en = said(error)
    assert "→ ••• →" in zh
    assert "→ ••• → Connections" in en
    assert office.database_id in en
    assert exit_code(error) == 3
    assert (found["tickets"].state, found["tickets"].key) == ("problem", "tickets.database_not_shared")
    assert await office.receipts(page) == [1]


async def test_a_database_of_several_sources_is_refused_until_one_is_named(office: Any) -> None:
    page = await office.ticket()
    second = await office.owner.send(
        "POST",
        "/data_sources",
        {
            "parent": {"type": "database_id", "database_id": office.database_id},
            "properties": {"名称": {"title": {}}},
            "title": [{"text": {"content": "去年"}}],
        },
    )

    with pytest.raises(SourceError) as caught:
        await office.work()
    found = await office.doctor()
    office.environment["GH_NOTION_TICKET_DB_ID"] = office.source_id
    await office.work()

    for sentence in said(caught.value):
        assert office.source_id in sentence
        assert str(second.body["id"]) in sentence
    assert found["tickets"].key == "tickets.several_sources"
    assert await office.receipts(page) == [1]


@pytest.mark.parametrize(
    ("change", "key", "names"),
    [
        pytest.param(
            {"状态": None, "自检结果": {"number": {}}},
            "tickets.column.several",
            ("状态", "自检结果 (number)"),
            id="several at once",
        ),
        pytest.param({"状态": None}, "tickets.column.missing", ("状态", "tickets.columns.status"), id="missing"),
        pytest.param(
            {"状态": {"name": "阶段"}}, "tickets.column.missing", ("状态", "阶段"), id="renamed before the first look"
        ),
        pytest.param(
            {"自检结果": {"number": {}}}, "tickets.column.wrong_type", ("自检结果", "number"), id="of another type"
        ),
    ],
)  # fmt: skip
async def test_a_column_that_does_not_fit_is_named_and_nothing_is_taken(
    office: Any, change: dict[str, Any], key: str, names: tuple[str, ...]
) -> None:
    page = await office.ticket()
    await office.owner.send("PATCH", f"/data_sources/{office.source_id}", {"properties": change})

    with pytest.raises(SourceError) as caught:
        await office.work()
    found = await office.doctor()

    assert caught.value.message_key == found["tickets"].key == key
    for sentence in said(caught.value):
        assert all(name in sentence for name in names)
    assert await office.receipts(page) == []
    assert writes(office) == []


async def test_a_column_that_is_renamed_later_is_still_found(office: Any) -> None:
    await office.work()
    await office.owner.send(
        "PATCH", f"/data_sources/{office.source_id}", {"properties": {"状态": {"name": "阶段"}}}
    )
    page = await office.ticket(阶段="待开发")

    await office.work()

    assert await office.receipts(page) == [1]
    assert await office.value(page, "阶段") == "已完成"


async def test_without_the_optional_columns_a_ticket_is_answered_all_the_same(office: Any) -> None:
    few = ("任务标题", "状态", "负责Agent")
    kept = (await office.owner.data_source(office.source_id))["properties"]
    gone = {name: None for name in kept if name not in few}
    await office.owner.send("PATCH", f"/data_sources/{office.source_id}", {"properties": gone})
    page = await office.ticket()

    await office.work()
    found = await office.doctor()

    assert await office.receipts(page) == [1]
    assert await office.value(page, "状态") == "已完成"
    assert found["tickets"].state == "warning"
    assert "self_check" in found["tickets"].facts["missing"]


async def test_a_status_that_is_a_select_is_read_and_written_as_one(office: Any) -> None:
    columns = {
        "任务标题": {"title": {}},
        "状态": {"select": {"options": [{"name": "待开发"}, {"name": "已完成"}]}},
    }
    columns |= {"负责Agent": {"select": {"options": [{"name": "译典A05"}]}}, "自检结果": {"rich_text": {}}}
    await office.new_database(columns)
    page = await office.ticket()

    await office.work()

    assert await office.receipts(page) == [1]
    assert await office.value(page, "状态") == "已完成"
    options = (await office.owner.data_source(office.source_id))["properties"]["状态"]["select"]["options"]
    assert [option["name"] for option in options] == ["待开发", "已完成"]


async def test_a_status_word_without_an_option_is_left_alone_and_doctor_says_so(office: Any) -> None:
    office.environment["LAKELIGHT_TICKETS__STATUSES__DONE"] = "完工"
    page = await office.ticket()

    await office.work()
    found = await office.doctor()

    assert await office.receipts(page) == [1]
    assert await office.value(page, "状态") == "进行中"
    assert (found["statuses"].state, found["statuses"].facts["word"]) == ("warning", "完工")


async def test_a_ready_word_without_an_option_is_a_problem_for_doctor(office: Any) -> None:
    office.environment["LAKELIGHT_TICKETS__STATUSES__READY"] = "就绪"

    found = await office.doctor()

    assert (found["statuses"].state, found["statuses"].facts["word"]) == ("problem", "就绪")


async def empty_the_page(office: Any, page: str) -> None:
    for block in (await office.owner.children(page)).blocks:
        await office.owner.send("DELETE", f"/blocks/{block['id']}", {})


@pytest.mark.parametrize("why", ["in_trash", "missing", "empty"])
async def test_a_ticket_whose_persona_cannot_be_read_waits_untouched(office: Any, why: str) -> None:
    persona = office.personas["译典A05"]
    if why == "in_trash":
        await office.trash(persona)
    elif why == "missing":
        office.unshare(office.workspace.root_page_id)
        office.share(office.database_id)
        office.share(office.personas["培园A04"])
    else:
        await empty_the_page(office, persona)
    page = await office.ticket()

    summary = await office.work()
    found = await office.doctor()
    zh, en = await office.reason(page, "zh"), await office.reason(page, "en")

    assert summary["tickets"]["waiting"] == 1
    assert (await office.entry(page)).reason == f"persona_{why}"
    assert "译典A05" in zh
    assert persona in en
    assert "下一步：" in zh
    assert "Next step:" in en
    assert (found["personas"].state, found["personas"].key) == ("problem", f"wait.persona_{why}")
    assert writes(office) == []

    match why:
        case "in_trash":
            await office.trash(persona, out=True)
        case "missing":
            office.share(persona)
        case _:
            await office.write_below(persona, "你是译典。")
    await office.work()
    assert await office.receipts(page) == [1]


async def test_an_instruction_page_that_is_a_database_is_no_page_to_read(office: Any) -> None:
    instructions = office.personas["译典A05"]
    office.personas["译典A05"] = office.database_id
    office.write_roster()
    page = await office.ticket()

    await office.work()
    found = await office.doctor()

    assert (await office.entry(page)).reason == "persona_missing"
    assert found["personas"].key == "wait.persona_missing"
    assert writes(office) == []

    office.personas["译典A05"] = instructions
    office.write_roster()
    await office.work()
    assert await office.receipts(page) == [1]


async def test_a_read_only_token_is_told_of_and_leaves_no_half_receipt(office: Any) -> None:
    with_rights = office.environment["GH_NOTION_TOKEN"]
    office.environment["GH_NOTION_TOKEN"] = office.new_token(read_only=True)
    page = await office.ticket()

    await office.work()
    entry, reason = await office.entry(page), await office.reason(page)
    office.environment["GH_NOTION_TOKEN"] = with_rights
    await office.work()

    assert (entry.state, entry.reason) == ("waiting", "notion.restricted_resource")
    assert "Capabilities" in reason
    assert await office.receipts(page) == [1]


@pytest.mark.parametrize("room", [0, 2, 4, 8])
async def test_a_state_database_that_fills_up_holds_the_ticket_and_loses_nothing(
    office: Any, room: int
) -> None:
    page = await office.ticket("长" * 200, 开发内容="很长的要求。" * 300)
    house = await office.build()
    try:
        fill(house.database, room)
        with pytest.raises(StorageFull) as caught:
            await house.service.run_once(asyncio.Event())
    finally:
        await house.close()
    zh, en = said(caught.value)
    half = await office.receipts(page)

    await office.work()

    assert "磁盘空间" in zh
    assert "disk space" in en
    assert half in ([], [1])
    assert await office.receipts(page) == [1]
    assert await office.value(page, "状态") == "已完成"


def fill(database: Any, room: int) -> None:
    """Let the file grow by no more than `room` pages from now on."""
    with database.transaction() as connection:
        most = connection.exec_driver_sql("PRAGMA page_count").scalar_one() + room

    def limit(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {most}")

    for engine in (database.engine, database.durable_engine):
        event.listen(engine, "checkout", limit)


async def test_a_workspace_that_is_full_keeps_the_ticket_waiting(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    async with opened(tmp_path) as office:
        await office.furnish()
        office.start_ledger()
        page = await office.ticket()
        home, settings = office.home, dict(office.environment)
        with office.workspace.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
        source, personas = office.source_id, office.personas

    async with opened(tmp_path, max_pages=pages) as office:
        office.source_id, office.personas = source, personas
        office.environment = settings | office.environment
        await office.write_until_full(personas["培园A04"])
        await office.work()
        entry = await office.entry(page)
        zh, en = await office.reason(page, "zh"), await office.reason(page, "en")
        half = await office.receipts(page)

    async with opened(tmp_path) as office:
        office.source_id = source
        office.environment = settings | office.environment
        await office.work()
        receipts = await office.receipts(page)

    assert home == office.home
    assert (entry.state, entry.reason) == ("waiting", "unsettled")
    assert "The workspace is full" in zh
    assert "The workspace is full" in en
    assert half == []
    assert receipts == [1]


async def test_notion_out_of_reach_is_said_and_waited_for(office: Any) -> None:
    page = await office.ticket()
    there = office.environment["LAKELIGHT_NOTION__BASE_URL"]
    office.environment["LAKELIGHT_NOTION__BASE_URL"] = "http://127.0.0.1:9"

    with pytest.raises(NotionError) as caught:
        await office.work()
    found = await office.doctor()
    office.environment["LAKELIGHT_NOTION__BASE_URL"] = there
    await office.work()

    assert exit_code(caught.value) == 6
    assert found["notion"].key == "notion.unreachable"
    assert await office.receipts(page) == [1]
