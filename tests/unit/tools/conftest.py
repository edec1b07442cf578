"""A furnished embedded workspace, served in process, and the tools on it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lakelight.clock import SystemClock
from lakelight.notion.budget import NoBudget
from lakelight.notion.http import HttpNotion
from lakelight.notion.markdown import to_blocks
from lakelight.tools import Built, Tool, ToolContext, ToolResult, standard_tools
from notion_embedded.server import open_workspace, serve

SCHEMA: dict[str, Any] = {
    "任务标题": {"title": {}},
    "状态": {"status": {}},
    "优先级": {"select": {"options": [{"name": "高"}, {"name": "中"}, {"name": "低"}]}},
    "标签": {"multi_select": {"options": [{"name": "a"}, {"name": "b"}]}},
    "数": {"number": {}},
    "勾": {"checkbox": {}},
    "期限": {"date": {}},
    "链接": {"url": {}},
    "说明": {"rich_text": {}},
    "负责人": {"people": {}},
    "编号": {"unique_id": {"prefix": "T"}},
    "创建时间": {"created_time": {}},
    "公式": {"formula": {"expression": "1"}},
}


@dataclass(slots=True)
class Desk:
    """The workspace, what stands in it by a short name, and the tools."""

    notion: HttpNotion
    root: str
    bot_id: str
    ids: dict[str, str] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=standard_tools)

    def context(self, page: str | None = None, target: str | None = None) -> ToolContext:
        return ToolContext(reader=self.notion, language="zh", page=page, target=target)

    async def call(
        self, tool: str, arguments: Mapping[str, Any], page: str | None = None, target: str | None = None
    ) -> ToolResult:
        return await self.tools[tool].call(arguments, self.context(page, target))

    async def carry_out(self, built: ToolResult) -> dict[str, Any]:
        """Send what a tool built, as the executor would."""
        assert isinstance(built, Built)
        request = built.operation.request
        return (await self.notion.send(request.method, request.path, request.content)).body

    async def page(self, title: str, parent: str | None = None, markdown: str = "") -> str:
        body = {
            "parent": {"type": "page_id", "page_id": parent or self.root},
            "properties": {"title": {"title": [{"text": {"content": title}}]}},
            "children": to_blocks(markdown),
        }
        return str((await self.notion.send("POST", "/pages", body)).body["id"])

    async def row(self, title: str, **values: Any) -> str:
        body = {
            "parent": {"type": "data_source_id", "data_source_id": self.ids["任务"]},
            "properties": {"任务标题": {"title": [{"text": {"content": title}}]}, **values},
        }
        return str((await self.notion.send("POST", "/pages", body)).body["id"])

    async def database(self, title: str, schema: Mapping[str, Any]) -> tuple[str, str]:
        """The id of the container, and that of its data source."""
        body = {
            "parent": {"type": "page_id", "page_id": self.root},
            "title": [{"text": {"content": title}}],
            "initial_data_source": {"properties": dict(schema)},
        }
        made = (await self.notion.send("POST", "/databases", body)).body
        return str(made["id"]), str(made["data_sources"][0]["id"])


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    workspace = open_workspace(tmp_path / "workspace.db")
    with workspace:
        async with serve(workspace) as url:
            notion = HttpNotion(workspace.token, clock=SystemClock(), budget=NoBudget(), base_url=url)
            desk = Desk(notion, workspace.root_page_id, workspace.bot_id)
            desk.ids["计划"] = await desk.page("项目计划", markdown="第一阶段\n\n- 迁移")
            desk.ids["周报 1"] = await desk.page("周报")
            desk.ids["周报 2"] = await desk.page("周报", desk.ids["计划"])
            desk.ids["任务库"], desk.ids["任务"] = await desk.database("任务", SCHEMA)
            desk.ids["登录"] = await desk.row("修复登录", 优先级={"select": {"name": "高"}}, 数={"number": 3})
            desk.ids["分页"] = await desk.row("加分页", 优先级={"select": {"name": "低"}}, 数={"number": 8})
            yield desk
            await notion.aclose()
