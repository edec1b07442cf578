"""Serves the console within a process that serves: on this machine only, behind a sign-in link."""

import asyncio
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path

import uvicorn

from lakelight.bootstrap.home import write_private
from lakelight.bootstrap.house import House
from lakelight.console.app import create_app
from lakelight.console.desk import Desk
from lakelight.messages import Language
from lakelight.notion.viewing import view_url

_HOST = "127.0.0.1"
_NOTE = "console.json"
_GRACE = 5


@asynccontextmanager
async def served_console(
    house: House, home: Path, port: int, language: Language, command: str = "lakelight"
) -> AsyncIterator[str]:
    """The console over `house` while the context lasts; the sign-in link.

    A port that is taken is exchanged for a free one: approvals can wait for a person, but a server
    that does not start because of a page helps nobody.
    """
    secret = _secret(home)
    app = create_app(
        Desk(
            database=house.database,
            approvals=house.approvals,
            confirmations=house.confirmations,
            look=house.surroundings.look,
            advance=house.advance,
            clock=house.clock,
            secret=secret,
            language=language,
            link=partial(view_url, base_url=house.place.base_url) if house.place.kind == "embedded" else str,
            command=command,
        )
    )
    listening = _listen(port)
    config = uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )
    server = _Server(config)
    url = f"http://{_HOST}:{listening.getsockname()[1]}"
    note = house.place.folder / _NOTE
    write_private(note, json.dumps({"url": url, "pid": os.getpid()}))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"{url}/?k={secret}"
    finally:
        note.unlink(missing_ok=True)
        server.should_exit = True
        await running


def console_url(folder: Path) -> str | None:
    """Where a workspace's console is served right now, without the sign-in; None when nobody serves it."""
    try:
        note = json.loads((folder / _NOTE).read_text())
        os.kill(int(note["pid"]), 0)
        return str(note["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _listen(port: int) -> socket.socket:
    for candidate in (port, 0):
        # Named, or asyncio leaves Nagle's delay on.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, candidate))
            listening.listen(64)
        except OSError:
            listening.close()
            continue
        return listening
    raise OSError("no port can be had on this machine")


def _secret(home: Path) -> str:
    file = home / "console.key"
    with suppress(FileExistsError):
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(secrets.token_urlsafe(32))
    return file.read_text().strip()


class _Server(uvicorn.Server):
    """uvicorn that leaves the process's signals alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
