"""What a request would do, read from the request alone.

One endpoint can rename, archive and erase, so the effect is taken from method, path and body,
never from a name that a caller chose. What is not recognised in full has no effects listed
here and is denied: an unknown key, an odd method, a path that is not ours.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lakelight.operations.kinds import Kind
from lakelight.operations.operation import Request

_UUID = r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"

_EDITABLE_BLOCKS = frozenset(
    {
        *("paragraph", "heading_1", "heading_2", "heading_3", "heading_4", "quote", "callout", "toggle"),
        *("bulleted_list_item", "numbered_list_item", "to_do", "code", "equation", "template"),
        *("bookmark", "embed", "image", "video", "audio", "file", "pdf"),
        *("table", "table_row", "column", "table_of_contents", "synced_block", "link_to_page"),
    }
)

Body = Mapping[str, Any]
Kinds = frozenset[Kind]
UNKNOWN: Kinds = frozenset()


def classify(request: Request) -> Kinds:
    """Every kind of effect that `request` has; empty when it is not wholly understood."""
    try:
        body = request.content
    except (ValueError, RecursionError):
        return UNKNOWN
    for method, path, rule in _RULES:
        if request.method == method and path.fullmatch(request.path):
            return rule(body)
    return UNKNOWN


def touched(request: Request) -> str | None:
    """The id in the path of `request`, or of the parent that a creation names; None when there is none."""
    found = re.search(_UUID, request.path)
    if found:
        return found.group(1)
    try:
        parent = request.content.get("parent", {})
    except (ValueError, RecursionError):
        return None
    if not isinstance(parent, dict):
        return None
    ids = [parent[key] for key in ("page_id", "database_id", "data_source_id", "block_id") if key in parent]
    return ids[0] if len(ids) == 1 and isinstance(ids[0], str) else None


def _create_page(body: Body) -> Kinds:
    allowed = {"parent", "properties", "icon", "cover", "children", "markdown", "position"}
    return frozenset({Kind.PAGE_CREATE}) if "parent" in body and body.keys() <= allowed else UNKNOWN


def _update_page(body: Body) -> Kinds:
    kinds = set()
    for key, value in body.items():
        kind = _page_key(key, value)
        if kind is None:
            return UNKNOWN
        kinds.add(kind)
    return frozenset(kinds)


def _page_key(key: str, value: object) -> Kind | None:
    match key, value:
        case "properties", dict():
            return Kind.PAGE_PROPERTIES_UPDATE
        case "icon" | "cover", _:
            return Kind.PAGE_META_UPDATE
        case "in_trash" | "is_archived", True:
            return Kind.PAGE_ARCHIVE
        case "in_trash" | "is_archived", False:
            return Kind.PAGE_RESTORE
        case "is_locked", bool():
            return Kind.PAGE_LOCK
        case "erase_content", True:
            return Kind.PAGE_ERASE
        case _:
            return None


def _append(body: Body) -> Kinds:
    right = isinstance(body.get("children"), list) and body.keys() <= {"children", "position"}
    return frozenset({Kind.BLOCK_APPEND}) if right else UNKNOWN


def _update_block(body: Body) -> Kinds:
    match dict(body):
        case {"in_trash": True, **rest} if not rest:
            return frozenset({Kind.BLOCK_DELETE})
        case {"in_trash": False, **rest} if not rest:
            return frozenset({Kind.BLOCK_RESTORE})
        case {**content} if len(content) == 1 and content.keys() <= _EDITABLE_BLOCKS:
            right = all(isinstance(part, dict) for part in content.values())
            return frozenset({Kind.BLOCK_UPDATE}) if right else UNKNOWN
        case _:
            return UNKNOWN


def _delete_block(body: Body) -> Kinds:
    return UNKNOWN if body else frozenset({Kind.BLOCK_DELETE})


def _markdown(body: Body) -> Kinds:
    mode = body.get("type")
    kinds = {
        "insert_content": Kind.BLOCK_APPEND,
        "update_content": Kind.MARKDOWN_EDIT,
        "replace_content": Kind.MARKDOWN_REPLACE,
        "replace_content_range": Kind.MARKDOWN_REPLACE,
    }
    if not isinstance(mode, str) or mode not in kinds or body.keys() != {"type", mode}:
        return UNKNOWN
    command = body[mode]
    if not isinstance(command, dict):
        return UNKNOWN
    # An edit that may delete child pages is as grave as a replacement.
    return frozenset({Kind.MARKDOWN_REPLACE if command.get("allow_deleting_content") else kinds[mode]})


def _move_page(body: Body) -> Kinds:
    return frozenset({Kind.PAGE_MOVE}) if body.keys() == {"parent"} else UNKNOWN


def _create_database(body: Body) -> Kinds:
    allowed = {
        "parent",
        "title",
        "description",
        "is_inline",
        "initial_data_source",
        "icon",
        "cover",
        "properties",
    }
    return frozenset({Kind.DATABASE_CREATE}) if "parent" in body and body.keys() <= allowed else UNKNOWN


def _update_database(body: Body) -> Kinds:
    kinds = set()
    for key, value in body.items():
        if key == "in_trash" and value is True:
            kinds.add(Kind.DATABASE_ARCHIVE)
        elif key == "parent":
            kinds.add(Kind.DATABASE_MOVE)
        elif key in {"title", "description", "icon", "cover", "is_inline"} or (
            key == "in_trash" and value is False
        ):
            kinds.add(Kind.DATABASE_UPDATE)
        elif key == "properties":
            # Whether a column is new or changed can't be told from the request: the graver holds.
            kinds.add(Kind.SCHEMA_ALTER)
        else:
            return UNKNOWN
    return frozenset(kinds)


def _comment(kind: Kind) -> Callable[[Body], Kinds]:
    allowed = {"parent", "discussion_id", "rich_text", "markdown"}
    return lambda body: frozenset({kind}) if body and body.keys() <= allowed else UNKNOWN


_RULES: tuple[tuple[str, re.Pattern[str], Callable[[Body], Kinds]], ...] = tuple(
    (method, re.compile(path), rule)
    for method, path, rule in (
        ("POST", "/pages", _create_page),
        ("PATCH", f"/pages/{_UUID}", _update_page),
        ("PATCH", f"/pages/{_UUID}/markdown", _markdown),
        ("POST", f"/pages/{_UUID}/move", _move_page),
        ("PATCH", f"/blocks/{_UUID}/children", _append),
        ("PATCH", f"/blocks/{_UUID}", _update_block),
        ("DELETE", f"/blocks/{_UUID}", _delete_block),
        ("POST", "/databases", _create_database),
        ("PATCH", f"/databases/{_UUID}", _update_database),
        ("POST", "/data_sources", _create_database),
        ("PATCH", f"/data_sources/{_UUID}", _update_database),
        ("POST", "/comments", _comment(Kind.COMMENT_CREATE)),
        ("PATCH", f"/comments/{_UUID}", _comment(Kind.COMMENT_UPDATE)),
        ("DELETE", f"/comments/{_UUID}", lambda body: UNKNOWN if body else frozenset({Kind.COMMENT_DELETE})),
    )
)
