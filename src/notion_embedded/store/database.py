"""SQLite connections: how they are set up, shared and kept durable.

WAL with `synchronous=FULL`: a commit returns when the disk has it, so that an acknowledged
write survives a kill. Every call here blocks; callers run it on a thread, not on an event loop.
"""

import queue
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from notion_embedded.store.errors import StoreError

BUSY_TIMEOUT = 5.0
READERS = 4


def connect(file: Path, *, max_pages: int | None = None) -> sqlite3.Connection:
    """A connection with the settings that every user of the file needs."""
    connection = sqlite3.connect(file, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if max_pages is not None:
        connection.execute(f"PRAGMA max_page_count = {int(max_pages)}")
    return connection


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date.

    Raises:
        StoreError: A newer version wrote the file.
    """
    folder = files("notion_embedded.store") / "migrations"
    scripts = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda e: e.name
    )
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(scripts):
        raise StoreError("the workspace file was written by a newer version of notion-embedded; update it")
    for number, script in enumerate(scripts[version:], start=version + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{script.read_text('utf-8')}\nPRAGMA user_version = {number};\nCOMMIT;"
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All of it or nothing: committed at the end, rolled back by any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class Database:
    """One file: a writer that one thread has at a time, and a few readers that see whole commits."""

    def __init__(self, file: Path, *, max_pages: int | None = None) -> None:
        self._file = file
        self._writer = connect(file, max_pages=max_pages)
        self._turn = threading.Lock()
        self._readers: queue.LifoQueue[sqlite3.Connection | None] = queue.LifoQueue()
        for _ in range(READERS):
            self._readers.put(None)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writer, in a transaction that ends with the block."""
        with self._turn, transaction(self._writer) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A reader that sees one moment of the file throughout the block."""
        reader = self._readers.get()
        try:
            if reader is None:
                reader = connect(self._file)
                reader.execute("PRAGMA query_only = ON")
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                reader.execute("ROLLBACK")
        finally:
            self._readers.put(reader)

    def close(self) -> None:
        """Close every connection; waits for those in use."""
        for _ in range(READERS):
            reader = self._readers.get()
            if reader is not None:
                reader.close()
        with self._turn:
            self._writer.close()
