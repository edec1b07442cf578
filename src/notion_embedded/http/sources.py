"""Data sources: the tables in a database, and what a change of their columns does to the rows."""

from dataclasses import replace

from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk, columns_in
from notion_embedded.http.row_values import index_row, number_row
from notion_embedded.http.shapes import show_data_source
from notion_embedded.http.writing import edited, new_node, restore, throw_away
from notion_embedded.model.artwork import read_icon
from notion_embedded.model.checks import UNDEFINED, Json, a_uuid, an_object, failed, only_keys
from notion_embedded.model.columns import Columns, column_to_json, edit_columns, new_columns
from notion_embedded.model.errors import guessed
from notion_embedded.model.rich_text import plain_text, read_rich_text
from notion_embedded.model.values import converted, first_value
from notion_embedded.store import nodes, rows
from notion_embedded.store.nodes import Node


def get_source(desk: Desk, call: Call) -> Json:
    """One data source with its schema."""
    return show_data_source(_find(desk, call), desk)


def create_source(desk: Desk, call: Call) -> Json:
    """Add a data source to a database."""
    call.only("parent", "properties", "title", "icon")
    parent = an_object(call.given("parent"), "body.parent")
    only_keys(parent, "body.parent", ("type", "database_id"))
    database_id = a_uuid(parent.get("database_id", UNDEFINED), "body.parent.database_id")
    database = desk.find(database_id, "database", ("database",))
    desk.check_editable(database)
    if "properties" not in call.body:
        raise failed("body.properties", "defined")
    given = {key: value for key, value in call.body.items() if key != "parent"}
    return show_data_source(make_source(desk, database, given, "body", source_id=desk.new_id()), desk)


def make_source(desk: Desk, database: Node, given: Json, path: str, *, source_id: str) -> Node:
    """Store a new data source in the database."""
    only_keys(given, path, ("properties", "title", "icon", "description"))
    columns = new_columns(given.get("properties", UNDEFINED), f"{path}.properties", desk.minting)
    _check_relations(desk, columns, path)
    title = read_rich_text(given.get("title", []), f"{path}.title", desk)
    body = {
        "title": title,
        "description": read_rich_text(given.get("description", []), f"{path}.description", desk),
        "icon": read_icon(given.get("icon"), f"{path}.icon"),
        "columns": [column_to_json(column) for column in columns],
    }
    source = new_node(desk, "data_source", database, type="data_source", body=body, title=plain_text(title))
    rank = nodes.make_room(desk.connection, database.id, 1, nodes.END)[0]
    return nodes.add(desk.connection, replace(source, id=source_id, rank=rank))


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
        raise guessed("Moving a data source is not available in this workspace.")
    if "title" in call.body:
        body["title"] = read_rich_text(call.body["title"], "body.title", desk)
    if "description" in call.body:
        body["description"] = read_rich_text(call.body["description"], "body.description", desk)
    if "icon" in call.body:
        body["icon"] = read_icon(call.body["icon"], "body.icon")
    if "properties" in call.body:
        before = columns_in(source)
        after = edit_columns(before, call.body["properties"], "body.properties", desk.minting)
        _check_relations(desk, after, "body")
        _carry_over(desk, source, before, after)
        body["columns"] = [column_to_json(column) for column in after]
    return replace(source, title=plain_text(body["title"]), body=body)


def _check_relations(desk: Desk, columns: Columns, path: str) -> None:
    for column in columns:
        if column.type == "relation":
            target = column.config["data_source_id"]
            node = nodes.find(desk.connection, target)
            if node is None or node.kind != "data_source" or not desk.sees(target):
                raise failed(
                    f"{path}.properties.{column.name}.relation.data_source_id",
                    "a data source you can see",
                    target,
                )


def _carry_over(desk: Desk, source: Node, before: Columns, after: Columns) -> None:
    """Give every row its values in new and retyped columns; the rest stays as stored."""
    known = {column.id: column for column in before}
    changed = [column for column in after if column.id not in known or known[column.id].type != column.type]
    if not changed:
        return
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
