"""Keeps the house open for the calls, and looks after what a call or a dead process left half done.

A client that is told nothing but "the server ended" cannot help its user. So the server comes up
whether or not the house can be opened; each call tries again, and is told what stands in the way.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from lakelight.agent.runs import Run
from lakelight.errors import LakelightError
from lakelight.mcp_server.desk import Desk
from lakelight.storage import Connection

log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0
"""Seconds between two looks at what has become due."""


class Keeper:
    """One house at a time, opened on the first call that needs it."""

    def __init__(self, open_house: Callable[[], AbstractAsyncContextManager[Desk]], *, writes: bool) -> None:
        self._open_house = open_house
        self._writes = writes
        self._holding: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[Desk] | None = None
        self._leave = asyncio.Event()
        self._inside = 0
        self._worn = False

    @asynccontextmanager
    async def desk(self) -> AsyncIterator[Desk]:
        """The open house, which stays open while the block lasts.

        Raises:
            LakelightError: It cannot be opened as things stand.
        """
        if self._worn and self._inside == 0:
            await self.close()
        if self._opened is None or self._holding is None or self._holding.done():
            self._leave, self._worn = asyncio.Event(), False
            self._opened = asyncio.get_running_loop().create_future()
            self._holding = asyncio.create_task(self._hold(self._opened, self._leave))
        self._inside += 1
        try:
            # A call that is cancelled must not stop the others from getting in.
            yield await asyncio.shield(self._opened)
        finally:
            self._inside -= 1

    def doubt(self) -> None:
        """Notion gave no answer. An embedded workspace may have lost who served it: look again next time."""
        opened = self._opened
        if opened is not None and opened.done() and not opened.exception():
            self._worn = opened.result().kind == "embedded"

    async def close(self) -> None:
        """Let go of the house."""
        self._leave.set()
        if self._holding is not None:
            with suppress(asyncio.CancelledError):
                await self._holding

    async def _hold(self, opened: asyncio.Future[Desk], leave: asyncio.Event) -> None:
        try:
            async with self._open_house() as desk:
                left = await desk.abandoned() if self._writes else []
                opened.set_result(desk)
                for run_id in left:
                    await _advance(desk, run_id)
                while not leave.is_set():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(leave.wait(), _LOOK_EVERY)
                    if self._writes and not leave.is_set():
                        await _advance_due(desk)
        except asyncio.CancelledError:
            opened.cancel()
            raise
        except Exception as error:
            if not opened.done():
                opened.set_exception(error)
                # Whoever waits is told; nobody may be waiting any more.
                opened.exception()
            else:
                log.exception("mcp.house")


async def _advance_due(desk: Desk) -> None:
    """See to the runs whose time has come: a write without an answer is looked up, a decision acted on."""

    def due(connection: Connection) -> list[Run]:
        return [run for run in desk.runs.due(connection) if run.kind != "ticket"]

    try:
        found = await desk.database.run(due)
    except LakelightError as error:
        log.warning("mcp.due", extra={"code": error.code})
        return
    for run in found:
        await _advance(desk, run.id)


async def _advance(desk: Desk, run_id: str) -> None:
    try:
        await desk.advance(run_id)
    except LakelightError as error:
        log.warning("mcp.advance", extra={"run": run_id, "code": error.code})
    except Exception:
        # The server outlives what one run stumbles over; the traceback is in the log.
        log.exception("mcp.advance.fault", extra={"run": run_id})
