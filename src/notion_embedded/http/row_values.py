"""The values of a page: read from a request, stored, and found again by their options."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from notion_embedded.http.desk import Desk
from notion_embedded.http.relations import is_relation, mirror
from notion_embedded.model.checks import Json, an_object
from notion_embedded.model.columns import CHOICES, Columns, column_to_json, find_column, title_column
from notion_embedded.model.errors import invalid
from notion_embedded.model.rich_text import plain_text
from notion_embedded.model.values import first_value, mismatch, read_value, wrong_type
from notion_embedded.store import nodes, rows
from notion_embedded.store.nodes import Node


def read_values(desk: Desk, value: Any, path: str, columns: Columns) -> tuple[Json, Columns]:
    """The values that a request gives, by column id, and the columns, some with new options."""
    given = an_object(value, path)
    _check_types(given, path, columns)
    values: Json = {}
    for key, said in given.items():
        column = find_column(columns, key)
        if column is not None:
            values[column.id], changed = read_value(column, said, f"{path}.{key}", desk)
            if changed is not column:
                columns = tuple(changed if old.id == changed.id else old for old in columns)
    return values, columns


def _check_types(given: Json, path: str, columns: Columns) -> None:
    """Refuse unknown columns and values of another type, all of them in one answer."""
    problems: list[str] = []
    for key, said in given.items():
        column = find_column(columns, key)
        if column is None:
            problems.append(f"{unquote(key)} is not a property that exists.")
            continue
        problem = mismatch(column, said, f"{path}.{key}")
        if problem is not None and problem.message == wrong_type(column).message:
            problems.append(problem.message)
        elif problem is not None:
            raise problem
    if problems:
        raise invalid(" ".join(problems))


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


def index_row(desk: Desk, page: Node, columns: Columns) -> Node:
    """Say anew by what the row is found, and on the pages it is related to that it is.

    The row comes back as it is then; it is stored already where that changed it.
    """
    told = mirror(desk, page, columns)
    if told is not page:
        nodes.save(desk.connection, told)
    desk.forget_rows()
    values = told.body["values"]
    found_by: dict[str, list[str]] = {}
    for column in columns:
        value = values.get(column.id)
        if value is None:
            continue
        if column.type in CHOICES or is_relation(column):
            found_by[column.id] = value if isinstance(value, list) else [value]
        elif column.type == "unique_id":
            found_by[column.id] = [json.dumps(value)]
    rows.index(desk.connection, told, found_by)
    return told
