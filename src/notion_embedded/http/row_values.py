"""The values of a page: read from a request, stored, and found again by their options."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from notion_embedded.http.desk import Desk
from notion_embedded.model.checks import Json, an_object
from notion_embedded.model.columns import CHOICES, Columns, column_to_json, find_column, title_column
from notion_embedded.model.errors import invalid
from notion_embedded.model.rich_text import plain_text
from notion_embedded.model.values import first_value, read_value
from notion_embedded.store import nodes, rows
from notion_embedded.store.nodes import Node


def read_values(desk: Desk, value: Any, path: str, columns: Columns) -> tuple[Json, Columns]:
    """The values that a request gives, by column id, and the columns, some with new options."""
    values: Json = {}
    for key, given in an_object(value, path).items():
        column = find_column(columns, key)
        if column is None:
            raise invalid(f"{unquote(key)} is not a property that exists.")
        values[column.id], changed = read_value(column, given, f"{path}.{key}", desk)
        if changed is not column:
            columns = tuple(changed if old.id == changed.id else old for old in columns)
    return values, columns


def first_values(columns: Columns) -> Json:
    """What a row holds before anything is given."""
    return {column.id: first_value(column) for column in columns if first_value(column) is not None}


def title_in(values: Mapping[str, Any], columns: Columns) -> str:
    """The page's title as plain text."""
    return plain_text(values.get(title_column(columns).id) or [])


def save_columns(desk: Desk, data_source_id: str, columns: Columns) -> None:
    """Store the columns of a data source, if they have changed."""
    if columns == desk.columns(data_source_id):
        return
    source = nodes.find(desk.connection, data_source_id)
    if source is not None:
        body = {**source.body, "columns": [column_to_json(column) for column in columns]}
        nodes.save(desk.connection, replace(source, body=body))
        desk.forget_columns(data_source_id)


def number_row(desk: Desk, page: Node, columns: Columns) -> Node:
    """The row with its unique numbers."""
    values = dict(page.body["values"])
    for column in columns:
        if column.type == "unique_id" and page.parent is not None and column.id not in values:
            values[column.id] = rows.next_number(desk.connection, page.parent, column.id)
    return replace(page, body={**page.body, "values": values})


def index_row(desk: Desk, page: Node, columns: Columns) -> None:
    """Say anew by which options and numbers the row is found."""
    values = page.body["values"]
    found_by: dict[str, list[str]] = {}
    for column in columns:
        value = values.get(column.id)
        if value is None:
            continue
        if column.type in CHOICES:
            found_by[column.id] = value if isinstance(value, list) else [value]
        elif column.type == "unique_id":
            found_by[column.id] = [json.dumps(value)]
    rows.index(desk.connection, page, found_by)
