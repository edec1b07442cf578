"""Starting and stopping: the workspace behind a port, in a process of its own or inside another loop."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from notion_embedded.http import create_app
from notion_embedded.store import Clock, StoreError, Workspace, WorkspaceInUse, open_workspace, system_clock

__all__ = [
    "Clock",
    "StoreError",
    "Workspace",
    "WorkspaceInUse",
    "create_app",
    "open_workspace",
    "serve",
    "serve_app",
    "system_clock",
]

GRACE = 5
"""Seconds that running requests are given when the server stops."""


@asynccontextmanager
async def serve(workspace: Workspace, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serve the workspace in this event loop while the block runs; its base URL is yielded, without `/v1`.

    Port 0 takes a free one. Signals and logging stay as they are.

    Raises:
        OSError: The port cannot be had.
    """
    async with serve_app(create_app(workspace), host, port) as url:
        yield url


@asynccontextmanager
async def serve_app(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """The same for any application, say one that wraps `create_app(workspace)`."""
    listening = _listen(host, port)
    server = _Server(
        uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            date_header=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
    )
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        while not server.started:
            if running.done():
                await running
                raise OSError(f"the server on {host}:{port} did not start")
            await asyncio.sleep(0.01)
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
        listening.close()


def _listen(host: str, port: int) -> socket.socket:
    # With the protocol named, asyncio turns off Nagle's algorithm, which costs 40 ms an answer.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


class _Server(uvicorn.Server):
    """uvicorn that leaves the process's signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
