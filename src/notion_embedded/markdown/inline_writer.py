"""Writes one block's text in either dialect.

Marks are written as delimiters (`**bold**`) first. Where reading that back would give another text, as
with `foo**(bar)**baz`, they are written as tags, which need no rules about their neighbours.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from notion_embedded.markdown.dates import write_date
from notion_embedded.markdown.inline_reader import read_text
from notion_embedded.markdown.pieces import (
    PLAIN,
    Equation,
    Mention,
    Piece,
    Style,
    Text,
    canonical,
    link_bare_urls,
)
from notion_embedded.markdown.tags import page_url, write_attributes, write_colour

_SPECIAL = re.compile(r"[\\*~`$\[\]<>{}|^]|(?<![^\W_])_|_(?![^\W_])|!\Z")
_DESTINATION_SPECIAL = re.compile(r"[\\()<>]|&(?=#?\w+;)")
_ESCAPED = r"\\\g<0>"
_DELIMITERS = {"bold": "**", "italic": "*", "strikethrough": "~~"}
_TAGS = {"bold": "b", "italic": "i", "strikethrough": "s"}
_MARKS = ("href", "color", "underline", "bold", "italic", "strikethrough")
_Mark = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """What one dialect reads and writes in a line of text."""

    read: Callable[[str], list[Piece]]
    settle: Callable[[Iterable[Piece]], list[Piece]]
    escape: Callable[[str], str]
    mention: Callable[[Mention], str]
    underline: tuple[str, str]


def write_text(pieces: Sequence[Piece], syntax: Syntax | None = None) -> str:
    """Return the Markdown of one block's text; in enhanced Markdown unless another is given."""
    syntax = syntax or _enhanced()
    settled = syntax.settle(pieces)
    light = _write(settled, syntax, strict=False)
    plain = all(isinstance(piece, Text) and piece.style == PLAIN for piece in settled)
    if plain or syntax.read(light) == syntax.settle(link_bare_urls(settled)):
        return light
    return _write(settled, syntax, strict=True)


def _enhanced() -> Syntax:
    return Syntax(
        read=read_text,
        settle=canonical,
        escape=escape,
        mention=_mention,
        underline=('<span underline="true">', "</span>"),
    )


def write_destination(url: str) -> str:
    """Return a URL as it stands between the parentheses of a link."""
    return _DESTINATION_SPECIAL.sub(_ESCAPED, url)


def escape(text: str) -> str:
    """Return a text with a backslash before all that could be read as syntax."""
    return _SPECIAL.sub(_ESCAPED, text).replace("\n", "<br>")


def _write(pieces: Sequence[Piece], syntax: Syntax, *, strict: bool) -> str:
    written: list[str] = []
    opened: list[_Mark] = []
    styles = [_marks(piece.style) for piece in pieces]
    for index, piece in enumerate(pieces):
        wanted = styles[index]
        kept = next((depth for depth, mark in enumerate(opened) if mark not in wanted), len(opened))
        written.extend(_end(mark, syntax, strict=strict) for mark in reversed(opened[kept:]))
        del opened[kept:]
        new = sorted(
            wanted - set(opened), key=lambda mark: (-_reach(styles, index, mark), _MARKS.index(mark[0]))
        )
        written.extend(_begin(mark, syntax, strict=strict) for mark in new)
        opened.extend(new)
        written.append(_content(piece, syntax, strict=strict))
    written.extend(_end(mark, syntax, strict=strict) for mark in reversed(opened))
    return "".join(written)


def _marks(style: Style) -> set[_Mark]:
    marks = {(name, "true") for name in (*_DELIMITERS, "underline") if getattr(style, name)}
    if colour := write_colour(style.color):
        marks.add(("color", colour))
    if style.href:
        marks.add(("href", style.href))
    return marks


def _reach(styles: Sequence[set[_Mark]], start: int, mark: _Mark) -> int:
    end = start
    while end < len(styles) and mark in styles[end]:
        end += 1
    return end


def _begin(mark: _Mark, syntax: Syntax, *, strict: bool) -> str:
    name, value = mark
    if name == "href":
        return "["
    if name == "underline":
        return syntax.underline[0]
    if name == "color":
        return f'<span color="{value}">'
    return f"<{_TAGS[name]}>" if strict else _DELIMITERS[name]


def _end(mark: _Mark, syntax: Syntax, *, strict: bool) -> str:
    name, value = mark
    if name == "href":
        return f"]({write_destination(value)})"
    if name == "underline":
        return syntax.underline[1]
    if name == "color":
        return "</span>"
    return f"</{_TAGS[name]}>" if strict else _DELIMITERS[name]


def _content(piece: Piece, syntax: Syntax, *, strict: bool) -> str:
    match piece:
        case Text(content=content, style=style):
            return _code(content) if style.code else syntax.escape(content)
        case Equation(expression=expression):
            quoted = strict or re.search(r"[$`]|\\$|<[/a-z]|^\s|\s$", expression)
            return f"${_code(expression)}$" if quoted else f"${expression}$"
        case Mention():
            return syntax.mention(piece)


def _code(content: str) -> str:
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    fence = "`" * (longest + 1)
    padded = content.startswith(" ") and content.endswith(" ") and content.strip(" ")
    space = " " if padded or content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{space}{content}{space}{fence}"


def _mention(mention: Mention) -> str:
    kind = mention.target["type"]
    value = mention.target[kind] or {}
    if kind == "date":
        return f"<mention-date{write_attributes(write_date(value))}/>"
    identity = value.get("id", "")
    url = f"user://{identity}" if kind == "user" else page_url(identity)
    opening = f"<mention-{kind}{write_attributes({'url': url})}"
    return f"{opening}>{escape(mention.name)}</mention-{kind}>" if mention.name else f"{opening}/>"
