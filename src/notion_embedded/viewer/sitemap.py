"""The pages and databases of the workspace as a tree, and which of them changed last."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from notion_embedded.store import Kind, Node, Workspace
from notion_embedded.store.nodes import ancestors, node_of

_TREE = """
    WITH RECURSIVE down (id, kind, title, body, owner, rank, seq) AS (
        SELECT id, kind, title, body, NULL, rank, seq FROM node WHERE parent IS NULL AND trashed = 0
        UNION ALL
        SELECT node.id, node.kind, node.title, node.body,
            CASE WHEN down.kind = 'block' THEN down.owner ELSE down.id END, node.rank, node.seq
        FROM down JOIN node ON node.parent = down.id
        WHERE down.kind != 'database' AND node.kind != 'data_source' AND node.trashed = 0
    )
    SELECT id, kind, title, owner, json_extract(body, '$.icon.emoji') AS emoji
    FROM down WHERE kind != 'block' ORDER BY rank, seq LIMIT 2000
"""

_RECENT = "SELECT * FROM node WHERE kind = 'page' AND trashed = 0 ORDER BY edited_time DESC, seq DESC LIMIT ?"

_TITLES = "SELECT id, title FROM node WHERE kind IN ('page', 'database') AND trashed = 0"


@dataclass(slots=True)
class Place:
    """A page or a database in the tree, with what stands in it."""

    id: str
    kind: Kind
    title: str
    emoji: str | None
    places: list["Place"] = field(default_factory=list)


def tree(workspace: Workspace) -> list[Place]:
    """Return the tree from the top; rows of databases are not in it."""
    with workspace.reading() as connection:
        found = connection.execute(_TREE).fetchall()
    places = {row["id"]: Place(row["id"], row["kind"], row["title"], row["emoji"]) for row in found}
    roots: list[Place] = []
    for row in found:
        owner = places.get(row["owner"])
        (owner.places if owner else roots).append(places[row["id"]])
    return roots


def recent(workspace: Workspace, count: int) -> list[Node]:
    """Return the pages that changed last, the newest first; none that lies in the trash."""
    with workspace.reading() as connection:
        found = [node_of(row) for row in connection.execute(_RECENT, (count * 4,))]
        standing = (
            node for node in found if not any(trashed for _, _, trashed in ancestors(connection, node.id))
        )
        return list(_first(standing, count))


def titles(workspace: Workspace) -> dict[str, str]:
    """Return the titles of all pages and databases, by id."""
    with workspace.reading() as connection:
        return {row["id"]: row["title"] for row in connection.execute(_TITLES)}


def _first(nodes: Iterator[Node], count: int) -> Iterator[Node]:
    for _, node in zip(range(count), nodes, strict=False):
        yield node
