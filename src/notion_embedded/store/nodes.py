"""The tree of pages, databases, data sources and blocks: reading and writing single nodes."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["page", "database", "data_source", "block"]

Body = dict[str, Any]

GAP = 1024.0
SMALLEST_GAP = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One of them, as stored. `body` holds what its kind adds."""

    seq: int
    id: str
    kind: Kind
    type: str
    parent: str | None
    parent_kind: Kind | None
    rank: float
    title: str
    body: Body
    created_time: int
    created_by: str
    edited_time: int
    edited_by: str
    trashed: bool
    archived: bool
    locked: bool


def node_of(row: sqlite3.Row) -> Node:
    """The node in a row of the table."""
    values = dict(row)
    values["body"] = json.loads(values["body"])
    for flag in ("trashed", "archived", "locked"):
        values[flag] = bool(values[flag])
    return Node(**values)


def find(connection: sqlite3.Connection, node_id: str) -> Node | None:
    """The node with this id."""
    row = connection.execute("SELECT * FROM node WHERE id = ?", (node_id,)).fetchone()
    return None if row is None else node_of(row)


def find_all(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Node]:
    """The nodes with these ids, by id."""
    rows = connection.execute(
        "SELECT node.* FROM json_each(?) AS wanted JOIN node ON node.id = wanted.value",
        (json.dumps(list(ids)),),
    )
    return {node.id: node for node in map(node_of, rows)}


def ancestors(connection: sqlite3.Connection, node_id: str) -> list[tuple[str, Kind, bool]]:
    """The node and all above it, nearest first: id, kind, and whether it is in the trash."""
    rows = connection.execute(
        """
        WITH RECURSIVE up (id, kind, trashed, parent, depth) AS (
            SELECT id, kind, trashed, parent, 0 FROM node WHERE id = ?
            UNION ALL
            SELECT node.id, node.kind, node.trashed, node.parent, depth + 1
            FROM up JOIN node ON node.id = up.parent
        )
        SELECT id, kind, trashed FROM up ORDER BY depth
        """,
        (node_id,),
    )
    return [(row["id"], row["kind"], bool(row["trashed"])) for row in rows]


def children(
    connection: sqlite3.Connection, parent: str, *, start: Node | None = None, limit: int = -1
) -> list[Node]:
    """What stands in the parent and not in the trash, in order, from `start` on."""
    place = (start.rank, start.seq) if start else (-1.0e300, 0)
    rows = connection.execute(
        "SELECT * FROM node WHERE parent = ? AND (rank, seq) >= (?, ?) AND trashed = 0"
        " ORDER BY rank, seq LIMIT ?",
        (parent, *place, limit),
    )
    return [node_of(row) for row in rows]


def with_children(connection: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    """Those of the ids that have something in them that is not in the trash."""
    rows = connection.execute(
        """
        SELECT wanted.value AS id FROM json_each(?) AS wanted
        WHERE EXISTS (
            SELECT 1 FROM node WHERE parent = wanted.value AND trashed = 0 AND kind != 'data_source'
        )
        """,
        (json.dumps(list(ids)),),
    )
    return {row["id"] for row in rows}


def add(connection: sqlite3.Connection, node: Node) -> Node:
    """Store a new node; its `seq` is given by the store."""
    cursor = connection.execute(
        """
        INSERT INTO node (id, kind, type, parent, parent_kind, rank, title, body, created_time, created_by,
            edited_time, edited_by, trashed, archived, locked)
        VALUES (:id, :kind, :type, :parent, :parent_kind, :rank, :title, :body, :created_time, :created_by,
            :edited_time, :edited_by, :trashed, :archived, :locked)
        """,
        _stored(node),
    )
    return replace(node, seq=cursor.lastrowid or 0)


def save(connection: sqlite3.Connection, node: Node) -> None:
    """Store a node that has changed."""
    connection.execute(
        """
        UPDATE node SET type = :type, parent = :parent, parent_kind = :parent_kind, rank = :rank,
            title = :title, body = :body, edited_time = :edited_time, edited_by = :edited_by,
            trashed = :trashed, archived = :archived, locked = :locked
        WHERE seq = :seq
        """,
        _stored(node),
    )


def touch(connection: sqlite3.Connection, ids: Iterable[str], moment: int, user_id: str) -> None:
    """Say that these were edited."""
    connection.execute(
        "UPDATE node SET edited_time = ?, edited_by = ? WHERE id IN (SELECT value FROM json_each(?))",
        (moment, user_id, json.dumps(list(ids))),
    )


@dataclass(frozen=True, slots=True)
class At:
    """A place among a parent's children: first, last, or behind one of them."""

    where: Literal["start", "end", "after"]
    sibling: str | None = None


END = At("end")


def make_room(connection: sqlite3.Connection, parent: str | None, count: int, at: At) -> list[float]:
    """Ranks for `count` new children at that place; siblings make room where it is tight."""
    low, high = _between(connection, parent, at)
    if low is not None and high is not None and (high - low) / (count + 1) < SMALLEST_GAP:
        _spread(connection, parent)
        low, high = _between(connection, parent, at)
    if high is None:
        first = 0.0 if low is None else low
        return [first + GAP * (number + 1) for number in range(count)]
    first = high - GAP * (count + 1) if low is None else low
    step = (high - first) / (count + 1)
    return [first + step * (number + 1) for number in range(count)]


def _between(connection: sqlite3.Connection, parent: str | None, at: At) -> tuple[float | None, float | None]:
    if at.where == "end":
        (last,) = connection.execute("SELECT max(rank) FROM node WHERE parent IS ?", (parent,)).fetchone()
        return last, None
    if at.where == "start":
        (first,) = connection.execute("SELECT min(rank) FROM node WHERE parent IS ?", (parent,)).fetchone()
        return None, first
    (rank,) = connection.execute("SELECT rank FROM node WHERE id = ?", (at.sibling,)).fetchone()
    (after,) = connection.execute(
        "SELECT min(rank) FROM node WHERE parent IS ? AND rank > ?", (parent, rank)
    ).fetchone()
    return rank, after


def _spread(connection: sqlite3.Connection, parent: str | None) -> None:
    rows = connection.execute(
        "SELECT seq FROM node WHERE parent IS ? ORDER BY rank, seq", (parent,)
    ).fetchall()
    connection.executemany(
        "UPDATE node SET rank = ? WHERE seq = ?",
        [(GAP * (at + 1), row["seq"]) for at, row in enumerate(rows)],
    )


def rerank(connection: sqlite3.Connection, parent: str, ids: Sequence[str]) -> None:
    """Put the parent's children in this order; those not named stay where they are."""
    ranks = make_room(connection, parent, len(ids), END)
    connection.executemany("UPDATE node SET rank = ? WHERE id = ?", list(zip(ranks, ids, strict=True)))


def _stored(node: Node) -> Body:
    return {
        "seq": node.seq,
        "id": node.id,
        "kind": node.kind,
        "type": node.type,
        "parent": node.parent,
        "parent_kind": node.parent_kind,
        "rank": node.rank,
        "title": node.title,
        "body": json.dumps(node.body, ensure_ascii=False, separators=(",", ":")),
        "created_time": node.created_time,
        "created_by": node.created_by,
        "edited_time": node.edited_time,
        "edited_by": node.edited_by,
        "trashed": int(node.trashed),
        "archived": int(node.archived),
        "locked": int(node.locked),
    }
