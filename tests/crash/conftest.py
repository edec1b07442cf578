"""A workspace in a process of its own, a proxy before it, and Lakelight in processes that can be killed."""

import http.client
import itertools
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lakelight import audit
from lakelight.storage import Database

VERSION = "2026-03-11"
CHILD = Path(__file__).with_name("child.py")
PYTHON = (sys.executable, "-P")
MOST_STARTS = 6
PATIENCE = 60
"""Seconds after which a process that should have ended counts as stuck."""

_COLUMNS = {
    "任务标题": {"title": {}},
    "编号": {"unique_id": {"prefix": "T"}},
    "负责Agent": {"select": {"options": [{"name": "译典A05"}]}},
    "状态": {
        "status": {
            "options": [{"name": "待开发"}, {"name": "进行中"}, {"name": "待确认"}, {"name": "已完成"}]
        }
    },
    "优先级": {"select": {"options": [{"name": "高"}, {"name": "低"}]}},
    "开发内容": {"rich_text": {}},
    "约束": {"rich_text": {}},
    "分支名": {"rich_text": {}},
    "仓库路径": {"rich_text": {}},
    "下一轮指引": {"rich_text": {}},
    "自检结果": {"rich_text": {}},
    "创建时间": {"created_time": {}},
}


def environment(**more: str) -> dict[str, str]:
    """This process's environment without anything that would set Lakelight up."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GH_", "LAKELIGHT_", "AGENT_")) and not name.lower().endswith("_proxy")
    }
    return kept | more


def text_of(rich_text: list[dict[str, Any]]) -> str:
    return "".join(part.get("plain_text", part.get("text", {}).get("content", "")) for part in rich_text)


# Processes


class Child:
    """One process of Lakelight."""

    def __init__(self, pid: int, output: Path) -> None:
        self.pid = pid
        self.ended = threading.Event()
        self.status: int | None = None
        """As `waitpid` tells it: 9 when it was killed."""
        self._output = output

    def kill(self) -> None:
        """End it as `kill -9` does, and return when it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        assert self.ended.wait(PATIENCE)

    def wait(self) -> None:
        if not self.ended.wait(PATIENCE):
            self.kill()
            raise AssertionError(f"stuck; it said {self.output}")

    @property
    def output(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace")

    @property
    def data(self) -> Any:
        """The one object that it printed."""
        return json.loads([line for line in self.output.splitlines() if line.startswith("{")][-1])


class Nursery:
    """Makes children, one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [*PYTHON, str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self._folder = Path(tempfile.mkdtemp(prefix="crash-"))
        self._numbers = itertools.count(1)
        self._child: Child | None = None

    def start(self, *arguments: str, **command: Any) -> Child:
        output = self._folder / f"{next(self._numbers)}.log"
        output.touch()
        line = json.dumps({"arguments": arguments, "output": str(output), **command})
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        self._child = child = Child(int(self._process.stdout.readline()), output)
        threading.Thread(target=self._await, args=(child, self._process.stdout), daemon=True).start()
        return child

    def rest(self) -> None:
        """End the child that a failed test left running."""
        if self._child and not self._child.ended.is_set():
            self._child.kill()

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(PATIENCE)

    @staticmethod
    def _await(child: Child, stream: Any) -> None:
        child.status = int(stream.readline())
        child.ended.set()


@pytest.fixture(scope="session")
def started_nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.fixture
def nursery(started_nursery: Nursery) -> Iterator[Nursery]:
    yield started_nursery
    started_nursery.rest()


# The workspace and the way to it


class Workspace:
    """`notion-embedded serve` on a file, and its owner, who acts by a token of his own."""

    def __init__(self, file: Path) -> None:
        self._server = subprocess.Popen(
            [*PYTHON, "-m", "notion_embedded", "serve", "--port", "0", "--db", str(file), "--json"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        assert self._server.stdout
        told = json.loads(self._server.stdout.readline())
        self.address = str(told["url"]).removeprefix("http://")
        self.bot: str = told["token"]
        self.root: str = told["root_page_id"]
        self._owner = self._new_owner(file)

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The owner's request."""
        headers = {
            "authorization": f"Bearer {self._owner}",
            "notion-version": VERSION,
            "content-type": "application/json",
        }
        content = None if body is None else json.dumps(body).encode()
        status, _, answer = exchange(self.address, method, f"/v1{path}", headers, content)
        assert status == 200, answer
        return json.loads(answer)

    def rows(self, method: str, path: str, body: dict[str, Any] | None = None) -> list[Any]:
        """Everything in a list."""
        found, cursor = [], None
        while True:
            if method == "GET":
                page = self.ask("GET", path + (f"?start_cursor={cursor}" if cursor else ""))
            else:
                page = self.ask(
                    method, path, {**(body or {}), **({"start_cursor": cursor} if cursor else {})}
                )
            found += page["results"]
            cursor = page["next_cursor"]
            if not page["has_more"]:
                return found

    def add_page(self, title: str, lines: list[str]) -> str:
        made = self.ask(
            "POST",
            "/pages",
            {
                "parent": {"page_id": self.root},
                "properties": {"title": {"title": [{"text": {"content": title}}]}},
                "children": [
                    {"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": line}}]}}
                    for line in lines
                ],
            },
        )
        return str(made["id"])

    def close(self) -> None:
        self._server.terminate()
        self._server.wait(PATIENCE)

    def _new_owner(self, file: Path) -> str:
        command = ["token", "add", "--db", str(file), "--kind", "person", "--share", self.root, "--json"]
        told = subprocess.run(
            [*PYTHON, "-m", "notion_embedded", *command], capture_output=True, check=True, env=environment()
        )
        return str(json.loads(told.stdout)["token"])


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Workspace]]:
    """Serves workspace files."""
    serving: list[Workspace] = []

    def one(file: Path) -> Workspace:
        serving.append(Workspace(file))
        return serving[-1]

    yield one
    for workspace in serving:
        workspace.close()


def exchange(
    address: str, method: str, path: str, headers: Mapping[str, str], content: bytes | None
) -> tuple[int, list[tuple[str, str]], bytes]:
    host, _, port = address.partition(":")
    with closing(http.client.HTTPConnection(host, int(port), timeout=PATIENCE)) as connection:
        connection.request(method, path, content, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()


@dataclass
class Request:
    """One request as the proxy saw it."""

    number: int
    method: str
    path: str
    body: bytes
    stored: bool = False
    """It reached the workspace, which said yes."""

    @property
    def writes(self) -> bool:
        return self.method in {"PATCH", "DELETE"} or (self.method == "POST" and self.path == "/v1/pages")


Fate = Callable[[Request], str]
"""What becomes of a request: `pass`, `kill_before` it is forwarded, `kill_after` (stored, and nobody
heard), `drop`, `html`, `committed` (stored, and the answer lost in three ways), `late` (no answer, and
stored a while later) or `lost` (no answer, and never stored)."""


def passes(_request: Request) -> str:
    return "pass"


class Proxy(ThreadingHTTPServer):
    """Stands between Lakelight and the workspace, and remembers what went through."""

    daemon_threads = True

    def __init__(self, address: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passage)
        self.behind = address
        self.seen: list[Request] = []
        self.fate: Fate = passes
        self.kill: Callable[[], None] = lambda: None
        self.late: list[threading.Timer] = []
        self.lateness = 0.3
        self._since = 0
        self._turn = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def count_anew(self) -> None:
        """Let the next request be number one."""
        self._since = len(self.seen)

    @property
    def counted(self) -> list[Request]:
        return self.seen[self._since :]

    def note(self, method: str, path: str, body: bytes) -> tuple[Request, str]:
        with self._turn:
            request = Request(len(self.seen) - self._since + 1, method, path, body)
            self.seen.append(request)
            return request, self.fate(request)

    def settle(self) -> None:
        """Wait for what is still under way to the workspace."""
        for timer in self.late:
            timer.join()

    def handle_error(self, *_: object) -> None:
        """A child that was killed has closed its end; that is the point."""


class _Passage(BaseHTTPRequestHandler):
    server: Proxy

    def _pass(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        request, fate = self.server.note(self.command, self.path, self.rfile.read(size))
        match fate:
            case "kill_before":
                self.server.kill()
            case "kill_after":
                self._forward(request)
                self.server.kill()
            case "drop":
                self._forward(request)
                self.connection.shutdown(socket.SHUT_RDWR)
            case "html":
                self._forward(request)
                self._answer(502, "text/html", b"<html><body>Bad gateway</body></html>")
            case "committed":
                self._answer(503, "application/json", _committed(self._forward(request)[2]))
            case "lost":
                self._answer(502, "text/html", b"<html><body>Bad gateway</body></html>")
            case "late":
                timer = threading.Timer(self.server.lateness, self._forward, (request,))
                self.server.late.append(timer)
                timer.start()
                self._answer(504, "text/html", b"<html><body>Gateway time-out</body></html>")
            case _:
                status, headers, answer = self._forward(request)
                self._answer(status, dict(headers)["content-type"], answer, dict(headers))

    do_GET = do_POST = do_PATCH = do_DELETE = _pass  # noqa: N815  # the server's own names

    def _forward(self, request: Request) -> tuple[int, list[tuple[str, str]], bytes]:
        kept = ("authorization", "notion-version", "content-type")
        headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
        answer = exchange(self.server.behind, request.method, request.path, headers, request.body or None)
        request.stored = answer[0] == 200
        return answer

    def _answer(
        self, status: int, kind: str, content: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response_only(status)
        for name in ("date", "x-notion-request-id", "retry-after"):
            if headers and name in headers:
                self.send_header(name, headers[name])
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _committed(answer: bytes) -> bytes:
    stored = json.loads(answer)
    more = (
        {"committed_child_ids": [block["id"] for block in stored["results"]]}
        if stored["object"] == "list"
        else {"committed_resource_id": stored["id"]}
    )
    return json.dumps(
        {
            "object": "error",
            "status": 503,
            "code": "service_unavailable",
            "message": "The write was saved, but the result is not available.",
            "additional_data": {"retry_guidance": "Do not repeat the write.", **more},
        }
    ).encode()


# All of it together


@dataclass
class Run:
    """What came of one command."""

    child: Child
    killed: bool
    commits: int
    requests: int

    @property
    def code(self) -> int:
        return int(self.child.status or 0) >> 8


@dataclass
class Stage:
    """One workspace with one agent, one home, and everything that a test does to them."""

    nursery: Nursery
    folder: Path
    kills: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    """More environment for the children."""

    def __post_init__(self) -> None:
        self.homes = 0
        self.workspace = Workspace(self.folder / "workspace.db")
        self.proxy = Proxy(self.workspace.address)
        persona = self.workspace.add_page("译典 指令", ["你是译典。", "先给结论，再给依据。"])
        made = self.workspace.ask(
            "POST",
            "/databases",
            {
                "parent": {"page_id": self.workspace.root},
                "title": [{"text": {"content": "半体工单"}}],
                "initial_data_source": {"properties": _COLUMNS},
            },
        )
        self.source = str(made["data_sources"][0]["id"])
        self._agent = {
            "id": "5TH-LE-HK-A05",
            "name": "译典·配置开发",
            "role": "配置开发",
            "instructionPageId": persona,
            "memoryPageId": None,
            "capabilities": ["config"],
        }
        self.move()

    def move(self) -> None:
        """Go on in a home where nothing was ever started."""
        self.homes += 1
        self.home = self.folder / f"home-{self.homes}"
        self.home.mkdir()
        (self.home / "agents.json").write_text(json.dumps({"译典A05": self._agent}, ensure_ascii=False))

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LAKELIGHT_HOME": str(self.home),
            "LAKELIGHT_LANG": "en",
            "GH_NOTION_TOKEN": self.workspace.bot,
            "GH_NOTION_TICKET_DB_ID": self.source,
            "LAKELIGHT_NOTION__BASE_URL": self.proxy.url,
            "LAKELIGHT_NOTION__SETTLE": "0",
            "LAKELIGHT_NOTION__RETRY_WAITS": "0,0",
            "LAKELIGHT_NOTION__REQUESTS_PER_MINUTE": "10000",
            "LAKELIGHT_NOTION__BURST": "10000",
            "LAKELIGHT_MODEL__RETRY_WAITS": "0",
            "LAKELIGHT_TICKETS__RETRY_SECONDS": "0.05",
            "LAKELIGHT_TICKETS__STATUSES__WORKING": "进行中",
            "LAKELIGHT_TICKETS__STATUSES__NEEDS_YOU": "待确认",
            "LAKELIGHT_TICKETS__STATUSES__DONE": "已完成",
            **self.settings,
        }

    @property
    def whole_environment(self) -> dict[str, str]:
        """For a process that is started without the nursery."""
        return environment(**self.environment)

    def open_ledger(self) -> None:
        """Start once on the empty database, so that every ticket made from now on is new."""
        run = self.up()
        assert run.child.status == 0, run.child.output

    def add_ticket(self, title: str = "核对配置") -> str:
        made = self.workspace.ask(
            "POST",
            "/pages",
            {
                "parent": {"data_source_id": self.source},
                "properties": {
                    "任务标题": {"title": [{"text": {"content": title}}]},
                    "负责Agent": {"select": {"name": "译典A05"}},
                    "开发内容": {"rich_text": [{"text": {"content": f"{title}：逐项核对，列出不一致。"}}]},
                    "状态": {"status": {"name": "待开发"}},
                },
            },
        )
        return str(made["id"])

    def run(
        self,
        *arguments: str,
        fate: Fate = passes,
        kill_at: str | None = None,
        announced: bool = False,
        max_pages: int | None = None,
    ) -> Run:
        """One command, to its end or to its death.

        Args:
            kill_at: `before n` or `after n`: the commit of our own rows at which it is killed.
            announced: Count the commits without killing.
        """
        self.proxy.count_anew()
        self.proxy.fate = fate
        with _announcements(kill_at, announced=announced) as hear:
            child = self.nursery.start(
                *arguments,
                environment=self.environment,
                announce=hear.address if hear else None,
                max_pages=max_pages,
            )
            self.proxy.kill = child.kill
            commits = hear.listen(child) if hear else 0
            child.wait()
        self.proxy.kill = lambda: None
        self.proxy.fate = passes
        killed = child.status == signal.SIGKILL
        self.kills += killed
        return Run(child, killed, commits, len(self.proxy.counted))

    @staticmethod
    def at_write(number: int, fate: str) -> Fate:
        """This fate for the n-th request that writes."""
        writes = itertools.count(1)
        return lambda request: fate if request.writes and next(writes) == number else "pass"

    def up(self, fate: Fate = passes, **how: Any) -> Run:
        """`lakelight up --once`."""
        return self.run("up", "--once", "--json", fate=fate, **how)

    def until_done(self, *pages: str) -> None:
        """Start again and again, until every ticket is done."""
        for _ in range(MOST_STARTS):
            run = self.up()
            assert run.child.status == 0, run.child.output
            if all(self.state(page) == "done" for page in pages):
                return
        raise AssertionError(f"not done after {MOST_STARTS} starts: {run.child.output}")

    def state(self, page: str) -> str:
        found = self.query("SELECT state FROM tickets WHERE page_id = ?", page)
        return str(found[0][0]) if found else "unseen"

    def query(self, sql: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self.state_file}?mode=ro", uri=True)) as connection:
            return connection.execute(sql, values).fetchall()

    @property
    def state_file(self) -> Path:
        (file,) = self.home.glob("*/state.db")
        return file

    # What has to hold in the end

    def check_done(self, page: str) -> int:
        """One receipt, whole and once; the marks and the status as they should be. The receipt's number."""
        blocks = self.workspace.rows("GET", f"/blocks/{page}/children")
        texts = [text_of(block[block["type"]].get("rich_text", [])) for block in blocks]
        (number,) = [
            int(found[1]) for text in texts if (found := re.fullmatch(r"(?:回执|Receipt) R-(\d+)", text))
        ]
        planned = [
            text_of(block[block["type"]].get("rich_text", []))
            for operation in self._operations(page, "block.append")
            for block in json.loads(operation["body"])["children"]
        ]
        assert texts == planned
        properties = self.workspace.ask("GET", f"/pages/{page}")["properties"]
        assert properties["状态"]["status"]["name"] == "已完成"
        self_check = text_of(properties["自检结果"]["rich_text"])
        assert re.fullmatch(rf"✅ (?:已完成 · 回执|Done · Receipt) R-{number} · \S+Z", self_check)
        self._check_marks(page, self_check)
        assert self.query("SELECT state, receipt FROM tickets WHERE page_id = ?", page) == [("done", number)]
        assert self.query("SELECT state FROM runs WHERE page_id = ?", page) == [("done",)]
        return number

    def _check_marks(self, page: str, finished: str) -> None:
        sent = [r.body for r in self.proxy.seen if r.method == "PATCH" and r.path == f"/v1/pages/{page}"]
        marks = [
            text_of(json.loads(body)["properties"]["自检结果"]["rich_text"]) for body in dict.fromkeys(sent)
        ]
        picked_up, last = marks
        assert re.fullmatch(r"⚡ 已接单 · 译典·配置开发 · \S+Z", picked_up)
        assert last == finished

    def check_sends(self, *, exact: bool = True) -> None:
        """Each operation was stored once, and each send was said before.

        Args:
            exact: Nobody was killed between saying and sending.
        """
        said = Counter(
            body["payload"]["hash"]
            for body in self._events("guard.decision")
            if body["guard"]["decision"] == "allow" and "sends" in body
        )
        sent, stored = Counter[str](), Counter[str]()
        hashes = {
            (row["method"], f"/v1{row['path']}", row["body"]): payload_hash
            for operation, payload_hash in self.query("SELECT operation, payload_hash FROM intents")
            for row in [json.loads(operation)]
        }
        for request in self.proxy.seen:
            if request.writes:
                body = json.dumps(
                    json.loads(request.body), ensure_ascii=False, sort_keys=True, separators=(",", ":")
                )
                key = hashes[request.method, request.path, body]
                sent[key] += 1
                stored[key] += request.stored
        assert set(stored.values()) == {1}
        assert sent.keys() == said.keys() == set(hashes.values())
        assert sent == said if exact else sent <= said

    def verify_trail(self) -> Any:
        """What `lakelight audit verify` says."""
        child = self.nursery.start("audit", "verify", "--json", environment=self.environment)
        child.wait()
        return child.data

    def check_trail(self) -> int:
        """The trail's length; it holds."""
        database = Database(self.state_file)
        with database.transaction() as connection:
            events = audit.read_events(connection)
        database.close()
        length = audit.verify(events)
        assert isinstance(length, int)
        return length

    def close(self) -> None:
        self.proxy.settle()
        self.proxy.shutdown()
        self.proxy.server_close()
        self.workspace.close()

    def _operations(self, page: str, kind: str) -> list[Any]:
        rows = self.query("SELECT operation FROM intents ORDER BY rowid")
        return [
            row
            for (text,) in rows
            for row in [json.loads(text)]
            if (row["target"], row["kind"]) == (page, kind)
        ]

    def _events(self, event: str) -> list[Any]:
        rows = self.query("SELECT body FROM audit_events WHERE event = ? ORDER BY seq", event)
        return [json.loads(body) for (body,) in rows]


class _Ear:
    """The end of the pipe on which a child announces its commits."""

    def __init__(self, folder: Path, kill_at: str | None) -> None:
        self.address = str(folder / "commits")
        self._kill_at = kill_at
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.address)
        self._listening.listen()
        self._listening.settimeout(PATIENCE)

    def listen(self, child: Child) -> int:
        """Let the child go on each time, or kill it; how many commits it made."""
        wire, _ = self._listening.accept()
        commits = 0
        with closing(wire), wire.makefile("rb") as lines:
            for line in lines:
                told = line.decode().strip()
                commits = max(commits, int(told.split()[1]))
                if told == self._kill_at:
                    child.kill()
                    break
                with suppress(OSError):
                    wire.sendall(b".")
        return commits

    def close(self) -> None:
        self._listening.close()


@contextmanager
def _announcements(kill_at: str | None, *, announced: bool) -> Iterator[_Ear | None]:
    if kill_at is None and not announced:
        yield None
        return
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="crash-") as folder, closing(_Ear(Path(folder), kill_at)) as ear:
        yield ear


@pytest.fixture
def models() -> Iterator[Callable[[Callable[[Any], dict[str, Any]]], str]]:
    """Starts a model that answers each request with the message that a function makes of it; its URL."""
    with ExitStack() as servers:

        def start(reply: Callable[[Any], dict[str, Any]]) -> str:
            class Model(BaseHTTPRequestHandler):
                def do_POST(self) -> None:
                    asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                    choice = {"index": 0, "message": {"role": "assistant", **reply(asked)}}
                    content = json.dumps({"model": asked["model"], "choices": [choice]}).encode()
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

                def log_message(self, *_: object) -> None:
                    """Say nothing."""

            server = servers.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Model))
            servers.callback(server.shutdown)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            return f"http://127.0.0.1:{server.server_address[1]}/v1"

        yield start


@pytest.fixture
def stage(nursery: Nursery, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(nursery, tmp_path)
    try:
        yield made
    finally:
        made.close()
