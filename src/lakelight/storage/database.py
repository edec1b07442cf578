"""Transactions on the state database.

Two kinds of commit: `durable` waits for the disk (synchronous=FULL), for what must be
known after a power cut: an intent before its request, and what came of it. `transaction`
survives a crash of the process, which is enough for everything that can be worked out
again. Both begin IMMEDIATE, so that what was read in a transaction still holds at its end,
also with several processes on one file.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError, ProgrammingError

from lakelight.errors import StorageError, StorageFull

Connection = sa.Connection
T = TypeVar("T")

_AFTERWARDS = "lakelight.afterwards"
_PRAGMAS = ("journal_mode=WAL", "busy_timeout=30000", "foreign_keys=ON", "journal_size_limit=16777216")


class Database:
    """The state of one workspace in one file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.url = f"sqlite:///{file}"
        _private(file)
        self.engine = _engine(self.url, "NORMAL")
        self.durable_engine = _engine(self.url, "FULL")

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction that survives a crash of this process once it is committed."""
        with self._begun(self.engine) as connection:
            yield connection

    @contextmanager
    def durable(self) -> Iterator[Connection]:
        """A transaction that survives a power cut once it is committed."""
        with self._begun(self.durable_engine) as connection:
            yield connection

    @staticmethod
    @contextmanager
    def _begun(engine: sa.Engine) -> Iterator[Connection]:
        afterwards: dict[str, Callable[[], None]] = {}
        with _storage_errors(), engine.begin() as connection:
            connection.info[_AFTERWARDS] = afterwards
            yield connection
        for work in afterwards.values():
            work()

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns, run in one transaction on a thread."""
        return await asyncio.to_thread(self._within, self.transaction, work)

    async def run_durably(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns, run in one durable transaction on a thread."""
        return await asyncio.to_thread(self._within, self.durable, work)

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()
        self.durable_engine.dispose()

    @staticmethod
    def _within(begin: Callable[[], Any], work: Callable[[Connection], T]) -> T:
        with begin() as connection:
            return work(connection)


def once_committed(connection: Connection, name: str, work: Callable[[], None]) -> None:
    """Have `work`, which must not fail, done after this commit; of several with one `name`, the last."""
    # Of a connection that somebody else began, the end is not known.
    if _AFTERWARDS in connection.info:
        connection.info[_AFTERWARDS][name] = work


def _engine(url: str, synchronous: str) -> sa.Engine:
    engine = sa.create_engine(url, pool_size=4, max_overflow=4)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (*_PRAGMAS, f"synchronous={synchronous}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _private(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def _storage_errors() -> Iterator[None]:
    try:
        yield
    except (DataError, IntegrityError, ProgrammingError):
        # What we asked for was wrong, not the file.
        raise
    except DatabaseError as error:
        cause = str(error.orig)
        if "disk is full" in cause or "disk I/O error" in cause:
            raise StorageFull(cause=cause) from error
        raise StorageError(cause=cause) from error
