"""A workspace, its owner, and real `lakelight mcp` processes, driven by the official SDK's client."""

import asyncio
import json
import logging
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import ElicitResult, Implementation
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typer.testing import CliRunner

from lakelight.cli.main import app
from lakelight.clock import SystemClock
from lakelight.notion.budget import NoBudget
from lakelight.notion.http import HttpNotion
from lakelight.notion.markdown import to_blocks
from notion_embedded.server import Workspace, create_app, open_workspace, serve_app, system_clock
from notion_embedded.store.admin import Admin


class Gate:
    """Stands before the workspace: holds a request or its answer back, or refuses it."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner
        self.holds: Callable[[str, str], bool] | None = None
        self.stores = True
        """Whether a held request reaches the workspace before it is held."""
        self.held = asyncio.Event()
        self.released = asyncio.Event()
        self.answer: tuple[int, dict[str, str], dict[str, Any]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.answer is not None and scope["type"] == "http":
            await self._refuse(send)
            return
        if scope["type"] != "http" or self.holds is None or not self.holds(scope["method"], scope["path"]):
            await self._inner(scope, receive, send)
            return
        body = await receive()

        async def once() -> Message:
            return body

        kept: list[Message] = []

        async def keep(message: Message) -> None:
            kept.append(message)

        if self.stores:
            await self._inner(scope, once, keep)
        self.held.set()
        await self.released.wait()
        if not self.stores:
            return
        for message in kept:
            with suppress(Exception):
                await send(message)

    async def _refuse(self, send: Send) -> None:
        assert self.answer is not None
        status, headers, body = self.answer
        named = {"content-type": "application/json", **headers}
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(name.encode(), value.encode()) for name, value in named.items()],
            }
        )
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})

    def hold(self, *, stores: bool = True) -> None:
        """Hold the next writes."""
        self.stores, self.held, self.released = stores, asyncio.Event(), asyncio.Event()
        self.holds = lambda method, path: method == "PATCH" and path.endswith("/children")

    def open(self) -> None:
        self.holds, self.answer = None, None
        self.released.set()


@dataclass
class Bench:
    """Everything that a test of the server needs; what it changes in Notion, it does as the owner."""

    home: Path
    workspace: Workspace
    gate: Gate
    owner: HttpNotion
    environment: dict[str, str]
    said: list[str] = field(default_factory=list)
    """What the forms said, in order."""
    decides: Callable[[], Any] = lambda: "accept"
    """The answer to the next form."""

    async def page(self, title: str, text: str = "") -> str:
        made = await self.owner.send(
            "POST",
            "/pages",
            {
                "parent": {"type": "page_id", "page_id": self.workspace.root_page_id},
                "properties": {"title": {"title": [{"text": {"content": title}}]}},
                **({"children": to_blocks(text)} if text else {}),
            },
        )
        return str(made.body["id"])

    async def texts(self, page: str) -> list[str]:
        found = await self.owner.children(page)
        return ["".join(part["plain_text"] for part in _words(block)) for block in found.blocks]

    async def trashed(self, page: str) -> bool:
        return bool((await self.owner.page(page)).get("in_trash"))

    @asynccontextmanager
    async def client(
        self, mode: str = "legacy", *arguments: str, forms: bool = False, **more: str
    ) -> AsyncIterator[Client]:
        """A client with a server process of its own."""
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "lakelight", "mcp", *arguments],
            env={**self.environment, **more, "LAKELIGHT_HOME": str(self.home)},
        )
        with (self.home.parent / "stderr.log").open("a") as errors:
            async with Client(
                stdio_client(parameters, errlog=errors),
                mode=mode,
                elicitation_callback=self._answer if forms else None,
                client_info=Implementation(name="tester", version="1"),
            ) as client:
                yield client

    def servers(self) -> list[psutil.Process]:
        """The processes that serve this home."""
        return [
            child
            for child in psutil.Process().children(recursive=True)
            if child.environ().get("LAKELIGHT_HOME") == str(self.home)
        ]

    async def command(self, *arguments: str) -> Any:
        """What another `lakelight` command prints as JSON, in a shell beside."""

        def run() -> Any:
            clean: dict[str, str | None] = {
                name: None for name in os.environ if name.startswith(("LAKELIGHT_", "GH_", "LC_", "LANG"))
            }
            environment = {**clean, **self.environment, "LAKELIGHT_HOME": str(self.home)}
            root = logging.getLogger()
            handlers = root.handlers[:]
            try:
                done = CliRunner().invoke(app, [*arguments, "--json"], env=environment)
            finally:
                # A command logs to a file of its own.
                for handler in set(root.handlers) - set(handlers):
                    handler.close()
                root.handlers[:] = handlers
            assert done.stdout, done.stderr
            return json.loads(done.stdout)

        return await asyncio.to_thread(run)

    async def process(self, *arguments: str, **more: str) -> tuple[int, str, str]:
        """Another `lakelight` command in a process of its own: exit code, stdout, stderr."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "lakelight",
            *arguments,
            env={**self.environment, **more, "LAKELIGHT_HOME": str(self.home)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode or 0, out.decode(), err.decode()

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """What the state says, read beside the running server."""
        file = next(self.home.glob("*/state.db"))
        with closing(sqlite3.connect(file)) as connection:
            return [tuple(row) for row in connection.execute(query, values)]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that the server does; the test's own time-out ends it."""
        while not holds():
            await asyncio.sleep(0.02)

    async def _answer(self, _context: Any, parameters: Any) -> ElicitResult:
        self.said.append(parameters.message)
        decided = self.decides()
        action = await decided if asyncio.iscoroutine(decided) else decided
        return ElicitResult(action=action, content={} if action == "accept" else None)


def _words(block: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = block[block["type"]].get("rich_text", [])
    return found


@asynccontextmanager
async def open_bench(folder: Path, level: int = 2) -> AsyncIterator[Bench]:
    home = folder / "home"
    home.mkdir()
    (home / "policy.toml").write_text(f"version = 1\nlevel = {level}\n")
    with open_workspace(folder / "notion.db", workspace_name="光湖") as workspace:
        with closing(Admin(workspace.file)) as admin:
            person = admin.add_token(
                "person", "冰朔", shares=[workspace.root_page_id], read_only=False, now=system_clock()
            )
        gate = Gate(create_app(workspace))
        async with serve_app(gate) as url:
            owner = HttpNotion(person["token"], clock=SystemClock(), budget=NoBudget(), base_url=url)
            environment = {
                "GH_NOTION_TOKEN": workspace.token,
                "LAKELIGHT_NOTION__BASE_URL": url,
                "LAKELIGHT_NOTION__REQUESTS_PER_MINUTE": "10000",
                "LAKELIGHT_NOTION__BURST": "10000",
                "LAKELIGHT_NOTION__RETRY_WAITS": "0",
                "LAKELIGHT_NOTION__SETTLE": "0",
                "LC_ALL": "C.UTF-8",
            }
            try:
                yield Bench(home, workspace, gate, owner, environment)
            finally:
                gate.open()
                await owner.aclose()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """For a test that starts servers of its own."""
    async with open_bench(tmp_path) as bench:
        yield bench


@pytest.fixture(scope="session")
def opened_bench() -> Callable[..., Any]:
    """For tests that share one."""
    return open_bench


@pytest.fixture(scope="session")
def shared() -> Callable[..., Any]:
    """Keeps a context open in a task of its own, which is where an SDK's client must also be closed."""

    @asynccontextmanager
    async def keep(context: Any) -> AsyncIterator[Any]:
        entered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        leave = asyncio.Event()

        async def hold() -> None:
            try:
                async with context as value:
                    entered.set_result(value)
                    await leave.wait()
            except BaseException as error:
                if not entered.done():
                    entered.set_exception(error)
                raise

        holding = asyncio.create_task(hold())
        try:
            yield await entered
        finally:
            leave.set()
            await holding

    return keep
