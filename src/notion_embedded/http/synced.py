"""Synced blocks: a copy shows what stands in its original, and what is put into it goes there."""

from collections.abc import Sequence

from notion_embedded.http.desk import Desk
from notion_embedded.model.checks import Json
from notion_embedded.model.errors import guessed
from notion_embedded.store import nodes
from notion_embedded.store.nodes import Node


def content_of(desk: Desk, block: Node) -> Node:
    """The block whose children this one shows: itself, or the original that it is a copy of."""
    original = _original(desk, block.body) if block.type == "synced_block" else None
    return block if original is None or _gone(desk, original) else original


def check_copies(desk: Desk, trees: Sequence[Json]) -> None:
    """Refuse a copy of something that is no original, or that the caller cannot see."""
    for tree in trees:
        check_copies(desk, tree["children"])
        if tree["type"] != "synced_block" or "id" in tree or tree["synced_block"]["synced_from"] is None:
            continue
        original = _original(desk, tree["synced_block"])
        if original is None or original.type != "synced_block" or original.body["synced_from"] is not None:
            original_id = tree["synced_block"]["synced_from"]["block_id"]
            raise guessed(f"Block with ID {original_id} is not an original synced block.")


def _original(desk: Desk, payload: Json) -> Node | None:
    source = payload["synced_from"]
    if source is None or not desk.sees(source["block_id"]):
        return None
    return nodes.find(desk.connection, source["block_id"])


def _gone(desk: Desk, original: Node) -> bool:
    return any(trashed for _, _, trashed in nodes.ancestors(desk.connection, original.id))
