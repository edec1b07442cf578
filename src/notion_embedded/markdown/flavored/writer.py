"""Writes trees of blocks as Notion-flavored Markdown.

A block is written as plain Markdown where that says all of it, and as a tag where it has a colour or
blocks inside that Markdown has no place for.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from notion_embedded.markdown.block_writer import write_code
from notion_embedded.markdown.blocks import MAX_DEPTH, Rendered, Tree
from notion_embedded.markdown.flavored.inline import CELL, LINE, LINES
from notion_embedded.markdown.inline_writer import Syntax, write_destination, write_text
from notion_embedded.markdown.pieces import PLAIN, RichText, Text, from_rich_text
from notion_embedded.markdown.tables import write_table
from notion_embedded.markdown.tags import page_url, write_attributes, write_colour

_LINE_START = re.compile(r"#{1,6}(?=[ \t]|$)|[-+](?=[ \t]|$)|-[ \t-]*$|=+[ \t]*$|>|:(?=-)")
_NUMBER_START = re.compile(r"(\d{1,9})(?=[.)](?:[ \t]|$))")
_CLOSING_MARKS = re.compile(r"(?:(?<=[ \t])|^)#+$")
_WIDE_EDGE = re.compile(r"^[^\S \t\n]|[^\S \t\n]$")
_LISTS = ("bulleted_list_item", "numbered_list_item", "to_do")
_MEDIA = ("image", "pdf", "file", "audio", "video", "bookmark", "embed")
_TAB = 4
_TYPES = {"letters": "a", "roman": "i"}


def render(trees: Sequence[Tree]) -> Rendered:
    """Return the Notion-flavored Markdown of some blocks."""
    writer = _Writer()
    return Rendered(writer.write(trees, 0), writer.unknown)


class _Writer:
    """Writes blocks, and keeps the ids of those that it could only name."""

    def __init__(self) -> None:
        self.unknown: list[str] = []

    def write(self, trees: Sequence[Tree], depth: int) -> str:
        if depth > MAX_DEPTH:
            return "\n\n".join(self._unknown(block) for block in trees)
        parts: list[str] = []
        for kind, group in groupby(trees, key=_list_kind):
            blocks = list(group)
            if not kind:
                parts += [self._block(block, depth) for block in blocks]
                continue
            other = True
            for run in _runs(blocks) if kind == "numbered" else [blocks]:
                # A list right after another one of its kind begins anew only with another mark.
                other = not other and all(map(_plain_item, run))
                parts.append(self._list(kind, run, depth, other=other))
                other = other or not all(map(_plain_item, run))
        return "\n\n".join(parts)

    # Lists

    def _list(self, kind: str, blocks: Sequence[Tree], depth: int, *, other: bool) -> str:
        if all(map(_plain_item, blocks)):
            return "\n".join(self._items(blocks, other=other))
        if kind == "numbered":
            return self._tagged(kind, blocks, depth)
        parts = []
        for shape, group in groupby(blocks, key=_item_shape):
            items = list(group)
            match shape:
                case "plain":
                    parts.append("\n".join(self._items(items)))
                case "to_do":
                    parts += [self._todo(block, depth) for block in items]
                case _:
                    parts.append(self._tagged(kind, items, depth))
        return "\n\n".join(parts)

    def _tagged(self, kind: str, blocks: Sequence[Tree], depth: int) -> str:
        items = [self._shape("li", {"color": _colour(_payload(block))}, block, depth) for block in blocks]
        name, attributes = "ul", {}
        if kind == "numbered":
            payload = _payload(blocks[0])
            start = payload.get("list_start_index")
            name = "ol"
            attributes = {
                "type": _TYPES.get(payload.get("list_format") or ""),
                "start": None if start in {None, 1} else str(start),
            }
        return "\n".join([f"<{name}{write_attributes(attributes)}>", *items, f"</{name}>"])

    def _todo(self, block: Tree, depth: int) -> str:
        payload = _payload(block)
        checked = "true" if payload.get("checked") else "false"
        return self._shape("todo", {"checked": checked, "color": _colour(payload)}, block, depth)

    def _items(self, blocks: Sequence[Tree], *, other: bool = False) -> Iterator[str]:
        number = _number_of(blocks[0])
        for block in blocks:
            payload = _payload(block)
            marker = "-"
            if block["type"] == "numbered_list_item":
                marker = f"{number}{')' if other else '.'}"
                number += 1
            indent = "\t" * -(-(len(marker) + 1) // _TAB)
            text = _text(payload, LINES)
            if block["type"] == "to_do":
                marker += " [x]" if payload.get("checked") else " [ ]"
            lines = f"{marker} {text}".rstrip(" ").split("\n")
            yield "\n".join([lines[0], *(indent + line for line in lines[1:])])
            yield from self._nested(block, indent)

    def _nested(self, block: Tree, indent: str) -> Iterator[str]:
        children = block.get("children") or []
        first = True
        other = False
        for kind, group in groupby(children, key=_list_kind):
            blocks = list(group)
            for run in _runs(blocks) if kind == "numbered" else [blocks]:
                other = not other if run[0] is not blocks[0] else False
                # Right under a text, an empty item would be its underline, and a number but 1 its end;
                # right under an empty item, a blank line would be the end of the item.
                interrupts = _payload(run[0])["rich_text"] and _number_of(run[0]) == 1
                if not first or (not interrupts and _payload(block)["rich_text"]):
                    yield ""
                first = False
                for item in self._items(run, other=other):
                    for line in item.split("\n"):
                        yield indent + line if line else ""

    # Everything else

    def _block(self, block: Tree, depth: int) -> str:
        kind, payload = block["type"], _payload(block)
        match kind:
            case "paragraph" | "quote":
                return self._paragraph(kind, block, depth)
            case "heading_1" | "heading_2" | "heading_3" | "heading_4":
                return self._heading(block, depth)
            case "toggle":
                return self._shape("toggle", {"color": _colour(payload)}, block, depth)
            case "callout":
                icon = (payload.get("icon") or {}).get("emoji")
                return self._shape("callout", {"icon": icon, "color": _colour(payload)}, block, depth)
            case "column_list":
                return self._listed("columns", block, self._column, depth)
            case "tab":
                return self._listed("tabs", block, self._tab, depth)
            case "synced_block":
                return self._synced(block, depth)
            case _:
                return _alone(block, kind, payload) or self._unknown(block)

    @staticmethod
    def _listed(name: str, block: Tree, write: Callable[[Tree, int], str], depth: int) -> str:
        inner = [write(child, depth + 1) for child in block.get("children") or []]
        return "\n".join([f"<{name}>", *inner, f"</{name}>"])

    def _paragraph(self, kind: str, block: Tree, depth: int) -> str:
        payload = _payload(block)
        if block.get("children") or _colour(payload) or (kind == "paragraph" and payload.get("icon")):
            return self._shape(
                "p" if kind == "paragraph" else kind, {"color": _colour(payload)}, block, depth
            )
        text = _text(payload, LINES)
        if kind == "quote":
            return "\n".join(f"> {line}".rstrip(" ") for line in text.split("\n"))
        return text or "<p />"

    def _heading(self, block: Tree, depth: int) -> str:
        payload, level = _payload(block), block["type"][-1]
        attributes = {"color": _colour(payload)}
        if payload.get("is_toggleable") or block.get("children"):
            return self._shape("toggle", {"heading": f"h{level}", **attributes}, block, depth)
        if attributes["color"]:
            return self._shape(f"h{level}", attributes, block, depth)
        text = write_text(from_rich_text(payload.get("rich_text") or []), LINE)
        text = _CLOSING_MARKS.sub(lambda marks: f"\\{marks[0]}", text)
        text = _WIDE_EDGE.sub(lambda space: f"&#{ord(space[0])};", text)
        return f"{'#' * int(level)} {text}".rstrip(" ")

    def _shape(self, name: str, attributes: Mapping[str, str | None], block: Tree, depth: int) -> str:
        """The one shape of a tag that holds blocks: its text, then, after a blank line, what is in it."""
        text = _text(_payload(block), LINES)
        children = block.get("children") or []
        opening = f"<{name}{write_attributes(attributes)}>"
        if not children:
            line_break = "\n" if "\n" in text else ""
            return f"{opening}{line_break}{text}{line_break}</{name}>"
        inner = self.write(children, depth + 1)
        return f"{opening}\n{text or '<p />'}\n\n{inner}\n</{name}>"

    def _column(self, block: Tree, depth: int) -> str:
        ratio = _payload(block).get("width_ratio")
        return self._around("column", {"ratio": f"{ratio * 100:g}" if ratio else None}, block, depth)

    def _tab(self, block: Tree, depth: int) -> str:
        icon = (_payload(block).get("icon") or {}).get("emoji")
        return self._shape("tab", {"icon": icon}, block, depth)

    def _synced(self, block: Tree, depth: int) -> str:
        original = (_payload(block).get("synced_from") or {}).get("block_id")
        name = "synced-block-reference" if original else "synced-block"
        identity = original or block.get("id")
        return self._around(name, {"url": page_url(identity) if identity else None}, block, depth)

    def _around(self, name: str, attributes: Mapping[str, str | None], block: Tree, depth: int) -> str:
        inner = self.write(block.get("children") or [], depth + 1)
        opening = f"<{name}{write_attributes(attributes)}>"
        return f"{opening}\n{inner}\n</{name}>" if inner else f"{opening}</{name}>"

    def _unknown(self, block: Tree) -> str:
        kind, identity = block["type"], block.get("id")
        if kind == "unsupported":
            kind = (block["unsupported"] or {}).get("block_type") or kind
        if identity:
            self.unknown.append(identity)
        url = page_url(identity) if identity else None
        return f"<unknown{write_attributes({'url': url, 'alt': kind})} />"


def _payload(block: Tree) -> dict[str, Any]:
    return block.get(block["type"]) or {}


def _colour(payload: Mapping[str, Any]) -> str | None:
    return write_colour(payload.get("color") or "default")


def _list_kind(block: Tree) -> str:
    if block["type"] not in _LISTS:
        return ""
    return "numbered" if block["type"] == "numbered_list_item" else "bulleted"


def _number_of(block: Tree) -> int:
    if block["type"] != "numbered_list_item":
        return 1
    start = _payload(block).get("list_start_index")
    return 1 if start is None else int(start)


def _runs(blocks: Sequence[Tree]) -> list[list[Tree]]:
    """Numbered items, cut where one begins to count anew or is written by other signs."""
    runs: list[list[Tree]] = []
    shape = None
    for block in blocks:
        payload = _payload(block)
        here = payload.get("list_format") or "numbers"
        if not runs or payload.get("list_start_index") is not None or here != shape:
            runs.append([])
        runs[-1].append(block)
        shape = here
    return runs


def _plain_item(block: Tree) -> bool:
    payload = _payload(block)
    if _colour(payload) or payload.get("list_format") not in {None, "numbers"}:
        return False
    children = block.get("children") or []
    return all(_list_kind(child) and _plain_item(child) for child in children)


def _item_shape(block: Tree) -> str:
    return "plain" if _plain_item(block) else str(block["type"])


def _text(payload: Mapping[str, Any], syntax: Syntax) -> str:
    """A block's text, over as many lines as it has, none of which begins like another block."""
    text = write_text(from_rich_text(payload.get("rich_text") or []), syntax)
    if text.startswith("\\\n"):
        text = f"<br />{text[2:]}"
    if text.endswith("\\\n"):
        text = f"{text[:-2]}<br />"
    return "\n".join(map(_plain_start, text.split("\n")))


def _plain_start(line: str) -> str:
    if _LINE_START.match(line):
        return f"\\{line}"
    return _NUMBER_START.sub(r"\1\\", line, count=1) if _NUMBER_START.match(line) else line


def _equation(expression: str) -> str:
    if "$$" in expression or not expression.strip():
        return f"<equation>{expression}</equation>"
    return f"$$\n{expression}\n$$"


def _table(block: Tree) -> str:
    payload, rows = block["table"], block.get("children") or []
    if not payload.get("has_column_header") or payload.get("has_row_header") or not rows:
        return "\n".join(write_table(block, lambda cell: write_text(from_rich_text(cell), LINE)))
    lines = [_row(row["table_row"]["cells"]) for row in rows]
    dashes = "|" + " --- |" * len(rows[0]["table_row"]["cells"])
    return "\n".join([lines[0], dashes, *lines[1:]])


def _row(cells: Sequence[Sequence[RichText]]) -> str:
    written = (write_text(from_rich_text(cell), CELL).replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(written) + " |"


def _alone(block: Tree, kind: str, payload: Mapping[str, Any]) -> str | None:
    match kind:
        case "code":
            return "\n".join(write_code(dict(payload)))
        case "equation":
            return _equation(payload["expression"])
        case "divider":
            return "---"
        case "table":
            return _table(block)
        case "table_of_contents":
            return f"<table-of-contents{write_attributes({'color': _colour(payload)})} />"
        case "child_page" | "child_database":
            name, identity = kind.removeprefix("child_"), block.get("id")
            title = write_text([Text(payload.get("title") or "")], LINE)
            url = page_url(identity) if identity else None
            return f"<{name}{write_attributes({'url': url})}>{title}</{name}>"
        case "link_to_page":
            return _link(payload)
        case _ if kind in _MEDIA:
            url = payload.get("url") or (payload.get(payload.get("type", "")) or {}).get("url")
            return _media(kind, url, payload.get("caption") or []) if url else None
        case _:
            return None


def _link(payload: Mapping[str, Any]) -> str | None:
    kind = payload.get("type", "")
    named = {"page_id": None, "database_id": "database"}
    if kind not in named:
        return None
    return f"<mention{write_attributes({'url': page_url(payload.get(kind) or ''), 'type': named[kind]})} />"


def _media(kind: str, url: str, caption: Sequence[RichText]) -> str:
    pieces = from_rich_text(caption)
    if kind == "image" and all(isinstance(piece, Text) and piece.style == PLAIN for piece in pieces):
        words = write_text(pieces, LINE)
        if "<br />" not in words:
            return f"![{words}]({write_destination(url)})"
    return f"<{kind}{write_attributes({'source': url})}>{write_text(pieces, LINE)}</{kind}>"
