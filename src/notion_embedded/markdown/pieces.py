"""Rich text as pieces: what `parse` and `render` both work on, between Markdown and the API's shape.

The canonical form is what makes a round trip exact: equal neighbours are one piece, bold, italic and
struck text begins and ends with something visible, and a line break is never code.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

RichText = dict[str, Any]
"""One rich text object as in the API."""

MAX_UNITS = 2000
"""How many UTF-16 units one text object, or one URL, may hold."""

MAX_EXPRESSION = 1000
"""The same for a formula."""

_WIDEST = 2
_LINK = re.compile(r"(?:https?|ftp)://[^\s]+|(?:mailto|tel|sms|notion):[^\s]+", re.IGNORECASE)
_BARE_URL = re.compile(r"(?<![A-Za-z0-9])https?://[A-Za-z0-9][!#-;=?-\[\]_a-z~]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a piece looks and where it leads; the names are the API's."""

    bold: bool = False
    italic: bool = False
    strikethrough: bool = False
    underline: bool = False
    code: bool = False
    color: str = "default"
    href: str | None = None


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Text:
    """Characters, line breaks among them."""

    content: str
    style: Style = PLAIN


@dataclass(frozen=True, slots=True)
class Equation:
    """A formula in a line of text."""

    expression: str
    style: Style = PLAIN


@dataclass(frozen=True, slots=True)
class Mention:
    """A user, a page, a database or a date, with the words that stand for it."""

    target: dict[str, Any]
    name: str
    style: Style = PLAIN


Piece = Text | Equation | Mention


def link_target(url: str) -> str | None:
    """Return a URL that Notion takes as a link, or `None`: a relative one is refused there."""
    if not _LINK.fullmatch(url) or count_units(url) > MAX_UNITS:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.netloc or parts.scheme not in {"http", "https"} else None


def count_units(text: str) -> int:
    """Return the length of a text as Notion counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def canonical(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the same text in the one form that survives a round trip."""
    settled = merge(_end_code_at_line_breaks(map(_short_enough, pieces)))
    if all(piece.style is PLAIN for piece in settled):
        return _strip(settled)
    for mark in ("bold", "italic", "strikethrough"):
        if any(getattr(piece.style, mark) for piece in settled):
            settled = merge(_loosen(settled, mark))
    return _strip(settled)


def _short_enough(piece: Piece) -> Piece:
    """A formula that is too long for one keeps its words as text."""
    if isinstance(piece, Equation) and count_units(piece.expression) > MAX_EXPRESSION:
        return Text(piece.expression, piece.style)
    return piece


def link_bare_urls(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with every web address that stands in plain text as a link."""
    linked: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, Text) or piece.style.code or piece.style.href or "://" not in piece.content:
            linked.append(piece)
            continue
        end = 0
        for match in _BARE_URL.finditer(piece.content):
            url = _without_punctuation(match.group())
            if link_target(url) is None:
                continue
            linked.append(Text(piece.content[end : match.start()], piece.style))
            linked.append(Text(url, replace(piece.style, href=url)))
            end = match.start() + len(url)
        linked.append(Text(piece.content[end:], piece.style))
    return merge(linked)


def _without_punctuation(url: str) -> str:
    while url[-1] in ".,;:!?'*_~" or (
        url[-1] in ")]" and url.count(url[-1]) > url.count("(["[url[-1] == "]"])
    ):
        url = url[:-1]
    return url


def merge(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces without empty ones, equal neighbours as one."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if isinstance(piece, Text):
            if not piece.content:
                continue
            if isinstance(last, Text) and last.style == piece.style:
                merged[-1] = Text(last.content + piece.content, piece.style)
                continue
        elif isinstance(piece, Equation) and not piece.expression:
            continue
        merged.append(piece)
    return merged


def _end_code_at_line_breaks(pieces: Iterable[Piece]) -> Iterable[Piece]:
    for piece in pieces:
        if isinstance(piece, Text) and piece.style.code:
            for part in re.split(r"(\n)", piece.content):
                yield Text(part, replace(piece.style, code=part != "\n"))
        else:
            yield piece


def _loosen(pieces: Sequence[Piece], mark: str) -> Iterable[Piece]:
    for marked, group in groupby(pieces, key=lambda piece: bool(getattr(piece.style, mark))):
        members = list(group)
        if marked and (_is_loose(members[0], 0) or _is_loose(members[-1], -1)):
            before, members = _take_space(members, mark)
            members.reverse()
            after, members = _take_space(members, mark, at_end=True)
            members = [*before, *reversed(members), *reversed(after)]
        yield from members


def _is_loose(piece: Piece, edge: int) -> bool:
    return isinstance(piece, Text) and not piece.style.code and piece.content[edge].isspace()


def _take_space(members: list[Piece], mark: str, *, at_end: bool = False) -> tuple[list[Piece], list[Piece]]:
    loose: list[Piece] = []
    for index, piece in enumerate(members):
        if not isinstance(piece, Text) or piece.style.code:
            return loose, members[index:]
        kept = piece.content.rstrip() if at_end else piece.content.lstrip()
        space = piece.content[len(kept) :] if at_end else piece.content[: len(piece.content) - len(kept)]
        loose.append(Text(space, _without(piece.style, mark)))
        if kept:
            return loose, [Text(kept, piece.style), *members[index + 1 :]]
    return loose, []


def _without(style: Style, mark: str) -> Style:
    changes: dict[str, Any] = {mark: False}
    return replace(style, **changes)


def _strip(pieces: Sequence[Piece]) -> list[Piece]:
    left = list(pieces)
    for edge, trim in ((0, str.lstrip), (-1, str.rstrip)):
        while left and isinstance(piece := left[edge], Text) and not piece.style.code:
            content = trim(piece.content, " \t")
            if content:
                left[edge] = Text(content, piece.style)
                break
            del left[edge]
    return left


def from_rich_text(rich_text: Iterable[RichText]) -> list[Piece]:
    """Return the pieces of the API's rich text; what Markdown cannot say becomes plain text."""
    return [_from_object(item) for item in rich_text]


def _from_object(item: RichText) -> Piece:
    annotations = item.get("annotations") or {}
    link = (item.get("text") or {}).get("link") or {}
    href = link.get("url") if "text" in item else None
    style = Style(
        **{
            name: bool(annotations.get(name))
            for name in ("bold", "italic", "strikethrough", "underline", "code")
        },
        color=annotations.get("color") or "default",
        href=href or None,
    )
    if "equation" in item:
        return Equation(" ".join(item["equation"].get("expression", "").split("\n")), style)
    if "mention" in item:
        return _from_mention(item, style)
    content = str((item.get("text") or {}).get("content", item.get("plain_text") or ""))
    return Text(re.sub(r"\r\n?", "\n", content), style)


def _from_mention(item: RichText, style: Style) -> Piece:
    target, name = item["mention"], re.sub(r"[\r\n]+", " ", item.get("plain_text") or "").strip()
    match target.get("type"):
        case "user" | "page" | "database" | "date":
            return Mention(target, name, replace(style, href=None, code=False))
        case "custom_emoji":
            return Text(f":{target['custom_emoji'].get('name', 'emoji')}:", style)
        case _:
            return Text(name, replace(style, href=link_target(item.get("href") or "")))


def to_rich_text(pieces: Iterable[Piece]) -> list[RichText]:
    """Return the API's rich text, in objects that each keep Notion's limit."""
    return [item for piece in pieces for item in _to_objects(piece)]


def _to_objects(piece: Piece) -> Iterable[RichText]:
    style = piece.style
    annotations = {
        "bold": style.bold,
        "italic": style.italic,
        "strikethrough": style.strikethrough,
        "underline": style.underline,
        "code": style.code,
        "color": style.color,
    }
    match piece:
        case Text(content=content):
            for part in chunks(content):
                text = {"content": part, "link": {"url": style.href} if style.href else None}
                yield _object("text", text, annotations, part, style.href)
        case Equation(expression=expression):
            yield _object("equation", {"expression": expression}, annotations, expression, None)
        case Mention(target=target, name=name):
            yield _object("mention", target, annotations, name, None)


def _object(
    kind: str, value: Any, annotations: dict[str, Any], plain_text: str, href: str | None
) -> RichText:
    return {
        "type": kind,
        kind: value,
        "annotations": dict(annotations),
        "plain_text": plain_text,
        "href": href,
    }


def chunks(content: str, limit: int = MAX_UNITS) -> list[str]:
    """Cut a text into parts of at most `limit` UTF-16 units, never inside a character."""
    if len(content) * _WIDEST <= limit or count_units(content) <= limit:
        return [content]
    parts, start, units = [], 0, 0
    for index, character in enumerate(content):
        width = 1 if character <= "\uffff" else _WIDEST
        if units + width > limit:
            parts.append(content[start:index])
            start, units = index, 0
        units += width
    return [*parts, content[start:]]
