"""Blocks and values as plain text, for people who decide about them. Pure.

Nothing of a payload goes unshown: a link stands with its address, and what is not understood stands
as it would be sent.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lakelight.notion.limits import block_type
from lakelight.notion.schema import NOT_AVAILABLE, plain

_EMPTY = frozenset({"divider", "breadcrumb", "column", "column_list", "table", "table_of_contents"})
_STATES = {True: "☑", False: "☐"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One block: what it is, what it says, and how deep it stands."""

    type: str
    text: str
    depth: int = 0


def block_lines(blocks: Iterable[object], depth: int = 0) -> list[Line]:
    """`blocks` with all that they bring along, each a line, in order."""
    lines: list[Line] = []
    waiting = [(block, depth) for block in blocks]
    waiting.reverse()
    while waiting:
        block, level = waiting.pop()
        if not isinstance(block, Mapping):
            lines.append(Line(type="?", text=as_json(block), depth=level))
            continue
        lines.append(Line(type=block_type(block) or "?", text=block_text(block), depth=level))
        waiting.extend((child, level + 1) for child in reversed(_below(block)))
    return lines


def block_text(block: Mapping[str, Any]) -> str:
    """What one block says, without what is below it."""
    kind = block_type(block)
    content = block.get(kind)
    if not isinstance(content, Mapping):
        return "" if kind and content is None else as_json(block)
    match kind:
        case "to_do":
            return f"{_STATES[bool(content.get('checked'))]} {rich_text(content.get('rich_text'))}"
        case "equation":
            return str(content.get("expression") or "")
        case "table_row":
            cells = content.get("cells")
            return " | ".join(map(rich_text, cells)) if isinstance(cells, list) else as_json(content)
        case "child_page" | "child_database":
            return str(content.get("title") or "")
        case _:
            return _whole(kind, content)


def rich_text(items: object) -> str:
    """Rich text as plain text; a link's address stands behind its words where they differ."""
    if not isinstance(items, list):
        return "" if items is None else as_json(items)
    return "".join(map(_run, items))


def value_text(value: object) -> str:
    """A property's value, in the shape of a request or of an answer."""
    if isinstance(value, list):
        return rich_text(value)
    if not isinstance(value, Mapping):
        return as_json(value)
    kind = value.get("type")
    if not isinstance(kind, str):
        kind = next((key for key in value if key not in {"id", "object", "name"}), "")
    inner = value.get(kind)
    if kind in {"title", "rich_text"}:
        return rich_text(inner)
    try:
        found = plain({"type": kind, kind: inner})
    # What is no value of Notion's at all is shown as it stands.
    except (TypeError, ValueError, AttributeError, KeyError):
        return as_json(value)
    return as_json(value) if found == NOT_AVAILABLE and inner is not None else _words(found)


def as_json(value: object) -> str:
    """Anything else, as it would be sent."""
    return json.dumps(value, ensure_ascii=False)


def _whole(kind: str, content: Mapping[str, Any]) -> str:
    text = rich_text(content["rich_text"]) if "rich_text" in content else None
    parts = [text, *_addresses(content)]
    if content.get("caption"):
        parts.append(f"({rich_text(content['caption'])})")
    found = [part for part in parts if part]
    if found or text is not None or kind in _EMPTY:
        return " ".join(found)
    rest = {key: value for key, value in content.items() if key != "children"}
    return as_json(rest) if rest else ""


def _addresses(content: Mapping[str, Any]) -> list[str]:
    if "url" in content:
        return [_string(content["url"])]
    files = [content[key] for key in ("external", "file") if isinstance(content.get(key), Mapping)]
    return [_string(file["url"]) for file in files if "url" in file]


def _run(run: object) -> str:
    if not isinstance(run, Mapping):
        return as_json(run)
    for kind, key in (("text", "content"), ("equation", "expression")):
        inner = run.get(kind)
        if isinstance(inner, Mapping) and isinstance(inner.get(key), str):
            return _linked(inner[key], inner.get("link"))
    if isinstance(run.get("plain_text"), str) and run["plain_text"]:
        return _linked(run["plain_text"], {"url": run["href"]} if run.get("href") else None)
    return as_json(run.get("mention", run))


def _linked(text: str, link: object) -> str:
    if link is None:
        return text
    url = link.get("url") if isinstance(link, Mapping) else None
    if not isinstance(url, str):
        return f"{text} <{as_json(link)}>"
    return text if url == text else f"{text} <{url}>"


def _below(block: Mapping[str, Any]) -> list[object]:
    content = block.get(block_type(block))
    inner = content.get("children") if isinstance(content, Mapping) else None
    found = inner or block.get("children")
    if found is None or found is False or found == {}:
        return []
    return list(found) if isinstance(found, list) else [found]


def _words(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return _STATES[value]
        case float() if value.is_integer():
            return str(int(value))
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _string(value: object) -> str:
    return value if isinstance(value, str) else as_json(value)
