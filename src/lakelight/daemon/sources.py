"""The ticket database as it is now, read again when it is old."""

import asyncio
import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from lakelight.clock import Clock
from lakelight.notion import NotionReader
from lakelight.storage import Connection, Database
from lakelight.tickets import ledger
from lakelight.tickets.columns import ColumnNames, Role
from lakelight.tickets.source import Source, StatusWords, open_source

GIVEN = "tickets.database"
"""The name under which a workspace of our own making notes its ticket database."""
_COLUMNS = "tickets.columns"


class StateSources:
    """Remembers property ids in the state, so that a renamed column is still found."""

    def __init__(
        self,
        *,
        reader: NotionReader,
        database: Database,
        clock: Clock,
        given: str | None,
        names: ColumnNames,
        words: StatusWords,
        remembered: timedelta,
    ) -> None:
        self._reader = reader
        self._database = database
        self._clock = clock
        self._given = given
        self._names = names
        self._words = words
        self._remembered = remembered
        self._known: tuple[datetime, Source] | None = None
        self._turn = asyncio.Lock()

    async def source(self) -> Source:
        """The source, read again when it is old.

        Raises:
            SourceError, NotionError: It cannot be used or reached.
        """
        async with self._turn:
            now = self._clock.now()
            if self._known and now - self._known[0] < self._remembered:
                return self._known[1]
            given, ids = await self._database.run(remembered)
            source = await open_source(self._reader, self._given or given, self._names, self._words, ids)
            await self._database.run(lambda connection: self._keep(connection, source))
            self._known = (now, source)
            return source

    def forget(self) -> None:
        """Read the schema anew the next time."""
        self._known = None

    def _keep(self, connection: Connection, source: Source) -> None:
        # Ids of another database would bind the wrong columns, so they go with the source's own id.
        kept = {"source": source.data_source_id, "ids": source.mapped.property_ids()}
        ledger.know(connection, _COLUMNS, json.dumps(kept))


def remembered(connection: Connection) -> tuple[str | None, Mapping[str, Mapping[Role, str]]]:
    """The ticket database of a workspace of our own making, and by data source the property ids last seen."""
    known = json.loads(ledger.fact(connection, _COLUMNS) or "{}")
    return ledger.fact(connection, GIVEN), {str(known.get("source", "")): known.get("ids", {})}
