"""Databases as version 2022-06-28 knows them: a database is itself the table.

Each request is carried out on the container and its only data source, by the handlers of the newer
versions. A database with several data sources cannot be told in this version, and is refused.
"""

from dataclasses import replace
from typing import Any

from notion_embedded.http import databases, query, sources
from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.pages import only_source
from notion_embedded.http.shapes import show_single_source
from notion_embedded.model.checks import UNDEFINED, Json, a_uuid, failed
from notion_embedded.store.nodes import Node

_OF_CONTAINER = ("title", "description", "icon", "cover", "is_inline", "in_trash", "archived")
_OF_TABLE = ("title", "properties")


def get_database(desk: Desk, call: Call) -> Json:
    """One database with its columns."""
    return _shown(desk, call)


def create_database(desk: Desk, call: Call) -> Json:
    """Make a database with the columns that the request gives."""
    call.only("parent", "title", "description", "icon", "cover", "is_inline", "properties")
    if "properties" not in call.body:
        raise failed("body.properties", "defined")
    body = {key: value for key, value in call.body.items() if key != "properties"}
    columns = _in_newer_words(desk, call.body["properties"])
    body["initial_data_source"] = {"properties": columns}
    made = databases.create_database(desk, replace(call, body=body))
    return _shown(desk, replace(call, path={"database_id": made["id"]}))


def update_database(desk: Desk, call: Call) -> Json:
    """Edit a database's name, look or columns; trash or restore it."""
    call.only(*_OF_CONTAINER, *_OF_TABLE)
    source = _source(desk, call)
    container = {key: value for key, value in call.body.items() if key in _OF_CONTAINER}
    table = {key: value for key, value in call.body.items() if key in _OF_TABLE}
    if "properties" in table:
        table["properties"] = _in_newer_words(desk, table["properties"])
    # What goes to the trash is edited before, what comes out of it afterwards.
    if not call.trash():
        databases.update_database(desk, replace(call, body=container))
    if table:
        sources.update_source(desk, replace(call, path={"data_source_id": source.id}, body=table))
    if call.trash():
        databases.update_database(desk, replace(call, body=container))
    return _shown(desk, call)


def query_database(desk: Desk, call: Call) -> Json:
    """The rows of a database."""
    return query.query_source(desk, replace(call, path={"data_source_id": _source(desk, call).id}))


def _source(desk: Desk, call: Call) -> Node:
    return only_source(desk, _database(desk, call))


def _database(desk: Desk, call: Call) -> Node:
    return desk.find(call.id("database_id"), "database", ("database",))


def _shown(desk: Desk, call: Call) -> Json:
    database = _database(desk, call)
    return show_single_source(database, only_source(desk, database), desk)


def _in_newer_words(desk: Desk, properties: Any) -> Any:
    """The columns with relations to data sources, where this version says databases."""
    if not isinstance(properties, dict):
        return properties
    return {name: _column(desk, config, name) for name, config in properties.items()}


def _column(desk: Desk, config: Any, name: str) -> Any:
    relation = config.get("relation") if isinstance(config, dict) else None
    if not isinstance(relation, dict):
        return config
    path = f"body.properties.{name}.relation.database_id"
    database_id = a_uuid(relation.get("database_id", UNDEFINED), path)
    source = only_source(desk, desk.find(database_id, "database", ("database",)))
    rest = {key: value for key, value in relation.items() if key != "database_id"}
    return {**config, "relation": {**rest, "data_source_id": source.id}}
