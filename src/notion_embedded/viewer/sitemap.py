"""The pages and databases of the workspace: as a tree, by title, by time, and those in the trash."""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice

from notion_embedded.store import Kind, Node
from notion_embedded.store.nodes import ancestors, node_of

SMALL = 60
"""A tree of so many places is shown whole."""
SIBLINGS = 40

_PLACES = """
    SELECT id, kind, title, parent, parent_kind, json_extract(body, '$.icon.emoji') AS emoji
    FROM node WHERE kind IN ('page', 'database') AND trashed = 0 AND parent_kind IS NOT 'data_source'
    ORDER BY rank, seq
"""
_BLOCK = "SELECT parent, parent_kind, trashed FROM node WHERE id = ?"

# The second condition on the kind is the one that the index has.
_RECENT = """
    SELECT * FROM node WHERE kind = 'page' AND kind IN ('page', 'data_source') AND trashed = 0
    ORDER BY edited_time DESC, seq DESC
"""
_TITLED = """
    SELECT * FROM node WHERE kind IN ('page', 'database') AND trashed = 0 ORDER BY edited_time DESC, seq DESC
"""
_TRASH = """
    SELECT * FROM node WHERE kind IN ('page', 'database') AND trashed = 1
    ORDER BY edited_time DESC, seq DESC LIMIT ?
"""
_SOURCES = "SELECT * FROM node WHERE kind = 'data_source' AND trashed = 0 ORDER BY seq LIMIT 200"
_LAST_EDIT = """
    SELECT max(edited_time) FROM node WHERE kind = 'page' AND parent = ? AND trashed = 0 AND archived = 0
"""


@dataclass(slots=True)
class Place:
    """A page or a database in the tree, with what stands in it."""

    id: str
    kind: Kind
    title: str
    emoji: str | None
    places: list["Place"] = field(default_factory=list)
    more: int = 0
    """How many others stand in it that are not shown."""


def tree(connection: sqlite3.Connection, path: Collection[str]) -> list[Place]:
    """Return the tree from the top, rows of databases left out; a large one is open only along the path."""
    found = connection.execute(_PLACES).fetchall()
    places = {row["id"]: Place(row["id"], row["kind"], row["title"], row["emoji"]) for row in found}
    roots: list[Place] = []
    for row in found:
        owner = _owner(connection, row)
        if owner is None:
            roots.append(places[row["id"]])
        elif owner in places:
            places[owner].places.append(places[row["id"]])
    if len(found) > SMALL:
        for root in roots:
            for place in root.places:
                _close(place, path)
            _cap(root, path)
    return roots


def recent(connection: sqlite3.Connection, count: int) -> list[Node]:
    """Return the pages that changed last, the newest first; none that lies in the trash."""
    return list(islice(_standing(connection, _RECENT), count))


def titled(connection: sqlite3.Connection, words: str, count: int) -> list[Node]:
    """Return the pages and databases with these words in the title, the last changed first."""
    wanted = words.casefold()
    found = (node for node in map(node_of, connection.execute(_TITLED)) if wanted in node.title.casefold())
    return list(islice((node for node in found if _stands(connection, node)), count))


def trash(connection: sqlite3.Connection, count: int) -> list[Node]:
    """Return the pages and databases that were put in the trash, the last one first."""
    return [node_of(row) for row in connection.execute(_TRASH, (count,))]


def busiest_board(connection: sqlite3.Connection) -> tuple[Node, Node] | None:
    """Return the database, and its data source with a status, in which a row was edited last."""
    best: tuple[int, Node] | None = None
    for source in map(node_of, connection.execute(_SOURCES)):
        if any(column["type"] == "status" for column in source.body["columns"]) and _stands(
            connection, source
        ):
            (edited,) = connection.execute(_LAST_EDIT, (source.id,)).fetchone()
            if best is None or (edited or 0) > best[0]:
                best = (edited or 0, source)
    if best is None:
        return None
    source = best[1]
    row = connection.execute("SELECT * FROM node WHERE id = ?", (source.parent,)).fetchone()
    return (node_of(row), source)


def _owner(connection: sqlite3.Connection, row: sqlite3.Row) -> str | None:
    """The page that a place stands in, past the blocks between; itself if one of those is in the trash."""
    parent, kind = row["parent"], row["parent_kind"]
    while kind == "block":
        block = connection.execute(_BLOCK, (parent,)).fetchone()
        if block is None or block["trashed"]:
            return ""
        parent, kind = block["parent"], block["parent_kind"]
    return None if parent is None else str(parent)


def _close(place: Place, path: Collection[str]) -> None:
    if place.id not in path:
        place.more, place.places = len(place.places), []
    else:
        for inner in place.places:
            _close(inner, path)
        _cap(place, path)


def _cap(place: Place, path: Collection[str]) -> None:
    kept = [inner for number, inner in enumerate(place.places) if number < SIBLINGS or inner.id in path]
    place.more, place.places = len(place.places) - len(kept), kept


def _standing(connection: sqlite3.Connection, statement: str) -> Iterator[Node]:
    nodes = map(node_of, connection.execute(statement))
    return (node for node in nodes if _stands(connection, node))


def _stands(connection: sqlite3.Connection, node: Node) -> bool:
    return not any(trashed for _, _, trashed in ancestors(connection, node.id))
