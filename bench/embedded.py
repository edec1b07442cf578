"""The embedded workspace under load: queries of 1,000 and 10,000 rows, and mixed requests a second.

The server is a process of its own; its processor time is read from outside. The peer, in the same run,
is the smallest Starlette application on the same web server that answers the same bytes from memory.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"
VERSION = "2026-03-11"
SMALL, LARGE = 1_000, 10_000
ROUNDS = 15
MIXED = 2_000
PEER = """
import asyncio, sys
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from notion_embedded.server import serve_app
content = sys.stdin.buffer.read()
async def answer(request):
    await request.body()
    return Response(content, media_type="application/json")
async def main():
    routes = [Route("/{rest:path}", answer, methods=["GET", "POST", "PATCH"])]
    async with serve_app(Starlette(routes=routes)) as url:
        print(url, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""

STATES = ("Not started", "In progress", "Done")


class Client:
    """One connection that is kept open."""

    def __init__(self, url: str, token: str) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"))
        self._headers = {
            "authorization": f"Bearer {token}",
            "notion-version": VERSION,
            "content-type": "application/json",
        }

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        """The answer's bytes; anything but 200 ends the run."""
        content = None if body is None else json.dumps(body).encode()
        self._connection.request(method, f"/v1{path}", content, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status != 200:
            sys.exit(f"{method} {path}: {response.status} {answer[:300]!r}")
        return answer

    def json(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The same, read."""
        return json.loads(self.ask(method, path, body))


@contextmanager
def embedded(place: Path) -> Iterator[tuple[Client, psutil.Process, str]]:
    """A served workspace: a client, the process, and the id of its root page."""
    child = psutil.Popen(
        [
            str(PYTHON),
            "-P",
            "-m",
            "notion_embedded",
            "serve",
            "--port",
            "0",
            "--db",
            f"{place}/w.db",
            "--json",
        ],
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout
        told = json.loads(child.stdout.readline())
        yield Client(told["url"], told["token"]), child, told["root_page_id"]
    finally:
        child.terminate()
        child.wait(20)


@contextmanager
def peer(content: bytes) -> Iterator[tuple[Client, psutil.Process]]:
    """The peer, answering these bytes to everything."""
    child = psutil.Popen(
        [str(PYTHON), "-c", PEER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        assert child.stdin
        assert child.stdout
        child.stdin.write(content)
        child.stdin.close()
        yield Client(child.stdout.readline().decode().strip(), "none"), child
    finally:
        child.terminate()
        child.wait(20)


@dataclass(frozen=True)
class Table:
    """A data source and one of its rows."""

    source: str
    row: str
    number: int


def fill(client: Client, root: str, rows: int) -> Table:
    """A database of so many rows, made by the API."""
    made = client.json(
        "POST",
        "/databases",
        {
            "parent": {"page_id": root},
            "title": [{"text": {"content": f"{rows} rows"}}],
            "initial_data_source": {
                "properties": {
                    "Name": {"title": {}},
                    "No": {"unique_id": {}},
                    "State": {"status": {"options": [{"name": name} for name in STATES]}},
                    "Kind": {"select": {"options": [{"name": f"kind {n}"} for n in range(50)]}},
                    "Size": {"number": {}},
                }
            },
        },
    )
    source = made["data_sources"][0]["id"]
    for number in range(rows):
        row = client.json(
            "POST",
            "/pages",
            {
                "parent": {"data_source_id": source},
                "properties": {
                    "Name": {"title": [{"text": {"content": f"row {number}"}}]},
                    "State": {"status": {"name": STATES[number % 3]}},
                    "Kind": {"select": {"name": f"kind {number % 50}"}},
                    "Size": {"number": number},
                },
            },
        )
    return Table(source, row["id"], rows)


def milliseconds(act: Callable[[], object]) -> float:
    """The median time of one call."""
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begun)
    return 1000 * median(taken)


def queries(table: Table) -> dict[str, tuple[str, str, dict[str, Any] | None]]:
    """What is asked of each table: the first by an index, the last two by reading every row."""
    path = f"/data_sources/{table.source}/query"
    by_time = [{"timestamp": "last_edited_time", "direction": "descending"}]

    def where(name: str, **condition: Any) -> dict[str, Any]:
        return {"filter": {"property": name, **condition}, "page_size": 100}

    return {
        "get a page": ("GET", f"/pages/{table.row}", None),
        "query by unique id": ("POST", path, where("No", unique_id={"equals": table.number // 2})),
        "query by status": ("POST", path, where("State", status={"equals": "Done"})),
        "query by select": ("POST", path, where("Kind", select={"equals": "kind 7"})),
        "query by time": (
            "POST",
            path,
            {
                "filter": {
                    "timestamp": "last_edited_time",
                    "last_edited_time": {"on_or_after": "2020-01-01"},
                },
                "page_size": 100,
            },
        ),
        "sorted by time": ("POST", path, {"sorts": by_time, "page_size": 100}),
        "by status, sorted by time": (
            "POST",
            path,
            {**where("State", status={"equals": "Done"}), "sorts": by_time},
        ),
        "query by text (linear)": ("POST", path, where("Name", title={"contains": "row 77"})),
        "sorted by number (linear)": (
            "POST",
            path,
            {"sorts": [{"property": "Size", "direction": "descending"}], "page_size": 100},
        ),
    }


def mixed(client: Client, table: Table, root: str) -> list[tuple[str, str, dict[str, Any] | None]]:
    """Four reads to one write, as a poll, a read and an edit come."""
    asked = queries(table)
    note = {"children": [{"paragraph": {"rich_text": [{"text": {"content": "a line"}}]}}]}
    edit = {"properties": {"State": {"status": {"name": "In progress"}}}}
    page = client.json("POST", "/pages", {"parent": {"page_id": root}, "properties": {"title": []}})["id"]
    reads = [asked["get a page"], asked["query by unique id"], ("GET", "/users/me", None)]
    children: tuple[str, str, None] = ("GET", f"/blocks/{page}/children?page_size=20", None)
    first = [*reads, children, ("PATCH", f"/pages/{table.row}", edit)]
    second = [*reads, children, ("PATCH", f"/blocks/{page}/children", note)]
    return (first + second) * (MIXED // 10)


def rate(
    client: Client, process: psutil.Process, requests: list[tuple[str, str, Any]]
) -> tuple[float, float]:
    """Requests a second on the wall, and a second of the server's own processor."""
    times = process.cpu_times()
    begun, used = time.perf_counter(), times.user + times.system
    for method, path, body in requests:
        client.ask(method, path, body)
    taken = time.perf_counter() - begun
    times = process.cpu_times()
    return len(requests) / taken, len(requests) / (times.user + times.system - used)


def main() -> None:
    """Print one row each."""
    with tempfile.TemporaryDirectory() as name, embedded(Path(name)) as (client, process, root):
        few = queries(fill(client, root, SMALL))
        # Before the file holds anything else.
        firsts = {name: milliseconds(lambda what=what: client.ask(*what)) for name, what in few.items()}
        begun = time.perf_counter()
        large = fill(client, root, LARGE)
        made = LARGE / (time.perf_counter() - begun)
        print(f"rows made, one request each: {made:.0f} a second, every one on the disk before its answer")
        print(f"{'':28} {SMALL:>8} rows {LARGE:>8} rows     growth   x the peer")
        for asked, what in queries(large).items():
            with peer(client.ask(*what)) as (bare, _):
                plain = milliseconds(lambda ask=bare.ask, what=what: ask(*what))
            first, then = firsts[asked], milliseconds(lambda what=what: client.ask(*what))
            print(f"{asked:28} {first:10.1f} ms {then:10.1f} ms {then / first:8.2f} x {then / plain:9.1f} x")
        requests = mixed(client, large, root)
        wall, core = rate(client, process, requests)
        memory = process.memory_info().rss / 1e6
        with peer(client.ask("GET", f"/pages/{large.row}")) as (bare, peer_process):
            peer_wall, peer_core = rate(bare, peer_process, requests)
        print(f"mixed, four reads to a write: {wall:.0f} a second, {core:.0f} a second of its processor")
        print(f"the peer: {peer_wall:.0f} and {peer_core:.0f}; resident memory {memory:.0f} MB")


if __name__ == "__main__":
    main()
