"""Blocks: read, edit, trash, and the children of a block or page."""

from dataclasses import replace

from notion_embedded.http.call import (
    MAX_PAGE,
    NEWEST,
    Call,
    listing,
    page_size,
    start_cursor,
    wrong_cursor,
)
from notion_embedded.http.desk import Desk
from notion_embedded.http.pages import after
from notion_embedded.http.shapes import show_block, show_blocks
from notion_embedded.http.synced import check_copies, content_of
from notion_embedded.http.writing import edited, put_in, restore, throw_away, touch_around
from notion_embedded.model.blocks import (
    FIELDS,
    HEADINGS,
    Reading,
    check_inside,
    check_row,
    read_children,
    read_update,
)
from notion_embedded.model.checks import UNDEFINED, Json, a_uuid, an_object, failed, one_of, only_keys
from notion_embedded.model.errors import guessed
from notion_embedded.model.ids import parse_uuid
from notion_embedded.store import nodes
from notion_embedded.store.nodes import At, Kind, Node

_KINDS: tuple[Kind, ...] = ("block", "page", "database")


def get_block(desk: Desk, call: Call) -> Json:
    """One block; a page or database as its parent shows it."""
    return show_block(_find(desk, call), desk)


def update_block(desk: Desk, call: Call) -> Json:
    """Edit what a block holds; trash or restore it. Its type stays, and what is in it."""
    call.only("type", "object", "in_trash", *FIELDS)
    block = _find(desk, call)
    trash = call.trash()
    if trash is False and block.trashed:
        block = restore(desk, block)
    given = [key for key in call.body if key in FIELDS]
    if given:
        desk.check_editable(block)
        if given != [block.type]:
            wrong = next(key for key in given if key != block.type)
            raise guessed(
                f"body failed validation: body.{wrong} should be not present in a {block.type} block."
            )
        payload = read_update(
            block.type, block.body, call.body[block.type], f"body.{block.type}", Reading(desk)
        )
        _check_fits(desk, block, payload)
        block = edited(desk, replace(block, body=payload))
        nodes.save(desk.connection, block)
        touch_around(desk, block.id)
    if trash:
        block = throw_away(desk, block)
    return show_block(block, desk)


def delete_block(desk: Desk, call: Call) -> Json:
    """Put a block, page or database in the trash."""
    block = throw_away(desk, _find(desk, call))
    return show_block(block, desk)


def list_children(desk: Desk, call: Call) -> Json:
    """What stands in a block or page, first level; the cursor is the next block's id."""
    parent = content_of(desk, _find(desk, call))
    size, cursor = page_size(call, in_body=False), start_cursor(call, in_body=False)
    if parent.kind == "database":
        return listing("block", [])
    start = None
    if cursor is not None:
        start = nodes.find(desk.connection, parse_uuid(cursor) or "")
        if start is None or start.parent != parent.id:
            raise wrong_cursor(cursor)
    found = nodes.children(desk.connection, parent.id, start=start, limit=size + 1)
    return _blocks(desk, found, size)


def append_children(desk: Desk, call: Call) -> Json:
    """Put blocks into a block or page: last, first, or behind a block that stands there."""
    call.only("children", "position", *(() if call.version == NEWEST else ("after",)))
    parent = content_of(desk, _find(desk, call))
    desk.check_editable(parent)
    trees = read_children(call.given("children"), "body.children", Reading(desk))
    if parent.kind == "database":
        raise guessed(f"Block with ID {parent.id} does not support children.")
    check_inside(parent.type, parent.body, trees, "body.children")
    if parent.type == "table":
        for tree in trees:
            check_row(tree["table_row"], parent.body["table_width"])
    at = _place(desk, call, parent)
    placed = put_in(desk, parent, trees, at or nodes.END)
    touch_around(desk, parent.id)
    if at is None or not placed:
        return listing("block", show_blocks(placed, desk))
    following = nodes.children(desk.connection, parent.id, start=placed[0], limit=MAX_PAGE + 1)
    return _blocks(desk, following, MAX_PAGE)


def _find(desk: Desk, call: Call) -> Node:
    return desk.find(call.id("block_id"), "block", _KINDS)


def _blocks(desk: Desk, found: list[Node], size: int) -> Json:
    next_cursor = found[size].id if len(found) > size else None
    return listing("block", show_blocks(found[:size], desk), next_cursor)


def _place(desk: Desk, call: Call, parent: Node) -> At | None:
    if call.body.get("after") is not None:
        sibling = a_uuid(call.body["after"], "body.after")
        return after(desk, parent, {"after_block": {"id": sibling}}, "body")
    position = call.body.get("position")
    if position is None:
        return None
    body = an_object(position, "body.position")
    only_keys(body, "body.position", ("type", "after_block"))
    kind = one_of(body.get("type", UNDEFINED), "body.position.type", ("start", "end", "after_block"))
    if kind == "after_block":
        return after(desk, parent, body, "body.position")
    if "after_block" in body:
        raise failed("body.position.after_block", "not present", body["after_block"])
    return At("start") if kind == "start" else nodes.END


def _check_fits(desk: Desk, block: Node, payload: Json) -> None:
    """Refuse an edit that does not go with what the block stands in, or with what stands in it."""
    if block.type == "table_row":
        check_row(payload, _table_width(desk, block))
    closed = block.type in HEADINGS and not payload["is_toggleable"]
    if closed and nodes.with_children(desk.connection, [block.id]):
        raise guessed("The toggle of a heading that has children cannot be taken away.")
    if block.type == "synced_block":
        check_copies(desk, [{"type": block.type, block.type: payload, "children": []}])


def _table_width(desk: Desk, row: Node) -> int:
    table = nodes.find(desk.connection, row.parent or "")
    return table.body["table_width"] if table else 0
