"""An office: a workspace served in the test's own loop, its owner, and the house that works for him.

The house is the real one, built by `lakelight.bootstrap` from settings as a user would write them;
the workspace stands in for Notion, reached over HTTP with a token.
"""

import asyncio
import json
import logging
import os
import re
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typer.testing import CliRunner

from lakelight.bootstrap.checkup import check_up
from lakelight.bootstrap.home import Place
from lakelight.bootstrap.house import House, build_house, notion_place, open_state, settle_place
from lakelight.cli.main import app
from lakelight.cli.reasons import reason_text
from lakelight.cli.running import summary
from lakelight.clock import SystemClock
from lakelight.messages import Language, Messages
from lakelight.notion import NotionError
from lakelight.notion.budget import NoBudget
from lakelight.notion.http import HttpNotion
from lakelight.notion.markdown import to_blocks
from lakelight.settings import load
from lakelight.tickets import ledger
from notion_embedded.server import Workspace, open_workspace, serve, serve_app, system_clock
from notion_embedded.store.admin import Admin

AGENTS = {
    "译典A05": ("5TH-LE-HK-A05", "译典·配置开发", ["documentation"], "# 你是译典\n\n先给结论，再给依据。"),
    "培园A04": ("5TH-LE-HK-A04", "培园·功能开发", ["coding"], "# 你是培园\n\n每个改动都带测试。"),
}
WORDS = ("待开发", "进行中", "待确认", "已完成")
COLUMNS: dict[str, Any] = {
    "任务标题": {"title": {}},
    "编号": {"unique_id": {"prefix": "T"}},
    "负责Agent": {"rich_text": {}},
    "状态": {"status": {"options": [{"name": word} for word in WORDS]}},
    "优先级": {"select": {"options": [{"name": "高"}]}},
    "开发内容": {"rich_text": {}},
    "约束": {"rich_text": {}},
    "分支名": {"rich_text": {}},
    "仓库路径": {"rich_text": {}},
    "下一轮指引": {"rich_text": {}},
    "自检结果": {"rich_text": {}},
    "创建时间": {"created_time": {}},
}
HEADING = re.compile(r"^(?:回执|Receipt) R-(\d+)$")


@dataclass(frozen=True)
class Done:
    """What came of one command."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


class Heard:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def tell(self, event: str, **facts: object) -> None:
        self.events.append((event, facts))

    def count(self, event: str) -> int:
        return sum(name == event for name, _ in self.events)


@dataclass
class Office:
    """Everything that a scenario needs; what it changes in Notion, it does as the owner."""

    home: Path
    workspace: Workspace
    url: str
    owner: HttpNotion
    environment: dict[str, str] = field(default_factory=dict)
    heard: Heard = field(default_factory=Heard)
    database_id: str = ""
    source_id: str = ""
    agents_page: str = ""
    personas: dict[str, str] = field(default_factory=dict)

    # The owner, in Notion

    async def furnish(self, columns: Mapping[str, Any] = COLUMNS) -> None:
        """Share a page of personas and a ticket database with the bot, and write the settings."""
        self.agents_page = await self.new_page(self.workspace.root_page_id, "半体")
        for key, (_, _, _, text) in AGENTS.items():
            self.personas[key] = await self.new_page(self.agents_page, f"{key} 指令", text)
        await self.new_database(columns)
        self.write_roster()

    async def new_database(self, columns: Mapping[str, Any] = COLUMNS, parent: str | None = None) -> None:
        made = await self.owner.send(
            "POST",
            "/databases",
            {
                "parent": {"type": "page_id", "page_id": parent or self.workspace.root_page_id},
                "title": [{"text": {"content": "半体工单"}}],
                "initial_data_source": {"properties": dict(columns)},
            },
        )
        self.database_id = str(made.body["id"])
        self.source_id = str(made.body["data_sources"][0]["id"])
        self.environment["GH_NOTION_TICKET_DB_ID"] = self.database_id

    async def new_page(self, parent: str, title: str, text: str = "") -> str:
        made = await self.owner.send(
            "POST",
            "/pages",
            {
                "parent": {"type": "page_id", "page_id": parent},
                "properties": {"title": {"title": [{"text": {"content": title}}]}},
                **({"children": to_blocks(text)} if text else {}),
            },
        )
        return str(made.body["id"])

    def write_roster(self, **changed: Any) -> None:
        roster: dict[str, dict[str, Any]] = {
            key: {
                "id": id_,
                "name": name,
                "instructionPageId": self.personas.get(key, ""),
                "capabilities": capabilities,
            }
            for key, (id_, name, capabilities, _) in AGENTS.items()
        }
        for key, fields in changed.items():
            roster.setdefault(key, {}).update(fields)
        self.home.mkdir(exist_ok=True)
        (self.home / "agents.json").write_text(json.dumps(roster, ensure_ascii=False))

    async def ticket(self, title: str = "整理文档", **fields: str) -> str:
        """A ready ticket for 译典A05, unless `fields` (by column) say otherwise."""
        row = {
            "任务标题": title,
            "负责Agent": "译典A05",
            "开发内容": "写成一页。",
            "状态": "待开发",
            **fields,
        }
        made = await self.owner.send(
            "POST",
            "/pages",
            {
                "parent": {"type": "data_source_id", "data_source_id": self.source_id},
                "properties": await self._values(row),
            },
        )
        return str(made.body["id"])

    async def edit(self, page: str, **fields: str) -> None:
        await self.owner.send("PATCH", f"/pages/{page}", {"properties": await self._values(fields)})

    async def write_below(self, page: str, text: str) -> None:
        await self.owner.send("PATCH", f"/blocks/{page}/children", {"children": to_blocks(text)})

    async def trash(self, page: str, *, out: bool = False) -> None:
        await self.owner.send("PATCH", f"/pages/{page}", {"in_trash": not out})

    def share(self, page: str) -> None:
        self._admin(lambda admin, token: admin.share(token, page))

    def unshare(self, page: str) -> None:
        self._admin(lambda admin, token: admin.unshare(token, page))

    def new_token(self, *, read_only: bool) -> str:
        with closing(Admin(self.workspace.file)) as admin:
            made = admin.add_token(
                "bot",
                None,
                shares=[self.workspace.root_page_id],
                read_only=read_only,
                now=system_clock(),
            )
        return str(made["token"])

    async def write_until_full(self, page: str) -> None:
        """Write below a page until the workspace takes no more."""
        for words in ("长" * 1500, "短"):
            with suppress(NotionError):
                while True:
                    await self.write_below(page, words)

    def _admin(self, act: Callable[[Admin, str], object]) -> None:
        with closing(Admin(self.workspace.file)) as admin:
            # The first token is the workspace's own bot: the one that the settings name.
            act(admin, admin.list_tokens()[0]["id"])

    async def _values(self, row: Mapping[str, str]) -> dict[str, Any]:
        schema = (await self.owner.data_source(self.source_id))["properties"]
        return {name: _value(schema[name]["type"], text) for name, text in row.items() if name in schema}

    # What stands in Notion

    async def value(self, page: str, column: str) -> str:
        found = (await self.owner.page(page))["properties"][column]
        inner = found[found["type"]]
        if isinstance(inner, list):
            return "".join(part["plain_text"] for part in inner)
        return str((inner or {}).get("name", ""))

    async def receipts(self, page: str) -> list[int]:
        blocks = (await self.owner.children(page)).blocks
        texts = [
            "".join(part["plain_text"] for part in block[block["type"]].get("rich_text", []))
            for block in blocks
        ]
        return [int(found[1]) for text in texts if (found := HEADING.match(text))]

    async def body(self, page: str) -> str:
        return (await self.owner.page_markdown(page)).markdown

    # The house

    async def build(self, **more: str) -> House:
        loaded = load(self.home, {**self.environment, **more})
        clock = SystemClock()
        place = await settle_place(
            notion_place(loaded.settings, self.home), loaded.settings, self.home, clock
        )
        return await build_house(home=self.home, loaded=loaded, place=place, clock=clock, progress=self.heard)

    async def settle(self) -> None:
        """Let the home know which workspace the token belongs to, as a first start does."""
        loaded = load(self.home, self.environment)
        await settle_place(
            notion_place(loaded.settings, self.home), loaded.settings, self.home, SystemClock()
        )

    def start_ledger(self) -> None:
        """As if the house had been started once before: from now on every ticket is a new one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        place = Place(kind="notion", folder=self.folder, base_url=self.url, token=self.workspace.token)
        open_state(place, SystemClock()).close()

    async def work(self, backlog: int = 0, **more: str) -> dict[str, Any]:
        """What `lakelight up --once` does; the summary."""
        house = await self.build(**more)
        try:
            if backlog:
                await house.dispatcher.take_backlog(backlog)
            await house.service.run_once(asyncio.Event())
            return dict(summary(house.database, 0))
        finally:
            await house.close()

    @asynccontextmanager
    async def up(self, **more: str) -> AsyncIterator[House]:
        """What `lakelight up` does, while the block lasts; polls five times a second."""
        house = await self.build(LAKELIGHT_TICKETS__POLL_SECONDS="0.2", **more)
        stop = asyncio.Event()
        running = asyncio.create_task(house.service.run(stop))
        try:
            yield house
        finally:
            stop.set()
            await running
            await house.close()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that the house does; the test's own time-out ends it."""
        while not holds():
            await asyncio.sleep(0.02)

    async def polls(self, count: int) -> None:
        """Wait for that many whole polls from now on."""
        wanted = self.heard.count("poll.done") + count
        await self.until(lambda: self.heard.count("poll.done") >= wanted)

    @property
    def folder(self) -> Path:
        return self.home / self.workspace.workspace_id

    async def entry(self, page: str) -> Any:
        """What the ledger says of a page, read beside the running house."""
        from lakelight.storage import Database

        database = Database(self.folder / "state.db")
        try:
            return await database.run(lambda connection: ledger.find(connection, page))
        finally:
            database.close()

    async def rows(self, query: str) -> list[Any]:
        from lakelight.storage import Database

        database = Database(self.folder / "state.db")
        try:
            return await database.run(
                lambda connection: [tuple(row) for row in connection.exec_driver_sql(query)]
            )
        finally:
            database.close()

    async def reason(self, page: str, language: Language = "en") -> str:
        entry = await self.entry(page)
        return reason_text(Messages(language), entry.state, entry.reason, entry.facts)

    def requests(self) -> list[tuple[str, str]]:
        """Every request that the house sent so far."""
        lines = [
            json.loads(line)
            for log in self.home.rglob("notion-api.log")
            for line in log.read_text().splitlines()
        ]
        return [(line["method"], line["path"]) for line in sorted(lines, key=lambda line: line["time"])]

    async def doctor(self) -> dict[str, Any]:
        """The findings that are not in order, by name."""
        found = await check_up(self.home, self.environment, SystemClock())
        return {finding.name: finding for finding in found if finding.state != "ok"}

    # The command line

    async def command(self, *arguments: str, **more: str) -> Done:
        """One command in this process, on a thread of its own."""
        return await asyncio.to_thread(run_command, self.home, arguments, {**self.environment, **more})

    async def process(self, *arguments: str, **more: str) -> Done:
        """One command in a process of its own."""
        return await run_process(self.home, arguments, {**self.environment, **more})


def run_command(home: Path, arguments: tuple[str, ...], environment: Mapping[str, str]) -> Done:
    clean: dict[str, str | None] = {
        name: None for name in os.environ if name.startswith(("LAKELIGHT_", "GH_", "AGENT_", "LC_", "LANG"))
    }
    root = logging.getLogger()
    handlers = root.handlers[:]
    try:
        result = CliRunner().invoke(
            app, list(arguments), env={**clean, **environment, "LAKELIGHT_HOME": str(home)}
        )
    finally:
        # `up` and `demo` log to a file of their own.
        for handler in set(root.handlers) - set(handlers):
            handler.close()
        root.handlers[:] = handlers
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


async def run_process(home: Path, arguments: tuple[str, ...], environment: Mapping[str, str]) -> Done:
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LAKELIGHT_", "GH_", "AGENT_", "LC_", "LANG"))
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "lakelight",
        *arguments,
        env={**clean, **environment, "LAKELIGHT_HOME": str(home)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await process.communicate()
    finally:
        # A test that has seen enough cancels; the process must not outlive it.
        if process.returncode is None:
            process.terminate()
            await process.wait()
    return Done(process.returncode or 0, out.decode(), err.decode())


def _value(kind: str, text: str) -> dict[str, Any]:
    match kind:
        case "title" | "rich_text":
            return {kind: [{"text": {"content": text}}] if text else []}
        case _:
            return {kind: {"name": text} if text else None}


@asynccontextmanager
async def open_office(
    folder: Path, clock: Callable[[], datetime] = system_clock, max_pages: int | None = None
) -> AsyncIterator[Office]:
    with open_workspace(
        folder / "notion.db", workspace_name="光湖", clock=clock, max_pages=max_pages
    ) as workspace:
        with closing(Admin(workspace.file)) as admin:
            person = admin.add_token(
                "person", "冰朔", shares=[workspace.root_page_id], read_only=False, now=system_clock()
            )
        async with serve(workspace) as url:
            owner = HttpNotion(person["token"], clock=SystemClock(), budget=NoBudget(), base_url=url)
            environment = {
                "GH_NOTION_TOKEN": workspace.token,
                "LAKELIGHT_NOTION__BASE_URL": url,
                "LAKELIGHT_NOTION__REQUESTS_PER_MINUTE": "10000",
                "LAKELIGHT_NOTION__BURST": "10000",
                "LAKELIGHT_NOTION__RETRY_WAITS": "0",
                "LAKELIGHT_NOTION__SETTLE": "0",
                "LAKELIGHT_TICKETS__STATUSES__WORKING": "进行中",
                "LAKELIGHT_TICKETS__STATUSES__NEEDS_YOU": "待确认",
                "LAKELIGHT_TICKETS__STATUSES__DONE": "已完成",
            }
            office = Office(folder / "home", workspace, url, owner, environment)
            try:
                yield office
            finally:
                await owner.aclose()


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    """A furnished office whose ledger was opened before its first ticket."""
    async with open_office(tmp_path) as office:
        await office.furnish()
        office.start_ledger()
        yield office


@pytest.fixture
def opened() -> Callable[..., Any]:
    """For a test that furnishes its office itself, or needs a clock or a limit of its own."""
    return open_office


@pytest.fixture
def command() -> Callable[..., Done]:
    """For one command on a home of the test's own; what follows by name is the environment."""

    def run(home: Path, *arguments: str, **environment: str) -> Done:
        return run_command(home, arguments, environment)

    return run


@pytest.fixture
def process() -> Callable[..., Any]:
    """The same in a process of its own."""

    async def run(home: Path, *arguments: str, **environment: str) -> Done:
        return await run_process(home, arguments, environment)

    return run


@pytest.fixture
def contents() -> Callable[[Path], str]:
    """Everything that stands in a SQLite file."""

    def dump(file: Path) -> str:
        with closing(sqlite3.connect(file)) as connection:
            return "\n".join(connection.iterdump())

    return dump


class FakeModel:
    """An OpenAI-compatible endpoint that answers whatever the test wants."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.text = "# 结论\n\n已整理成一页。"
        self.answer: Callable[[], Response] | None = None
        self.answers: dict[str, Callable[[], Response]] = {}
        """For tickets whose title this is."""
        self.silent = False
        self.url = ""
        self.names = ["qwen-plus", "qwen-turbo", "qwen-coder-turbo"]

    def settings(self) -> dict[str, str]:
        return {
            "GH_LLM_BASE_URL": self.url,
            "GH_LLM_API_KEY": "sk-test-0123456789abcdef",
            "LAKELIGHT_MODEL__RETRY_WAITS": "0",
        }

    async def chat(self, request: Request) -> Response:
        self.asked.append(await request.json())
        if self.silent:
            await asyncio.sleep(30)
        for title, own in self.answers.items():
            if _is_about(self.asked[-1], title):
                return own()
        if self.answer is not None:
            return self.answer()
        return self.completion(self.text)

    def asked_about(self, title: str) -> list[str]:
        """The models that were asked about a ticket, in order."""
        return [asked["model"] for asked in self.asked if _is_about(asked, title)]

    def completion(self, text: str, finish: str = "stop") -> Response:
        body = {
            "model": self.asked[-1]["model"],
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 45},
        }
        return Response(json.dumps(body, ensure_ascii=False), media_type="application/json")

    async def models(self, request: Request) -> Response:
        if self.answer is not None:
            return self.answer()
        return Response(
            json.dumps({"data": [{"id": name} for name in self.names]}), media_type="application/json"
        )

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.chat, methods=["POST"]),
                Route("/v1/models", self.models),
            ]
        )


def _is_about(asked: dict[str, Any], title: str) -> bool:
    # The titles of related pages stand in the prompt too, on lines of their own.
    return f": {title}\n" in asked["messages"][1]["content"]


@pytest.fixture
async def model(office: Office) -> AsyncIterator[FakeModel]:
    """A model endpoint on this machine; the office trusts its models with tools."""
    strong = "\n".join(f"[{task}]\nweak_tools = false" for task in ("reasoning", "coding", "simple"))
    (office.home / "models.toml").write_text(strong)
    fake = FakeModel()
    async with serve_app(fake.app()) as url:
        fake.url = f"{url}/v1"
        yield fake
