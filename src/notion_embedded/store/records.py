"""What a record of an export must hold for the server to be able to show it.

What stands in a workspace file is read without a second look, so nothing may get into one that its
readers do not expect: types and ranges of fields, and the shape of the JSON in them.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from notion_embedded.model.blocks import FIELDS, READ_ONLY
from notion_embedded.model.checks import UNDEFINED

Row = Mapping[str, Any]
Test = Callable[[Any], bool]

LATEST = 253_402_300_799_000
"""The last moment of the year 9999, in milliseconds."""
_LARGEST = 2**63 - 1
_FURTHEST = 1e15
"""Ranks beyond it would leave no room between two of them."""
_FLAGS = frozenset({"trashed", "archived", "locked", "read_only", "resolved"})
_CHOICES: Mapping[tuple[str, str], tuple[str | None, ...]] = {
    ("node", "kind"): ("page", "database", "data_source", "block"),
    ("node", "parent_kind"): ("page", "database", "data_source", "block", None),
    ("user", "type"): ("person", "bot"),
    ("comment", "parent_kind"): ("page_id", "block_id"),
    ("file_upload", "mode"): ("single_part", "multi_part", "external_url"),
    ("file_upload", "status"): ("pending", "uploaded", "expired", "failed"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a table: the type that it is declared with, and whether it may hold or be nothing."""

    type: str
    empty: bool
    optional: bool


def fields_of(connection: sqlite3.Connection, table: str) -> dict[str, Field]:
    """The fields of a table, by name."""
    return {
        row["name"]: Field(
            type=row["type"],
            empty=not row["notnull"] and not row["pk"],
            optional=(not row["notnull"] and (not row["pk"] or row["type"] == "INTEGER"))
            or row["dflt_value"] is not None,
        )
        for row in connection.execute(f'PRAGMA table_info("{table}")')
    }


def check_record(table: str, row: Row, fields: Mapping[str, Field]) -> None:
    """Refuse a row that its table's readers could not read.

    Raises:
        ValueError: It names the field.
    """
    for name, field in fields.items():
        if name not in row and not field.optional:
            raise ValueError(f"{table}.{name} is missing")
    for name, value in row.items():
        if not (value is None and fields[name].empty):
            _check_value(f"{table}.{name}", name, value, fields[name].type)
        allowed = _CHOICES.get((table, name))
        if allowed is not None and value not in allowed:
            raise ValueError(f"{table}.{name} is none of {', '.join(filter(None, allowed))}")
    for name, test in _JSON.get(table, {}).items():
        if row.get(name) is not None:
            _want(f"{table}.{name}", _decoded(f"{table}.{name}", row[name]), test)
    if table == "node":
        _check_body(row)


def check_places(connection: sqlite3.Connection) -> None:
    """Refuse nodes that stand where their kind cannot, and rows whose values do not fit their columns.

    Raises:
        ValueError: It names the node and the field.
    """
    wrong = connection.execute(
        """
        SELECT node.id FROM node LEFT JOIN node AS above ON above.id = node.parent
        WHERE node.parent_kind IS NOT above.kind
            OR (node.kind = 'data_source' AND above.kind IS NOT 'database')
            OR (node.kind <> 'data_source' AND above.kind IS 'database')
            OR (node.kind = 'block' AND coalesce(above.kind, '') NOT IN ('page', 'block'))
        """
    ).fetchone()
    if wrong is not None:
        raise ValueError(f"parent and parent_kind of node {wrong['id']} are not where its kind can stand")
    sources = connection.execute("SELECT id, body FROM node WHERE kind = 'data_source'").fetchall()
    for source in sources:
        columns = {column["id"]: column["type"] for column in json.loads(source["body"])["columns"]}
        pages = connection.execute(
            "SELECT id, body FROM node WHERE parent = ? AND kind = 'page'", (source["id"],)
        )
        for page in pages:
            for column_id, value in json.loads(page["body"])["values"].items():
                test = _VALUES.get(columns.get(column_id, ""))
                if value is not None and test is not None:
                    _want(f"body.values.{column_id} of node {page['id']}", value, test)


def _check_value(at: str, name: str, value: Any, declared: str) -> None:
    match declared:
        case "TEXT":
            _must(at, "text", _is_text(value))
            # A half of a pair of surrogates has no place in an answer.
            value.encode()
        case "INTEGER":
            highest = LATEST if name.endswith("_time") else 1 if name in _FLAGS else _LARGEST
            if type(value) is not int or not 0 <= value <= highest:
                raise ValueError(f"{at} is no whole number from 0 to {highest}")
        case "REAL":
            if type(value) not in (int, float) or not math.isfinite(value) or abs(value) > _FURTHEST:
                raise ValueError(f"{at} is no number in range")
        case _:
            _must(at, "bytes", isinstance(value, bytes))


def _must(at: str, what: str, it_is: bool) -> None:
    if not it_is:
        raise ValueError(f"{at} is no {what}")


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _decoded(at: str, text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_no_constant)
        # As an answer is written: neither half a surrogate pair nor a number without end.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{at} is no JSON that could be shown: {error}") from None
    return value


def _want(at: str, value: Any, test: Test) -> None:
    if not test(value):
        raise ValueError(f"{at} is not of the shape that it needs")


def _check_body(row: Row) -> None:
    body, at = _decoded("node.body", row["body"]), f"body of node {row['id']}"
    _want(at, body, _is_object)
    wanted: Mapping[str, Test] = _BODIES.get(row["kind"], {})
    if row["kind"] == "block":
        slots = FIELDS.get(row["type"])
        if slots is None and row["type"] not in READ_ONLY:
            raise ValueError(f"type of node {row['id']} is none that a block can have")
        wanted = {
            name: _BLOCK_FIELDS.get(name, _is_anything)
            for name, slot in (slots or {}).items()
            if name in body or slot.default is UNDEFINED
        }
        if row["type"] in _POINTING:
            _want(f"{at}: type", body, _points)
    for name, test in wanted.items():
        if name not in body:
            raise ValueError(f"{name} is missing in the {at}")
        _want(f"{name} in the {at}", body[name], test)
    if row["kind"] == "page" and row.get("parent_kind") != "data_source":
        _want(f"values.title in the {at}", body["values"].get("title", []), _is_rich)


# Shapes


def _is_anything(_value: Any) -> bool:
    return True


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_object_or_nothing(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _every(test: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _is_run(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_text(value.get("plain_text"))
        and _is_object(value.get("annotations"))
        and _is_text(value.get("type"))
        and _is_object(value.get(value["type"]))
    )


_is_rich = _every(_is_run)


def _is_option(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_text(value.get(key)) for key in ("id", "name", "color"))


def _is_column(value: Any) -> bool:
    if not isinstance(value, dict) or not {"id", "name", "type", "config"} <= set(value):
        return False
    config = value["config"]
    return (
        set(value) <= {"id", "name", "type", "config", "description"}
        and all(_is_text(value[key]) for key in ("id", "name", "type"))
        and value.get("description") in (None, str(value.get("description")))
        and isinstance(config, dict)
        and _every(_is_option)(config.get("options", []))
        and (value["type"] != "relation" or _is_text(config.get("data_source_id")))
        and (value["type"] != "unique_id" or "prefix" in config)
    )


def _are_columns(value: Any) -> bool:
    return _every(_is_column)(value) and [column["type"] for column in value].count("title") == 1


def _is_verification(value: Any) -> bool:
    return isinstance(value, dict) and {"state", "date", "verified_by"} <= set(value)


def _is_date(value: Any) -> bool:
    return isinstance(value, dict) and _is_text(value.get("start"))


def _points(value: Any) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and value.get(kind) is not None


_POINTING = ("image", "video", "audio", "pdf", "file", "link_to_page")

_BODIES: Mapping[str, Mapping[str, Test]] = {
    "page": {"values": _is_object, "icon": _is_object_or_nothing, "cover": _is_object_or_nothing},
    "database": {
        "title": _is_rich, "description": _is_rich, "is_inline": _is_flag,
        "icon": _is_object_or_nothing, "cover": _is_object_or_nothing,
    },
    "data_source": {
        "columns": _are_columns, "title": _is_rich, "description": _is_rich, "icon": _is_object_or_nothing,
    },
}  # fmt: skip

_BLOCK_FIELDS: Mapping[str, Test] = {
    "rich_text": _is_rich, "caption": _is_rich, "cells": _every(_is_rich), "color": _is_text,
    "table_width": _is_whole, "expression": _is_text, "url": _is_text, "language": _is_text,
    "checked": _is_flag, "has_column_header": _is_flag, "has_row_header": _is_flag,
    "synced_from": _is_object_or_nothing, "icon": _is_object_or_nothing,
}  # fmt: skip

_VALUES: Mapping[str, Test] = {
    "title": _is_rich, "rich_text": _is_rich, "multi_select": _every(_is_text), "people": _every(_is_text),
    "relation": _every(_is_text), "select": _is_text, "status": _is_text, "number": _is_number,
    "checkbox": _is_flag, "url": _is_text, "email": _is_text, "phone_number": _is_text, "date": _is_date,
    "files": _every(_is_object), "unique_id": _is_whole, "verification": _is_verification,
}  # fmt: skip

_JSON: Mapping[str, Mapping[str, Test]] = {
    "comment": {"rich_text": _is_rich, "display_name": _is_object, "attachments": _every(_is_object)},
    "token": {"capabilities": _every(_is_text)},
    "file_upload": {"import_result": _is_object_or_nothing},
    "oauth_client": {"redirect_uris": lambda value: _every(_is_text)(value) and bool(value)},
    "setting": {"value": _is_anything},
}
