"""Blocks as the templates show them: lists gathered, text as HTML, hostile depth cut off."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from notion_embedded.viewer.prose import NOTHING, colour_class, outside_link, prose
from notion_embedded.viewer.visit import Visit

Tree = dict[str, Any]

_MAX_DEPTH = 40
_LISTS = {"bulleted_list_item": "bullets", "numbered_list_item": "numbers", "to_do": "tasks"}
_FILES = frozenset({"image", "video", "audio", "pdf", "file"})
_WITH_TEXT = frozenset({
    "paragraph", "heading_1", "heading_2", "heading_3", "heading_4", "quote", "callout", "toggle", "code",
    "bulleted_list_item", "numbered_list_item", "to_do",
})  # fmt: skip
_FRAMES = frozenset({"column_list", "column", "synced_block", "tab"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A block, or a list of them, ready for its template."""

    kind: str
    text: Markup = NOTHING
    colour: str = ""
    parts: list["Part"] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)


def contents(trees: Sequence[Tree], visit: Visit, depth: int = 0) -> list[Part]:
    """Return the parts for some blocks."""
    if depth > _MAX_DEPTH:
        return []
    parts: list[Part] = []
    for tree in trees:
        part = _part(tree, visit, depth)
        gathered = _LISTS.get(tree["type"])
        if gathered is None:
            parts.append(part)
        elif parts and parts[-1].kind == gathered:
            parts[-1].parts.append(part)
        else:
            parts.append(Part(kind=gathered, parts=[part]))
    return parts


def _part(tree: Tree, visit: Visit, depth: int) -> Part:
    kind: str = tree["type"]
    payload: dict[str, Any] = tree.get(kind) or {}
    inner = contents(tree.get("children") or (), visit, depth + 1)
    colour = colour_class(payload.get("color"))
    if kind in _WITH_TEXT:
        detail = {
            "checked": payload.get("checked", False),
            "emoji": (payload.get("icon") or {}).get("emoji"),
            "language": payload.get("language"),
            "toggles": bool(payload.get("is_toggleable")),
        }
        text = prose(payload.get("rich_text") or (), visit)
        return Part(kind=kind, text=text, colour=colour, parts=inner, detail=detail)
    if kind in {"child_page", "child_database"}:
        title = payload.get("title") or visit.say("untitled")
        return Part(kind=kind, detail={"href": visit.href(tree["id"]), "title": title})
    if kind == "table":
        return _table(tree, payload, visit)
    if kind in _FRAMES:
        return Part(kind="columns" if kind == "column_list" else "group", parts=inner)
    if kind in _FILES or kind in {"bookmark", "embed", "link_preview"}:
        return _link(payload, visit)
    if kind == "equation":
        return Part(kind=kind, detail={"expression": payload.get("expression", "")})
    if kind in {"divider", "breadcrumb", "table_of_contents"}:
        return Part(kind="divider" if kind == "divider" else "nothing")
    if kind == "link_to_page":
        return _link_to_page(payload, visit)
    return Part(kind="unsupported", detail={"kind": payload.get("block_type") or kind}, parts=inner)


def _table(tree: Tree, payload: dict[str, Any], visit: Visit) -> Part:
    rows = [
        [prose(cell, visit) for cell in row["table_row"]["cells"]]
        for row in tree.get("children") or ()
        if row["type"] == "table_row"
    ]
    detail = {"rows": rows, "head": payload.get("has_column_header"), "side": payload.get("has_row_header")}
    return Part(kind="table", detail=detail)


def _link(payload: dict[str, Any], visit: Visit) -> Part:
    url = payload.get("url") or (payload.get(payload.get("type", "")) or {}).get("url") or ""
    caption = prose(payload.get("caption") or (), visit)
    link = outside_link(url, payload.get("name") or _host(url) or visit.say("file"))
    return Part(kind="link", text=link, detail={"caption": caption})


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _link_to_page(payload: dict[str, Any], visit: Visit) -> Part:
    target = payload.get(payload.get("type", "")) or ""
    if target in visit.titles:
        detail = {"href": visit.href(target), "title": visit.title(target)}
        return Part(kind="child_page", detail=detail)
    return Part(kind="unsupported", detail={"kind": "link_to_page"})
