"""A process that has imported Lakelight and forks a fresh child for each command it is told to run.

Importing takes two seconds and these tests start hundreds of processes, so the imports are paid once.
Nothing runs at import time in Lakelight, so a child is what `python -m lakelight …` would be, and
SIGKILL is as real for it. One line of JSON comes in for each child: its arguments and environment, the file for
its output, and on wish

- `announce`: a socket on which the child says `before n` and `after n` around each commit that
  changed rows of ours, and waits for a byte each time;
- `max_pages`: the size that the state database may not outgrow, as if the disk were full.

Out go two lines: the child's process id, and how it ended.
"""

import ctypes
import importlib
import itertools
import json
import os
import signal
import socket
import sys
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

_IMPORTED = (
    "dbos",
    "lakelight.cli.audit",
    "lakelight.cli.demo",
    "lakelight.cli.main",
    "lakelight.cli.up",
    "lakelight.jobs.dbos_jobs",
    "lakelight.llm.openai_adapter",
    "notion_embedded.server",
)


def die_with_parent() -> None:
    """Leave no process behind when the tests are cut short."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def serve() -> dict[str, Any] | None:
    """Fork children until the input ends; in a child, what it is to do."""
    for line in sys.stdin:
        command: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if pid == 0:
            die_with_parent()
            return command
        print(pid, flush=True)
        print(os.waitpid(pid, 0)[1], flush=True)
    return None


def run(command: dict[str, Any]) -> None:
    """Be the command."""
    output = os.open(command["output"], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.environ.update(command["environment"])
    sys.argv = ["lakelight", *command["arguments"]]
    if command.get("announce"):
        _announce(command["announce"])
    if command.get("max_pages"):
        _limit(command["max_pages"])
    importlib.import_module("lakelight.cli.main").run()


def _announce(address: str) -> None:
    wire = socket.socket(socket.AF_UNIX)
    wire.connect(address)
    numbers = itertools.count(1)

    def tell(word: str, number: int) -> None:
        wire.sendall(f"{word} {number}\n".encode())
        wire.recv(1)

    # The job library uses the same file with connections of its own; ours leave transactions to us.
    def ours(raw: Any) -> bool:
        return raw.isolation_level is None

    def state_of(connection: sa.Connection) -> object:
        raw: Any = connection.connection.dbapi_connection
        return raw.total_changes, raw.execute("PRAGMA schema_version").fetchone()

    @event.listens_for(sa.Engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.info["state"] = state_of(connection)

    @event.listens_for(sa.Engine, "commit")
    def before(connection: sa.Connection) -> None:
        changed = state_of(connection) != connection.info.get("state")
        if ours(connection.connection.dbapi_connection) and changed:
            connection.info["commit"] = next(numbers)
            tell("before", connection.info["commit"])

    @event.listens_for(sa.pool.Pool, "checkin")
    def after(_raw: Any, record: Any) -> None:
        number = record.info.pop("commit", None)
        if number is not None:
            tell("after", number)


def _limit(max_pages: int) -> None:
    @event.listens_for(sa.Engine, "connect")
    def limit(raw: Any, _record: object) -> None:
        raw.execute(f"PRAGMA max_page_count = {max_pages}")


if __name__ == "__main__":
    die_with_parent()
    for name in _IMPORTED:
        importlib.import_module(name)
    told = serve()
    if told is not None:
        run(told)
