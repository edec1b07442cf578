"""A database as the templates show it: a page of its table, or its board by status."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from notion_embedded.model.columns import Column, Columns
from notion_embedded.model.sorts import Sort, order, sort_key
from notion_embedded.store import Node, rows
from notion_embedded.store.nodes import node_of
from notion_embedded.store.rows import Wanted, columns_in, row_of
from notion_embedded.viewer.cells import Chip, Line, line, option_chip
from notion_embedded.viewer.talks import counts
from notion_embedded.viewer.visit import Visit

PAGE = 100
LANE = 25

_HELD = """
    SELECT choice.value, count(*) AS count FROM choice JOIN node ON node.seq = choice.page
    WHERE choice.data_source = ? AND choice.column_id = ? AND node.trashed = 0 AND node.archived = 0
    GROUP BY choice.value
"""
_WITHOUT = """
    SELECT * FROM node
    WHERE kind = 'page' AND parent = ? AND trashed = 0 AND archived = 0
    AND seq NOT IN (
        SELECT page FROM choice
        WHERE data_source = ? AND column_id = ? AND value IN (SELECT value FROM json_each(?))
    )
    ORDER BY edited_time DESC, seq DESC
"""
_COUNT = "SELECT count(*) FROM node WHERE kind = 'page' AND parent = ? AND trashed = 0 AND archived = 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of a database the address asks for."""

    look: Literal["table", "board"] = "table"
    sort: str = ""
    """The id of the column by which rows are sorted."""
    down: bool = False
    page: int = 1
    only: str = ""
    """The id of the only status whose rows are wanted."""
    source: int = 1
    """Which of its data sources, counted from 1."""

    def query(self, **changes: str | int | None) -> dict[str, str | None]:
        """Return the settings of an address for this view with something changed."""
        said: dict[str, str | int | None] = {
            "as": "board" if self.look == "board" else None,
            "sort": self.sort,
            "down": "1" if self.down else None,
            "only": self.only,
            "source": self.source if self.source > 1 else None,
            "page": self.page if self.page > 1 else None,
        }
        return {name: str(value) if value else None for name, value in {**said, **changes}.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a column: its name, and where it is sorted by it."""

    name: str
    kind: str
    href: str
    order: Literal["ascending", "descending"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page of a table."""

    heads: list[Head]
    lines: list[Line]
    first: int
    total: int
    before: str | None
    after: str | None
    only: Chip | None
    """The status that is shown alone."""
    all: str
    """Where all rows are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A column of the board: one status and the rows that have it, the last changed first."""

    id: str
    chip: Chip
    lines: list[Line]
    total: int
    href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The rows by status, and how many comments each of those that are shown has."""

    lanes: list[Lane]
    comments: Mapping[str, int]


def status_column(columns: Columns) -> Column | None:
    """Return the column that a board is made of, if there is one."""
    return next((column for column in columns if column.type == "status"), None)


def board(database: Node, source: Node, visit: Visit, view: View, most: int = LANE) -> Board | None:
    """Return the rows by status, in the order of the options; what has none comes first."""
    columns = columns_in(source)
    status = status_column(columns)
    if status is None:
        return None
    connection = visit.eyes.connection
    options = status.config.get("options", ())
    held = {row["value"]: row["count"] for row in connection.execute(_HELD, (source.id, status.id))}
    lanes: list[Lane] = []
    lost = _count(connection, source.id) - sum(held.get(option["id"], 0) for option in options)
    if lost > 0:
        found = _without(connection, source.id, status)
        lanes.append(
            Lane(
                id="none",
                chip=Chip(visit.say("no_status")),
                lines=[line(row, columns, visit) for row in islice(found, most)],
                total=lost,
                href=None,
            )
        )
    for option in options:
        wanted = Wanted(data_source=source.id, order="edited", choices=((status.id, (option["id"],)),))
        address = visit.href(database.id, **view.query(**{"as": None, "only": option["id"], "page": None}))
        lanes.append(
            Lane(
                id=option["id"],
                chip=option_chip(option),
                lines=[line(row, columns, visit) for row in rows.select(connection, wanted, limit=most)],
                total=held.get(option["id"], 0),
                href=address,
            )
        )
    shown = [card.id for lane in lanes for card in lane.lines]
    return Board(lanes=lanes, comments=counts(shown, visit))


def sheet(database: Node, source: Node, visit: Visit, view: View) -> Sheet:
    """Return a page of the table; without a sort, the newest rows come first."""
    columns = columns_in(source)
    wanted, only = _wanted(source, columns, view)
    connection = visit.eyes.connection
    by = next((column for column in columns if column.id == view.sort), None)
    if by is None:
        total = (
            _count(connection, source.id) if only is None else sum(1 for _ in rows.select(connection, wanted))
        )
        page = _page(view.page, total)
        found = list(islice(rows.select(connection, wanted, limit=page * PAGE), (page - 1) * PAGE, None))
    else:
        sorts = (Sort(by, view.down),)
        keys = order(
            [sort_key(row_of(row), sorts, visit.eyes) for row in rows.select(connection, wanted)], sorts
        )
        total = len(keys)
        page = _page(view.page, total)
        seqs = [key[-1] for key in keys[(page - 1) * PAGE : page * PAGE]]
        by_seq = rows.by_seq(connection, seqs)
        found = [by_seq[seq] for seq in seqs]

    def to(number: int) -> str:
        return visit.href(database.id, **view.query(page=number if number > 1 else None))

    return Sheet(
        heads=[_head(column, database, visit, view) for column in _title_first(columns)],
        lines=[line(row, columns, visit) for row in found],
        first=(page - 1) * PAGE + 1,
        total=total,
        before=to(page - 1) if page > 1 else None,
        after=to(page + 1) if page * PAGE < total else None,
        only=only,
        all=visit.href(database.id, **view.query(only=None, page=None)),
    )


def _wanted(source: Node, columns: Columns, view: View) -> tuple[Wanted, Chip | None]:
    status = status_column(columns)
    option = next(
        (
            option
            for option in (status.config.get("options", ()) if status else ())
            if option["id"] == view.only
        ),
        None,
    )
    if status is None or option is None:
        return Wanted(data_source=source.id), None
    return Wanted(data_source=source.id, choices=((status.id, (option["id"],)),)), option_chip(option)


def _title_first(columns: Columns) -> list[Column]:
    return sorted(columns, key=lambda column: column.type != "title")


def _head(column: Column, database: Node, visit: Visit, view: View) -> Head:
    """A first click sorts upwards, a second downwards, a third not at all."""
    sorted_by = view.sort == column.id
    if not sorted_by:
        changed = view.query(sort=column.id, down=None, page=None)
    elif not view.down:
        changed = view.query(sort=column.id, down=1, page=None)
    else:
        changed = view.query(sort=None, down=None, page=None)
    return Head(
        name=column.name,
        kind=column.type,
        href=visit.href(database.id, **changed),
        order=("descending" if view.down else "ascending") if sorted_by else None,
    )


def _page(asked: int, total: int) -> int:
    return min(asked, max(1, -(-total // PAGE)))


def _count(connection: sqlite3.Connection, source_id: str) -> int:
    (count,) = connection.execute(_COUNT, (source_id,)).fetchone()
    return int(count)


def _without(connection: sqlite3.Connection, source_id: str, status: Column) -> Iterator[Node]:
    known = json.dumps([option["id"] for option in status.config.get("options", ())])
    return map(node_of, connection.execute(_WITHOUT, (source_id, source_id, status.id, known)))
