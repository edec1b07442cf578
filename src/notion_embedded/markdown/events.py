"""A text as a row of events, between either dialect's inline syntax and its pieces.

Rich text is flat, so marks are switches: an event says which begin and which end at its place.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from notion_embedded.markdown.pieces import PLAIN, Equation, Mention, Piece, Style, Text
from notion_embedded.markdown.tags import read_attributes, read_colour

TAG_MARKS = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
    "s": "strikethrough", "del": "strikethrough", "strike": "strikethrough",
}  # fmt: skip
"""The mark that each inline tag stands for."""


@dataclass(slots=True)
class Event:
    """A place in the text: what ends here, what stands here, what begins here."""

    text: str = ""
    piece: Piece | None = None
    code: bool = False
    ends: list[str] = field(default_factory=list)
    begins: list[tuple[str, Any]] = field(default_factory=list)
    attributes: str = ""
    """Of an opening tag, while its closing one has not come."""


def flatten(events: list[Event]) -> list[Piece]:
    """Return the pieces that the events make, each with the marks that are on at its place."""
    active: dict[str, list[Any]] = defaultdict(list)
    pieces: list[Piece] = []
    for event in events:
        for mark in event.ends:
            active[mark].pop()
        marks = {mark: values[-1] for mark, values in active.items() if values}
        style = Style(code=event.code, **marks) if event.code or marks else PLAIN
        match event.piece:
            case None:
                pieces.append(Text(event.text, style))
            case Text(content=content, style=own):
                pieces.append(Text(content, Style(**{**_fields(style), "href": own.href or style.href})))
            case Equation(expression=expression):
                pieces.append(Equation(expression, Style(**{**_fields(style), "href": None})))
            case Mention(target=target, name=name):
                pieces.append(Mention(target, name, Style(**{**_fields(style), "href": None})))
        for mark, value in event.begins:
            active[mark].append(value)
    return pieces


def _fields(style: Style) -> dict[str, Any]:
    return {name: getattr(style, name) for name in Style.__slots__}


def span_marks(attributes: dict[str, str]) -> list[tuple[str, Any]]:
    """Return the marks of a `<span>`, by its attributes."""
    marks: list[tuple[str, Any]] = []
    if attributes.get("underline") == "true":
        marks.append(("underline", True))
    if colour := read_colour(attributes.get("color", "")):
        marks.append(("color", colour))
    return marks


class TagPairs:
    """Pairs opening inline tags with closing ones; what finds no other half stays text."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events
        self._open: dict[str, list[int]] = defaultdict(list)

    def switch(self, name: str, *, closing: bool, attributes: str) -> None:
        """Take note that the event added last is a tag."""
        if not closing:
            self._open[name].append(len(self._events) - 1)
            self._events[-1].attributes = attributes
        elif self._open[name]:
            opening = self._events[self._open[name].pop()]
            marks = (
                span_marks(read_attributes(opening.attributes))
                if name == "span"
                else [(TAG_MARKS[name], True)]
            )
            opening.text, opening.begins = "", marks
            self._events[-1].text, self._events[-1].ends = "", [mark for mark, _ in marks]
