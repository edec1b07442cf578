"""Reads Markdown into trees of blocks, line by line.

Enhanced Markdown has one block per line, tabs for children and tags for what Markdown lacks; ordinary
CommonMark and GFM are read by the same rules, with spaces allowed for nested lists. Nothing is ever
refused: a line that is no syntax is a paragraph, so no text is lost.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from notion_embedded.markdown.assembly import child_blocks, contain, media_blocks, named_blocks
from notion_embedded.markdown.blocks import MAX_DEPTH, Read, Tree, equation_blocks, text_blocks, tree
from notion_embedded.markdown.inline_reader import read_text, unescape
from notion_embedded.markdown.languages import find_language
from notion_embedded.markdown.pieces import RichText, Text, to_rich_text
from notion_embedded.markdown.tables import is_pipe_table, read_pipe_table, read_table, table_end
from notion_embedded.markdown.tags import (
    ATTRIBUTES,
    read_attributes,
    read_colour,
    take_block_attributes,
)

_TAB = 4
_LIST_STEP = 2
_CONTAINERS = ("details", "callout", "columns", "column", "synced_block_reference", "synced_block")
_NAMES = "|".join(_CONTAINERS)
_OPENING = re.compile(rf"<({_NAMES})({ATTRIBUTES})>")
_CLOSING = re.compile(rf"</({_NAMES})\s*>")
_INNER_CLOSING = re.compile(rf"\\.|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|</(?P<name>{_NAMES})\s*>")
_SUMMARY = re.compile(r"<summary\s*>(.*?)</summary\s*>", re.DOTALL)
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*))?$")
_TASK = re.compile(r"[-*+][ \t]+\[([ xX])\](?:[ \t]+(.*))?$")
_BULLET = re.compile(r"[-*+](?:[ \t]+(.*))?$")
_NUMBERED = re.compile(r"\d{1,9}[.)](?:[ \t]+(.*))?$")
_QUOTE = re.compile(r">[ \t]?(.*)$")
_DIVIDER = re.compile(r"([-*_])(?:\1{2,}|(?:[ \t]+\1){2,})$")
_IMAGE = re.compile(
    r"!\[((?:[^\[\]\\]|\\.)*)\]\(((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)(?:\s+\"[^\"]*\")?\)$"
)
_MEDIA = re.compile(rf"<(audio|video|file|pdf)({ATTRIBUTES})(?:/>|>(.*)</\1\s*>)$")
_REFERENCE = re.compile(rf"<(page|database)({ATTRIBUTES})(?:/>|>(.*)</\1\s*>)$")
_SINGLE = re.compile(rf"<(table_of_contents|unknown)({ATTRIBUTES})/?>$")
_EMPTY = re.compile(r"<empty-block\s*/>$")
_TABLE = re.compile(rf"<table({ATTRIBUTES})>")
_EQUATION = re.compile(r"\$\$([^$]+)\$\$$")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line: its text without the white space around it, and where it stands."""

    text: str
    column: int
    indent: str
    raw: str
    number: int

    @property
    def tabbed(self) -> bool:
        return "\t" in self.indent


def parse(markdown: str) -> list[Tree]:
    """Return the blocks that a text in enhanced Markdown, or in ordinary Markdown, stands for.

    Child pages, databases and unknown blocks bear the id from their URL; all other blocks have none.
    """
    return read(markdown).trees


def read(markdown: str) -> Read:
    """Return the same, and where each block ends."""
    reader = Reader(markdown)
    trees = reader.read_all()
    return Read(trees, reader.ends)


def read_runs(source: str) -> list[RichText]:
    """Return the rich text of one block's Markdown."""
    return to_rich_text(read_text(source))


class Reader:
    """Holds the lines that are still to be read, the next one last."""

    def __init__(self, markdown: str) -> None:
        source = re.sub(r"\r\n?", "\n", markdown.removeprefix("\ufeff")).split("\n")
        self._lines = [_line(raw, number) for number, raw in enumerate(source)]
        self._last_closing: dict[str, int] = {}
        for line in self._lines:
            for name in re.findall(r"</([a-z_]+)\s*>", line.text):
                self._last_closing[name] = line.number
        self._end = len(source)
        self._lines.reverse()
        self.ends: list[int] = []

    def read_all(self) -> list[Tree]:
        """Return all blocks and note where each top-level one ends."""
        trees: list[Tree] = []
        while self._peek() is not None:
            blocks = self._block((), 0)
            trees.extend(blocks)
            at = self._lines[-1].number if self._lines else self._end
            self.ends.extend([at] * len(blocks))
        return trees

    def _peek(self) -> _Line | None:
        while self._lines and not self._lines[-1].text:
            self._lines.pop()
        return self._lines[-1] if self._lines else None

    def _push(self, text: str, line: _Line) -> None:
        if text := text.strip(" \t"):
            self._lines.append(replace(line, text=text, raw=line.indent + text))

    def _closed_later(self, name: str, line: _Line) -> bool:
        return self._last_closing.get(name, -1) >= line.number

    def _blocks(self, floor: int, closers: tuple[str, ...], depth: int) -> list[Tree]:
        blocks: list[Tree] = []
        while (line := self._peek()) is not None and line.column >= floor:
            closing = _CLOSING.match(line.text)
            if closing and closing.group(1) in closers:
                break
            blocks.extend(self._block(closers, depth))
        return blocks

    def _block(self, closers: tuple[str, ...], depth: int) -> list[Tree]:
        line = self._split_closing(self._lines.pop(), closers)
        for read in (self._fence, self._equation, self._table, self._single):
            if (blocks := read(line)) is not None:
                return blocks
        opening = _OPENING.match(line.text)
        if opening and depth < MAX_DEPTH:
            return self._container(opening, line, closers, depth)
        if is_pipe_table(line.text, self._lines[-1].text if self._lines else ""):
            return [self._pipe_table(line)]
        return self._text(line, closers, depth)

    def _split_closing(self, line: _Line, closers: tuple[str, ...]) -> _Line:
        for match in _INNER_CLOSING.finditer(line.text, 1) if closers else ():
            if match.group("name") in closers:
                self._push(line.text[match.start() :], line)
                return replace(line, text=line.text[: match.start()].rstrip(" \t"))
        return line

    def _children(self, line: _Line, closers: tuple[str, ...], depth: int, step: int) -> list[Tree]:
        following = self._peek()
        if following is None or depth >= MAX_DEPTH or following.column < line.column + step:
            return []
        if step == _TAB and not following.tabbed:
            return []
        return self._blocks(line.column + step, closers, depth + 1)

    def _text(self, line: _Line, closers: tuple[str, ...], depth: int) -> list[Tree]:
        text, attributes = take_block_attributes(line.text)
        payload: dict[str, object] = {"color": read_colour(attributes.get("color", "")) or "default"}
        step, kind = _LIST_STEP, "paragraph"
        if _EMPTY.match(text):
            step, text = _TAB, ""
        elif match := _HEADING.match(text):
            kind, text = f"heading_{min(len(match.group(1)), 4)}", match.group(2) or ""
            toggle = attributes.get("toggle") == "true"
            payload["is_toggleable"] = toggle
            step = _TAB if toggle else 0
        elif match := _TASK.match(text):
            kind, text = "to_do", match.group(2) or ""
            payload["checked"] = match.group(1) != " "
        elif match := _BULLET.match(text):
            kind, text = "bulleted_list_item", match.group(1) or ""
        elif match := _NUMBERED.match(text):
            kind, text = "numbered_list_item", match.group(1) or ""
        else:
            step = _TAB
            if match := _QUOTE.match(text):
                kind, text = "quote", match.group(1)
        children = self._children(line, closers, depth, step) if step else []
        return text_blocks(kind, read_runs(text), payload, children)

    def _fence(self, line: _Line) -> list[Tree] | None:
        match = _FENCE.match(line.text)
        if match is None:
            return None
        fence = match.group(1) or match.group(3)
        language = find_language(match.group(2) if match.group(1) else match.group(4))
        closing = re.compile(rf"{re.escape(fence[0])}{{{len(fence)},}}$")
        content = "\n".join(self._literal_lines(line, closing.match))
        runs = to_rich_text([Text(content)] if content else [])
        return text_blocks("code", runs, {"caption": [], "language": language})

    def _literal_lines(self, opening: _Line, closes: Callable[[str], object]) -> list[str]:
        lines: list[str] = []
        while self._lines:
            line = self._lines.pop()
            if closes(line.text):
                break
            if line.raw.startswith(opening.indent):
                lines.append(line.raw[len(opening.indent) :])
            else:
                lines.append(line.raw.lstrip(" \t"))
        return lines

    def _equation(self, line: _Line) -> list[Tree] | None:
        if match := _EQUATION.match(line.text):
            return equation_blocks(match.group(1).strip())
        if line.text != "$$" or not any(later.text == "$$" for later in self._lines):
            return None
        expression = "\n".join(self._literal_lines(line, "$$".__eq__)).strip()
        return equation_blocks(expression)

    def _table(self, line: _Line) -> list[Tree] | None:
        opening = _TABLE.match(line.text)
        if opening is None or not self._closed_later("table", line):
            return None
        source = line.text[opening.end() :]
        while (end := table_end(source)) is None and self._lines:
            source += "\n" + self._lines.pop().text
        if end is not None:
            self._push(source[end:], line)
        return [read_table(source[: end or len(source)], read_attributes(opening.group(1)), read_runs)]

    def _pipe_table(self, line: _Line) -> Tree:
        rows = [line.text]
        self._lines.pop()
        while self._lines and "|" in self._lines[-1].text:
            rows.append(self._lines.pop().text)
        return read_pipe_table(rows, read_runs)

    def _single(self, line: _Line) -> list[Tree] | None:
        if _DIVIDER.match(line.text):
            return [tree("divider", {})]
        text, more = take_block_attributes(line.text)
        colour = more.get("color", "")
        if match := _IMAGE.match(text):
            return media_blocks("image", unescape(match.group(2)), read_runs(match.group(1)))
        if match := _MEDIA.match(text):
            return media_blocks(
                match.group(1),
                read_attributes(match.group(2)).get("src", ""),
                read_runs(match.group(3) or ""),
            )
        if match := _REFERENCE.match(text):
            return child_blocks(
                match.group(1), read_attributes(match.group(2)), unescape((match.group(3) or "").strip())
            )
        if match := _SINGLE.match(text):
            attributes = {"color": colour, **read_attributes(match.group(2))}
            return named_blocks(match.group(1), attributes)
        return None

    def _container(
        self, opening: re.Match[str], line: _Line, closers: tuple[str, ...], depth: int
    ) -> list[Tree]:
        name, attributes = opening.group(1), read_attributes(opening.group(2))
        self._push(line.text[opening.end() :], line)
        title = self._summary() if name == "details" else ""
        children = self._contents(name, line, closers, depth)
        following = self._peek()
        if following and (closing := _CLOSING.match(following.text)) and closing.group(1) == name:
            self._lines.pop()
            self._push(following.text[closing.end() :], line)
        return contain(name, attributes, read_runs(title), children)

    def _contents(self, name: str, line: _Line, closers: tuple[str, ...], depth: int) -> list[Tree]:
        following = self._peek()
        if following is None:
            return []
        if following.column > line.column:
            return self._blocks(line.column + 1, (*closers, name), depth + 1)
        if self._closed_later(name, line):
            return self._blocks(line.column, (*closers, name), depth + 1)
        return []

    def _summary(self) -> str:
        line = self._peek()
        if line is None or not line.text.startswith("<summary") or not self._closed_later("summary", line):
            return ""
        source = self._lines.pop().text
        while (match := _SUMMARY.match(source)) is None and self._lines:
            source += "\n" + self._lines.pop().text
        if match is None:
            self._push(source, line)
            return ""
        self._push(source[match.end() :], line)
        return "<br>".join(part.strip() for part in match.group(1).strip().split("\n"))


def _line(raw: str, number: int) -> _Line:
    text = raw.strip(" \t")
    indent = raw[: len(raw) - len(raw.lstrip(" \t"))]
    return _Line(text, len(indent.expandtabs(_TAB)), indent, raw, number)
