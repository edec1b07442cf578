"""One block's text in Notion-flavored Markdown, to pieces and back."""

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from markdown_it.token import Token

from notion_embedded.markdown.dates import read_date, write_date
from notion_embedded.markdown.events import Event, TagPairs, flatten
from notion_embedded.markdown.flavored.grammar import read_inline
from notion_embedded.markdown.inline_writer import Syntax
from notion_embedded.markdown.neighbours import is_wide
from notion_embedded.markdown.pieces import (
    Equation,
    Mention,
    Piece,
    Style,
    Text,
    canonical,
    link_bare_urls,
    link_target,
    merge,
)
from notion_embedded.markdown.tags import find_id, page_url, read_attributes, write_attributes

_OPENING = {"strong_open": "bold", "em_open": "italic", "s_open": "strikethrough"}
_CLOSING = {"strong_close": "bold", "em_close": "italic", "s_close": "strikethrough"}
_DATE_NAMES = {"start-time": "startTime", "end-time": "endTime", "time-zone": "timeZone"}
_SPECIAL = r"[\\*~`$\[\]<^]|(?<![^\W_])_|_(?![^\W_])|!\Z|&(?=#?\w+;)"
_ESCAPE = re.compile(rf"{_SPECIAL}|\|")
_ESCAPE_IN_CELL = re.compile(_SPECIAL)
_ESCAPED = r"\\\g<0>"
_SYNTAX = re.compile(r"[\\`*_~$\[\]<&!\n]|://")
_EDGES = re.compile(r"[ \t]*\n[ \t]*")


def read_text(source: str, references: MutableMapping[str, Any] | None = None) -> list[Piece]:
    """Return the settled pieces of one block's text."""
    if not _SYNTAX.search(source):
        content = source.strip(" \t")
        return [Text(content)] if content else []
    return settle(link_bare_urls(merge(read_pieces(read_inline(source, references or {})))))


def read_pieces(tokens: Sequence[Token]) -> list[Piece]:
    """Return the pieces that inline tokens stand for."""
    events: list[Event] = []
    tags = TagPairs(events)
    linked: list[bool] = []
    for index, token in enumerate(tokens):
        match token.type:
            case "softbreak":
                events.append(Event(text=_soft_break(tokens, index)))
            case "inline_tag":
                events.append(Event(text=token.content))
                tags.switch(
                    token.meta["name"],
                    closing=bool(token.meta["closing"]),
                    attributes=token.meta["attributes"],
                )
            case "link_open":
                url = address(token.attrs["href"])
                linked.append(url is not None)
                events.append(Event(begins=[("href", url)] if url else []))
            case "link_close":
                events.append(Event(ends=["href"] if linked.pop() else []))
            case _:
                events.append(_event(token))
    return flatten(events)


def _event(token: Token) -> Event:
    match token.type:
        case "hardbreak" | "line_break":
            return Event(text="\n")
        case "code_inline":
            return Event(text=token.content, code=True)
        case "formula":
            return Event(piece=Equation(token.content))
        case "citation":
            return Event(piece=Text(token.content, Style(href=link_target(token.content))))
        case "mention":
            return _mention(token)
        case "image":
            return Event(piece=_image(token))
        case kind if kind in _OPENING:
            return Event(begins=[(_OPENING[kind], True)])
        case kind if kind in _CLOSING:
            return Event(ends=[_CLOSING[kind]])
        case _:
            return Event(text=token.content)


def settle(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the canonical form: as for enhanced Markdown, and no white space beside a line break."""
    current = canonical(pieces)
    if not any(isinstance(piece, Mention) or "\n" in getattr(piece, "content", "") for piece in current):
        return current
    while (again := canonical(_tighten(current))) != current:
        current = again
    return current


def _tighten(pieces: Iterable[Piece]) -> list[Piece]:
    settled = [_settled(piece) for piece in pieces]
    for index in range(1, len(settled)):
        before, after = settled[index - 1], settled[index]
        if isinstance(before, Text) and isinstance(after, Text):
            if before.content.endswith("\n") and not after.style.code:
                settled[index] = replace(after, content=after.content.lstrip(" \t"))
            if after.content.startswith("\n") and not before.style.code:
                settled[index - 1] = replace(before, content=before.content.rstrip(" \t"))
    return settled


def _settled(piece: Piece) -> Piece:
    match piece:
        case Text(content=content, style=style) if not style.code:
            return Text(_EDGES.sub("\n", content), style)
        case Mention(name=name):
            return replace(piece, name=" ".join(re.sub(r"[<>]", "", name).split()))
        case _:
            return piece


def address(url: object) -> str | None:
    """Return an address that Notion takes as a link, or `None`."""
    clean = re.sub(r"\s", lambda space: f"%{ord(space[0]):02X}", str(url))
    return link_target(clean)


def _soft_break(tokens: Sequence[Token], index: int) -> str:
    """A space between words; nothing between characters that are written without."""
    before = next((token.content for token in reversed(tokens[:index]) if token.content), "")
    after = next((token.content for token in tokens[index + 1 :] if token.content), "")
    return "" if is_wide(before[-1:]) and is_wide(after[:1]) else " "


def _image(token: Token) -> Text:
    url = str(token.attrs["src"])
    words = "".join(getattr(piece, "content", "") for piece in read_pieces(token.children or ()))
    return Text(words or url, Style(href=address(url)))


def _mention(token: Token) -> Event:
    attributes = read_attributes(token.meta["attributes"])
    label = (token.meta["label"] or "").strip()
    if token.meta["name"] == "date":
        date = read_date({_DATE_NAMES.get(name, name): value for name, value in attributes.items()})
        if date is None:
            return Event(text=token.content)
        words = " → ".join(part for part in (date["start"], date["end"]) if part)
        return Event(piece=Mention({"type": "date", "date": date}, words))
    url, kind = attributes.get("url", ""), attributes.get("type", "")
    identity = find_id(url)
    if identity is None:
        return Event(piece=Text(label, Style(href=address(url))))
    if url.startswith(("user:", "agent:")):
        return Event(piece=Mention({"type": "user", "user": {"object": "user", "id": identity}}, label))
    if kind == "data-source" or url.startswith("collection:"):
        return Event(piece=Mention({"type": "data_source", "data_source": {"id": identity}}, label))
    named = "database" if kind == "database" else "page"
    return Event(piece=Mention({"type": named, named: {"id": identity}}, label))


def _write_mention(mention: Mention) -> str:
    kind = mention.target["type"]
    value: Mapping[str, Any] = mention.target[kind] or {}
    if kind == "date":
        names = {name: dashed for dashed, name in _DATE_NAMES.items()}
        written = {names.get(name, name): part for name, part in write_date(dict(value)).items()}
        return f"<date{write_attributes(written)} />"
    identity = value.get("id", "")
    url = f"user://{identity}" if kind == "user" else page_url(identity)
    named = {"database": "database", "data_source": "data-source"}.get(kind)
    opening = f"<mention{write_attributes({'url': url, 'type': named})}"
    return f"{opening}>{mention.name}</mention>" if mention.name else f"{opening} />"


def _escape(text: str) -> str:
    return _ESCAPE.sub(_ESCAPED, text).replace("\n", "\\\n")


def _escape_on_line(text: str) -> str:
    return _ESCAPE.sub(_ESCAPED, text).replace("\n", "<br />")


def _escape_in_cell(text: str) -> str:
    return _ESCAPE_IN_CELL.sub(_ESCAPED, text).replace("\n", "<br />")


_UNDERLINE = ("<u>", "</u>")
LINES = Syntax(read=read_text, settle=settle, escape=_escape, mention=_write_mention, underline=_UNDERLINE)
"""For text that may go over several lines."""

LINE = replace(LINES, escape=_escape_on_line)
"""For text that must stay on one."""

CELL = replace(LINES, escape=_escape_in_cell)
"""For a cell of a pipe table, before its pipes are escaped."""
