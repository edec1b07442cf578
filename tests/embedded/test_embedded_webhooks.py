"""Webhooks: the handshake, what is told of which write, to whom, how often and how it is signed."""

import asyncio
import hashlib
import hmac
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient as Http
from notion_client import AsyncClient as Notion
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notion_embedded.control import Control, ControlledClock
from notion_embedded.server import Workspace, open_workspace, serve, serve_app

NOON = datetime(2026, 5, 4, 12, 0, 20, tzinfo=UTC)


@dataclass
class Subscriber:
    """A server that keeps what it is sent."""

    url: str = ""
    open: asyncio.Event = field(default_factory=asyncio.Event)
    received: list[tuple[str, bytes]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: Request) -> Response:
        self.received.append((request.headers.get("x-notion-signature", ""), await request.body()))
        self.news.set()
        if request.url.path == "/hanging":
            await self.open.wait()
        return Response(status_code=self.answers.pop(0) if self.answers else 200)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [told for _, body in self.received if "type" in (told := json.loads(body))]

    async def wait_for(self, kind: str) -> list[dict[str, Any]]:
        while kind not in {event["type"] for event in self.events}:
            await self.wait(len(self.events) + 1)
        return self.events

    async def wait(self, count: int) -> list[dict[str, Any]]:
        while len(self.events) < count:
            self.news.clear()
            async with asyncio.timeout(20):
                await self.news.wait()
        return self.events


@asynccontextmanager
async def subscriber() -> AsyncIterator[Subscriber]:
    one = Subscriber()
    app = Starlette(routes=[Route(path, one.take, methods=["POST"]) for path in ("/hook", "/hanging")])
    async with serve_app(app) as url:
        one.url = f"{url}/hook"
        yield one
        one.open.set()


@dataclass(frozen=True)
class Told:
    workspace: Workspace
    url: str
    http: Http
    control_token: str
    hook: Subscriber

    @property
    def root(self) -> str:
        return self.workspace.root_page_id

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.http.request(
            method,
            f"{self.url}/control{path}",
            headers={"authorization": f"Bearer {self.control_token}"},
            json=body,
        )
        return answer.json()

    async def subscribe(self, **more: Any) -> Any:
        made = await self.control("POST", "/webhooks", {"url": self.hook.url, **more})
        token = json.loads(self.hook.received[-1][1])["verification_token"]
        return await self.control("POST", f"/webhooks/{made['id']}/verify", {"verification_token": token})

    def notion(self) -> Notion:
        return Notion(auth=self.workspace.token, base_url=self.url, notion_version="2026-03-11", log_level=50)


@pytest.fixture
async def told(tmp_path: Path) -> AsyncIterator[Told]:
    clock = ControlledClock(lambda: NOON)
    with open_workspace(tmp_path / "w.db", clock=clock) as workspace:
        control = Control(workspace, clock)
        async with subscriber() as hook, Http() as http, serve(workspace, control=control) as url:
            yield Told(workspace, url, http, control.token, hook)


def title(text: str) -> dict[str, Any]:
    return {"title": [{"text": {"content": text}}]}


def paragraph(text: str) -> dict[str, Any]:
    return {"paragraph": {"rich_text": [{"text": {"content": text}}]}}


async def test_a_subscription_is_told_nothing_before_it_was_verified(told: Told) -> None:
    made = await told.control("POST", "/webhooks", {"url": told.hook.url})
    signature, body = told.hook.received[0]
    async with told.notion() as notion:
        await notion.blocks.children.append(block_id=told.root, children=[paragraph("unseen")])
        wrong = await told.control("POST", f"/webhooks/{made['id']}/verify", {"verification_token": "x"})
        right = await told.control("POST", f"/webhooks/{made['id']}/verify", json.loads(body))
        await notion.pages.update(page_id=told.root, is_locked=True)
    events = await told.hook.wait(1)

    assert (made["status"], wrong["status"], right["status"]) == ("pending", 400, "active")
    assert made["handshake"] == "answered 200"
    assert list(json.loads(body)) == ["verification_token"]
    assert "verification_token" not in made
    assert signature.startswith("sha256=")
    assert [event["type"] for event in events] == ["page.locked"]


async def test_a_delivery_has_the_envelope_and_is_signed_over_its_bytes(told: Told) -> None:
    subscription = await told.subscribe()
    secret = json.loads(told.hook.received[0][1])["verification_token"]
    async with told.notion() as notion:
        page = await notion.pages.create(parent={"page_id": told.root}, properties=title("é 新"))
    event = (await told.hook.wait(2))[0]
    signature, raw = told.hook.received[1]

    assert {**event, "id": ""} == {
        "id": "",
        "timestamp": "2026-05-04T12:00:20.000Z",
        "workspace_id": told.workspace.workspace_id,
        "workspace_name": "Lakelight",
        "subscription_id": subscription["id"],
        "integration_id": told.workspace.bot_id,
        "authors": [{"id": told.workspace.bot_id, "type": "bot"}],
        "attempt_number": 1,
        "api_version": "2026-03-11",
        "entity": {"id": page["id"], "type": "page"},
        "type": "page.created",
        "data": {"parent": {"id": told.root, "type": "page"}},
    }
    assert signature == "sha256=" + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()


async def test_each_write_is_told_by_its_event(told: Told) -> None:
    async with told.notion() as notion:
        page = await notion.pages.create(
            parent={"page_id": told.root}, properties=title("P"), children=[paragraph("x")]
        )
        other = await notion.pages.create(parent={"page_id": told.root}, properties=title("Q"))
        await told.subscribe()
        database = await notion.databases.create(
            parent={"page_id": page["id"]},
            title=[{"text": {"content": "D"}}],
            initial_data_source={"properties": {"Name": {"title": {}}}},
        )
        source_id = database["data_sources"][0]["id"]
        source = await notion.data_sources.update(
            data_source_id=source_id, properties={"Note": {"rich_text": {}}}
        )
        row = await notion.pages.create(parent={"data_source_id": source_id}, properties={"Name": title("R")})
        await notion.pages.update(
            page_id=row["id"], properties={"Note": {"rich_text": [{"text": {"content": "n"}}]}}
        )
        added = await notion.blocks.children.append(
            block_id=page["id"], children=[paragraph("a"), paragraph("b")]
        )
        await notion.pages.move(page_id=other["id"], parent={"page_id": page["id"]})
        await notion.pages.update(page_id=other["id"], in_trash=True)
        await notion.pages.update(page_id=other["id"], in_trash=False)
        await notion.pages.update(page_id=other["id"], is_locked=True)
        await notion.pages.update(page_id=other["id"], is_locked=False)
        comment = await notion.comments.create(
            parent={"page_id": page["id"]}, rich_text=[{"text": {"content": "c"}}]
        )
        await notion.comments.update(comment_id=comment["id"], rich_text=[{"text": {"content": "d"}}])
        await notion.comments.delete(comment_id=comment["id"])
        await notion.databases.update(database_id=database["id"], in_trash=True)
        upload = await notion.file_uploads.create(filename="a.txt")
    events = await told.hook.wait_for("file_upload.created")
    note = source["properties"]["Note"]["id"]
    kinds = [(event["type"], event["entity"]["id"]) for event in events]

    for expected in [
        ("database.created", database["id"]),
        ("data_source.created", source_id),
        ("data_source.schema_updated", source_id),
        ("page.created", row["id"]),
        ("data_source.content_updated", source_id),
        ("page.properties_updated", row["id"]),
        ("page.content_updated", page["id"]),
        ("page.moved", other["id"]),
        ("page.deleted", other["id"]),
        ("page.undeleted", other["id"]),
        ("page.locked", other["id"]),
        ("page.unlocked", other["id"]),
        ("comment.created", comment["id"]),
        ("comment.updated", comment["id"]),
        ("comment.deleted", comment["id"]),
        ("database.deleted", database["id"]),
        ("file_upload.created", upload["id"]),
    ]:
        assert expected in kinds
    by_type = {event["type"]: event for event in events}
    assert by_type["data_source.schema_updated"]["data"]["updated_properties"] == [
        {"id": note, "name": "Note", "action": "created"}
    ]
    assert by_type["page.properties_updated"]["data"] == {
        "parent": {"id": database["id"], "type": "database", "data_source_id": source_id},
        "updated_properties": [note],
    }
    updated = [event["data"]["updated_blocks"] for event in events if event["type"] == "page.content_updated"]
    assert [{"id": block["id"], "type": "block"} for block in added["results"]] in updated
    assert by_type["comment.created"]["data"] == {
        "page_id": page["id"],
        "parent": {"id": page["id"], "type": "page"},
    }
    assert "data" not in by_type["file_upload.created"]


async def test_a_subscriber_hears_of_what_it_asked_for_and_can_see(told: Told, tmp_path: Path) -> None:
    await told.subscribe(events=["page.locked"])
    async with told.notion() as notion:
        await notion.blocks.children.append(block_id=told.root, children=[paragraph("x")])
        await notion.pages.update(page_id=told.root, is_locked=True)
        await told.hook.wait(1)
        with told.workspace.writing() as connection:
            connection.execute("DELETE FROM share")
            connection.execute("UPDATE node SET locked = 0")
        with told.workspace.reading() as connection:
            (waiting,) = connection.execute("SELECT count(*) FROM event").fetchone()

    assert [event["type"] for event in told.hook.events] == ["page.locked"]
    assert waiting == 1


async def test_a_refused_write_is_told_to_nobody(told: Told) -> None:
    subscription = await told.subscribe()
    answer = await told.http.post(
        f"{told.url}/v1/pages",
        headers={"authorization": f"Bearer {told.workspace.token}", "notion-version": "2026-03-11"},
        json={"parent": {"page_id": told.root}, "icon": {"file_upload": {"id": told.root}}},
    )
    listed = await told.control("GET", f"/webhooks/{subscription['id']}/events")

    assert answer.status_code == 404
    assert listed["results"] == []


async def test_a_delivery_is_tried_eight_times_over_a_day(told: Told) -> None:
    subscription = await told.subscribe(events=["page.locked"])
    told.hook.answers = [500] * 8
    async with told.notion() as notion:
        await notion.pages.update(page_id=told.root, is_locked=True)
    waits = []
    for attempt in range(1, 9):
        await told.hook.wait(attempt)
        shown: dict[str, Any] = {}
        while shown.get("attempts") != attempt:
            listed = await told.control("GET", f"/webhooks/{subscription['id']}/events")
            shown = listed["results"][0]
        if shown["next_attempt"] is None:
            break
        now = datetime.fromisoformat((await told.control("GET", "/clock"))["now"])
        waits.append((datetime.fromisoformat(shown["next_attempt"]) - now).total_seconds())
        await told.control("PUT", "/clock", {"advance": waits[-1]})

    assert [event["attempt_number"] for event in told.hook.events] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len({event["id"] for event in told.hook.events}) == 1
    assert waits == sorted(waits)
    assert sum(waits) == 86_400
    assert (shown["outcome"], shown["next_attempt"]) == ("answered 500", None)


async def test_a_subscriber_that_hangs_keeps_nobody_waiting(told: Told) -> None:
    async with subscriber() as slow:
        hanging = slow.url.replace("/hook", "/hanging")
        made = await told.control("POST", "/webhooks", {"url": hanging, "verified": True})
        await told.subscribe(events=["page.locked", "page.unlocked"])
        async with told.notion() as notion:
            await notion.pages.update(page_id=told.root, is_locked=True)
            await slow.wait(1)
            await told.hook.wait(1)
            await notion.pages.update(page_id=told.root, is_locked=False)
            events = await told.hook.wait(2)
        of_slow = (await told.control("GET", f"/webhooks/{made['id']}/events"))["results"]

    assert made["handshake"] == "not answered yet"
    assert [event["type"] for event in events] == ["page.locked", "page.unlocked"]
    assert [event["attempts"] for event in of_slow] == [0, 0]


async def test_a_delivery_that_breaks_is_a_failed_attempt(told: Told) -> None:
    broken = await told.control("POST", "/webhooks", {"url": "http://localhost:1/", "verified": True})
    with told.workspace.writing() as connection:
        # As kept by a version that took such an address.
        connection.execute("UPDATE webhook SET url = 'http://localhost:99999/'")
    await told.subscribe(events=["page.locked"])
    async with told.notion() as notion:
        await notion.pages.update(page_id=told.root, is_locked=True)
    await told.hook.wait(1)
    shown: dict[str, Any] = {"attempts": 0}
    async with asyncio.timeout(20):
        while not shown["attempts"]:
            shown = (await told.control("GET", f"/webhooks/{broken['id']}/events"))["results"][0]

    assert shown["outcome"].startswith("not ")
    assert shown["next_attempt"] is not None


async def test_duplicates_and_disorder_can_be_asked_for(told: Told) -> None:
    subscription = await told.subscribe(events=["page.locked", "page.unlocked"], aggregate_seconds=60)
    turned = await told.control(
        "PATCH", f"/webhooks/{subscription['id']}", {"duplicates": 1, "reorder": True, "aggregate_seconds": 0}
    )
    with told.workspace.writing() as connection:
        connection.execute("UPDATE node SET locked = 1")
        connection.execute("UPDATE node SET locked = 0")
    events = await told.hook.wait(4)

    assert (turned["duplicates"], turned["reorder"]) == (1, True)
    assert [event["type"] for event in events] == [
        "page.unlocked", "page.unlocked", "page.locked", "page.locked",
    ]  # fmt: skip


async def test_aggregated_events_come_late_as_one_or_not_at_all(told: Told) -> None:
    subscription = await told.subscribe(aggregate_seconds=60)
    async with told.notion() as notion:
        made = [
            (await notion.blocks.children.append(block_id=told.root, children=[paragraph(word)]))["results"][
                0
            ]
            for word in "ab"
        ]
        page = await notion.pages.create(parent={"page_id": told.root}, properties=title("P"))
        await told.control("PUT", "/clock", {"advance": 61})
        await told.hook.wait(2)
        await notion.pages.update(page_id=page["id"], in_trash=True)
        await notion.pages.update(page_id=page["id"], in_trash=False)
    listed = (await told.control("GET", f"/webhooks/{subscription['id']}/events"))["results"]
    by_type = {event["type"]: event for event in told.hook.events}

    assert sorted(by_type) == ["page.content_updated", "page.created"]
    blocks = by_type["page.content_updated"]["data"]["updated_blocks"]
    assert blocks[:2] == [{"id": block["id"], "type": "block"} for block in made]
    assert [item for item in listed if "deleted" in item["type"]] == []


async def test_events_that_were_not_sent_before_the_end_are_sent_after_the_next_start(
    tmp_path: Path,
) -> None:
    async with subscriber() as hook, Http() as http:
        with open_workspace(tmp_path / "w.db") as workspace:
            control = Control(workspace)
            async with serve(workspace, control=control) as url:
                one = Told(workspace, url, http, control.token, hook)
                await one.subscribe(events=["page.locked"])
            # Nobody sends while nobody serves, as when the process was killed right after the write.
            with workspace.writing() as connection:
                connection.execute("UPDATE node SET locked = 1")
        before = len(hook.events)
        with open_workspace(tmp_path / "w.db") as workspace:
            async with serve(workspace):
                events = await hook.wait(1)

    assert before == 0
    assert events[0]["type"] == "page.locked"


async def test_a_subscription_can_be_looked_at_and_taken_away(told: Told) -> None:
    subscription = await told.subscribe()
    listed = await told.control("GET", "/webhooks")
    shown = await told.control("GET", f"/webhooks/{subscription['id']}")
    gone = await told.control("DELETE", f"/webhooks/{subscription['id']}")
    missing = await told.control("GET", f"/webhooks/{subscription['id']}")
    async with told.notion() as notion:
        await notion.pages.update(page_id=told.root, is_locked=True)
    with sqlite3.connect(told.workspace.file) as connection:
        changes = connection.execute("SELECT count(*) FROM change").fetchone()

    assert [item["id"] for item in listed["results"]] == [subscription["id"]]
    assert shown["id"] == gone["id"] == subscription["id"]
    assert missing["status"] == 404
    assert changes == (0,)
