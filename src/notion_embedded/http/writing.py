"""What several handlers do to the tree: put blocks in, take nodes out, say who edited what."""

from collections.abc import Sequence
from dataclasses import replace

from notion_embedded.http.desk import Desk
from notion_embedded.http.synced import check_copies
from notion_embedded.model.checks import Json
from notion_embedded.model.dates import minute
from notion_embedded.store import nodes
from notion_embedded.store.nodes import At, Body, Kind, Node
from notion_embedded.store.outline import databases_in


def new_node(desk: Desk, kind: Kind, parent: Node | None, *, type: str, body: Body, title: str = "") -> Node:  # noqa: A002  Notion's word
    """A node made now by the caller, not yet stored or placed."""
    exact = kind == "database"
    moment = desk.exact if exact else desk.minute
    return Node(
        seq=0,
        id=desk.new_id(),
        kind=kind,
        type=type,
        parent=None if parent is None else parent.id,
        parent_kind=None if parent is None else parent.kind,
        rank=0.0,
        title=title,
        body=body,
        created_time=moment,
        created_by=desk.token.user.id,
        edited_time=moment,
        edited_by=desk.token.user.id,
        trashed=False,
        archived=False,
        locked=False,
    )


def put_in(desk: Desk, parent: Node, trees: Sequence[Json], at: At = nodes.END) -> list[Node]:
    """Store blocks and all that is in them; the first level is returned."""
    check_copies(desk, trees)
    ranks = nodes.make_room(desk.connection, parent.id, len(trees), at)
    placed: list[Node] = []
    for tree, rank in zip(trees, ranks, strict=True):
        if "id" in tree:
            placed += _put_here(desk, parent, tree["id"], rank)
            continue
        block = new_node(desk, "block", parent, type=tree["type"], body=tree[tree["type"]])
        block = nodes.add(desk.connection, replace(block, rank=rank))
        if tree["children"]:
            put_in(desk, block, tree["children"])
        placed.append(block)
    return placed


def _put_here(desk: Desk, parent: Node, node_id: str, rank: float) -> list[Node]:
    """Move a node that exists to another place on the same page; nothing happens to one from elsewhere."""
    node = nodes.find(desk.connection, node_id)
    above = {found for found, _, _ in nodes.ancestors(desk.connection, parent.id)}
    if node is None or node.trashed or node.id in above or not _same_page(desk, node, parent):
        return []
    node = replace(node, parent=parent.id, parent_kind=parent.kind, rank=rank)
    nodes.save(desk.connection, node)
    return [node]


def _same_page(desk: Desk, node: Node, parent: Node) -> bool:
    return _page_above(desk, node.parent) == _page_above(desk, parent.id)


def _page_above(desk: Desk, node_id: str | None) -> str | None:
    above = nodes.ancestors(desk.connection, node_id or "")
    return next((found for found, kind, _ in above if kind != "block"), None)


def edited(desk: Desk, node: Node) -> Node:
    """The node, edited now by the caller."""
    moment = desk.exact if node.kind == "database" else desk.minute
    return replace(node, edited_time=moment, edited_by=desk.token.user.id)


def touch_around(desk: Desk, node_id: str | None) -> None:
    """Say that the content of this node was edited: of the block and of the page that it stands in."""
    if node_id is None:
        return
    touched: list[str] = []
    for found, kind, _ in nodes.ancestors(desk.connection, node_id):
        if kind in ("block", "page"):
            touched.append(found)
        if kind != "block":
            break
    first_and_last = {*touched[:1], *touched[-1:]}
    nodes.touch(desk.connection, first_and_last, desk.minute, desk.token.user.id)


def throw_away(desk: Desk, node: Node) -> Node:
    """Put the node in the trash, and with it from sight whatever is in it.

    A database that stands in a block which goes, such as a column or callout, is trashed by itself.
    """
    desk.check_editable(node)
    if node.kind == "block":
        for database in databases_in(desk.connection, node.id):
            if not database.trashed:
                nodes.save(desk.connection, replace(edited(desk, database), trashed=True))
    return _set_trashed(desk, node, trashed=True)


def restore(desk: Desk, node: Node) -> Node:
    """Take the node out of the trash, and the databases that went with it.

    What it stands in stays where it is.
    """
    if node.kind == "block":
        for database in databases_in(desk.connection, node.id):
            went_along = (minute(database.edited_time), database.edited_by) == (
                node.edited_time,
                node.edited_by,
            )
            if database.trashed and went_along:
                nodes.save(desk.connection, replace(edited(desk, database), trashed=False))
    return _set_trashed(desk, node, trashed=False)


def _set_trashed(desk: Desk, node: Node, *, trashed: bool) -> Node:
    node = replace(edited(desk, node), trashed=trashed)
    nodes.save(desk.connection, node)
    if node.parent_kind in ("page", "block"):
        touch_around(desk, node.parent)
    return node
