"""The client against the embedded workspace: two readings of Notion's API, written apart, that must agree."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from lakelight.clock import SystemClock
from lakelight.notion import NotionRefused
from lakelight.notion.budget import NoBudget
from lakelight.notion.canonical import blocks_content, properties_content
from lakelight.notion.http import HttpNotion
from lakelight.notion.limits import children_of
from lakelight.notion.links import page_id_from
from lakelight.notion.markdown import chunks, to_blocks
from lakelight.notion.schema import assign, columns, equals, plain, status_groups
from notion_embedded.server import Workspace, open_workspace, serve

MARKDOWN = """# 标题 **粗：**中文
一段 *斜*、`码`、[链接](https://a.example)、$x^2$，**粗****粗** 😀

- [x] 做完
- 一
  - 二
    - 三
1. 数

> 引文

```zig
const a = 1;
```

| a | b |
|---|---|
| 1 | **2** |

![alt](https://e.example/i.png)

---
$$
y
$$

#### 小标题
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return open_workspace(tmp_path / "workspace.db")


@pytest.fixture
async def notion(workspace: Workspace) -> AsyncIterator[HttpNotion]:
    with workspace:
        async with serve(workspace) as url:
            notion = HttpNotion(workspace.token, clock=SystemClock(), budget=NoBudget(), base_url=url)
            yield notion
            await notion.aclose()


async def new_page(notion: HttpNotion, parent: str) -> str:
    body = {
        "parent": {"type": "page_id", "page_id": parent},
        "properties": {"title": {"title": [{"text": {"content": "回执"}}]}},
    }
    answer = await notion.send("POST", "/pages", body)
    return str(answer.body["id"])


async def read_back(notion: HttpNotion, block_id: str) -> list[dict[str, Any]]:
    """The whole tree below a block, in the shape of a request."""
    children = (await notion.children(block_id)).blocks
    for child in children:
        if child["has_children"]:
            child[child["type"]]["children"] = await read_back(notion, child["id"])
    return children


async def test_what_markdown_becomes_is_what_is_read_back(notion: HttpNotion, workspace: Workspace) -> None:
    page = await new_page(notion, workspace.root_page_id)
    sent = to_blocks(MARKDOWN)

    for part in chunks(sent):
        answer = await notion.send("PATCH", f"/blocks/{page}/children", {"children": part})
    back = await read_back(notion, page)

    assert blocks_content(back) == blocks_content(sent)
    assert [block["id"] for block in back] == [block["id"] for block in answer.body["results"]]
    assert [len(children_of(block)) for block in back] == [len(children_of(block)) for block in sent]
    assert answer.date is not None
    assert answer.request_id


async def test_a_page_of_many_blocks_is_read_whole_and_as_markdown(
    notion: HttpNotion, workspace: Workspace
) -> None:
    page = await new_page(notion, workspace.root_page_id)
    sent = to_blocks("".join(f"- 第 {number} 条\n" for number in range(250)))

    for part in chunks(sent):
        await notion.send("PATCH", f"/blocks/{page}/children", {"children": part})
    children = await notion.children(page)
    markdown = await notion.page_markdown(page)

    assert blocks_content(children.blocks) == blocks_content(sent)
    assert children.date is not None
    assert "第 249 条" in markdown.markdown


async def test_a_row_is_written_by_its_schema_and_found_again(
    notion: HttpNotion, workspace: Workspace
) -> None:
    schema: dict[str, Any] = {
        "任务标题": {"title": {}},
        "状态": {"status": {}},
        "优先级": {"select": {"options": [{"name": "P1"}, {"name": "P2"}]}},
        "标签": {"multi_select": {"options": [{"name": "a"}, {"name": "b"}]}},
        "数": {"number": {}},
        "勾": {"checkbox": {}},
        "期限": {"date": {}},
        "链接": {"url": {}},
        "自检结果": {"rich_text": {}},
    }
    body = {
        "parent": {"type": "page_id", "page_id": workspace.root_page_id},
        "title": [{"text": {"content": "工单"}}],
        "initial_data_source": {"properties": schema},
    }
    created = await notion.send("POST", "/databases", body)
    database = await notion.database(created.body["id"])
    source = await notion.data_source(database["data_sources"][0]["id"])
    found = columns(source)
    ready, *_ = found["状态"].options
    wanted = {
        "任务标题": "修复 **登录**",
        "状态": ready,
        "优先级": "p2",
        "标签": ["b", "a"],
        "数": 3.5,
        "勾": True,
        "期限": "2026-03-01",
        "链接": "https://a.example",
        "自检结果": "⚡ 已接单 😀" * 400,
    }
    properties = {name: assign(found[name], value) for name, value in wanted.items()}

    row = await notion.send(
        "POST",
        "/pages",
        {"parent": {"type": "data_source_id", "data_source_id": source["id"]}, "properties": properties},
    )
    rows = [row async for row in notion.query(source["id"], equals(found["状态"], ready))]
    none = [row async for row in notion.query(source["id"], equals(found["优先级"], "P1"))]
    cleared = await notion.send(
        "PATCH", f"/pages/{row.body['id']}", {"properties": {found["链接"].id: assign(found["链接"], "")}}
    )

    items = await notion.property_items(row.body["id"], found["自检结果"].id)

    assert status_groups(found["状态"])
    assert [found["id"] for found in rows] == [row.body["id"]]
    assert none == []
    assert properties_content(rows[0]["properties"], among=properties) == properties_content(properties)
    assert plain(rows[0]["properties"]["任务标题"]) == "修复 **登录**"
    assert plain(rows[0]["properties"]["期限"]) == "2026-03-01"
    assert plain(cleared.body["properties"]["链接"]) is None
    assert page_id_from(row.body["url"]) == row.body["id"]
    assert [item["id"] for item in await notion.search("修复", "page")] == [row.body["id"]]
    assert [item["id"] for item in await notion.search("工单", "data_source")] == [source["id"]]
    assert "".join(item["rich_text"]["plain_text"] for item in items) == wanted["自检结果"]


async def test_what_is_missing_or_not_allowed_is_refused(notion: HttpNotion, workspace: Workspace) -> None:
    with pytest.raises(NotionRefused) as missing:
        await notion.page("393abc1e-edcd-8170-aebf-cf1d14057b30")
    with pytest.raises(NotionRefused) as wrong:
        await notion.send(
            "PATCH", f"/pages/{workspace.root_page_id}", {"properties": {"没有": {"number": 1}}}
        )

    assert (missing.value.status, missing.value.message_key) == (404, "notion.object_not_found")
    assert (wrong.value.status, wrong.value.message_key) == (400, "notion.validation_error")


async def test_a_wrong_token_is_told_from_everything_else(notion: HttpNotion) -> None:
    stranger = HttpNotion("ntn_wrong", clock=SystemClock(), budget=NoBudget(), base_url=notion.base_url)

    with pytest.raises(NotionRefused) as caught:
        await stranger.me()

    assert caught.value.message_key == "notion.unauthorized"
    await stranger.aclose()


async def test_the_token_knows_its_own_user(notion: HttpNotion, workspace: Workspace) -> None:
    me = await notion.me()

    assert me["id"] == workspace.bot_id
    assert me["id"] in [user["id"] for user in await notion.users()]
