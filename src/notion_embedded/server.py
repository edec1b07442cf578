"""Starting and stopping: the workspace behind a port, in a process of its own or inside another loop."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from notion_embedded.control import Control, ControlledClock, Errands
from notion_embedded.control.gate import DROP
from notion_embedded.http import create_app
from notion_embedded.store import Clock, StoreError, Workspace, WorkspaceInUse, open_workspace, system_clock

__all__ = [
    "Clock",
    "Control",
    "ControlledClock",
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
async def serve(
    workspace: Workspace,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    control: Control | None = None,
    private_imports: bool = False,
) -> AsyncIterator[str]:
    """Serve the workspace in this event loop while the block runs; its base URL is yielded, without `/v1`.

    Port 0 takes a free one. Signals and logging stay as they are.

    Args:
        control: Stands before the API, and is turned under `/control`.
        private_imports: Whether files may be imported from this machine and its network.

    Raises:
        OSError: The port cannot be had.
    """
    app: ASGIApp = create_app(workspace)
    if control is not None:
        app = control.around(app)
    async with serve_app(app, host, port) as url:
        errands = asyncio.create_task(Errands(workspace, private_imports=private_imports).run())
        try:
            yield url
        finally:
            errands.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await errands


@asynccontextmanager
async def serve_app(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """The same for any application, say one that wraps `create_app(workspace)`.

    Only answers to requests come from it: no webhooks are sent and no files imported.
    """
    listening = _listen(host, port)

    async def droppable(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("extensions", {})[DROP] = lambda: server.drop(scope.get("client"))
        await app(scope, receive, send)

    server = _Server(
        uvicorn.Config(
            droppable,
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
    except OSError as error:
        listening.close()
        # With its number, since a caller may know what to do about a port that is taken.
        raise OSError(
            error.errno,
            f"{host}:{port} cannot be had: {error.strerror}; give another port, 0 takes a free one",
        ) from error
    return listening


class _Server(uvicorn.Server):
    """uvicorn that leaves the process's signals alone, and can cut a connection."""

    def drop(self, client: tuple[str, int] | None) -> None:
        """Cut the connection from that address, with whatever was not sent yet."""
        for connection in list(self.server_state.connections):
            if client is not None and getattr(connection, "client", None) == tuple(client):
                transport = getattr(connection, "transport", None)
                if transport is not None:
                    transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
