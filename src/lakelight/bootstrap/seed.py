"""The workspace that the demo shows: agents with personas, a ticket database, tickets, some pages.

It is written by a person of the embedded workspace, over the same API as everything else, so that
what the agents find there is what they would find in Notion.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakelight.bootstrap.embedded import EmbeddedError
from lakelight.bootstrap.home import SEEDING_FILE, Place, write_private
from lakelight.clock import Clock
from lakelight.daemon.sources import GIVEN
from lakelight.notion import NotionError
from lakelight.notion.budget import NoBudget
from lakelight.notion.http import HttpNotion
from lakelight.notion.markdown import to_blocks
from lakelight.storage import Database
from lakelight.tickets import ledger
from notion_embedded.store import StoreError, Workspace, tokens

_SEEDED = "demo.seeded"
_OWNER = "冰朔"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """What stands in the workspace after seeding."""

    agents: int
    tickets: int
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Persona:
    key: str
    id: str
    name: str
    role: str
    capabilities: tuple[str, ...]
    text: str
    trashed: bool = False


PERSONAS = (
    _Persona(
        key="译典A05",
        id="5TH-LE-HK-A05",
        name="译典·配置开发",
        role="配置开发·文档规范",
        capabilities=("architecture", "config", "documentation", "github"),
        text=(
            "# 你是译典\n\n你负责配置与文档规范。\n\n- 先给结论，再给依据。\n"
            "- 术语前后一致，不确定的地方写明。\n- 不替别人做决定。"
        ),
    ),
    _Persona(
        key="培园A04",
        id="5TH-LE-HK-A04",
        name="培园·功能开发",
        role="功能开发·代码实现",
        capabilities=("coding", "testing", "implementation"),
        text=(
            "# 你是培园\n\n你负责功能开发。\n\n- 先说清接口，再写实现。\n- 每个改动都带测试。\n- 改动尽量小。"
        ),
    ),
    _Persona(
        key="录册A02",
        id="5TH-LE-HK-A02",
        name="录册·知识管理",
        role="知识管理·数据库",
        capabilities=("database", "knowledge", "documentation"),
        text=(
            "# 你是录册\n\n你负责知识库。\n\n- 归档之前先核对来源。\n- 分类从少到多。\n- 英文工单用英文回答。"
        ),
    ),
    _Persona(
        key="霜砚Web",
        id="5TH-LE-HK-W01",
        name="霜砚·页面",
        role="前端页面",
        capabilities=("coding", "web"),
        text="# 你是霜砚\n\n这一页被移到了回收站。",
        trashed=True,
    ),
)

_PAGES = (
    ("接口文档草稿", "## 已有接口\n\n- 登录\n- 工单列表\n\n## 待补\n\n- [ ] 错误码\n- [ ] 分页"),
    ("部署手册", "1. 安装 Python 3.11\n2. 运行 `make demo`\n3. 打开控制页"),
    ("Unfiled notes", "- Hiring plan\n- Roadmap draft\n- Docker cheat sheet"),
    ("项目计划", "> 第一阶段：先迁移一个半体。\n\n第二阶段：三个核心半体。"),
)

_NOTES = (
    ("Docker notes", "Images are built on every tag.\n\n```bash\ndocker build -t app .\n```"),
    ("备份方案", "每天 03:17 备份一次，保留 14 天。"),
    ("网络拓扑", "两台服务器，一个内网。"),
)
"""The rows of the knowledge base, none of them filed yet."""


def _ticket(title: str, brief: str, **more: str) -> dict[str, str]:
    return {"任务标题": title, "开发内容": brief, **more}


TICKETS = (
    _ticket(
        "整理接口文档",
        "把登录和工单列表两个接口的请求、返回和错误码整理成一页。错误码从哪里来？",
        负责Agent="译典A05",
        优先级="高",
        约束="不改已有字段名",
        仓库路径="docs/api",
        分支名="docs/api-pages",
    ),
    _ticket("找 Docker 的资料", "搜索 Docker", 优先级="低", 约束="请由 录册A02 完成"),
    _ticket("写一份周报", "汇总本周完成的工单。", 优先级="低"),
    _ticket(
        "核对部署手册", "逐步核对部署手册，标出过时的步骤。", 优先级="中", 约束="译典A05 和 培园A04 都可以"
    ),
    _ticket("改首页配色", "深色模式下对比度不够。", 负责Agent="霜砚Web", 优先级="低"),
    _ticket("看一下部署手册", "读取 部署手册", 负责Agent="5TH-LE-HK-A04", 优先级="中"),
    _ticket(
        "记下发布日期", "在 项目计划 末尾追加：发布日期定为 12 月 15 日。", 负责Agent="译典A05", 优先级="高"
    ),
    _ticket(
        "File the Docker notes", "Set 领域 of Docker notes to 基础设施", 负责Agent="录册A02", 优先级="中"
    ),
    _ticket(
        "知识库全部归类",
        "把 知识库 里的每一页的 领域 设为 基础设施",
        负责Agent="录册·知识管理",
        优先级="中",
        下一轮指引="归类之后再补负责人",
    ),
    _ticket("归档旧笔记", "归档 Unfiled notes", 负责Agent="录册A02", 优先级="低"),
    _ticket("翻译新手指南", "把新手指南译成英文。", 负责Agent="培园A04", 优先级="低"),
    _ticket("整理相册", "给照片分类。", 负责Agent="无名A99", 优先级="低"),
)


def is_seeded(database: Database) -> bool:
    """True when this workspace was seeded, whole."""
    with database.transaction() as connection:
        return ledger.fact(connection, _SEEDED) is not None


async def seed(
    place: Place, workspace: Workspace, database: Database, clock: Clock, *, tickets: bool = True
) -> Seeded:
    """Fill a fresh embedded workspace; without `tickets` only the agents and the empty ticket database.

    Raises:
        EmbeddedError: It does not take what is to stand in it.
        StorageError: Our own state cannot be kept.
    """
    try:
        seeded = await _fill(place, workspace, database, clock, tickets=tickets)
    # It is our own server that said no, and its own file that took no more.
    except (sqlite3.Error, StoreError, NotionError) as error:
        raise EmbeddedError(file=place.folder, cause=str(error)) from error
    (place.folder / SEEDING_FILE).unlink(missing_ok=True)
    return seeded


async def _fill(
    place: Place, workspace: Workspace, database: Database, clock: Clock, *, tickets: bool
) -> Seeded:
    person = _person(workspace)
    notion = HttpNotion(person, clock=clock, budget=NoBudget(), base_url=place.base_url)
    try:
        return await _Seeding(notion, workspace.root_page_id, place, database).fill(with_tickets=tickets)
    finally:
        await notion.aclose()


def _person(workspace: Workspace) -> str:
    moment = int(workspace.now().timestamp() * 1000)
    with workspace.writing() as connection:
        user = tokens.add_user(connection, "person", _OWNER, "owner@example.org")
        token = tokens.add_token(connection, user, "seed", read_only=False, moment=moment)
        tokens.share(connection, token.id, workspace.root_page_id)
    return token.secret


class _Seeding:
    def __init__(self, notion: HttpNotion, root: str, place: Place, database: Database) -> None:
        self._notion = notion
        self._root = root
        self._place = place
        self._database = database

    async def fill(self, *, with_tickets: bool) -> Seeded:
        pages = 0
        home = await self._page(self._root, "半体 Agents", "每个半体有一页人格和一页记忆。")
        roster: dict[str, Any] = {}
        for persona in PERSONAS if with_tickets else PERSONAS[:3]:
            instruction = await self._page(home, f"{persona.key} 指令", persona.text)
            memory = await self._page(home, f"{persona.key} 记忆", "还没有记忆。")
            pages += 2
            if persona.trashed:
                await self._notion.send("PATCH", f"/pages/{instruction}", {"in_trash": True})
            roster[persona.key] = {
                "id": persona.id,
                "name": persona.name,
                "role": persona.role,
                "instructionPageId": instruction,
                "memoryPageId": memory,
                "capabilities": list(persona.capabilities),
            }
        for title, text in _PAGES if with_tickets else ():
            await self._page(self._root, title, text)
            pages += 1
        if with_tickets:
            pages += await self._knowledge()
        source = await self._database_of_tickets()
        for ticket in TICKETS if with_tickets else ():
            await self._notion.send(
                "POST",
                "/pages",
                {
                    "parent": {"type": "data_source_id", "data_source_id": source},
                    "properties": {name: _value(name, text) for name, text in ticket.items()}
                    | {"状态": {"status": {"name": "待开发"}}},
                },
            )
        if with_tickets:
            write_private(self._place.folder / "policy.toml", _POLICY.format(root=self._root))
        write_private(
            self._place.folder / "agents.json", json.dumps(roster, ensure_ascii=False, indent=2) + "\n"
        )
        await self._database.run_durably(lambda connection: ledger.know(connection, GIVEN, source))
        await self._database.run_durably(lambda connection: ledger.know(connection, _SEEDED, "yes"))
        return Seeded(agents=len(roster), tickets=len(TICKETS) if with_tickets else 0, pages=pages)

    async def _page(self, parent: str, title: str, markdown: str) -> str:
        answer = await self._notion.send(
            "POST",
            "/pages",
            {
                "parent": {"type": "page_id", "page_id": parent},
                "properties": {"title": {"title": [{"text": {"content": title}}]}},
                "children": to_blocks(markdown),
            },
        )
        return str(answer.body["id"])

    async def _knowledge(self) -> int:
        answer = await self._notion.send(
            "POST",
            "/databases",
            {
                "parent": {"type": "page_id", "page_id": self._root},
                "title": [{"text": {"content": "知识库"}}],
                "initial_data_source": {"properties": _KNOWLEDGE},
            },
        )
        source = str(answer.body["data_sources"][0]["id"])
        for title, text in _NOTES:
            await self._notion.send(
                "POST",
                "/pages",
                {
                    "parent": {"type": "data_source_id", "data_source_id": source},
                    "properties": {"名称": {"title": [{"text": {"content": title}}]}},
                    "children": to_blocks(text),
                },
            )
        return len(_NOTES)

    async def _database_of_tickets(self) -> str:
        answer = await self._notion.send(
            "POST",
            "/databases",
            {
                "parent": {"type": "page_id", "page_id": self._root},
                "title": [{"text": {"content": "半体工单"}}],
                "initial_data_source": {"properties": _COLUMNS},
            },
        )
        return str(answer.body["data_sources"][0]["id"])


_KNOWLEDGE: Mapping[str, Any] = {
    "名称": {"title": {}},
    "领域": {
        "select": {
            "options": [
                {"name": "基础设施", "color": "blue"},
                {"name": "计划", "color": "green"},
                {"name": "人员", "color": "orange"},
            ]
        }
    },
    "负责人": {"rich_text": {}},
}

_POLICY = """\
# Who may do what in this workspace; docs/guard.md explains it.
version = 1
level = 2

[agents."译典A05"]
level = 1
pages = ["{root}"]

[agents."录册A02"]
level = 2          # may archive, after a person has said yes
pages = ["{root}"]
"""

_COLUMNS: Mapping[str, Any] = {
    "任务标题": {"title": {}},
    "编号": {"unique_id": {"prefix": "T"}},
    "负责Agent": {
        "select": {
            "options": [
                {"name": "译典A05", "color": "blue"},
                {"name": "培园A04", "color": "green"},
                {"name": "录册A02", "color": "purple"},
                {"name": "霜砚Web", "color": "gray"},
            ]
        }
    },
    "状态": {
        "status": {
            "options": [
                {"name": "待开发", "color": "default"},
                {"name": "进行中", "color": "blue"},
                {"name": "待确认", "color": "yellow"},
                {"name": "已完成", "color": "green"},
            ]
        }
    },
    "优先级": {
        "select": {
            "options": [
                {"name": "高", "color": "red"},
                {"name": "中", "color": "yellow"},
                {"name": "低", "color": "gray"},
            ]
        }
    },
    "开发内容": {"rich_text": {}},
    "约束": {"rich_text": {}},
    "分支名": {"rich_text": {}},
    "仓库路径": {"rich_text": {}},
    "下一轮指引": {"rich_text": {}},
    "自检结果": {"rich_text": {}},
    "创建时间": {"created_time": {}},
}


def _value(name: str, text: str) -> dict[str, Any]:
    if name == "任务标题":
        return {"title": [{"text": {"content": text}}]}
    if name in {"负责Agent", "优先级"}:
        return {"select": {"name": text}}
    return {"rich_text": [{"text": {"content": text}}]}
