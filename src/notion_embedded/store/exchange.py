"""A whole workspace as one JSON file, and back.

The file is one JSON object whose records stand on lines of their own, so that it is written and read
a record at a time, however large it is:

    {"format": "notion-embedded", "version": 1, "schema": 4, "records": [
    ["user", {"id": "…", "name": "…"}],
    …
    ]}

A record is a row of a table. What is on its way to somebody (events, codes of OAuth) and the key that
signs addresses stay behind; tokens go along only where that is asked for.
"""

import base64
import binascii
import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from notion_embedded.store import tokens
from notion_embedded.store.database import connect, migrate, transaction
from notion_embedded.store.errors import StoreError
from notion_embedded.store.lock import FileLock
from notion_embedded.store.records import Field, check_places, check_record, fields_of

FORMAT = "notion-embedded"
VERSION = 1

_LEFT_BEHIND = frozenset({"change", "event", "former_title", "oauth_code", "webhook"})
_SECRET = frozenset({"token", "share", "oauth_client", "oauth_grant"})
_LAST = "workspace"
"""Its row comes last, because triggers look at it while the others are read in."""
_KEYS = frozenset({"signing_key"})

Counts = dict[str, int]


def export_workspace(file: Path, out: Path, *, with_tokens: bool) -> Counts:
    """Write the workspace to `out`; how many rows of each table there are.

    A server may go on writing to it: what is exported is one moment.

    Raises:
        StoreError: There is no such workspace.
    """
    if not file.is_file():
        raise StoreError(f"there is no workspace file {file}")
    if out.exists() and file.samefile(out):
        raise StoreError(f"{out} is the workspace file itself; give another file for the export")
    # A link is followed, so that what it points to is replaced; a device or a pipe is never taken away.
    out = out.resolve()
    if out.exists() and not out.is_file():
        raise StoreError(f"{out} is no plain file; give another file for the export")
    if out.name in {f"{file.resolve().name}{end}" for end in ("-wal", "-shm", ".lock")} and (
        out.parent == file.resolve().parent
    ):
        raise StoreError(f"{out} belongs to the workspace file; give another file for the export")
    partial = out.with_name(f"{out.name}.partial")
    try:
        # What an export that was killed has left, or a link or pipe of that name, is not written through.
        partial.unlink(missing_ok=True)
        with closing(connect(file)) as connection:
            migrate(connection)
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                counts = _write(connection, stream, with_tokens=with_tokens)
                stream.flush()
                os.fsync(stream.fileno())
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
    return counts


def import_workspace(file: Path, source: Path) -> Counts:
    """Make the workspace `file` of an export; how many rows of each table there are.

    Without tokens in the export, the first bot gets a new one that sees the root page.

    Raises:
        StoreError: The file exists already, or the export is none. Nothing is left behind then.
    """
    if file.exists() and (not file.is_file() or file.stat().st_size > 0):
        raise StoreError(f"{file} exists already and is not empty; give the name of a new file")
    if not source.exists():
        raise StoreError(f"there is no file {source}")
    if not source.is_file():
        raise StoreError(f"{source} is no plain file; give a file that an export wrote")
    # A link is followed, as it is when the workspace is served.
    file = file.resolve()
    lock = FileLock(file)
    partial = file.with_name(f"{file.name}.partial")
    try:
        _remove(partial)
        partial.touch(mode=stat.S_IRUSR | stat.S_IWUSR)
        with closing(connect(partial)) as connection:
            migrate(connection)
            connection.execute("PRAGMA foreign_keys = OFF")
            with source.open("rb") as stream, transaction(connection):
                counts = _read(connection, stream, source)
        partial.replace(file)
    except BaseException:
        _remove(partial)
        lock.discard()
        raise
    _remove(partial)
    lock.release()
    return counts


def _remove(file: Path) -> None:
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        file.with_name(name).unlink(missing_ok=True)


# Writing


def _write(connection: sqlite3.Connection, stream: IO[bytes], *, with_tokens: bool) -> Counts:
    counts: Counts = {}
    connection.execute("BEGIN")
    try:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        head = json.dumps({"format": FORMAT, "version": VERSION, "schema": schema})
        stream.write(f'{head.removesuffix("}")}, "records": ['.encode())
        separator = b"\n"
        for table, order in _tables(connection):
            if table in _LEFT_BEHIND or (table in _SECRET and not with_tokens):
                continue
            # Names come from the schema, not from anybody's request.
            for row in connection.execute(f'SELECT * FROM "{table}" {order}'):  # noqa: S608
                record = _outgoing(table, dict(row), with_tokens=with_tokens)
                if record is None:
                    continue
                line = json.dumps([table, record], ensure_ascii=False, separators=(",", ":"))
                stream.write(separator + line.encode("utf-8", "replace"))
                separator = b",\n"
                counts[table] = counts.get(table, 0) + 1
        stream.write(b"\n]}\n")
    finally:
        connection.execute("ROLLBACK")
    return counts


def _tables(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """The tables in the order in which they are written, each with the order of its rows."""
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    tables = [
        (row["name"], "" if row["sql"].rstrip().upper().endswith("WITHOUT ROWID") else "ORDER BY rowid")
        for row in rows
    ]
    return sorted(tables, key=lambda table: table[0] == _LAST)


def _outgoing(table: str, row: dict[str, Any], *, with_tokens: bool) -> dict[str, Any] | None:
    if table == "setting" and row["name"] in _KEYS:
        return None
    if table == _LAST and not with_tokens:
        row["first_token"] = ""
    return {
        key: {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for key, value in row.items()
    }


# Reading


def _read(connection: sqlite3.Connection, stream: IO[bytes], source: Path) -> Counts:
    columns = {
        table: fields_of(connection, table) for table, _ in _tables(connection) if table not in _LEFT_BEHIND
    }
    counts: Counts = {}
    at = "its beginning"
    try:
        schema = connection.execute("PRAGMA user_version").fetchone()[0]
        for number, record in enumerate(_records(stream, schema), 1):
            at = f"record {number}"
            table, row = _incoming(record, columns)
            check_record(table, row, columns[table])
            names = ", ".join(f'"{name}"' for name in row)
            marks = ", ".join("?" * len(row))
            # Names were found in the schema; every value is a parameter.
            connection.execute(
                f'INSERT INTO "{table}" ({names}) VALUES ({marks})',  # noqa: S608
                list(row.values()),
            )
            counts[table] = counts.get(table, 0) + 1
            at = f"after record {number}"
        at = "the workspace in it"
        _check_whole(connection)
        check_places(connection)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, sqlite3.Error) as error:
        raise StoreError(
            f"{source} is no whole export of a workspace ({at}: {error}); nothing was imported"
        ) from error
    _let_in(connection)
    return counts


def _records(stream: IO[bytes], schema: int) -> Iterator[Any]:
    first = stream.readline()
    if first.rstrip().endswith(b"["):
        _check_head(json.loads(first + b"]}"), schema)
        yield from _lines(stream)
    else:
        # Another program has laid it out anew, so it takes memory for all of it.
        whole = json.loads(first + stream.read())
        _check_head(whole, schema)
        records = whole.get("records")
        yield from records if isinstance(records, list) else ()


def _check_head(head: Any, schema: int) -> None:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ValueError("it does not say that it is one")
    if head.get("version") != VERSION:
        raise ValueError(f"version {head.get('version')!r} of the format is not known")
    if not isinstance(head.get("schema"), int) or not 0 < head["schema"] <= schema:
        raise ValueError("it was written by a newer version of notion-embedded")


def _lines(stream: IO[bytes]) -> Iterator[Any]:
    """The records of an export as this module writes it, one at a time."""
    for line in stream:
        text = line.strip()
        if text == b"]}":
            if stream.read(1024).strip():
                raise ValueError("something stands after its end")
            return
        yield json.loads(text.removesuffix(b","))
    raise ValueError("its end is missing")


def _incoming(record: Any, columns: dict[str, dict[str, Field]]) -> tuple[str, dict[str, Any]]:
    match record:
        case [str(table), dict(row)] if table in columns and row and set(row) <= set(columns[table]):
            return table, {name: _value(value) for name, value in row.items()}
        case [str(table), dict(row)] if table in columns:
            raise ValueError(
                f"{table} has no {', '.join(sorted(set(row) - set(columns[table]))) or 'fields'}"
            )
    raise ValueError("it is no row of a known table")


def _value(value: Any) -> Any:
    match value:
        case None | str() | int() | float():
            return value
        case {"base64": str(text)} if len(value) == 1:
            try:
                return base64.b64decode(text, validate=True)
            except binascii.Error as error:
                raise ValueError(f"its bytes are broken: {error}") from error
    raise ValueError("a value is neither text, number, null nor bytes")


_BROKEN = (
    ("there is not exactly one workspace", "SELECT count(*) <> 1 FROM workspace"),
    (
        "there is no root page",
        "SELECT NOT EXISTS (SELECT 1 FROM node JOIN workspace ON root_page = node.id WHERE kind = 'page')",
    ),
    ("there is no person", "SELECT NOT EXISTS (SELECT 1 FROM user WHERE type = 'person')"),
    ("there is no bot", "SELECT NOT EXISTS (SELECT 1 FROM user WHERE type = 'bot')"),
    (
        "something stands in nothing",
        """
        SELECT EXISTS (
            SELECT 1 FROM node WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM node)
        )
        """,
    ),
    (
        "something stands in itself",
        """
        WITH RECURSIVE down (id) AS (
            SELECT id FROM node WHERE parent IS NULL
            UNION ALL
            SELECT node.id FROM node JOIN down ON node.parent = down.id
        )
        SELECT (SELECT count(*) FROM down) <> (SELECT count(*) FROM node)
        """,
    ),
)


def _check_whole(connection: sqlite3.Connection) -> None:
    for why, question in _BROKEN:
        if connection.execute(question).fetchone()[0]:
            raise ValueError(why)
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise ValueError(f"a row of {broken[0]} names a row of {broken[2]} that is not there")


def _let_in(connection: sqlite3.Connection) -> None:
    """Give the first bot a token, where none came along."""
    about = connection.execute("SELECT * FROM workspace").fetchone()
    if tokens.find_token(connection, about["first_token"]) is not None:
        return
    bot = next(user for user in tokens.all_users(connection) if user.type == "bot")
    token = tokens.add_token(connection, bot, bot.name, read_only=False, moment=about["created_time"])
    tokens.share(connection, token.id, about["root_page"])
    connection.execute("UPDATE workspace SET first_token = ?", (token.secret,))
