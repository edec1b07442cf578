"""Doing and undoing on a served workspace leaves it as it was, for each kind that the tools make."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lakelight.clock import SystemClock
from lakelight.ids import fresh
from lakelight.notion.budget import NoBudget
from lakelight.notion.canonical import blocks_content, properties_content
from lakelight.notion.http import HttpNotion
from lakelight.notion.markdown import to_blocks
from lakelight.notion.schema import assign, columns
from lakelight.operations import Kind, Operation, request
from lakelight.operations.inverse import CannotUndo, inverse
from notion_embedded.server import open_workspace, serve

SCHEMA: dict[str, Any] = {
    "标题": {"title": {}},
    "状态": {"status": {}},
    "级": {"select": {"options": [{"name": "高"}, {"name": "低"}]}},
    "签": {"multi_select": {"options": [{"name": "a"}, {"name": "b"}]}},
    "数": {"number": {}},
    "勾": {"checkbox": {}},
    "期": {"date": {}},
    "链": {"url": {}},
    "文": {"rich_text": {}},
}

few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(slots=True)
class Desk:
    notion: HttpNotion
    source: dict[str, Any]
    row: str

    async def do(self, operation: Operation) -> dict[str, Any]:
        sent = operation.request
        return (await self.notion.send(sent.method, sent.path, sent.content)).body

    async def undo(self, operation: Operation, ids: tuple[str, ...], before: dict[str, Any] | None) -> None:
        found = inverse(operation, ids=ids, before=before, new_id=lambda: fresh("op"))
        assert not isinstance(found, CannotUndo), found
        for one in found:
            await self.do(one)

    async def set(self, values: dict[str, Any]) -> tuple[Operation, dict[str, Any]]:
        """The operation that sets `values`, and the page before it."""
        among = columns(self.source)
        properties = {name: assign(among[name], value) for name, value in values.items()}
        before = await self.notion.page(self.row)
        update = operation(
            Kind.PAGE_PROPERTIES_UPDATE, self.row, f"/pages/{self.row}", {"properties": properties}
        )
        await self.do(update)
        return update, before


def operation(kind: Kind, target: str, path: str, body: dict[str, Any], method: Any = "PATCH") -> Operation:
    return Operation(id=fresh("op"), kind=kind, target=target, request=request(method, path, body))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    workspace = open_workspace(tmp_path / "workspace.db")
    with workspace:
        async with serve(workspace) as url:
            notion = HttpNotion(workspace.token, clock=SystemClock(), budget=NoBudget(), base_url=url)
            made = await notion.send(
                "POST",
                "/databases",
                {
                    "parent": {"type": "page_id", "page_id": workspace.root_page_id},
                    "title": [{"text": {"content": "任务"}}],
                    "initial_data_source": {"properties": SCHEMA},
                },
            )
            source = await notion.data_source(made.body["data_sources"][0]["id"])
            place = {"type": "data_source_id", "data_source_id": source["id"]}
            row = await notion.send("POST", "/pages", {"parent": place, "properties": {}})
            yield Desk(notion, source, row.body["id"])
            await notion.aclose()


text = st.text(alphabet="甲乙 ab*_`<>[]😀", max_size=8)
values = st.fixed_dictionaries(
    {},
    optional={
        "标题": text,
        "状态": st.sampled_from(["Not started", "In progress", "Done"]),
        "级": st.sampled_from(["高", "低", None]),
        "签": st.lists(st.sampled_from(["a", "b"]), unique=True),
        "数": st.none() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6),
        "勾": st.booleans(),
        "期": st.sampled_from([None, "2026-03-01", "2026-03-01/2026-03-09", "2026-03-01T09:30:00+08:00"]),
        "链": st.sampled_from([None, "https://a.example/x"]),
        "文": text,
    },
)


@few
@given(first=values, second=values)
async def test_columns_that_were_set_are_set_back(
    desk: Desk, first: dict[str, Any], second: dict[str, Any]
) -> None:
    await desk.set(first)

    update, before = await desk.set(second)
    await desk.undo(update, (desk.row,), before)
    after = await desk.notion.page(desk.row)

    assert properties_content(after["properties"]) == properties_content(before["properties"])


@few
@given(
    st.lists(
        st.sampled_from(
            ["# 甲", "- 一\n  - 二", "段 **粗** [x](https://a.example)", "| a |\n|---|\n| 1 |", "---"]
        ),
        min_size=1,
        max_size=4,
    )
)
async def test_blocks_that_were_appended_are_gone_again(desk: Desk, parts: list[str]) -> None:
    before = (await desk.notion.children(desk.row)).blocks
    append = operation(
        Kind.BLOCK_APPEND,
        desk.row,
        f"/blocks/{desk.row}/children",
        {"children": to_blocks("\n\n".join(parts))},
    )

    answer = await desk.do(append)
    await desk.undo(append, tuple(block["id"] for block in answer["results"]), None)
    after = (await desk.notion.children(desk.row)).blocks

    assert [block["id"] for block in after] == [block["id"] for block in before]
    assert blocks_content(after) == blocks_content(before)


async def test_a_page_that_was_created_is_in_the_trash_again(desk: Desk) -> None:
    place = {"type": "data_source_id", "data_source_id": desk.source["id"]}
    create = operation(
        Kind.PAGE_CREATE, desk.source["id"], "/pages", {"parent": place, "properties": {}}, "POST"
    )
    before = [row["id"] async for row in desk.notion.query(desk.source["id"])]

    made = await desk.do(create)
    await desk.undo(create, (made["id"],), None)

    assert [row["id"] async for row in desk.notion.query(desk.source["id"])] == before
    assert (await desk.notion.page(made["id"]))["in_trash"] is True


async def test_a_page_that_was_trashed_is_back_with_all_in_it(desk: Desk) -> None:
    before = await desk.notion.page(desk.row)
    await desk.notion.send("PATCH", f"/blocks/{desk.row}/children", {"children": to_blocks("甲\n\n乙")})
    content = (await desk.notion.children(desk.row)).blocks
    archive = operation(Kind.PAGE_ARCHIVE, desk.row, f"/pages/{desk.row}", {"in_trash": True})

    await desk.do(archive)
    await desk.undo(archive, (desk.row,), before)
    after = await desk.notion.page(desk.row)

    assert after["in_trash"] is False
    assert properties_content(after["properties"]) == properties_content(before["properties"])
    assert blocks_content((await desk.notion.children(desk.row)).blocks) == blocks_content(content)
