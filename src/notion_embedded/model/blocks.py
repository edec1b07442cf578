"""Blocks: what each type holds, and reading a request's blocks into what is stored.

A block in here is a tree: `{"type": t, t: {…}, "children": [trees]}`, its payload complete with
every field a response shows. What a type may hold is one row of `FIELDS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from notion_embedded.model.artwork import read_file, read_icon
from notion_embedded.model.checks import (
    MAX_ITEMS,
    UNDEFINED,
    Json,
    a_boolean,
    a_number,
    a_string,
    a_url,
    a_uuid,
    an_array,
    an_integer,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.errors import guessed, invalid
from notion_embedded.model.languages import LANGUAGES
from notion_embedded.model.rich_text import (
    MAX_EXPRESSION,
    TEXT_COLOURS,
    Directory,
    read_rich_text,
)

MAX_BLOCKS = 1000
MAX_DEPTH = 2
MIN_COLUMNS = 2

READ_ONLY = ("child_page", "child_database", "link_preview", "meeting_notes", "transcription", "unsupported")


@dataclass(frozen=True, slots=True)
class Reading:
    """How strictly a request's blocks are read, and who may be named in them."""

    directory: Directory
    limited: bool = True
    """Off for blocks that come from Markdown, which knows neither depth nor length of a run; one that
    bears an id stands for a block that exists."""


Field = Callable[[Any, str, Reading], Any]


@dataclass(frozen=True, slots=True)
class _Slot:
    read: Field
    default: Any = UNDEFINED
    """What is stored when the request leaves the field out; without one it must be given."""
    fixed: bool = False
    """Set at creation and never after."""
    hidden: bool = False
    """Not shown while it has no value."""


def _rich(value: Any, path: str, reading: Reading) -> Any:
    return read_rich_text(value, path, reading.directory, limited=reading.limited)


def _colour(value: Any, path: str, _reading: Reading) -> Any:
    return one_of(value, path, TEXT_COLOURS)


def _flag(value: Any, path: str, _reading: Reading) -> Any:
    return a_boolean(value, path)


def _icon(value: Any, path: str, _reading: Reading) -> Any:
    return read_icon(value, path)


def _language(value: Any, path: str, _reading: Reading) -> Any:
    return one_of(value, path, LANGUAGES)


def _url(value: Any, path: str, _reading: Reading) -> Any:
    return a_url(value, path)


def _expression(value: Any, path: str, reading: Reading) -> Any:
    return a_string(value, path, at_most=MAX_EXPRESSION if reading.limited else None)


def _width(value: Any, path: str, _reading: Reading) -> Any:
    width = an_integer(value, path)
    if width < 1:
        raise failed(path, "≥ `1`", value)
    return width


def _start(value: Any, path: str, _reading: Reading) -> Any:
    return an_integer(value, path)


def _format(value: Any, path: str, _reading: Reading) -> Any:
    return one_of(value, path, ("numbers", "letters", "roman"))


def _ratio(value: Any, path: str, _reading: Reading) -> Any:
    ratio = a_number(value, path)
    if not 0 < ratio <= 1:
        raise failed(path, "a number between 0 and 1", value)
    return ratio


def _cells(value: Any, path: str, reading: Reading) -> Any:
    return [_rich(cell, f"{path}[{at}]", reading) for at, cell in enumerate(an_array(value, path))]


def _synced(value: Any, path: str, _reading: Reading) -> Any:
    if value is None:
        return None
    body = an_object(value, path)
    only_keys(body, path, ("type", "block_id"))
    return {"type": "block_id", "block_id": a_uuid(body.get("block_id", UNDEFINED), f"{path}.block_id")}


def _name(value: Any, path: str, _reading: Reading) -> Any:
    return a_string(value, path)


_R = _Slot(_rich)
_C = _Slot(_colour, "default")
_CAPTION = _Slot(_rich, [])
_TOGGLES = _Slot(_flag, default=False)
_HEADING = {"rich_text": _R, "is_toggleable": _TOGGLES, "color": _C}
_ICON = _Slot(_icon, None)
_MEDIA = {"caption": _CAPTION}

FIELDS: Mapping[str, Mapping[str, _Slot]] = {
    "paragraph": {"rich_text": _R, "icon": _ICON, "color": _C},
    "heading_1": _HEADING,
    "heading_2": _HEADING,
    "heading_3": _HEADING,
    "heading_4": _HEADING,
    "bulleted_list_item": {"rich_text": _R, "color": _C},
    "numbered_list_item": {
        "rich_text": _R,
        "color": _C,
        "list_start_index": _Slot(_start, None, fixed=True, hidden=True),
        "list_format": _Slot(_format, None, hidden=True),
    },
    "to_do": {"rich_text": _R, "checked": _Slot(_flag, default=False), "color": _C},
    "toggle": {"rich_text": _R, "color": _C},
    "quote": {"rich_text": _R, "color": _C},
    "callout": {"rich_text": _R, "icon": _ICON, "color": _C},
    "template": {"rich_text": _R},
    "code": {"caption": _CAPTION, "rich_text": _R, "language": _Slot(_language)},
    "equation": {"expression": _Slot(_expression)},
    "divider": {},
    "breadcrumb": {},
    "table_of_contents": {"color": _C},
    "table": {
        "table_width": _Slot(_width, fixed=True),
        "has_column_header": _Slot(_flag, default=False),
        "has_row_header": _Slot(_flag, default=False),
    },
    "table_row": {"cells": _Slot(_cells)},
    "column_list": {},
    "column": {"width_ratio": _Slot(_ratio, None, hidden=True)},
    "tab": {},
    "synced_block": {"synced_from": _Slot(_synced, fixed=True)},
    "link_to_page": {},
    "embed": {"caption": _CAPTION, "url": _Slot(_url)},
    "bookmark": {"caption": _CAPTION, "url": _Slot(_url)},
    "image": _MEDIA,
    "video": _MEDIA,
    "audio": _MEDIA,
    "pdf": _MEDIA,
    "file": {**_MEDIA, "name": _Slot(_name, None, hidden=True)},
}
"""Every type that a request may make, with its fields in the order of a response."""

HEADINGS = ("heading_1", "heading_2", "heading_3", "heading_4")

_FILES = ("image", "video", "audio", "pdf", "file")
_CONTAINERS = (
    "paragraph", "heading_1", "heading_2", "heading_3", "heading_4", "bulleted_list_item",
    "numbered_list_item", "to_do",
    "toggle", "quote", "callout", "template", "table", "column_list", "column", "tab", "synced_block",
)  # fmt: skip
_LINKS = ("page_id", "database_id", "comment_id")


def may_hold(block_type: str) -> bool:
    """Whether blocks may stand inside a block of this type."""
    return block_type in _CONTAINERS


def read_children(value: Any, path: str, reading: Reading) -> list[Json]:
    """The blocks of a request as trees, within Notion's limits of number and depth."""
    at_most = MAX_ITEMS if reading.limited else 1_000_000
    blocks = an_array(value, path, at_most=at_most)
    trees = [_read_tree(block, f"{path}[{at}]", reading, 0) for at, block in enumerate(blocks)]
    if reading.limited and (total := sum(map(size, trees))) > MAX_BLOCKS:
        raise guessed(
            f"body failed validation: {path} should contain ≤ `{MAX_BLOCKS}` blocks in total, not `{total}`."
        )
    return trees


def size(tree: Json) -> int:
    """How many blocks the tree has."""
    return 1 + sum(map(size, tree["children"]))


def read_update(block_type: str, stored: Json, value: Any, path: str, reading: Reading) -> Json:
    """The payload after an edit: what is given replaces, what is left out stays."""
    body = an_object(value, path)
    slots = FIELDS[block_type]
    for name, slot in slots.items():
        if slot.fixed and name in body and block_type != "synced_block":
            raise failed(f"{path}.{name}", "not present", body[name])
    if block_type in _FILES and ("external" in body or "file_upload" in body):
        place = ("type", "external", "file_upload")
        stored = {key: inner for key, inner in stored.items() if key not in place}
        stored |= read_file(body, path)
    elif block_type == "link_to_page":
        return _link(body, path)
    only_keys(body, path, _known(block_type))
    changed = {
        name: slot.read(body[name], f"{path}.{name}", reading) for name, slot in slots.items() if name in body
    }
    return {**stored, **changed}


def _known(block_type: str) -> Sequence[str]:
    names = [
        name for name, slot in FIELDS[block_type].items() if not slot.fixed or block_type == "synced_block"
    ]
    return [*names, "type", "external", "file_upload"] if block_type in _FILES else names


def _read_tree(value: Any, path: str, reading: Reading, depth: int) -> Json:
    block = an_object(value, path)
    if not reading.limited and "id" in block:
        return {"id": block["id"], "type": block["type"], block["type"]: {}, "children": []}
    named = [key for key in block if key not in ("object", "type")]
    block_type = block.get("type", named[0] if named else UNDEFINED)
    if isinstance(block_type, str) and block_type in FIELDS and block_type not in block:
        raise failed(f"{path}.{block_type}", "defined")
    if not isinstance(block_type, str) or block_type not in FIELDS:
        raise failed_all([(f"{path}.{name}", "defined", UNDEFINED) for name in FIELDS])
    only_keys(block, path, ("object", "type", block_type))
    inner = f"{path}.{block_type}"
    body = an_object(block[block_type], inner)
    payload = _payload(block_type, body, inner, reading)
    children = _inner_children(block_type, body, inner, reading, depth)
    _check_whole(block_type, payload, children, inner)
    if children and block_type in HEADINGS:
        payload["is_toggleable"] = True
    if children and block_type == "synced_block" and payload["synced_from"] is not None:
        children = _not_its_own(f"{inner}.children", reading)
    return {"type": block_type, block_type: payload, "children": children}


def _payload(block_type: str, body: Json, path: str, reading: Reading) -> Json:
    if block_type == "link_to_page":
        return _link(body, path)
    extra: tuple[str, ...] = ("children",)
    if block_type in _FILES:
        extra += ("type", "external", "file_upload")
    only_keys(body, path, (*FIELDS[block_type], *extra))
    payload: Json = {}
    for name, slot in FIELDS[block_type].items():
        given = body.get(name, UNDEFINED)
        if given is UNDEFINED or (given is None and slot.default is None):
            if slot.default is UNDEFINED:
                raise failed(f"{path}.{name}", "defined")
            if not slot.hidden:
                payload[name] = slot.default
        else:
            payload[name] = slot.read(given, f"{path}.{name}", reading)
    if block_type in _FILES:
        payload |= read_file(body, path)
    return payload


def _link(body: Json, path: str) -> Json:
    for kind in _LINKS:
        if kind in body:
            only_keys(body, path, ("type", kind))
            return {"type": kind, kind: a_uuid(body[kind], f"{path}.{kind}")}
    raise failed_all([(f"{path}.{kind}", "defined", UNDEFINED) for kind in _LINKS])


def _inner_children(block_type: str, body: Json, path: str, reading: Reading, depth: int) -> list[Json]:
    if "children" not in body:
        return []
    if block_type not in _CONTAINERS or (reading.limited and depth >= MAX_DEPTH):
        raise failed(f"{path}.children", "not present", body["children"])
    at_most = MAX_ITEMS if reading.limited else 1_000_000
    blocks = an_array(body["children"], f"{path}.children", at_most=at_most)
    return [
        _read_tree(block, f"{path}.children[{at}]", reading, depth + 1) for at, block in enumerate(blocks)
    ]


def _not_its_own(path: str, reading: Reading) -> list[Json]:
    """The children of a copy of a synced block: none, as they are its original's. Markdown shows them."""
    if reading.limited:
        raise guessed(f"body failed validation: {path} should be not present in a copy of a synced block.")
    return []


_INSIDE = {"table": "table_row", "column_list": "column", "tab": "paragraph"}


def _check_whole(block_type: str, payload: Json, children: list[Json], path: str) -> None:
    wanted = _INSIDE.get(block_type)
    if wanted is not None:
        for at, child in enumerate(children):
            if child["type"] != wanted:
                raise failed(f"{path}.children[{at}].{wanted}", "defined")
        if not children:
            raise failed(
                f"{path}.children.length" if block_type == "table" else f"{path}.children", "≥ `1`", 0
            )
    else:
        for at, child in enumerate(children):
            _check_placed(child["type"], f"{path}.children[{at}]")
    if block_type == "column_list" and len(children) < MIN_COLUMNS:
        raise failed(f"{path}.children.length", f"≥ `{MIN_COLUMNS}`", len(children))
    if block_type == "table":
        for row in children:
            check_row(row["table_row"], payload["table_width"])


def _check_placed(block_type: str, path: str) -> None:
    if block_type in {"table_row", "column"}:
        home = "table" if block_type == "table_row" else "column_list"
        raise guessed(f"body failed validation: {path}.{block_type} should be inside a {home}.")


def check_row(payload: Json, width: int) -> None:
    """A row has exactly as many cells as its table is wide."""
    if len(payload["cells"]) != width:
        raise invalid("Number of cells in table row must match the table width of the parent table")


def check_inside(parent_type: str, payload: Json, trees: Sequence[Json], path: str) -> None:
    """Refuse blocks that may not stand in a block of `parent_type` with this payload."""
    toggled = parent_type not in HEADINGS or payload["is_toggleable"]
    if (not may_hold(parent_type) or not toggled) and parent_type not in READ_ONLY[:2]:
        raise guessed(f"Block type {parent_type} does not support children.")
    wanted = _INSIDE.get(parent_type)
    for at, tree in enumerate(trees):
        if wanted is not None and tree["type"] != wanted:
            raise failed(f"{path}[{at}].{wanted}", "defined")
        if wanted != tree["type"]:
            _check_placed(tree["type"], f"{path}[{at}]")
