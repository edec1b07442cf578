"""Reads one block's text: CommonMark's inline marks, GitHub's, and the tags of enhanced Markdown.

Rich text is flat, so marks are switches and not a tree: a mark that is never closed is text, and two that
overlap need no repair. Bold and italic follow CommonMark, except that Chinese, Japanese and Korean
characters and their punctuation count as letters, so that `**重要：**请看` is bold.
"""

import re
import string
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from notion_embedded.markdown.dates import read_date
from notion_embedded.markdown.events import Event, TagPairs, flatten
from notion_embedded.markdown.neighbours import flanking, is_formula, is_punctuation, joins
from notion_embedded.markdown.pieces import (
    Equation,
    Mention,
    Piece,
    Style,
    Text,
    canonical,
    link_bare_urls,
    link_target,
)
from notion_embedded.markdown.tags import ATTRIBUTES, find_id, read_attributes

_ORDINARY = re.compile(r"[^\\`$<\[\]!*_~]+")
_PLAIN = re.compile(r"[^\\`$<\[\]*_~]+")
_TICKS = re.compile("`+")
_DOLLAR = re.compile(r"(?:[^\\$\n]|\\.)*\$")
_TAG = re.compile(rf"<(/?)(span|strong|em|del|ins|strike|b|i|s|u)({ATTRIBUTES})>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_AUTOLINK = re.compile(r"<((?:https?|mailto|tel):[^\s<>]+)>", re.IGNORECASE)
_MENTION = re.compile(
    rf"<mention-(user|page|database|data-source|agent|date)({ATTRIBUTES})(?:/>|>((?:[^<\\\n]|\\.)*)</mention-\1>)"
)
_DESTINATION = re.compile(
    r"\(\s*(?:<((?:[^<>\\\n]|\\.)*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_CITATION = re.compile(r"\[\^(\w+://[^\s\]]+)\]")
_STRIKE = 2
_PAIR = 2
_RULE_OF_THREE = 3


@dataclass(slots=True)
class _Delimiters(Event):
    """A run of `*`, `_` or `~~` that may open or close emphasis."""

    character: str = ""
    length: int = 0
    left: int = 0
    opens: bool = False
    closes: bool = False


def read_text(source: str) -> list[Piece]:
    """Return the canonical pieces of one block's text."""
    if _PLAIN.fullmatch(source) and "://" not in source:
        # Most texts hold no mark at all.
        content = source.strip(" \t")
        return [Text(content)] if content else []
    return link_bare_urls(canonical(_Scanner(source).read()))


def unescape(source: str) -> str:
    """Return a text without the backslashes that keep punctuation from being syntax."""
    return re.sub(rf"\\([{re.escape(string.punctuation)}])", r"\1", source)


class _Scanner:
    """Walks once over the text and leaves a list of events, then turns them into pieces."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._events: list[Event] = []
        self._delimiters: list[_Delimiters] = []
        self._brackets: list[tuple[int, bool]] = []
        self._tags = TagPairs(self._events)
        self._ticks: dict[int, list[int]] = defaultdict(list)
        for match in _TICKS.finditer(source):
            self._ticks[len(match.group())].append(match.start())

    def read(self) -> list[Piece]:
        while self._at < len(self._source):
            self._step()
        _pair(self._delimiters)
        for run in self._delimiters:
            run.text = run.character * run.left
        return flatten(self._events)

    def _step(self) -> None:
        if match := _ORDINARY.match(self._source, self._at):
            self._literal(match.group())
            return
        character = self._source[self._at]
        match character:
            case "\\":
                self._escape()
            case "`":
                self._code()
            case "$":
                self._equation()
            case "<":
                self._tag()
            case "[":
                self._open_bracket("[")
            case "!" if self._source.startswith("![", self._at):
                self._open_bracket("![")
            case "]":
                self._close_bracket()
            case "*" | "_" | "~":
                self._delimiter(character)
            case _:
                self._literal(character)

    def _add(self, event: Event, width: int) -> None:
        self._events.append(event)
        self._at += width

    def _literal(self, text: str) -> None:
        self._add(Event(text=text), len(text))

    def _escape(self) -> None:
        following = self._source[self._at + 1 : self._at + 2]
        if following and following in string.punctuation:
            self._add(Event(text=following), 2)
        else:
            self._literal("\\")

    def _code_span(self, start: int) -> tuple[str, int] | None:
        run = _TICKS.match(self._source, start)
        if run is None:
            return None
        length = len(run.group())
        places = self._ticks.get(length, [])
        index = bisect_right(places, start + length - 1)
        if index == len(places):
            return None
        content = self._source[start + length : places[index]]
        if content.startswith(" ") and content.endswith(" ") and content.strip(" "):
            content = content[1:-1]
        return content, places[index] + length

    def _code(self) -> None:
        span = self._code_span(self._at)
        if span is None:
            run = _TICKS.match(self._source, self._at)
            self._literal(run.group() if run else "`")
        else:
            self._add(Event(text=span[0], code=True), span[1] - self._at)

    def _equation(self) -> None:
        span = self._code_span(self._at + 1)
        if span and self._source.startswith("$", span[1]):
            self._add(Event(piece=Equation(span[0])), span[1] + 1 - self._at)
            return
        end = self._find_dollar(self._at + 1)
        expression = self._source[self._at + 1 : end]
        before, after = self._source[self._at - 1 : self._at], self._source[end + 1 : end + 2]
        if end < 0 or not is_formula(expression) or joins(before) or joins(after):
            self._literal("$")
        else:
            self._add(Event(piece=Equation(expression)), end + 1 - self._at)

    def _find_dollar(self, start: int) -> int:
        match = _DOLLAR.match(self._source, start)
        return match.end() - 1 if match else -1

    def _tag(self) -> None:
        if match := _BREAK.match(self._source, self._at):
            self._add(Event(text="\n"), len(match.group()))
        elif match := _MENTION.match(self._source, self._at):
            self._add(_mention(*match.groups()), len(match.group()))
        elif match := _AUTOLINK.match(self._source, self._at):
            url = match.group(1)
            self._add(Event(piece=Text(url, Style(href=link_target(url)))), len(match.group()))
        elif match := _TAG.match(self._source, self._at):
            self._switch(match)
        else:
            self._literal("<")

    def _switch(self, match: re.Match[str]) -> None:
        closing, name = match.group(1), match.group(2).lower()
        self._add(Event(text=match.group()), len(match.group()))
        self._tags.switch(name, closing=bool(closing), attributes=match.group(3))

    def _open_bracket(self, bracket: str) -> None:
        if match := _CITATION.match(self._source, self._at):
            url = match.group(1)
            self._add(Event(piece=Text(url, Style(href=link_target(url)))), len(match.group()))
            return
        self._brackets.append((len(self._events), True))
        self._literal(bracket)

    def _close_bracket(self) -> None:
        opened = self._brackets.pop() if self._brackets else None
        match = _DESTINATION.match(self._source, self._at + 1)
        if opened is None or match is None or not opened[1]:
            self._literal("]")
            return
        url = _clean(unescape(match.group(1) if match.group(1) is not None else match.group(2)))
        href, opening = link_target(url), self._events[opened[0]]
        empty = opened[0] == len(self._events) - 1
        self._brackets = [(index, False) for index, _ in self._brackets]
        opening.text = ""
        if empty and href:
            opening.piece = Text(url, Style(href=href))
        elif href:
            opening.begins = [("href", href)]
        self._add(Event(ends=["href"] if href and not empty else []), 1 + len(match.group()))

    def _delimiter(self, character: str) -> None:
        start, end = self._at, self._at
        while end < len(self._source) and self._source[end] == character:
            end += 1
        length = end - start
        if character == "~" and length != _STRIKE:
            self._literal(character * length)
            return
        before, after = self._source[start - 1 : start] or " ", self._source[end : end + 1] or " "
        opens, closes = flanking(before, after)
        if character == "_":
            opens, closes = (
                opens and (not closes or is_punctuation(before)),
                closes and (not opens or is_punctuation(after)),
            )
        run = _Delimiters(character=character, length=length, left=length, opens=opens, closes=closes)
        self._delimiters.append(run)
        self._add(run, length)


def _clean(url: str) -> str:
    return "".join(f"%{ord(character):02X}" if character in " \t\n" else character for character in url)


def _mention(kind: str, source: str, inner: str | None) -> Event:
    attributes = read_attributes(source)
    name = unescape(inner or "").strip()
    identity = find_id(attributes.get("url", ""))
    if kind == "date" and (date := read_date(attributes)):
        return Event(piece=Mention({"type": "date", "date": date}, _date_name(date)))
    if kind in {"user", "agent"} and identity:
        return Event(piece=Mention({"type": "user", "user": {"object": "user", "id": identity}}, name))
    if kind in {"page", "database"} and identity:
        return Event(piece=Mention({"type": kind, kind: {"id": identity}}, name))
    return Event(piece=Text(name))


def _date_name(date: dict[str, Any]) -> str:
    return " → ".join(part for part in (date["start"], date["end"]) if part)


def _pair(runs: list[_Delimiters]) -> None:
    """Match closing runs with opening ones by CommonMark's rules.

    `bottoms` remembers how far down a search has failed, which keeps hostile input linear.
    """
    waiting: list[_Delimiters] = []
    bottoms: dict[tuple[str, bool, int], int] = {}
    for run in runs:
        key = (run.character, run.opens, run.length % _RULE_OF_THREE)
        while run.closes and run.left:
            index = _opener(waiting, run, bottoms.get(key, 0))
            if index is None:
                bottoms[key] = len(waiting)
                break
            opener = waiting[index]
            del waiting[index + 1 :]
            for other, height in bottoms.items():
                bottoms[other] = min(height, len(waiting))
            width = _PAIR if min(opener.left, run.left) >= _PAIR else 1
            mark = "strikethrough" if run.character == "~" else ("italic", "bold")[width - 1]
            opener.begins.append((mark, True))
            run.ends.append(mark)
            opener.left -= width
            run.left -= width
            if not opener.left:
                waiting.pop()
        if run.opens and run.left:
            waiting.append(run)


def _opener(waiting: list[_Delimiters], run: _Delimiters, bottom: int) -> int | None:
    for index in range(len(waiting) - 1, bottom - 1, -1):
        opener = waiting[index]
        if opener.character != run.character:
            continue
        either = opener.closes or run.opens
        three = (opener.length + run.length) % _RULE_OF_THREE == 0
        if either and three and (opener.length % _RULE_OF_THREE or run.length % _RULE_OF_THREE):
            continue
        return index
    return None
