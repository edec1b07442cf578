"""What the server does between requests: send events, fetch files, let uploads expire."""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable

from notion_embedded.control.imports import Importer
from notion_embedded.control.webhooks import Sender
from notion_embedded.model.dates import milliseconds
from notion_embedded.store import files
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
        """Do what there is to do, each kind by itself, whenever the workspace rings or the time has come."""
        try:
            async with asyncio.TaskGroup() as group:
                for errand in (self._expire, self._import, self._sender.deliver):
                    group.create_task(self._keep_doing(errand))
        finally:
            await self._sender.stop()

    async def _keep_doing(self, errand: Callable[[], Awaitable[bool]]) -> None:
        """Do it again and again; it says whether anything waits for its time."""
        bell = self._workspace.bell.listen()
        try:
            while True:
                try:
                    waiting = await errand()
                except Exception as error:  # noqa: BLE001  an errand that fails once is tried again
                    sys.stderr.write("".join(traceback.format_exception(error)))
                    waiting = True
                await bell.wait(WAITING if waiting else IDLE)
        finally:
            bell.leave()

    async def _import(self) -> bool:
        while await self._importer.fetch_next():
            pass
        return False

    async def _expire(self) -> bool:
        await asyncio.to_thread(self._expire_late)
        return False

    def _expire_late(self) -> None:
        now = milliseconds(self._workspace.now())
        with self._workspace.reading() as connection:
            late = files.any_late(connection, now)
        if late:
            with self._workspace.writing() as connection:
                files.expire(connection, now)
