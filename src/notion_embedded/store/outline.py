"""The workspace as its owner sees it, whoever's token: for pages that show it, not for the API.

Every function opens a reader of its own and blocks; call them on a thread.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

from notion_embedded.model.columns import Columns, column_from_json
from notion_embedded.store import nodes, rows, tokens
from notion_embedded.store.nodes import Node
from notion_embedded.store.tokens import User
from notion_embedded.store.workspace import Workspace

Tree = dict[str, Any]

MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Table:
    """A data source with the rows that are not in the trash, the newest first."""

    data_source: Node
    columns: Columns
    rows: list[Node]
    """Each row's values are in its `body["values"]`, by column id, as `model.values` stores them."""


def root_pages(workspace: Workspace) -> list[Node]:
    """The pages and databases at the top."""
    with workspace.reading() as connection:
        found = connection.execute(
            "SELECT * FROM node WHERE parent IS NULL AND trashed = 0 ORDER BY rank, seq"
        )
        return [nodes.node_of(row) for row in found]


def page(workspace: Workspace, node_id: str) -> Node | None:
    """The page, database, data source or block with this id."""
    with workspace.reading() as connection:
        return nodes.find(connection, node_id)


def path_to(workspace: Workspace, node_id: str) -> list[Node]:
    """What the node stands in, the outermost first, the node itself last."""
    with workspace.reading() as connection:
        ids = [found for found, _, _ in nodes.ancestors(connection, node_id)]
        by_id = nodes.find_all(connection, ids)
        return [by_id[found] for found in reversed(ids)]


def children_trees(workspace: Workspace, node_id: str) -> list[Tree]:
    """The blocks in a page or block as trees: `{"id", "type", type: {…}, "children": [...]}`.

    Child pages and databases appear by their title and without what is in them; a copy of a synced
    block appears with what is in its original.
    """
    with workspace.reading() as connection:
        return trees_in(connection, node_id, with_originals=True)


def trees_in(
    connection: sqlite3.Connection, node_id: str, depth: int = 0, *, with_originals: bool = False
) -> list[Tree]:
    """The same, on a connection that is already open. What lies deeper than `MAX_DEPTH` is left out.

    `with_originals` fills copies of synced blocks, though none inside another copy, as they may be
    copies of what they stand in.
    """
    if depth >= MAX_DEPTH:
        return []
    return [
        _tree(connection, child, depth, with_originals=with_originals)
        for child in nodes.children(connection, node_id)
    ]


def databases_in(connection: sqlite3.Connection, block_id: str) -> list[Node]:
    """The databases that stand in a block at any depth, but not those of a page in it."""
    found = connection.execute(
        """
        WITH RECURSIVE down (id, kind) AS (
            SELECT id, kind FROM node WHERE id = ?
            UNION ALL
            SELECT node.id, node.kind FROM down JOIN node ON node.parent = down.id WHERE down.kind = 'block'
        )
        SELECT node.* FROM down JOIN node ON node.id = down.id WHERE down.kind = 'database'
        """,
        (block_id,),
    )
    return [nodes.node_of(row) for row in found]


def data_sources(workspace: Workspace, database_id: str) -> list[Node]:
    """The data sources of a database."""
    with workspace.reading() as connection:
        return nodes.children(connection, database_id)


def table(workspace: Workspace, data_source_id: str, *, limit: int = 1000) -> Table | None:
    """The data source's columns and rows."""
    with workspace.reading() as connection:
        source = nodes.find(connection, data_source_id)
        if source is None or source.kind != "data_source":
            return None
        columns = tuple(column_from_json(column) for column in source.body["columns"])
        found = rows.select(connection, rows.Wanted(data_source=data_source_id), limit=limit)
        return Table(source, columns, list(found))


def users(workspace: Workspace) -> dict[str, User]:
    """Everyone, by id."""
    with workspace.reading() as connection:
        return {user.id: user for user in tokens.all_users(connection)}


def _tree(connection: sqlite3.Connection, node: Node, depth: int, *, with_originals: bool) -> Tree:
    if node.kind != "block":
        return {"id": node.id, "type": node.type, node.type: {"title": node.title}, "children": []}
    source = node.body["synced_from"] if node.type == "synced_block" and with_originals else None
    children = (
        trees_in(connection, node.id, depth + 1, with_originals=with_originals)
        if source is None
        else trees_in(connection, source["block_id"], depth + 1)
    )
    return {"id": node.id, "type": node.type, node.type: node.body, "children": children}
