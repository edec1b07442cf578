"""The trail in the state database, and the spool for when it could not be written.

Before a write the trail comes first: no event, no write. After a write the event may fail,
and the write is not repeated for it: the event goes to a spool file beside the database, and
until that has been brought in, the trail counts as unavailable, so that no write follows.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lakelight import ids
from lakelight.audit.chain import GENESIS, Event, link
from lakelight.audit.fields import ACTORS, EVENTS, SOURCES, Sink
from lakelight.audit.head import Head, HeadFile, Unreadable
from lakelight.clock import Clock, iso
from lakelight.digest import canonical
from lakelight.errors import StorageError, TrailError
from lakelight.storage import Connection, Database, once_committed

_SPOOLED = frozenset({"event_id", "at", "event", "actor", "source", "fields", "redaction"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event as it is told to the trail; the sink decides what of it is stored."""

    event: str
    actor: str
    source: str
    fields: Mapping[str, object]


class Trail:
    """The record that can be checked."""

    def __init__(self, database: Database, sink: Sink, clock: Clock) -> None:
        self._database = database
        self._sink = sink
        self._clock = clock
        self._head = HeadFile(database.file)
        self._spool = database.file.with_name("trail.spool")
        # Nothing may be added to a spool between its being brought in and its removal.
        self._spooling = asyncio.Lock()

    def append(self, connection: Connection, entry: Entry) -> None:
        """Add `entry` within the transaction of `connection`, which decides whether it stands."""
        self._insert(connection, ids.fresh("evt"), iso(self._clock.now()), entry)

    async def record(self, entry: Entry) -> None:
        """Add `entry` in a durable transaction of its own.

        Raises:
            TrailError: It could not be written.
        """
        try:
            await self._database.run_durably(lambda connection: self.append(connection, entry))
        except StorageError as error:
            raise TrailError(cause=error.code) from error

    async def spool(self, entry: Entry) -> None:
        """Keep `entry`, whose write has happened, in a file until the trail can be written again.

        Raises:
            TrailError: The file could not be written either.
        """
        fields, redacted = self._sink.clean(entry.fields)
        line = json.dumps(
            {
                "event_id": ids.fresh("evt"),
                "at": iso(self._clock.now()),
                "event": entry.event,
                "actor": entry.actor,
                "source": entry.source,
                "fields": fields,
                "redaction": redacted,
            }
        )
        async with self._spooling:
            try:
                await asyncio.to_thread(_append_line, self._spool, line)
            except OSError as error:
                raise TrailError(cause=str(error)) from error

    async def available(self) -> bool:
        """True when the next event can be written; brings a spool in first, if there is one."""
        async with self._spooling:
            try:
                if self._spool.exists():
                    await self._database.run_durably(self._bring_in)
                    self._spool.unlink(missing_ok=True)
            except (StorageError, TrailError, OSError):
                return False
        return True

    def _bring_in(self, connection: Connection) -> None:
        # The event ids make it safe to die between this commit and the removal of the file.
        brought = 0
        for line in self._spool.read_text(encoding="utf-8").splitlines():
            kept = _whole(line)
            if (
                kept is None
                or connection.exec_driver_sql(
                    "SELECT 1 FROM audit_events WHERE event_id = ?", (kept["event_id"],)
                ).first()
            ):
                continue
            entry = Entry(
                event=kept["event"], actor=kept["actor"], source=kept["source"], fields=kept["fields"]
            )
            self._insert(connection, kept["event_id"], kept["at"], entry, redacted=kept["redaction"])
            brought += 1
        if brought:
            recovered = Entry(
                event="audit.recovered", actor="system", source="executor", fields={"count": brought}
            )
            self.append(connection, recovered)

    def _insert(
        self,
        connection: Connection,
        event_id: str,
        at: str,
        entry: Entry,
        *,
        redacted: list[str] | None = None,
    ) -> None:
        # What comes with its redaction has been through the sink.
        if entry.event not in EVENTS or entry.actor not in ACTORS or entry.source not in SOURCES:
            raise TrailError(event=entry.event, actor=entry.actor, source=entry.source)
        kept, redacted = self._sink.clean(entry.fields) if redacted is None else (entry.fields, redacted)
        body = canonical({**_unfold(kept), "redaction": redacted}).decode()
        last = connection.exec_driver_sql(
            "SELECT seq, hash FROM audit_events ORDER BY seq DESC LIMIT 1"
        ).first()
        seq, prev = (int(last[0]) + 1, str(last[1])) if last else (1, GENESIS)
        hash_ = link(seq, event_id, at, entry.event, entry.actor, entry.source, body, prev)
        connection.exec_driver_sql(
            "INSERT INTO audit_events (seq, event_id, at, event, actor, source, body, prev, hash)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (seq, event_id, at, entry.event, entry.actor, entry.source, body, prev, hash_),
        )
        if _stands(connection, self._head.read()):
            once_committed(connection, "audit.head", partial(self._head.write, Head(seq, hash_)))


def read_events(connection: Connection, last: int | None = None) -> list[Event]:
    """The whole trail in order, or its `last` events."""
    rows = connection.exec_driver_sql(
        "SELECT seq, event_id, at, event, actor, source, body, prev, hash FROM audit_events"
        " WHERE seq > (SELECT coalesce(max(seq), 0) FROM audit_events) - ? ORDER BY seq",
        (2**62 if last is None else last,),
    )
    return [Event(**row) for row in rows.mappings()]


def begun_writes(connection: Connection) -> list[str]:
    """The operations of which an intent stands: each was recorded together with an event."""
    return [str(each) for (each,) in connection.exec_driver_sql("SELECT operation_id FROM intents")]


def _stands(connection: Connection, noted: Head | Unreadable | None) -> bool:
    # Where the noted event is gone or another, its note is what tells of it, and stays;
    # so does a note that was spoilt.
    if noted is None:
        return True
    if isinstance(noted, Unreadable):
        return False
    found = connection.exec_driver_sql("SELECT hash FROM audit_events WHERE seq = ?", (noted.seq,)).scalar()
    return found == noted.hash


def _unfold(fields: Mapping[str, object]) -> dict[str, object]:
    # "guard.decision" becomes {"guard": {"decision": …}}.
    unfolded: dict[str, object] = {}
    for name, value in fields.items():
        group, _, leaf = name.partition(".")
        if leaf:
            inner = unfolded.setdefault(group, {})
            if isinstance(inner, dict):
                inner[leaf] = value
        else:
            unfolded[name] = value
    return unfolded


def _whole(line: str) -> dict[str, Any] | None:
    # A process that dies while it writes leaves half a line, which no event can be made of.
    try:
        kept = json.loads(line)
    except ValueError:
        return None
    if not isinstance(kept, dict) or not kept.keys() >= _SPOOLED or not isinstance(kept["fields"], dict):
        return None
    return kept


def _append_line(file: Path, line: str) -> None:
    descriptor = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        # The line end before it cuts it off from what a dying process may have left.
        os.write(descriptor, b"\n" + line.encode() + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
