"""Writes trees of blocks as enhanced Markdown: one block per line, children indented by tabs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from notion_embedded.markdown.blocks import MAX_DEPTH, Rendered, Tree
from notion_embedded.markdown.inline_writer import escape, write_text
from notion_embedded.markdown.pieces import RichText, from_rich_text
from notion_embedded.markdown.tables import write_table
from notion_embedded.markdown.tags import page_url, write_attributes, write_block_attributes, write_colour

_LINE_START = re.compile(r"(#{1,6}|[-+])(?=[ \t]|$)|(?=[-:]{3})|-(?=[ \t-]*-[ \t-]*-[ \t-]*$)")
_NUMBER_START = re.compile(r"(\d{1,9})(?=[.)](?:[ \t]|$))")
_MEDIA = frozenset({"audio", "video", "file", "pdf"})


def render(trees: Sequence[Tree]) -> Rendered:
    """Return the enhanced Markdown of some blocks.

    A block that Markdown has no form for stands there as `<unknown>`, and its id is listed.
    """
    writer = _Writer()
    writer.write(trees, 0)
    return Rendered("\n".join(writer.lines), writer.unknown)


def rich_text_markdown(rich_text: Iterable[RichText]) -> str:
    """Return the Markdown of one block's rich text, on one line."""
    return write_text(from_rich_text(rich_text))


class _Writer:
    """Collects lines, and the blocks that could not be written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.unknown: list[str] = []

    def write(self, trees: Sequence[Tree], depth: int) -> None:
        number = 0
        for block in trees:
            number = number + 1 if block["type"] == "numbered_list_item" else 0
            if depth > MAX_DEPTH:
                self._unknown(block, depth)
            else:
                self._block(block, depth, number)

    def _add(self, depth: int, *lines: str) -> None:
        prefix = "\t" * depth
        self.lines.extend(prefix + line if line else line for line in lines)

    def _block(self, block: Tree, depth: int, number: int) -> None:
        kind: str = block["type"]
        payload: dict[str, Any] = block.get(kind) or {}
        children: list[Tree] = block.get("children") or []
        match kind:
            case "toggle":
                summary = f"<summary>{rich_text_markdown(payload['rich_text'])}</summary>"
                self._inside("details", {"color": _colour(payload)}, [summary], children, depth)
            case "callout":
                self._callout(payload, children, depth)
            case "column_list":
                self._inside("columns", {}, [], children, depth)
            case "column":
                ratio = payload.get("width_ratio")
                written = {"ratio": f"{ratio * 100:g}"} if ratio else {}
                self._inside("column", written, [], children, depth)
            case "synced_block":
                self._synced(block, payload, children, depth)
            case "table":
                self._add(depth, *write_table(block, rich_text_markdown))
            case "code":
                self._add(depth, *write_code(payload))
            case "equation":
                self._add(depth, "$$", *payload["expression"].split("\n"), "$$")
            case _:
                line = _text_line(kind, payload, number, toggle=bool(children)) or _single_line(
                    block, kind, payload
                )
                if line is None:
                    self._unknown(block, depth)
                    return
                self._add(depth, line)
                self.write(children, depth + 1)

    def _inside(
        self,
        name: str,
        attributes: Mapping[str, str | None],
        head: Sequence[str],
        children: Sequence[Tree],
        depth: int,
    ) -> None:
        self._add(depth, f"<{name}{write_attributes(attributes)}>", *head)
        self.write(children, depth + 1)
        self._add(depth, f"</{name}>")

    def _callout(self, payload: dict[str, Any], children: Sequence[Tree], depth: int) -> None:
        icon = (payload.get("icon") or {}).get("emoji")
        first = [{"type": "paragraph", "paragraph": {"rich_text": payload["rich_text"]}, "children": []}]
        silent = not payload["rich_text"] and (not children or children[0]["type"] != "paragraph")
        content = [*([] if silent else first), *children]
        self._inside("callout", {"icon": icon, "color": _colour(payload)}, [], content, depth)

    def _synced(self, block: Tree, payload: dict[str, Any], children: Sequence[Tree], depth: int) -> None:
        original = (payload.get("synced_from") or {}).get("block_id")
        name = "synced_block_reference" if original else "synced_block"
        identity = original or block.get("id")
        self._inside(name, {"url": page_url(identity) if identity else None}, [], children, depth)

    def _unknown(self, block: Tree, depth: int) -> None:
        kind = block["type"]
        if kind == "unsupported":
            kind = (block["unsupported"] or {}).get("block_type") or kind
        identity = block.get("id")
        url = page_url(identity) if identity else None
        self._add(depth, f"<unknown{write_attributes({'url': url, 'alt': kind})}/>")
        if identity:
            self.unknown.append(identity)


def _colour(payload: dict[str, Any]) -> str | None:
    return write_colour(payload.get("color") or "default")


def _text_line(kind: str, payload: dict[str, Any], number: int, *, toggle: bool) -> str | None:
    """Return the line of a block whose text follows a marker, or `None` for other blocks."""
    toggle = kind.startswith("heading_") and (toggle or bool(payload.get("is_toggleable")))
    attributes = write_block_attributes(colour=payload.get("color") or "default", toggle=toggle)
    text = rich_text_markdown(payload.get("rich_text") or [])
    match kind:
        case "paragraph":
            return (_plain_start(text) or "<empty-block/>") + attributes
        case "heading_1" | "heading_2" | "heading_3" | "heading_4":
            marker = "#" * int(kind[-1])
        case "bulleted_list_item":
            marker, text = "-", f"\\{text}" if re.fullmatch(r"-[ \t-]*", text) else text
        case "numbered_list_item":
            marker = f"{number or 1}."
        case "to_do":
            marker = "- [x]" if payload.get("checked") else "- [ ]"
        case "quote":
            marker = ">"
        case _:
            return None
    return f"{marker} {text}".rstrip(" ") + attributes


def _plain_start(text: str) -> str:
    """Return a text that does not begin like a heading, a list, a line or a fence."""
    if _LINE_START.match(text):
        return f"\\{text}"
    return _NUMBER_START.sub(r"\1\\", text, count=1) if _NUMBER_START.match(text) else text


def _single_line(block: Tree, kind: str, payload: dict[str, Any]) -> str | None:
    identity = block.get("id")
    if kind in {"child_page", "child_database"}:
        name = kind.removeprefix("child_")
        url = page_url(identity) if identity else None
        return f"<{name}{write_attributes({'url': url})}>{escape(payload.get('title') or '')}</{name}>"
    if kind == "divider":
        return "---"
    if kind == "table_of_contents":
        return f"<table_of_contents{write_attributes({'color': _colour(payload)})}/>"
    if kind == "link_to_page":
        target = payload.get(payload.get("type", "")) or ""
        linked = {"page_id": "page", "database_id": "database"}.get(payload.get("type", ""))
        return f"<mention-{linked}{write_attributes({'url': page_url(target)})}/>" if linked else None
    url = (
        (payload.get(payload.get("type", "")) or {}).get("url") if kind == "image" or kind in _MEDIA else None
    )
    if url is None:
        return None
    caption = rich_text_markdown(payload.get("caption") or [])
    if kind == "image":
        return f"![{caption}]({re.sub(r'[()]', _percent, url)})"
    return f"<{kind}{write_attributes({'src': url})}>{caption}</{kind}>"


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match.group()):02X}"


def write_code(payload: dict[str, Any]) -> Iterable[str]:
    """Return the lines of a block of code, between fences that its text does not contain."""
    content = "".join(
        item.get("plain_text") or item["text"]["content"] for item in payload.get("rich_text") or []
    )
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    fence = "`" * max(longest + 1, 3)
    yield f"{fence}{payload.get('language') or 'plain text'}"
    if content:
        yield from content.split("\n")
    yield fence
