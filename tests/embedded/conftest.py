"""A workspace served over real HTTP inside the test's own loop, with a clock that the test sets."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient as Http
from notion_client import AsyncClient as Notion, RetryOptions

from notion_embedded.server import Workspace, create_app, open_workspace, serve
from notion_embedded.store.admin import Admin

VERSION = "2026-03-11"


class SetClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 10, 0, 20, 250_000, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Served:
    """A running workspace, and clients for it."""

    workspace: Workspace
    url: str
    clock: SetClock
    http: Http

    def client(self, token: str | None = None, version: str = VERSION) -> Notion:
        """The PyPI client, for the first token or another."""
        return Notion(
            auth=token or self.workspace.token,
            base_url=self.url,
            notion_version=version,
            retry=RetryOptions(max_retries=0),
            log_level=50,
        )

    def new_token(
        self, kind: Any = "bot", *shares: str, name: str | None = None, read_only: bool = False
    ) -> Any:
        """Another way in, made beside the running server as the command does."""
        with closing(Admin(self.workspace.file)) as admin:
            return admin.add_token(kind, name, shares=shares, read_only=read_only, now=self.clock.now)

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A bare request with the first token; status and JSON."""
        sent = {"authorization": f"Bearer {self.workspace.token}", "notion-version": VERSION, **headers}
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        answer = await self.http.request(
            method, f"{self.url}/v1{path}", headers={k: v for k, v in sent.items() if v}, content=content
        )
        return answer.status_code, answer.json()


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def workspace(tmp_path: Path, clock: SetClock) -> Iterator[Workspace]:
    with open_workspace(tmp_path / "workspace.db", clock=clock) as opened:
        yield opened


@pytest.fixture
async def served(workspace: Workspace, clock: SetClock) -> AsyncIterator[Served]:
    async with serve(workspace) as url, Http() as http:
        yield Served(workspace, url, clock, http)


@pytest.fixture
async def notion(served: Served) -> AsyncIterator[Notion]:
    async with served.client() as client:
        yield client


@pytest.fixture
async def direct(workspace: Workspace, clock: SetClock) -> AsyncIterator[Served]:
    """The same without a socket, for tables of many small requests."""
    async with Http(transport=ASGITransport(app=create_app(workspace))) as http:
        yield Served(workspace, "http://127.0.0.1", clock, http)
