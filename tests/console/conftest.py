"""A console over a real database, with a fake workspace behind it."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from lakelight.agent.reply import Effect, Reply
from lakelight.audit import Sink, Trail
from lakelight.console.app import create_app
from lakelight.console.desk import Desk
from lakelight.errors import LakelightError
from lakelight.execution.confirmations import Confirmations
from lakelight.execution.door import View
from lakelight.guard import Approval, Approvals, Asked
from lakelight.operations import Kind, Operation, request
from lakelight.operations.preview import preview
from lakelight.operations.surroundings import Surroundings
from lakelight.storage import Connection, Database, migrate

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET = "a-secret-of-the-console"
PAGE = "11111111-2222-4333-8444-555555555555"
RUN = "run_1"


def around() -> Surroundings:
    page = {
        "object": "page",
        "id": PAGE,
        "url": "https://app.notion.com/p/Roadmap-11111111222243338444555555555555",
        "properties": {
            "Name": {"id": "title", "type": "title", "title": words("Roadmap")},
            "Area": {"id": "a", "type": "select", "select": {"name": "Misc"}},
            "Size": {"id": "n", "type": "number", "number": 3},
        },
    }
    children = (
        {"object": "block", "id": "b1", "type": "child_page", "child_page": {"title": "Old plans"}},
        {"object": "block", "id": "b2", "type": "paragraph", "paragraph": {"rich_text": words("Hello")}},
    )
    return Surroundings(target=page, children=children, place="Projects")


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": {"content": text}, "plain_text": text}]


def plain(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": {"content": text}}]


def archive(number: int = 1) -> Operation:
    return Operation(
        id=f"op_archive_{number}",
        kind=Kind.PAGE_ARCHIVE,
        target=PAGE,
        request=request("PATCH", f"/pages/{PAGE}", {"in_trash": True}),
    )


def update(properties: dict[str, Any] | None = None, number: int = 1) -> Operation:
    values = properties or {
        "Area": {"select": {"name": "Planning"}},
        "Done": {"checkbox": True},
        "Due": {"date": {"start": "2026-12-01"}},
        "Notes": {"rich_text": plain("first line\nsecond line")},
        "Size": {"number": 5},
        "Tags": {"multi_select": [{"name": "a"}, {"name": "b"}]},
    }
    return Operation(
        id=f"op_update_{number}",
        kind=Kind.PAGE_PROPERTIES_UPDATE,
        target=PAGE,
        request=request("PATCH", f"/pages/{PAGE}", {"properties": values}),
    )


def append(*blocks: dict[str, Any], number: int = 1) -> Operation:
    children = list(blocks) or [
        {"type": "heading_2", "heading_2": {"rich_text": plain("Plan")}},
        {"type": "paragraph", "paragraph": {"rich_text": plain("Ship the importer")}},
        {"type": "divider", "divider": {}},
    ]
    return Operation(
        id=f"op_append_{number}",
        kind=Kind.BLOCK_APPEND,
        target=PAGE,
        request=request("PATCH", f"/blocks/{PAGE}/children", {"children": children}),
    )


def effect(kind: Kind, title: str = "Roadmap", **more: Any) -> Effect:
    return Effect(tool="archive_page", kind=kind.value, title=title, **more)


class Noon:
    def now(self) -> datetime:
        return NOW

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


class House:
    """What stands behind the console: looks at nothing real, and advances a run as it was told to."""

    run_id = RUN
    secret = SECRET
    archive = staticmethod(archive)
    update = staticmethod(update)
    append = staticmethod(append)
    around = staticmethod(around)
    effect = staticmethod(effect)
    plain = staticmethod(plain)

    def __init__(self, database: Database) -> None:
        self.database = database
        self.approvals = Approvals(Noon())
        self.advanced: list[str] = []
        self.looked: list[Operation] = []
        self.on_advance: Callable[[str], Awaitable[None] | None] = lambda run_id: None
        self.look_fails: LakelightError | None = None

    async def look(self, operation: Operation, title: str) -> View:
        if self.look_fails:
            raise self.look_fails
        self.looked.append(operation)
        return View(preview=preview(operation, around(), title).dump(), pre_state="e" * 64)

    async def advance(self, run_id: str) -> None:
        self.advanced.append(run_id)
        waits = self.on_advance(run_id)
        if waits is not None:
            await waits

    def park(
        self,
        operation: Operation,
        *,
        title: str = "Roadmap",
        reason: str = "risk",
        agent: str = "A02",
        run_id: str = RUN,
        surroundings: Surroundings | None = None,
    ) -> int:
        asked = Asked(
            operation=operation,
            agent=agent,
            run_id=run_id,
            reason=reason,
            policy_hash="0" * 64,
            preview=preview(operation, surroundings or around(), title).dump(),
            pre_state="f" * 64,
        )
        with self.database.transaction() as connection:
            add_run(connection, run_id)
            return self.approvals.park(connection, asked)

    def get(self, number: int) -> Approval:
        with self.database.transaction() as connection:
            return self.approvals.get(connection, number)

    def finish(self, **groups: Any) -> None:
        """Let the run be over, as the loop leaves it."""
        reply = Reply(**{"run_id": RUN, "ending": "done", **groups})
        with self.database.transaction() as connection:
            connection.exec_driver_sql("UPDATE runs SET state = 'done' WHERE id = ?", (reply.run_id,))
            connection.exec_driver_sql(
                "INSERT INTO steps (run_id, seq, name, content, at) VALUES (?, 9, 'reply', ?, '')",
                (reply.run_id, json.dumps(asdict(reply))),
            )

    def outdate(self, number: int) -> int:
        """Let the target have changed since the preview."""
        old = self.get(number)
        asked = Asked(
            operation=old.operation,
            agent=old.agent,
            run_id=old.run_id,
            reason=old.reason,
            policy_hash=old.policy_hash,
            preview={**old.preview, "title": "Roadmap, as it is now"},
            pre_state="d" * 64,
        )
        with self.database.transaction() as connection:
            return self.approvals.outdate(connection, number, asked)


def add_run(connection: Connection, run_id: str) -> None:
    connection.exec_driver_sql(
        "INSERT OR IGNORE INTO runs (id, kind, agent, state, job_id, created_at, updated_at)"
        " VALUES (?, 'chat', '', 'waiting', '', '', '')",
        (run_id,),
    )
    connection.exec_driver_sql(
        "INSERT OR IGNORE INTO steps (run_id, seq, name, content, at) VALUES (?, 1, 'request', ?, '')",
        (run_id, json.dumps({"request": "Please tidy up the roadmap"})),
    )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    yield House(database)
    database.close()


@pytest.fixture
def desk(house: House, tmp_path: Path) -> Desk:
    trail = Trail(house.database, Sink(b"k" * 32, frozenset({"A02"})), Noon())
    return Desk(
        database=house.database,
        approvals=house.approvals,
        confirmations=Confirmations(house.database, house.approvals, trail),
        look=house.look,
        advance=house.advance,
        clock=Noon(),
        secret=SECRET,
        who="mei",
    )


def client_of(desk: Desk, **headers: str) -> TestClient:
    return TestClient(
        create_app(desk),
        base_url="http://127.0.0.1:9800",
        headers={"Accept-Language": "en", **headers},
        follow_redirects=False,
        raise_server_exceptions=False,
    )


class Browser:
    """A signed-in person: opens pages, reads them, presses their buttons."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.client.get("/", params={"k": SECRET})

    @staticmethod
    def shown(response: Response) -> str:
        return shown(response)

    def open(self, path: str, **more: Any) -> Response:
        return self.client.get(path, **more)

    def text(self, path: str) -> str:
        return shown(self.open(path))

    def token(self, path: str) -> str:
        return token_in(self.open(path))

    def press(self, path: str, page: str | None = None, **fields: str) -> Response:
        """Submit a form of `page` to `path`, as a browser does."""
        token = self.token(page or path.rsplit("/", 1)[0])
        return self.client.post(
            path, data={"token": token, **fields}, headers={"Origin": "null", "Sec-Fetch-Site": "same-origin"}
        )

    def follow(self, response: Response) -> str:
        assert response.status_code == 303, shown(response)
        return self.text(response.headers["location"])


def token_in(response: Response) -> str:
    found = re.search(r'name="token" value="([0-9a-f]+)"', response.text)
    assert found, response.text
    return found[1]


def shown(response: Response) -> str:
    """The words of a page, without its markup."""
    body = re.sub(r"<(style|title)\b.*?</\1>", "", response.text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", body))).strip()


@pytest.fixture
def browser(desk: Desk) -> Browser:
    return Browser(client_of(desk))


@pytest.fixture
def stranger(desk: Desk) -> TestClient:
    """A browser that is not signed in."""
    return client_of(desk)


@pytest.fixture
def browse(desk: Desk) -> Callable[..., Browser]:
    """Another browser, on a desk with some things otherwise."""

    def open_browser(headers: dict[str, str] | None = None, **otherwise: Any) -> Browser:
        return Browser(client_of(replace(desk, **otherwise), **(headers or {})))

    return open_browser
