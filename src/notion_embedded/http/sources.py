"""Data sources: the tables in a database, and what a change of their columns does to the rows."""

from dataclasses import replace
from typing import Any

from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.relations import Pair, fill, pair
from notion_embedded.http.row_values import index_row, number_row
from notion_embedded.http.shapes import show_data_source
from notion_embedded.http.writing import edited, new_node, restore, throw_away
from notion_embedded.model.artwork import read_icon
from notion_embedded.model.checks import UNDEFINED, Json, a_uuid, an_object, failed, only_keys
from notion_embedded.model.columns import (
    CHOICES,
    Column,
    Columns,
    column_to_json,
    edit_columns,
    new_columns,
    settle_rollups,
)
from notion_embedded.model.rich_text import plain_text, read_rich_text
from notion_embedded.model.values import converted, first_value
from notion_embedded.store import nodes, rows
from notion_embedded.store.nodes import Node
from notion_embedded.store.rows import columns_in


def get_source(desk: Desk, call: Call) -> Json:
    """One data source with its schema."""
    return show_data_source(_find(desk, call), desk)


def create_source(desk: Desk, call: Call) -> Json:
    """Add a data source to a database."""
    call.only("parent", "properties", "title", "icon")
    database = _parent(desk, call.given("parent"))
    if "properties" not in call.body:
        raise failed("body.properties", "defined")
    given = {key: value for key, value in call.body.items() if key != "parent"}
    return show_data_source(make_source(desk, database, given, "body", source_id=desk.new_id()), desk)


def make_source(desk: Desk, database: Node, given: Json, path: str, *, source_id: str) -> Node:
    """Store a new data source in the database."""
    only_keys(given, path, ("properties", "title", "icon", "description"))
    title = read_rich_text(given.get("title", []), f"{path}.title", desk)
    body = {
        "title": title,
        "description": read_rich_text(given.get("description", []), f"{path}.description", desk),
        "icon": read_icon(given.get("icon"), f"{path}.icon"),
    }
    source = new_node(desk, "data_source", database, type="data_source", body=body, title=plain_text(title))
    source = replace(source, id=source_id)
    columns = new_columns(given.get("properties", UNDEFINED), f"{path}.properties", desk.minting)
    columns, _ = _settled(desk, source, (), columns, f"{path}.properties")
    body["columns"] = [column_to_json(column) for column in columns]
    rank = nodes.make_room(desk.connection, database.id, 1, nodes.END)[0]
    return nodes.add(desk.connection, replace(source, body=body, rank=rank))


def _settled(
    desk: Desk, source: Node, before: Columns, after: Columns, path: str
) -> tuple[Columns, list[Pair]]:
    """The columns with what they say of other columns looked up, and other sides of relations made."""
    _check_relations(desk, after, path)
    after, pairs = pair(desk, source, before, after)

    def columns_of(data_source_id: str) -> Columns:
        return after if data_source_id == source.id else desk.columns(data_source_id)

    return settle_rollups(after, before, columns_of), pairs


def update_source(desk: Desk, call: Call) -> Json:
    """Edit a data source's name, icon or columns; trash or restore it."""
    call.only("properties", "title", "icon", "description", "in_trash", "parent")
    source = _find(desk, call)
    trash = call.trash()
    if trash is False and source.trashed:
        source = restore(desk, source)
    if any(key in call.body for key in ("properties", "title", "icon", "description", "parent")):
        desk.check_editable(source)
        source = edited(desk, _edit(desk, source, call))
        nodes.save(desk.connection, source)
        desk.forget_columns(source.id)
    if trash:
        source = throw_away(desk, source)
    return show_data_source(source, desk)


def _find(desk: Desk, call: Call) -> Node:
    return desk.find(call.id("data_source_id"), "data_source", ("data_source",))


def _edit(desk: Desk, source: Node, call: Call) -> Node:
    body = dict(source.body)
    if "parent" in call.body:
        source = _moved(desk, source, call.body["parent"])
    if "title" in call.body:
        body["title"] = read_rich_text(call.body["title"], "body.title", desk)
    if "description" in call.body:
        body["description"] = read_rich_text(call.body["description"], "body.description", desk)
    if "icon" in call.body:
        body["icon"] = read_icon(call.body["icon"], "body.icon")
    if "properties" in call.body:
        before = columns_in(source)
        after = edit_columns(before, call.body["properties"], "body.properties", desk.minting)
        after, pairs = _settled(desk, source, before, after, "body.properties")
        _carry_over(desk, source, before, after)
        for new in pairs:
            fill(desk, source, new)
        desk.forget_rows()
        body["columns"] = [column_to_json(column) for column in after]
    return replace(source, title=plain_text(body["title"]), body=body)


def _moved(desk: Desk, source: Node, value: Any) -> Node:
    database = _parent(desk, value)
    if database.id == source.parent:
        return source
    rank = nodes.make_room(desk.connection, database.id, 1, nodes.END)[0]
    return replace(source, parent=database.id, rank=rank)


def _parent(desk: Desk, value: Any) -> Node:
    parent = an_object(value, "body.parent")
    only_keys(parent, "body.parent", ("type", "database_id"))
    database_id = a_uuid(parent.get("database_id", UNDEFINED), "body.parent.database_id")
    database = desk.find(database_id, "database", ("database",))
    desk.check_editable(database)
    return database


def _check_relations(desk: Desk, columns: Columns, path: str) -> None:
    for column in columns:
        if column.type == "relation":
            target = column.config["data_source_id"]
            node = nodes.find(desk.connection, target)
            if node is None or node.kind != "data_source" or not desk.sees(target):
                raise failed(
                    f"{path}.{column.name}.relation.data_source_id",
                    "a data source you can see",
                    target,
                )


def _carry_over(desk: Desk, source: Node, before: Columns, after: Columns) -> None:
    """Give every row its values in new and changed columns; the rest stays as stored."""
    known = {column.id: column for column in before}
    changed = [column for column in after if column.id not in known or _other(known[column.id], column)]
    if not changed:
        return
    rows.forget_columns(desk.connection, source.id, [column.id for column in changed])
    for page in rows.all_rows(desk.connection, source.id):
        values = dict(page.body["values"])
        for column in changed:
            old = known.get(column.id)
            if old is None:
                values[column.id] = first_value(column)
            else:
                values[column.id] = converted(old, column, values.get(column.id))
            if values[column.id] is None:
                del values[column.id]
        row = number_row(desk, replace(page, body={**page.body, "values": values}), after)
        nodes.save(desk.connection, row)
        index_row(desk, row, after)


def _other(before: Column, after: Column) -> bool:
    """Whether values that fitted the column may fit it no longer."""
    if before.type != after.type:
        return True
    if after.type == "relation":
        return bool(before.config["data_source_id"] != after.config["data_source_id"])
    if after.type in CHOICES:
        left = {option["id"] for option in after.config["options"]}
        return any(option["id"] not in left for option in before.config["options"])
    return False
