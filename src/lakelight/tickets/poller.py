"""Asks Notion what has changed, at most one request when nothing has.

Notion cuts its stamps to the minute and its index may lag, so every poll looks back two minutes
behind the checkpoint; the ledger tells what is news. A full look by status, at the start and every
quarter of an hour, finds what a poll could miss.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from lakelight.agent import Progress, Runs
from lakelight.clock import Clock, iso, parse_iso
from lakelight.jobs import Jobs
from lakelight.notion import NotionReader, NotionRefused
from lakelight.storage import Connection, Database
from lakelight.tickets import ledger
from lakelight.tickets.dispatcher import Dispatcher
from lakelight.tickets.source import Source

_CHECKPOINT = "poller.checkpoint"
_LOOK_BACK = timedelta(minutes=2)


class Poller:
    """Brings pages to the dispatcher and due runs to the queue."""

    def __init__(
        self,
        *,
        reader: NotionReader,
        dispatcher: Dispatcher,
        database: Database,
        runs: Runs,
        jobs: Jobs,
        clock: Clock,
        progress: Progress,
        full_every: timedelta,
    ) -> None:
        self._reader = reader
        self._dispatcher = dispatcher
        self._database = database
        self._runs = runs
        self._jobs = jobs
        self._clock = clock
        self._progress = progress
        self._full_every = full_every
        self._looked_in_full: datetime | None = None

    async def poll(self, source: Source) -> int:
        """Look for news once; the number of pages that came to something.

        Raises:
            NotionError: Notion could not be asked; the checkpoint stays where it was.
        """
        now = self._clock.now()
        full = self._looked_in_full is None or now - self._looked_in_full >= self._full_every
        taken = 0
        if full:
            taken += await self._look(source, source.ready_filter())
            await self._dispatcher.end_first_look()
            self._looked_in_full = now
        checkpoint = await self._database.run(lambda connection: ledger.fact(connection, _CHECKPOINT))
        # Also after a full look, which does not see what was moved away while nobody polled.
        taken += await self._look_since(source, parse_iso(checkpoint) if checkpoint else now)
        taken += await self._asked_again(source)
        self._progress.tell("poll.done", full=full, taken=taken)
        return taken

    async def wake(self) -> None:
        """Give a job to the runs whose time has come, and to those that lost theirs."""
        live = await self._jobs.live()

        def renew(connection: Connection) -> None:
            for run in self._runs.due(connection):
                self._runs.again(connection, run.id)
            for run in self._runs.unfinished(connection, "queued", "working"):
                lost = run.job_id not in live and not self._runs.is_taken(run)
                if lost and not self._just_made(connection, run.id):
                    self._runs.again(connection, run.id)

        await self._database.run(renew)

    async def _look(self, source: Source, condition: Mapping[str, Any]) -> int:
        taken = 0
        oldest_first = [{"timestamp": "created_time", "direction": "ascending"}]
        async for page in self._reader.query(source.data_source_id, dict(condition), oldest_first):
            taken += await self._dispatcher.take(source, page) not in {"nothing", "left"}
        return taken

    async def _look_since(self, source: Source, checkpoint: datetime) -> int:
        since = (checkpoint - _LOOK_BACK).replace(second=0, microsecond=0)
        condition = {"timestamp": "last_edited_time", "last_edited_time": {"on_or_after": iso(since)}}
        oldest_first = [{"timestamp": "last_edited_time", "direction": "ascending"}]
        taken, newest = 0, checkpoint
        async for page in self._reader.query(source.data_source_id, condition, oldest_first):
            newest = max(newest, parse_iso(page["last_edited_time"]))
            taken += await self._dispatcher.take(source, page) not in {"nothing", "left"}
        reached = max(newest, self._reader.now() or newest).replace(second=0, microsecond=0)
        await self._database.run(lambda connection: ledger.know(connection, _CHECKPOINT, iso(reached)))
        return taken

    async def _asked_again(self, source: Source) -> int:
        taken = 0
        for page_id in await self._dispatcher.asked_again():
            try:
                page = await self._reader.page(page_id)
            except NotionRefused:
                # The page is gone or not shared any more; the ticket stays listed as asked for.
                continue
            taken += await self._dispatcher.take(source, page, asked=True) not in {"nothing", "left"}
        return taken

    def _just_made(self, connection: Connection, run_id: str) -> bool:
        # The list of live jobs was read before this transaction, so a younger job is not on it.
        row = connection.exec_driver_sql("SELECT updated_at FROM runs WHERE id = ?", (run_id,)).one()
        return self._clock.now() - parse_iso(str(row[0])) < timedelta(seconds=2)
