"""Notion's limits on one request, checked before anything is sent.

Notion would answer 400 to most of these, but to some (a body too large) with a page of
HTML, and always after the request was paid for.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakelight.notion.errors import NotionTooLarge
from lakelight.notion.text import MAX_RUNS, MAX_TEXT, units

MAX_BYTES = 500_000
MAX_BLOCKS = 1000
MAX_CHILDREN = 100
MAX_LEVELS = 2
"""Levels of blocks below the ones that are appended."""
MAX_URL = 2000
MAX_EXPRESSION = 1000

_ARRAYS = {
    "attachments": 3,
    "caption": MAX_RUNS,
    "cells": MAX_RUNS,
    "children": MAX_CHILDREN,
    "content_updates": 100,
    "description": MAX_RUNS,
    "multi_select": 100,
    "options": 100,
    "people": 100,
    "relation": 100,
    "rich_text": MAX_RUNS,
    "title": MAX_RUNS,
}
_STRINGS = {"email": 200, "phone_number": 200, "url": MAX_URL}
_STRINGS_UNDER = {
    ("equation", "expression"): MAX_EXPRESSION,
    ("link", "url"): MAX_URL,
    ("text", "content"): MAX_TEXT,
}
_MAX_COLUMNS = 500
_MAX_FILE_NAME = 900


def encode(body: Mapping[str, object]) -> bytes:
    """`body` as the bytes that are sent."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def check(method: str, path: str, body: Mapping[str, object]) -> None:
    """Return if `body` keeps every limit known of `method` and `path`.

    Raises:
        NotionTooLarge: It does not; `field` says where, as in `body.children[3].code.rich_text`.
    """
    _check_value("", "body", body, "body")
    _check_blocks(body)
    _check_route(method, path, body)
    _most("body", MAX_BYTES, len(encode(body)))


def blocks_in(block: Mapping[str, Any]) -> int:
    """The number of blocks that `block` brings along, itself included."""
    return 1 + sum(blocks_in(child) for child in children_of(block))


def children_of(block: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks below `block` in a request."""
    content = block.get(block_type(block))
    inner = content.get("children") if isinstance(content, Mapping) else None
    found = inner or block.get("children") or []
    return [child for child in found if isinstance(child, dict)] if isinstance(found, list) else []


def block_type(block: Mapping[str, Any]) -> str:
    """The type of a block; a request may leave the word out and have only the key."""
    given = block.get("type")
    if isinstance(given, str):
        return given
    return next((key for key, value in block.items() if isinstance(value, dict) and key != "parent"), "")


def _most(field: str, limit: int, size: int) -> None:
    if size > limit:
        raise NotionTooLarge(field, limit, size)


def _check_value(parent: str, key: str, value: object, field: str) -> None:
    match value:
        case str():
            limit = _STRINGS_UNDER.get((parent, key), _STRINGS.get(key))
            if limit is not None:
                _most(field, limit, units(value))
        case Mapping():
            for inner, item in value.items():
                _check_value(key, inner, item, f"{field}.{inner}")
        case Sequence():
            _most(field, _ARRAYS.get(key, len(value)), len(value))
            for index, item in enumerate(value):
                # An item of a list of lists (the cells of a row) is rich text itself.
                _check_value(parent, "rich_text" if key == "cells" else "", item, f"{field}[{index}]")
        case _:
            return


def _check_blocks(body: Mapping[str, object]) -> None:
    children = body.get("children")
    blocks = [block for block in children if isinstance(block, dict)] if isinstance(children, list) else []
    for index, block in enumerate(blocks):
        _most(f"body.children[{index}], levels below it", MAX_LEVELS, _levels(block))
    _most("body.children, all levels", MAX_BLOCKS, sum(blocks_in(block) for block in blocks))


def _levels(block: Mapping[str, Any]) -> int:
    return max((1 + _levels(child) for child in children_of(block)), default=0)


def _check_route(method: str, path: str, body: Mapping[str, object]) -> None:
    match path.strip("/").split("/")[0]:
        case "databases" | "data_sources":
            for field, columns in _schemas(body):
                _most(field, _MAX_COLUMNS, len(columns))
        case "file_uploads" if method == "POST":
            _most("body.filename, bytes", _MAX_FILE_NAME, len(str(body.get("filename", "")).encode()))
        case _:
            return


def _schemas(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    initial = body.get("initial_data_source")
    for field, holder in (("body", body), ("body.initial_data_source", initial)):
        columns = holder.get("properties") if isinstance(holder, Mapping) else None
        if isinstance(columns, Mapping):
            yield f"{field}.properties", columns
