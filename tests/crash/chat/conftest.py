"""A person at the command line whose commands are killed, over the stage of the tests of tickets."""

import json
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 60
MOST_STARTS = 4


@dataclass
class Ended:
    """What came of one command."""

    child: Any
    killed: bool
    commits: int
    requests: int

    @property
    def code(self) -> int:
        return int(self.child.status) >> 8


class Caller:
    """Starts commands and kills them at a request or at a commit."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        policy = "version = 1\nlevel = 2\n"
        (stage.home / "policy.toml").write_text(policy)
        made = stage.workspace.ask(
            "POST",
            "/databases",
            {
                "parent": {"page_id": stage.workspace.root},
                "title": [{"text": {"content": "Library"}}],
                "initial_data_source": {
                    "properties": {
                        "Name": {"title": {}},
                        "Area": {"select": {"options": [{"name": "Plans"}, {"name": "People"}]}},
                    }
                },
            },
        )
        self.library = str(made["data_sources"][0]["id"])

    def row(self, title: str) -> str:
        made = self.stage.workspace.ask(
            "POST",
            "/pages",
            {
                "parent": {"data_source_id": self.library},
                "properties": {"Name": {"title": [{"text": {"content": title}}]}},
            },
        )
        return str(made["id"])

    def call(
        self,
        *arguments: str,
        fate: Callable[[Any], str] | None = None,
        kill_at: str | None = None,
        announced: bool = False,
    ) -> Ended:
        """One command, to its end or to its death.

        Args:
            kill_at: `before n` or `after n`: the commit of our own rows at which it is killed.
            announced: Count the commits without killing.
        """
        proxy = self.stage.proxy
        proxy.count_anew()
        proxy.fate = fate or (lambda _request: "pass")
        with announcements(kill_at, announced=announced) as hear:
            child = self.stage.nursery.start(
                *arguments, environment=self.stage.environment, announce=hear.address if hear else None
            )
            proxy.kill = child.kill
            commits = hear.listen(child) if hear else 0
            child.wait()
        proxy.kill = lambda: None
        proxy.fate = lambda _request: "pass"
        return Ended(child, child.status == signal.SIGKILL, commits, len(proxy.counted))

    def recover(self) -> None:
        """Do something else at the command line, until nothing is left of what was killed."""
        for _ in range(MOST_STARTS):
            done = self.call("ask", "search for Nothing", "--json")
            assert done.code == 0, done.child.output
            if not self.unfinished():
                return
        raise AssertionError(f"not done after {MOST_STARTS} commands: {self.unfinished()}")

    def unfinished(self) -> list[Any]:
        """The runs that are not over, but for those that wait for a person."""
        found: list[Any] = self.stage.query(
            "SELECT id, state, reason FROM runs WHERE state IN ('queued', 'working', 'waiting')"
            " AND NOT (reason = 'approval'"
            " AND EXISTS (SELECT 1 FROM approvals WHERE run_id = runs.id AND state = 'pending'))"
        )
        return found

    def replies_to(self, words: str) -> list[dict[str, Any]]:
        """The replies to the requests of these words, oldest first."""
        rows = self.stage.query(
            "SELECT reply.content FROM steps AS asked"
            " JOIN steps AS reply ON reply.run_id = asked.run_id AND reply.name = 'reply'"
            " WHERE asked.name = 'request' AND asked.content ->> 'request' = ? ORDER BY asked.run_id",
            words,
        )
        return [json.loads(content) for (content,) in rows]

    def begun(self, words: str) -> bool:
        """True when the request was taken down before its process died."""
        if not list(self.stage.home.glob("*/state.db")):
            return False
        rows = self.stage.query(
            "SELECT 1 FROM steps WHERE name = 'request' AND content ->> 'request' = ?", words
        )
        return bool(rows)

    def lines(self, page: str) -> list[str]:
        blocks = self.stage.workspace.rows("GET", f"/blocks/{page}/children")
        return [
            "".join(part["plain_text"] for part in block[block["type"]].get("rich_text", []))
            for block in blocks
        ]

    def titles(self) -> list[str]:
        rows = self.stage.workspace.rows("POST", f"/data_sources/{self.library}/query", {})
        return ["".join(part["plain_text"] for part in row["properties"]["Name"]["title"]) for row in rows]

    def area(self, page: str) -> str:
        value = self.stage.workspace.ask("GET", f"/pages/{page}")["properties"]["Area"]["select"]
        return str((value or {}).get("name", ""))

    def trashed(self, page: str) -> bool:
        return bool(self.stage.workspace.ask("GET", f"/pages/{page}")["in_trash"])

    def check(self) -> None:
        """Every write happened once and was allowed before it was sent; the trail holds."""
        self.stage.check_sends(exact=False)
        self.stage.check_trail()


class Ear:
    """The end of the pipe on which a child announces its commits."""

    def __init__(self, folder: Path, kill_at: str | None) -> None:
        self.address = str(folder / "commits")
        self._kill_at = kill_at
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.address)
        self._listening.listen()
        self._listening.settimeout(PATIENCE)

    def listen(self, child: Any) -> int:
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
def announcements(kill_at: str | None, *, announced: bool) -> Iterator[Ear | None]:
    if kill_at is None and not announced:
        yield None
        return
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="crash-") as folder, closing(Ear(Path(folder), kill_at)) as ear:
        yield ear


@pytest.fixture
def caller(stage: Any) -> Caller:
    return Caller(stage)
