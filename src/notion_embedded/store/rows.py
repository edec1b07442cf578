"""Rows of a data source: the options, related pages and numbers they are found by.

Indexed, so that the time does not grow with the table: by time of creation or edit, by an
option of a select, status or multi-select, by a related page, by unique number. Everything else is linear.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from notion_embedded.model.columns import Columns, column_from_json
from notion_embedded.model.values import Row
from notion_embedded.store.nodes import Node, node_of

Order = Literal["created", "edited"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rows, as far as the indexes can tell, and in which order."""

    data_source: str
    archived: bool = False
    created: tuple[int | None, int | None] = (None, None)
    edited: tuple[int | None, int | None] = (None, None)
    """From the first moment (included) to the second (not included)."""
    choices: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Column ids, each with the values of which a row must hold one."""
    order: Order = "created"
    newest_first: bool = True
    place: tuple[int, int] | None = None
    """The time and `seq` from which on rows are wanted, in this order."""


def select(connection: sqlite3.Connection, wanted: Wanted, *, limit: int = -1) -> Iterator[Node]:
    """The rows, in order, none in the trash."""
    time = "created_time" if wanted.order == "created" else "edited_time"
    conditions = ["kind = 'page'", "parent = ?", "trashed = 0", "archived = ?"]
    arguments: list[Any] = [wanted.data_source, int(wanted.archived)]
    for name, (low, high) in (("created_time", wanted.created), ("edited_time", wanted.edited)):
        if low is not None:
            conditions.append(f"{name} >= ?")
            arguments.append(low)
        if high is not None:
            conditions.append(f"{name} < ?")
            arguments.append(high)
    for column_id, values in wanted.choices:
        conditions.append(
            "seq IN (SELECT page FROM choice WHERE data_source = ? AND column_id = ?"
            " AND value IN (SELECT value FROM json_each(?)))"
        )
        arguments += [wanted.data_source, column_id, json.dumps(values)]
    if wanted.place is not None:
        conditions.append(f"({time}, seq) {'<=' if wanted.newest_first else '>='} (?, ?)")
        arguments += wanted.place
    direction = "DESC" if wanted.newest_first else "ASC"
    # Only names and signs from this function stand in the text; every value is a parameter.
    statement = (
        f"SELECT * FROM node WHERE {' AND '.join(conditions)}"  # noqa: S608
        f" ORDER BY {time} {direction}, seq {direction} LIMIT ?"
    )
    return map(node_of, connection.execute(statement, (*arguments, limit)))


def by_seq(connection: sqlite3.Connection, seqs: Sequence[int]) -> dict[int, Node]:
    """The rows with these numbers, by number."""
    found = connection.execute(
        "SELECT node.* FROM json_each(?) AS wanted JOIN node ON node.seq = wanted.value",
        (json.dumps(list(seqs)),),
    )
    return {node.seq: node for node in map(node_of, found)}


def present(connection: sqlite3.Connection, ids: Sequence[str]) -> set[str]:
    """Those of the pages that are there and not in the trash."""
    found = connection.execute(
        "SELECT node.id FROM json_each(?) AS wanted JOIN node ON node.id = wanted.value WHERE trashed = 0",
        (json.dumps(list(ids)),),
    )
    return {row["id"] for row in found}


def held(connection: sqlite3.Connection, page: Node, column_id: str) -> set[str]:
    """By which values of this column the row is found as yet."""
    found = connection.execute(
        "SELECT value FROM choice WHERE page = ? AND column_id = ?", (page.seq, column_id)
    )
    return {row["value"] for row in found}


def index(connection: sqlite3.Connection, page: Node, values: Mapping[str, Sequence[str]]) -> None:
    """Say anew by which options, related pages and numbers the row is found."""
    connection.execute("DELETE FROM choice WHERE page = ?", (page.seq,))
    connection.executemany(
        "INSERT OR IGNORE INTO choice (data_source, column_id, value, page) VALUES (?, ?, ?, ?)",
        [(page.parent, column_id, value, page.seq) for column_id, held in values.items() for value in held],
    )


def index_column(connection: sqlite3.Connection, page: Node, column_id: str, values: Sequence[str]) -> None:
    """The same for one column alone."""
    connection.execute("DELETE FROM choice WHERE page = ? AND column_id = ?", (page.seq, column_id))
    connection.executemany(
        "INSERT OR IGNORE INTO choice (data_source, column_id, value, page) VALUES (?, ?, ?, ?)",
        [(page.parent, column_id, value, page.seq) for value in values],
    )


def forget_columns(connection: sqlite3.Connection, data_source: str, column_ids: Sequence[str]) -> None:
    """Find no row by these columns any more."""
    connection.execute(
        "DELETE FROM choice WHERE data_source = ? AND column_id IN (SELECT value FROM json_each(?))",
        (data_source, json.dumps(list(column_ids))),
    )


def next_number(connection: sqlite3.Connection, data_source: str, column_id: str) -> int:
    """The next number of a unique_id column."""
    (number,) = connection.execute(
        """
        INSERT INTO counter (data_source, column_id, last) VALUES (?, ?, 1)
        ON CONFLICT (data_source, column_id) DO UPDATE SET last = last + 1
        RETURNING last
        """,
        (data_source, column_id),
    ).fetchone()
    return int(number)


def all_rows(connection: sqlite3.Connection, data_source: str) -> list[Node]:
    """Every row, those in the trash too, the oldest first."""
    rows = connection.execute(
        "SELECT * FROM node WHERE parent = ? AND kind = 'page' ORDER BY seq", (data_source,)
    )
    return [node_of(row) for row in rows]


def row_of(page: Node) -> Row:
    """What a page's values are computed from."""
    return Row(
        id=page.id,
        values=page.body["values"],
        created_time=page.created_time,
        created_by=page.created_by,
        last_edited_time=page.edited_time,
        last_edited_by=page.edited_by,
        seq=page.seq,
        data_source=(page.parent or "") if page.parent_kind == "data_source" else "",
    )


def columns_in(source: Node) -> Columns:
    """The columns that stand in a data source's body."""
    return tuple(column_from_json(column) for column in source.body["columns"])
