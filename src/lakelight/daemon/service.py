"""One process that polls for tickets and carries their runs until it is told to stop."""

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta

from lakelight.agent import Progress, Runs
from lakelight.agent.chats import Chats
from lakelight.agent.undos import Undos
from lakelight.clock import Clock
from lakelight.daemon.sources import StateSources
from lakelight.errors import LakelightError, StorageError
from lakelight.jobs import Jobs
from lakelight.storage import Database
from lakelight.tickets.dispatcher import Dispatcher
from lakelight.tickets.poller import Poller
from lakelight.tickets.worker import Worker

log = logging.getLogger(__name__)

_TICK = timedelta(seconds=0.2)
_WAKE_EVERY = timedelta(seconds=1)
_MOST_ROUNDS = 5
"""A write that is still not known after so many looks is not waited for; its turn comes again later."""


class Service:
    """Runs the ticket side of the house."""

    def __init__(
        self,
        *,
        poller: Poller,
        dispatcher: Dispatcher,
        worker: Worker,
        chats: Chats,
        undos: Undos,
        sources: StateSources,
        runs: Runs,
        jobs: Jobs,
        database: Database,
        clock: Clock,
        progress: Progress,
        poll_every: timedelta,
    ) -> None:
        self._poller = poller
        self._dispatcher = dispatcher
        self._idle = False
        self._stuck: StorageError | None = None
        self._worker = worker
        self._chats = chats
        self._undos = undos
        self._sources = sources
        self._runs = runs
        self._jobs = jobs
        self._database = database
        self._clock = clock
        self._progress = progress
        self._poll_every = poll_every

    async def run(self, stop: asyncio.Event) -> None:
        """Poll and carry until `stop` is set; what goes wrong is told, and tried again at the next poll."""
        await self._jobs.start(self._advance)
        try:
            await self._make_waiting_due()
            while not stop.is_set():
                await self._poll_once()
                await self._wake_until(stop)
        finally:
            await self._jobs.stop()

    async def run_once(self, stop: asyncio.Event) -> None:
        """Poll and carry until there is nothing left that can be done now.

        Raises:
            NotionError, SourceError: The ticket database cannot be read.
            StorageError: The state cannot be written, so no run can go on.
        """
        await self._jobs.start(self._advance)
        try:
            await self._make_waiting_due()
            while not stop.is_set():
                taken = await self._poller.poll(await self._sources.source())
                await self._poller.wake()
                await self._drain(stop)
                if not taken:
                    return
        finally:
            await self._jobs.stop()

    async def advance(self, run_id: str) -> None:
        """Bring a run of any kind as far as it can go now."""
        run = await self._database.run(lambda connection: self._runs.get(connection, run_id))
        match run.kind if run else None:
            case "ticket":
                await self._worker.advance(run_id)
            case "chat":
                await self._chats.advance(run_id)
            case "undo":
                await self._undos.advance(run_id)
            case _:
                pass

    async def _advance(self, run_id: str) -> None:
        try:
            await self.advance(run_id)
        except StorageError as error:
            # The run stays as the state has it, and gets a new job when it lost this one.
            self._stuck = error
            self._progress.tell("state.failed", error=error, seconds=_WAKE_EVERY.total_seconds())
            raise

    async def _poll_once(self) -> None:
        try:
            await self._poller.poll(await self._sources.source())
            await self._poller.wake()
        except LakelightError as error:
            # Whatever stands in the way may be mended in Notion meanwhile: the schema is read anew.
            self._sources.forget()
            self._progress.tell("poll.failed", error=error, seconds=self._poll_every.total_seconds())
        except Exception:
            # The server outlives what one poll stumbles over; the traceback is in the log.
            log.exception("poll.fault")

    async def _wake_until(self, stop: asyncio.Event) -> None:
        until = self._clock.now() + self._poll_every
        while not stop.is_set() and (left := until - self._clock.now()) > timedelta():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), min(left, _WAKE_EVERY).total_seconds())
            if await self._wake_due():
                return

    async def _wake_due(self) -> bool:
        """True when somebody asked for a ticket, so that the next poll should come at once."""
        try:
            due = await self._database.run(lambda connection: bool(self._runs.due(connection)))
            if due:
                await self._poller.wake()
            await self._tell_idle()
            return bool(await self._dispatcher.asked_again())
        except LakelightError as error:
            log.warning("wake.failed", extra={"code": error.code})
            return False

    async def _tell_idle(self) -> None:
        if not self._idle and not await self._busy():
            self._idle = True
            self._progress.tell("idle")

    async def _busy(self) -> bool:
        return await self._database.run(
            lambda connection: (
                bool(self._runs.unfinished(connection, "queued", "working"))
                or any(
                    run.reason == "unsettled" and run.tries < _MOST_ROUNDS
                    for run in self._runs.unfinished(connection, "waiting")
                )
            )
        )

    async def _drain(self, stop: asyncio.Event) -> None:
        while not stop.is_set() and await self._busy():
            await self._clock.sleep(_TICK)
            if self._stuck is not None:
                raise self._stuck
            await self._poller.wake()

    async def _make_waiting_due(self) -> None:
        # A start is a good moment to try again what waits: the owner may have mended something. What
        # waits for a person or for Notion to settle is only looked at, and goes on waiting.
        now = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        await self._database.run(
            lambda connection: connection.exec_driver_sql(
                "UPDATE runs SET due_at = ? WHERE state = 'waiting'", (now,)
            )
        )
