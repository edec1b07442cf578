"""How many requests a token may send: one budget, shared by all processes on the machine.

A grant is written down the moment it is given, so no window of a minute ever holds more
than allowed, whoever asks. `burst` only keeps the first second of a busy minute polite.
"""

import asyncio
import hashlib
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from lakelight.clock import Clock
from lakelight.errors import StorageError, StorageFull
from lakelight.notion.endpoint import api_root
from lakelight.notion.errors import NotionLimited

LONGEST_WAIT = 60.0
"""Seconds for which a pause is waited out; who would have to wait longer is told until when instead."""

OnWait = Callable[[float], None]
"""Told the seconds, whenever a request has to wait."""

# A little over Notion's minute: requests do not all take equally long to arrive.
_WINDOW = 61.0
_LONGEST_PAUSE = 3600.0
_SHORTEST_WAIT = 0.001
_SCHEMA = """
CREATE TABLE spent (token TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX spent_by_time ON spent (token, at);
CREATE TABLE paused (token TEXT PRIMARY KEY, until REAL NOT NULL);
"""


class Budget(Protocol):
    """Permission to send one request, and the pause that Notion may ask for."""

    async def acquire(self) -> None:
        """Return once a request may be sent.

        Raises:
            NotionLimited: That would take longer than anyone should wait.
        """
        ...

    async def pause(self, seconds: float) -> None:
        """Let nobody through for `seconds`; a longer pause that already runs stays."""
        ...


class NoBudget:
    """No limit at all: for a workspace of our own."""

    async def acquire(self) -> None:
        """Return at once."""

    async def pause(self, seconds: float) -> None:
        """Nothing: the request that was refused waits by itself."""


class SharedBudget:
    """A budget per token and server, in a small SQLite file that every process on the machine may open."""

    def __init__(
        self,
        path: Path,
        token: str,
        *,
        base_url: str,
        clock: Clock,
        per_minute: int = 180,
        burst: int = 60,
        longest_wait: float = LONGEST_WAIT,
        on_wait: OnWait | None = None,
    ) -> None:
        self._path = path
        # What one server asks of a token is nothing to another that takes the same token.
        self._token = hashlib.sha256(f"{api_root(base_url)}\n{token}".encode()).hexdigest()[:24]
        self._on_wait = on_wait or _nobody
        self._clock = clock
        self._per_minute = per_minute
        self._burst = min(burst, per_minute)
        self._longest_wait = longest_wait
        self._turn = asyncio.Lock()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    async def acquire(self) -> None:
        """Return once a request may be sent; who came first goes first.

        Raises:
            NotionLimited: A pause runs that is longer than anyone should wait.
            StorageError: The file could not be used.
        """
        async with self._turn:
            while wait := await asyncio.to_thread(self._take):
                self._on_wait(wait)
                await self._clock.sleep(timedelta(seconds=max(wait, _SHORTEST_WAIT)))

    async def pause(self, seconds: float) -> None:
        """Let no process through for `seconds`.

        Raises:
            StorageError: The file could not be used.
        """
        await asyncio.to_thread(self._pause, seconds)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _take(self) -> float:
        """Seconds to wait before asking again; zero when a request was granted and written down."""
        try:
            with self._transaction() as connection:
                now = self._clock.now().timestamp()
                self._forget(connection, now)
                wait = max(self._paused(connection, now), self._until_free(connection, now))
                if wait <= 0:
                    connection.execute("INSERT INTO spent VALUES (?, ?)", (self._token, now))
                return max(wait, 0.0)
        except sqlite3.Error as error:
            raise _storage(error) from error

    def _pause(self, seconds: float) -> None:
        try:
            with self._transaction() as connection:
                until = self._clock.now().timestamp() + min(seconds, _LONGEST_PAUSE)
                connection.execute(
                    "INSERT INTO paused VALUES (?, ?)"
                    " ON CONFLICT (token) DO UPDATE SET until = max(until, excluded.until)",
                    (self._token, until),
                )
        except sqlite3.Error as error:
            raise _storage(error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        # `BEGIN IMMEDIATE` keeps the other processes out, the lock our own other threads.
        with self._lock:
            if self._connection is None:
                self._connection = _open(self._path)
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _forget(self, connection: sqlite3.Connection, now: float) -> None:
        # A clock that was set back would otherwise hold everybody up until it has caught up.
        connection.execute("UPDATE spent SET at = ?1 WHERE token = ?2 AND at > ?1", (now, self._token))
        connection.execute("DELETE FROM spent WHERE token = ? AND at <= ?", (self._token, now - _WINDOW))
        connection.execute(
            "DELETE FROM paused WHERE token = ? AND (until <= ? OR until > ?)",
            (self._token, now, now + _LONGEST_PAUSE + 60),
        )

    def _paused(self, connection: sqlite3.Connection, now: float) -> float:
        row = connection.execute("SELECT until FROM paused WHERE token = ?", (self._token,)).fetchone()
        wait = row[0] - now if row else 0.0
        if wait > self._longest_wait:
            until = datetime.fromtimestamp(now + wait, UTC)
            raise NotionLimited(wait, until=until, reason="paused")
        return float(wait)

    def _until_free(self, connection: sqlite3.Connection, now: float) -> float:
        """Seconds until both the minute and the burst have room again."""
        span = self._burst * 60 / self._per_minute
        return max(
            self._until(connection, now, self._per_minute, _WINDOW),
            self._until(connection, now, self._burst, span),
        )

    def _until(self, connection: sqlite3.Connection, now: float, most: int, window: float) -> float:
        row = connection.execute(
            "SELECT at FROM spent WHERE token = ? ORDER BY at DESC LIMIT 1 OFFSET ?", (self._token, most - 1)
        ).fetchone()
        return float(row[0] + window - now) if row else 0.0


def _nobody(_seconds: float) -> None:
    pass


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
    except OSError as error:
        raise StorageError(f"cannot create {path.name}", path=str(path)) from error
    connection = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _create(path: Path) -> None:
    """Put a whole database in place at once: SQLite does not wait while another process switches to WAL."""
    descriptor, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    os.close(descriptor)
    fresh = Path(name)
    try:
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _storage(error: sqlite3.Error) -> StorageError:
    full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return (StorageFull if full else StorageError)(f"the request budget: {error}")
