"""Reads Notion-flavored Markdown into trees of blocks. Nothing is refused: what is no syntax is text."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from markdown_it.token import Token

from notion_embedded.markdown.assembly import child_blocks, contain, media_blocks, named_blocks
from notion_embedded.markdown.blocks import MAX_DEPTH, Read, Tree, equation_blocks, text_blocks, tree
from notion_embedded.markdown.flavored.elements import Element, split_elements
from notion_embedded.markdown.flavored.grammar import read_inline, read_tokens, split_row
from notion_embedded.markdown.flavored.inline import address, read_pieces, read_text, settle
from notion_embedded.markdown.languages import PLAIN_TEXT, find_language
from notion_embedded.markdown.pieces import RichText, Text, link_bare_urls, merge, to_rich_text
from notion_embedded.markdown.tables import read_rows, read_table
from notion_embedded.markdown.tags import read_attributes, read_colour

_TASK = re.compile(r"\[([ xX])\](?:[ \t\n]+|$)")
_HEADINGS = ("h1", "h2", "h3", "h4")
_MEDIA = ("image", "pdf", "file", "audio", "video", "bookmark", "embed")
_TITLED = (*_HEADINGS, "p", "quote", "toggle", "todo", "callout", "li")
_HOLDERS = ("columns", "column", "tabs", "meeting-notes", "synced-block", "synced-block-reference")
_FORMATS = {"a": "letters", "i": "roman", "1": "numbers"}


def read(markdown: str) -> Read:
    """Return the blocks that a text in Notion-flavored Markdown stands for."""
    source = re.sub(r"\r\n?", "\n", markdown.removeprefix("\ufeff")).replace("\0", "\ufffd")
    reader = _Reader()
    try:
        return Read(*reader.read_all(source), reader.warnings)
    except RecursionError:
        # Quotes or brackets nested hundreds deep are no document; their text still is.
        trees = _as_text(source)
        return Read(trees, [source.count("\n") + 1] * len(trees), ["The text is nested too deeply."])


class _Reader:
    """Walks over the tokens of a text and keeps what is to be warned of."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def read_all(self, source: str) -> tuple[list[Tree], list[int]]:
        trees: list[Tree] = []
        ends: list[int] = []
        for group in _groups(read_tokens(source)):
            blocks = self._group(group, 0)
            trees += blocks
            ends += [(group[0].map or [0, 0])[1]] * len(blocks)
        return trees, ends

    def _source(self, source: str, depth: int) -> list[Tree]:
        return self._tokens(read_tokens(source), depth)

    def _tokens(self, tokens: Sequence[Token], depth: int) -> list[Tree]:
        return [block for group in _groups(tokens) for block in self._group(group, depth)]

    def _group(self, group: Sequence[Token], depth: int) -> list[Tree]:
        first = group[0]
        match first.type:
            case "paragraph_open":
                return self._paragraph(group[1].content, group[1].meta)
            case "heading_open":
                kind = f"heading_{min(int(first.tag[1:]), 4)}"
                runs = self._runs(group[1].content, group[1].meta)
                return text_blocks(kind, runs, {"is_toggleable": False, "color": "default"})
            case "bullet_list_open" | "ordered_list_open":
                return self._list(group, depth)
            case "blockquote_open":
                return _holding("quote", self._tokens(group[1:-1], depth + 1), {"color": "default"}, depth)
            case "fence" | "code_block":
                return self._code(first)
            case "equation":
                return equation_blocks(first.content)
            case "pipe_table":
                return [self._pipe_table(first)]
            case "element":
                return self._element(first.meta["name"], first.meta["attributes"], first.content, depth)
            case _:
                return [tree("divider", {})]

    def _runs(self, source: str, meta: Mapping[str, Any] | None = None) -> list[RichText]:
        return to_rich_text(read_text(source, (meta or {}).get("references")))

    def _paragraph(self, source: str, meta: Mapping[str, Any]) -> list[Tree]:
        tokens = read_inline(source, meta["references"]) if "![" in source else []
        if tokens and all(token.type in {"image", "softbreak", "hardbreak"} for token in tokens):
            return [block for token in tokens if token.type == "image" for block in self._image(token)]
        return text_blocks("paragraph", self._runs(source, meta), {"color": "default"})

    def _image(self, token: Token) -> list[Tree]:
        url = str(token.attrs["src"])
        caption = to_rich_text(settle(merge(read_pieces(token.children or ()))))
        return self._media("image", url, caption)

    def _media(self, kind: str, url: str, caption: list[RichText]) -> list[Tree]:
        found = address(url)
        if found is None:
            self.warnings.append(f"The {kind} {url[:100]!r} has no absolute address; its text was kept.")
        return media_blocks(kind, found or url, caption)

    def _list(self, group: Sequence[Token], depth: int) -> list[Tree]:
        kind = "bulleted_list_item" if group[0].type == "bullet_list_open" else "numbered_list_item"
        start = group[0].attrs.get("start")
        blocks: list[Tree] = []
        for item in _groups(group[1:-1]):
            more = {"list_start_index": int(start)} if start is not None and not blocks else {}
            blocks += self._item(kind, item[1:-1], more, depth)
        return blocks

    def _item(self, kind: str, tokens: Sequence[Token], more: Mapping[str, Any], depth: int) -> list[Tree]:
        task = None
        if tokens and tokens[0].type == "paragraph_open":
            task = _TASK.match(tokens[1].content)
        if task is None:
            return _holding(kind, self._tokens(tokens, depth + 1), {"color": "default", **more}, depth)
        first = self._paragraph(tokens[1].content[task.end() :], tokens[1].meta)
        inner = [*first, *self._tokens(tokens[3:], depth + 1)]
        return _holding("to_do", inner, {"checked": task[1] != " ", "color": "default"}, depth)

    def _code(self, token: Token) -> list[Tree]:
        language = find_language(token.info)
        if token.info.strip() and language == PLAIN_TEXT and token.info.strip().lower() != PLAIN_TEXT:
            self.warnings.append(f"The language {token.info.strip()[:100]!r} is not known; it is plain text.")
        content = token.content.removesuffix("\n")
        runs = to_rich_text([Text(content)] if content else [])
        return text_blocks("code", runs, {"caption": [], "language": language})

    def _pipe_table(self, token: Token) -> Tree:
        cells = [split_row(row) for row in token.meta["rows"]]
        return read_rows(cells, lambda cell: self._runs(cell, token.meta), column_header=True)

    # Tags

    def _element(self, name: str, written: str, content: str, depth: int) -> list[Tree]:
        attributes = read_attributes(written)
        if name in _TITLED:
            return self._titled(name, attributes, content, depth)
        if name in {"ul", "ol"}:
            return self._tagged_list(name, attributes, content, depth)
        if name in _MEDIA:
            return self._media(name, attributes.get("source", ""), self._runs(content.strip()))
        if name in _HOLDERS:
            return self._holder(name, attributes, content, depth)
        return self._single(name, attributes, content) or self._literal(name, written, content)

    def _holder(self, name: str, attributes: dict[str, str], content: str, depth: int) -> list[Tree]:
        match name:
            case "columns":
                return self._columns(content, depth)
            case "tabs":
                return self._tabs(content, depth)
            case "synced-block" | "synced-block-reference":
                return contain(name.replace("-", "_"), attributes, [], self._within(content, depth))
            case "meeting-notes":
                self.warnings.append("Meeting notes cannot be made here; their text was kept.")
        # A column that stands alone is what is in it.
        return self._within(content, depth)

    def _single(self, name: str, attributes: dict[str, str], content: str) -> list[Tree] | None:
        match name:
            case "equation":
                return equation_blocks(content.strip())
            case "table":
                if "color=" in content:
                    self.warnings.append("The colours of rows and cells are not kept.")
                return [read_table(f"{content}</table>", attributes, self._runs)]
            case "page" | "database":
                title = "".join(run["plain_text"] for run in self._runs(content.strip()))
                return child_blocks(name, attributes, title)
            case "table-of-contents" | "unknown":
                return named_blocks(name.replace("-", "_"), {"color": "default", **attributes})
            case _:
                return None

    def _literal(self, name: str, written: str, content: str) -> list[Tree]:
        text = f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"
        return _as_text(text)

    def _within(self, content: str, depth: int) -> list[Tree]:
        if depth >= MAX_DEPTH:
            return _as_text(content)
        return self._source(content, depth + 1)

    def _titled(self, name: str, attributes: dict[str, str], content: str, depth: int) -> list[Tree]:
        payload: dict[str, Any] = {"color": read_colour(attributes.get("color", "")) or "default"}
        inner = self._within(content, depth)
        kind = {"p": "paragraph", "li": "bulleted_list_item", "todo": "to_do"}.get(name, name)
        if name == "callout":
            return contain("callout", attributes, [], inner)
        level = attributes.get("heading", "") if name == "toggle" else name
        if level in _HEADINGS:
            kind = f"heading_{level[1]}"
            payload["is_toggleable"] = name == "toggle"
        elif name == "todo":
            payload["checked"] = attributes.get("checked") == "true"
        blocks = _holding(kind, inner, payload, depth)
        if name in _HEADINGS:
            (block, *rest) = blocks
            below, block["children"] = block["children"], []
            return [block, *below, *rest]
        return blocks

    def _columns(self, content: str, depth: int) -> list[Tree]:
        blocks: list[Tree] = []
        for part in split_elements(content, ("column",)):
            if isinstance(part, str):
                blocks += self._source(part, depth + 1)
            else:
                inner = self._within(_inside(content, part), depth)
                blocks += contain("column", read_attributes(part.attributes), [], inner)
        return contain("columns", {}, [], blocks)

    def _tagged_list(self, name: str, attributes: dict[str, str], content: str, depth: int) -> list[Tree]:
        blocks: list[Tree] = []
        for part in split_elements(content, ("li",)):
            if isinstance(part, str):
                blocks += self._source(part, depth + 1)
                continue
            items = self._titled("li", read_attributes(part.attributes), _inside(content, part), depth)
            if name == "ol":
                items = [_numbered(item) for item in items]
                _number(items[0], attributes, first=not blocks)
            blocks += items
        return blocks

    def _tabs(self, content: str, depth: int) -> list[Tree]:
        tabs: list[Tree] = []
        for part in split_elements(content, ("tab",)):
            if isinstance(part, str):
                continue
            icon = contain("callout", read_attributes(part.attributes), [], [])[0]["callout"]["icon"]
            inner = self._within(_inside(content, part), depth)
            (block, *rest) = _holding("paragraph", inner, {"icon": icon, "color": "default"}, depth)
            block["children"] += rest
            tabs.append(block)
        return [tree("tab", {}, tabs)] if tabs else []


def _as_text(text: str) -> list[Tree]:
    runs = to_rich_text(settle(link_bare_urls([Text(text)])))
    return text_blocks("paragraph", runs, {"color": "default"})


def _groups(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The tokens of each block: one alone, or all from its opening to its closing one."""
    groups: list[Sequence[Token]] = []
    start, depth = 0, 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if not depth:
            groups.append(tokens[start : index + 1])
            start = index + 1
    return groups


def _holding(kind: str, inner: list[Tree], payload: dict[str, Any], depth: int) -> list[Tree]:
    """A block whose text is the first paragraph of what is in it; too deep, the rest comes after it."""
    runs: list[RichText] = []
    if inner and _is_plain(inner[0]):
        runs, inner = inner[0]["paragraph"]["rich_text"], [*inner[0]["children"], *inner[1:]]
    return [tree(kind, {"rich_text": runs, **payload}, inner if depth < MAX_DEPTH else [])] + (
        [] if depth < MAX_DEPTH else inner
    )


def _is_plain(block: Tree) -> bool:
    paragraph: dict[str, Any] = block.get("paragraph") or {}
    return set(paragraph) == {"rich_text", "color"} and paragraph["color"] == "default"


def _inside(content: str, element: Element) -> str:
    return content[slice(*element.inner)] if element.inner else ""


def _numbered(block: Tree) -> Tree:
    if block["type"] != "bulleted_list_item":
        return block
    payload = dict(block["bulleted_list_item"])
    return tree("numbered_list_item", payload, block["children"])


def _number(block: Tree, attributes: Mapping[str, str], *, first: bool) -> None:
    payload = block.get("numbered_list_item")
    if payload is None:
        return
    if (shape := _FORMATS.get(attributes.get("type", "1"), "numbers")) != "numbers":
        payload["list_format"] = shape
    if first and re.fullmatch(r"\d{1,9}", attributes.get("start", "")) and attributes["start"] != "1":
        payload["list_start_index"] = int(attributes["start"])
