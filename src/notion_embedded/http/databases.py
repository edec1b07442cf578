"""Databases: the containers that data sources stand in."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.pages import read_parent
from notion_embedded.http.shapes import show_database
from notion_embedded.http.sources import make_source
from notion_embedded.http.writing import edited, new_node, restore, throw_away, touch_around
from notion_embedded.model.artwork import read_cover, read_icon
from notion_embedded.model.checks import Json, a_boolean, an_object
from notion_embedded.model.errors import guessed
from notion_embedded.model.rich_text import plain_text, read_rich_text
from notion_embedded.store import minting, nodes
from notion_embedded.store.nodes import Node


def get_database(desk: Desk, call: Call) -> Json:
    """One database."""
    return show_database(desk.find(call.id("database_id"), "database", ("database",)), desk)


def create_database(desk: Desk, call: Call) -> Json:
    """Make a database with its first data source, which bears the same name."""
    # Columns at the top level, as in older versions, are ignored without a word.
    call.only(
        "parent",
        "title",
        "description",
        "is_inline",
        "initial_data_source",
        "icon",
        "cover",
        "properties",
        "children",
    )
    parent = read_parent(desk, call.given("parent"), "body.parent")
    if parent is None or parent.kind != "page":
        raise guessed("body failed validation: body.parent.page_id should be the id of a page.")
    desk.check_editable(parent)
    database = new_node(
        desk,
        "database",
        parent,
        type="child_database",
        body={"title": [], "description": [], "icon": None, "cover": None, "is_inline": False},
    )
    for key, edit in _EDITS.items():
        if key in call.body and key != "is_locked":
            database = edit(desk, database, call.body[key])
    rank = nodes.make_room(desk.connection, parent.id, 1, nodes.END)[0]
    database = nodes.add(desk.connection, replace(database, id=minting.new_uuid(), rank=rank))
    initial = call.body.get("initial_data_source")
    given = {} if initial is None else an_object(initial, "body.initial_data_source")
    make_source(
        desk,
        database,
        {"title": database.body["title"], **given},
        "body.initial_data_source",
        source_id=minting.new_uuid(),
    )
    touch_around(desk, parent.id)
    return show_database(database, desk)


def update_database(desk: Desk, call: Call) -> Json:
    """Edit a database's name, description, icon, cover or place; trash or restore it."""
    call.only(*_EDITS, "in_trash", "parent")
    database = desk.find(call.id("database_id"), "database", ("database",))
    trash = call.trash()
    if trash is False and database.trashed:
        database = restore(desk, database)
    given = [key for key in (*_EDITS, "parent") if key in call.body]
    if given:
        desk.check_editable(database)
        for key in given:
            database = (
                _move(desk, database, call)
                if key == "parent"
                else _EDITS[key](desk, database, call.body[key])
            )
        database = edited(desk, database)
        nodes.save(desk.connection, database)
    if trash:
        database = throw_away(desk, database)
    return show_database(database, desk)


def _move(desk: Desk, database: Node, call: Call) -> Node:
    parent = read_parent(desk, call.body["parent"], "body.parent")
    if parent is None or parent.kind != "page":
        raise guessed("body failed validation: body.parent.page_id should be the id of a page.")
    if any(found == database.id for found, _, _ in nodes.ancestors(desk.connection, parent.id)):
        raise guessed("A database cannot be moved into itself.")
    desk.check_editable(parent)
    rank = nodes.make_room(desk.connection, parent.id, 1, nodes.END)[0]
    return replace(database, parent=parent.id, parent_kind=parent.kind, rank=rank)


def _title(desk: Desk, database: Node, value: Any) -> Node:
    title = read_rich_text(value, "body.title", desk)
    return replace(database, title=plain_text(title), body={**database.body, "title": title})


def _description(desk: Desk, database: Node, value: Any) -> Node:
    text = read_rich_text(value, "body.description", desk)
    return replace(database, body={**database.body, "description": text})


def _icon(_desk: Desk, database: Node, value: Any) -> Node:
    return replace(database, body={**database.body, "icon": read_icon(value, "body.icon")})


def _cover(_desk: Desk, database: Node, value: Any) -> Node:
    return replace(database, body={**database.body, "cover": read_cover(value, "body.cover")})


def _inline(_desk: Desk, database: Node, value: Any) -> Node:
    return replace(database, body={**database.body, "is_inline": a_boolean(value, "body.is_inline")})


def _locked(_desk: Desk, database: Node, value: Any) -> Node:
    return replace(database, locked=a_boolean(value, "body.is_locked"))


_EDITS: dict[str, Callable[[Desk, Node, Any], Node]] = {
    "title": _title,
    "description": _description,
    "icon": _icon,
    "cover": _cover,
    "is_inline": _inline,
    "is_locked": _locked,
}
