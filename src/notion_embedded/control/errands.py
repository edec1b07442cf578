"""What the server does between requests: send events, fetch files, let uploads expire."""

import asyncio
import sys
import traceback

from notion_embedded.control.imports import Importer
from notion_embedded.control.webhooks import Sender
from notion_embedded.model.dates import milliseconds
from notion_embedded.store import files, webhooks
from notion_embedded.store.workspace import Workspace

WAITING = 1.0
IDLE = 5.0
"""Seconds between looks at the clock, while something waits for its time and while nothing does."""


class Errands:
    """Runs beside the server until it is cancelled. What it was at is done again after a crash."""

    def __init__(self, workspace: Workspace, *, private_imports: bool = False) -> None:
        self._workspace = workspace
        self._sender = Sender(workspace)
        self._importer = Importer(workspace, private=private_imports)

    async def run(self) -> None:
        """Do what there is to do, whenever the workspace rings or the time has come."""
        bell = self._workspace.bell.listen()
        try:
            while True:
                try:
                    waiting = await self._round()
                except Exception as error:  # noqa: BLE001  one errand that fails must not end the others
                    sys.stderr.write("".join(traceback.format_exception(error)))
                    waiting = True
                await bell.wait(WAITING if waiting else IDLE)
        finally:
            bell.leave()

    async def _round(self) -> bool:
        """Do everything that is due; whether anything waits for its time."""
        await asyncio.to_thread(self._expire)
        while await self._importer.fetch_next():
            pass
        while await self._sender.deliver():
            pass
        return await asyncio.to_thread(self._any_waiting)

    def _expire(self) -> None:
        now = milliseconds(self._workspace.now())
        with self._workspace.reading() as connection:
            late = files.any_late(connection, now)
        if late:
            with self._workspace.writing() as connection:
                files.expire(connection, now)

    def _any_waiting(self) -> bool:
        with self._workspace.reading() as connection:
            return webhooks.any_waiting(connection)
