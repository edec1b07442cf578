"""A study: the office with pages and a table, and a person who asks, decides and takes back.

Each `ask`, `decide` and `undo` builds a house of its own, as each command does; nothing but the files of
the home passes from one to the next.
"""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lakelight import audit
from lakelight.agent.chats import load_reply
from lakelight.agent.journal import Journal
from lakelight.agent.reply import Reply
from lakelight.bootstrap.house import House, build_house, notion_place, settle_place
from lakelight.clock import SystemClock
from lakelight.operations import Operation, request
from lakelight.settings import load
from notion_embedded.server import serve_app

COLUMNS: dict[str, Any] = {
    "名称": {"title": {}},
    "领域": {"select": {"options": [{"name": "基础设施"}, {"name": "计划"}]}},
    "负责人": {"rich_text": {}},
}


class Unheard:
    """A progress that nobody listens to."""

    def tell(self, event: str, **facts: object) -> None:
        pass


@dataclass
class Study:
    """What the tests work with; what they change in Notion themselves, they change as its owner."""

    office: Any
    pages: dict[str, str] = field(default_factory=dict)
    source: str = ""
    _read: int = 0

    @property
    def owner(self) -> Any:
        return self.office.owner

    @property
    def environment(self) -> dict[str, str]:
        found: dict[str, str] = self.office.environment
        return found

    async def furnish(self) -> None:
        root = self.office.workspace.root_page_id
        for title, text in (
            ("Unfiled notes", "- Hiring plan\n- Roadmap draft"),
            ("项目计划", "> 第一阶段：先迁移一个半体。"),
            ("Docker guide", "Images are built on every tag."),
        ):
            self.pages[title] = await self.office.new_page(root, title, text)
        made = await self.owner.send(
            "POST",
            "/databases",
            {
                "parent": {"type": "page_id", "page_id": root},
                "title": [{"text": {"content": "知识库"}}],
                "initial_data_source": {"properties": COLUMNS},
            },
        )
        self.source = str(made.body["data_sources"][0]["id"])
        for title, domain in (("Docker notes", None), ("备份方案", "基础设施")):
            value = {"name": domain} if domain else None
            row = await self.owner.send(
                "POST",
                "/pages",
                {
                    "parent": {"type": "data_source_id", "data_source_id": self.source},
                    "properties": {
                        "名称": {"title": [{"text": {"content": title}}]},
                        "领域": {"select": value},
                    },
                },
            )
            self.pages[title] = str(row.body["id"])
        self.policy()

    def policy(self, level: int = 2, mode: str = "normal", more: str = "") -> None:
        (self.office.home / "policy.toml").write_text(
            f'version = 1\nlevel = {level}\nmode = "{mode}"\n{more}', encoding="utf-8"
        )

    # Houses

    @asynccontextmanager
    async def house(self, *, serving: bool = False, **more: str) -> AsyncIterator[House]:
        """The house of one command."""
        home = self.office.home
        loaded = load(home, {**self.environment, **more})
        clock = SystemClock()
        place = await settle_place(notion_place(loaded.settings, home), loaded.settings, home, clock)
        house = await build_house(
            home=home, loaded=loaded, place=place, clock=clock, progress=Unheard(), serving=serving
        )
        try:
            yield house
        finally:
            await house.close()

    async def ask(self, words: str, *, session: str = "chat_1", **options: Any) -> Reply:
        """What `lakelight ask` does."""
        async with self.house(**options.pop("environment", {})) as house:
            run_id = await house.chats.begin(
                words, session_id=session, language=options.pop("language", "en"), **options
            )
            reply = await house.chats.advance(run_id)
        assert reply is not None
        return reply

    async def approve(self, number: int = 1) -> Reply | None:
        """What `lakelight approvals approve` does; None while the run is not over."""
        async with self.house() as house:
            approval = await house.confirmations.approve(number, "冰朔")
            return await see_through(house, approval.run_id)

    async def reject(self, number: int = 1, why: str = "") -> Reply | None:
        async with self.house() as house:
            approval = await house.confirmations.reject(number, "冰朔", why)
            return await see_through(house, approval.run_id)

    async def edit(self, body: Mapping[str, Any], number: int = 1) -> Reply | None:
        async with self.house() as house:
            with house.database.transaction() as connection:
                old = house.approvals.get(connection, number)
            sent = old.operation.request
            edited = Operation(
                id=house.fresh_operation_id(),
                kind=old.operation.kind,
                target=old.operation.target,
                request=request(sent.method, sent.path, body),
            )
            view = await house.surroundings.look(edited, "")
            approval = await house.confirmations.edit(number, "冰朔", edited, view.preview, view.pre_state)
            return await see_through(house, approval.run_id)

    async def undo(self, run_id: str) -> list[tuple[str, str]]:
        """What `lakelight undo` does: kind and result of each write, newest first."""
        async with self.house() as house:
            told = await house.undos.advance(await house.undos.begin(run_id))
        return [(each.kind, each.result) for each in told]

    # What there is to see

    async def body(self, title: str) -> str:
        found: str = await self.office.body(self.pages[title])
        return found

    async def trashed(self, title: str) -> bool:
        return bool((await self.owner.page(self.pages[title]))["in_trash"])

    async def value(self, title: str, column: str) -> str:
        found: str = await self.office.value(self.pages[title], column)
        return found

    async def snapshot(self) -> dict[str, Any]:
        """Everything that a person can see in the workspace, by page."""
        seen: dict[str, Any] = {}
        found = await self.owner.search("", "page", 100)
        for page in sorted(found, key=lambda page: str(page["id"])):
            values = {
                name: {key: value for key, value in content.items() if key != "id"}
                for name, content in page["properties"].items()
                if content["type"] not in {"last_edited_time", "last_edited_by"}
            }
            seen[page["id"]] = (values, await self.office.body(page["id"]))
        return seen

    def state(self, sql: str, *values: Any) -> list[Any]:
        """Rows of the state database."""
        file = self.office.folder / "state.db"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return connection.execute(sql, values).fetchall()

    def approvals(self) -> list[tuple[int, str]]:
        return self.state("SELECT number, state FROM approvals ORDER BY number")

    def run_state(self, run_id: str) -> str:
        return str(self.state("SELECT state FROM runs WHERE id = ?", run_id)[0][0])

    def events(self, prefix: str = "") -> list[tuple[str, dict[str, Any]]]:
        """The trail, oldest first."""
        rows = self.state("SELECT event, body FROM audit_events ORDER BY seq")
        return [(event, json.loads(body)) for event, body in rows if event.startswith(prefix)]

    def writes(self) -> list[tuple[str, str]]:
        """The write requests that the houses sent, since the last look."""
        sent = [
            (method, path)
            for method, path in self.office.requests()
            if method in {"PATCH", "DELETE"} or (method == "POST" and path == "/pages")
        ]
        news, self._read = sent[self._read :], len(sent)
        return news

    def check_trail(self) -> None:
        """The trail holds, and every write that was sent was allowed for those very bytes before."""
        from lakelight.storage import Database

        database = Database(self.office.folder / "state.db")
        try:
            with database.transaction() as connection:
                events = audit.read_events(connection)
        finally:
            database.close()
        assert isinstance(audit.verify(events), int)
        allowed = Counter(
            (body["operation"]["id"], body["payload"]["hash"])
            for _, body in self.events("guard.decision")
            if body["guard"]["decision"] == "allow"
        )
        sent = self.state("SELECT operation_id, payload_hash, sends FROM intents")
        assert {(each[0], each[1]): each[2] for each in sent} == dict(allowed)


async def see_through(house: House, run_id: str) -> Reply | None:
    """What the commands that decide do: bring the run on, and read what came of it."""
    await house.advance(run_id)
    journal = await Journal.open(house.database, house.clock, run_id)
    known = journal.get("reply")
    return None if known is None else load_reply(known)


@pytest.fixture
async def study(office: Any) -> AsyncIterator[Study]:
    made = Study(office)
    await made.furnish()
    yield made
    made.check_trail()


# A model that calls tools

Said = str | list[tuple[str, Mapping[str, Any]]]
"""Text, or calls as (tool, arguments)."""


class Speaker:
    """An OpenAI-compatible endpoint that says what the test gives it, one thing a call."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.says: Callable[[int], Said] = lambda _call: "done"
        self.before: Callable[[], Awaitable[None]] | None = None
        self.url = ""

    def settings(self) -> dict[str, str]:
        return {
            "GH_LLM_BASE_URL": self.url,
            "GH_LLM_API_KEY": "sk-test-0123456789abcdef",
            "LAKELIGHT_MODEL__RETRY_WAITS": "0",
            # The name tells a size that is trusted with tools.
            "LAKELIGHT_MODEL__NAME": "qwen-72b",
        }

    def script(self, *said: Said) -> None:
        """Say these in turn, and the last one for ever."""
        self.says = lambda call: said[min(call, len(said)) - 1]

    async def chat(self, http: Request) -> Response:
        body = await http.json()
        self.asked.append(body)
        if self.before is not None:
            await self.before()
        said = self.says(len(self.asked))
        message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else ""}
        if not isinstance(said, str):
            message["tool_calls"] = [
                {
                    "id": f"call_{index}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
                }
                for index, (name, arguments) in enumerate(said)
            ]
        finish = "stop" if isinstance(said, str) else "tool_calls"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        head = {"id": "c1", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
            return Response(json.dumps(whole, ensure_ascii=False), media_type="application/json")
        if "tool_calls" in message:
            message["tool_calls"] = [
                {**call, "index": index} for index, call in enumerate(message["tool_calls"])
            ]
        parts: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
            {"choices": [], "usage": usage},
        ]

        async def stream() -> AsyncIterator[str]:
            for part in parts:
                chunk = {**head, "object": "chat.completion.chunk", **part}
                yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
                await asyncio.sleep(0)
            yield "data: [DONE]\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def models(self, _http: Request) -> Response:
        return Response(json.dumps({"data": [{"id": "qwen-plus"}]}), media_type="application/json")


@pytest.fixture
async def speaker() -> AsyncIterator[Speaker]:
    made = Speaker()
    app = Starlette(
        routes=[
            Route("/v1/chat/completions", made.chat, methods=["POST"]),
            Route("/v1/models", made.models),
        ]
    )
    async with serve_app(app) as url:
        made.url = f"{url}/v1"
        yield made
