"""An approval as its card shows it. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from lakelight.console.visitor import Visitor
from lakelight.guard import Approval
from lakelight.operations import Kind, Operation
from lakelight.operations.lines import Line
from lakelight.operations.preview import Preview, Row, preview
from lakelight.operations.surroundings import Surroundings
from lakelight.operations.visible import visible

ROOM = 24_000
"""Bytes of text that a card shows before it leads to a page with all of it."""
RAW_ROOM = 6_000
_WEB = ("https://", "http://")
Part = TypeVar("Part", Row, Line)

_ALL_OR_NOTHING = frozenset({Kind.PAGE_ARCHIVE, Kind.PAGE_RESTORE, Kind.BLOCK_DELETE, Kind.BLOCK_RESTORE})
_TO_TRASH = frozenset({Kind.PAGE_ARCHIVE, Kind.BLOCK_DELETE, Kind.DATABASE_ARCHIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What would be changed, as far as there was room for it."""

    rows: tuple[Row, ...]
    added: tuple[Line, ...]
    deleted: tuple[Line, ...]
    to_trash: bool
    content: int
    """Blocks that go to the trash with a page."""
    left_out: int
    """Rows and lines for which there was no room."""

    @property
    def empty(self) -> bool:
        """True when there is nothing to show."""
        return not (self.rows or self.added or self.deleted or self.left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a person needs to decide about one approval."""

    approval: Approval
    kind: str
    title: str
    place: str
    url: str
    """A link that opens what it falls on; empty where there is none."""
    notion_url: str
    why: str
    level: str
    undo: str
    undo_possible: bool
    notes: tuple[str, ...]
    change: Change
    raw: str
    """The request as it would be sent; empty where it is too long for the card."""

    @property
    def key(self) -> str:
        """`A-7`."""
        return self.approval.key

    @property
    def waits(self) -> bool:
        """True while nobody has decided."""
        return self.approval.state == "pending"

    @property
    def editable(self) -> bool:
        """True when there is more to say to it than yes or no."""
        return self.approval.operation.kind not in _ALL_OR_NOTHING


def card_of(approval: Approval, visitor: Visitor, *, whole: bool = False) -> Card:
    """The card of `approval`.

    Args:
        whole: Show everything, however long it is.
    """
    operation, say = approval.operation, visitor.say
    shown = shown_change(operation, approval.preview)
    raw = raw_request(operation)
    url = visitor.link(shown.url)
    reason = f"approval.why.{approval.reason}"
    return Card(
        approval=approval,
        kind=say(f"kind.{operation.kind.value}"),
        title=shown.title,
        place=shown.place,
        url=url if url.startswith(_WEB) else "",
        notion_url=shown.url,
        why=say(reason) if visitor.messages.has(reason) else approval.reason,
        level=say(f"console.level.{int(operation.kind.level)}"),
        undo=say(f"preview.undo.{shown.undo}"),
        undo_possible=shown.undo == "possible",
        notes=tuple(say(note, **{**shown.counts, "hosts": shown.hosts}) for note in shown.notes),
        change=change_of(operation.kind, shown, room=None if whole else ROOM),
        raw=raw if whole or len(raw.encode()) <= RAW_ROOM else "",
    )


def shown_change(operation: Operation, dumped: Mapping[str, Any]) -> Preview:
    """The preview that was made with the question; without one, what the request alone says."""
    if dumped:
        return Preview.load(dumped)
    found = preview(operation, Surroundings())
    return replace(found, notes=tuple(note for note in found.notes if note != "preview.note.gone"))


def change_of(kind: Kind, shown: Preview, *, room: int | None) -> Change:
    """What of a preview fits into `room` bytes, deletions first."""
    fit = _Room(room)
    deleted = fit.take(shown.deleted)
    rows = fit.take(shown.rows)
    added = fit.take(shown.added)
    return Change(
        rows=rows,
        added=added,
        deleted=deleted,
        to_trash=kind in _TO_TRASH,
        content=int(shown.counts.get("content", 0)),
        left_out=fit.left_out,
    )


def raw_request(operation: Operation) -> str:
    """Method, path and body, with every character that does not show written as an escape."""
    sent = operation.request
    try:
        body = as_text(sent.content)
    except (ValueError, RecursionError):
        body = visible(sent.body)
    return f"{sent.method} {visible(sent.path)}\n{body}"


def as_text(value: object) -> str:
    """JSON for people: indented, and with an escape for each character that does not show."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return "".join(
        character if character == "\n" or visible(character) == character else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1]


class _Room:
    """How many bytes are left on a card."""

    def __init__(self, size: int | None) -> None:
        self._left = size
        self.left_out = 0

    def take(self, parts: Iterable[Part]) -> tuple[Part, ...]:
        taken = []
        for part in parts:
            if self._left is None:
                taken.append(part)
                continue
            self._left -= _size(part)
            if self._left >= 0:
                taken.append(part)
            else:
                self.left_out += 1
        return tuple(taken)


def _size(part: Row | Line) -> int:
    texts = (part.column, part.before, part.after) if isinstance(part, Row) else (part.text,)
    # The markup around a line or a row is about this long.
    return 120 + sum(len(text.encode()) for text in texts)
