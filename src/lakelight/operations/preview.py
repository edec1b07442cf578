"""An operation as a person is shown it before he decides: what, where, before and after. Pure.

A preview is a value that goes into a row as JSON, so that every surface shows the same. It never
fails: what is not understood is shown as it would be sent. Characters that do not show are written out.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from lakelight.notion.errors import BadReference
from lakelight.notion.links import page_url
from lakelight.operations.inverse import undo_prospect
from lakelight.operations.kinds import Kind
from lakelight.operations.lines import Line, as_json, block_lines, block_text, value_text
from lakelight.operations.operation import Operation
from lakelight.operations.surroundings import Json, Surroundings, title_of
from lakelight.operations.visible import hidden, visible

_NOT_OUTWARD = ("notion.so", "notion.com")
_HOST = re.compile(
    r"\b[a-z][a-z0-9+.-]*://(?:[^\s/?#\\\"'<>@]*@)*([\w.-]+)|\bmailto:[^\s@<>]+@([\w.-]+)", re.IGNORECASE
)
_PAGES = frozenset({"child_page", "child_database"})
_SHOWN_ELSEWHERE = frozenset({"properties", "children", "markdown"})
_TRASH = frozenset({"in_trash"})
_SAID_BY_KIND = {
    Kind.PAGE_CREATE: frozenset({"parent"}),
    Kind.PAGE_ARCHIVE: _TRASH,
    Kind.PAGE_RESTORE: _TRASH,
    Kind.BLOCK_DELETE: _TRASH,
    Kind.BLOCK_RESTORE: _TRASH,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One property, before and after, as plain text."""

    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would be changed."""

    kind: str
    target: str
    title: str
    place: str
    """The title of what it stands in; empty when that is not known."""
    url: str
    rows: tuple[Row, ...] = ()
    added: tuple[Line, ...] = ()
    """The blocks that would be added, with all below them."""
    deleted: tuple[Line, ...] = ()
    """What would go to the trash: the thing itself, and below it the pages in it by name."""
    undo: str = "possible"
    """`possible`, or why not: the key `preview.undo.<why>`."""
    notes: tuple[str, ...] = ()
    """Keys of sentences, `preview.note.<what>`, whose facts are `hosts` and the counts."""
    hosts: tuple[str, ...] = ()
    """The hosts outside Notion that links of the payload lead to."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """`properties`, `added`, `deleted`, `content` (blocks that go along) and `hidden` characters."""

    def dump(self) -> dict[str, Any]:
        """The preview as JSON."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found

    @classmethod
    def load(cls, dumped: Mapping[str, Any]) -> Self:
        """The preview that `dump` gave."""
        return cls(
            **{
                **dumped,
                "rows": tuple(Row(**row) for row in dumped["rows"]),
                "added": tuple(Line(**line) for line in dumped["added"]),
                "deleted": tuple(Line(**line) for line in dumped["deleted"]),
                "notes": tuple(dumped["notes"]),
                "hosts": tuple(dumped["hosts"]),
            }
        )


def preview(operation: Operation, around: Surroundings, title: str = "") -> Preview:
    """What a person is shown of `operation`.

    Args:
        title: What it is called, where the page that was read does not say it, as for a new page.
    """
    texts = [title]
    try:
        body = operation.request.content
        texts += _strings(body)
        rows, added, deleted = _rows(operation, body, around), _added(body), _deleted(operation, around)
        undo = undo_prospect(operation, around.target) or "possible"
    # A body that cannot be read, or is nested deeper than can be followed, is shown as it stands.
    except (ValueError, RecursionError):
        body, deleted, undo = {}, [], "kind"
        rows, added = [], [Line(type="?", text=operation.request.body)]
        texts = [title, operation.request.body]
    shown = Preview(
        kind=operation.kind.value,
        target=operation.target,
        title=visible(title or title_of(around.target)),
        place=visible(around.place),
        url=_url(operation, around.target),
        rows=tuple(
            Row(column=visible(row.column), before=visible(row.before), after=visible(row.after))
            for row in rows
        ),
        added=tuple(_shown(line) for line in added),
        deleted=tuple(_shown(line) for line in deleted),
        undo=undo,
        hosts=_hosts(texts),
        counts={
            "properties": len(rows),
            "added": len(added),
            "deleted": len(deleted),
            "content": _content(operation, around),
            "hidden": sum(map(hidden, texts)),
        },
    )
    return _noted(shown, around)


def _noted(shown: Preview, around: Surroundings) -> Preview:
    unchanged = bool(shown.rows) and not shown.added and not shown.deleted
    notes = {
        "preview.note.gone": around.target is None,
        "preview.note.in_trash": bool(around.target and around.target.get("in_trash")),
        "preview.note.unchanged": unchanged and all(row.before == row.after for row in shown.rows),
        "preview.note.hidden": bool(shown.counts["hidden"]),
        "preview.note.links": bool(shown.hosts),
    }
    return replace(shown, notes=tuple(key for key, holds in notes.items() if holds))


def _rows(operation: Operation, body: Mapping[str, Any], around: Surroundings) -> list[Row]:
    new = operation.kind is Kind.PAGE_CREATE
    before = around.target.get("properties") if around.target and not new else None
    known = before if isinstance(before, Mapping) else {}
    properties = body.get("properties")
    rows = [
        Row(column=name, before=value_text(known[name]) if name in known else "", after=value_text(value))
        for name, value in (properties.items() if isinstance(properties, Mapping) else ())
    ]
    if properties is not None and not isinstance(properties, Mapping):
        rows.append(Row(column="properties", before="", after=as_json(properties)))
    rest = body.keys() - _SHOWN_ELSEWHERE - _SAID_BY_KIND.get(operation.kind, frozenset())
    return [*rows, *(_meta(key, body[key], around.target) for key in sorted(rest))]


def _meta(key: str, value: object, target: Json | None) -> Row:
    known = target.get(key) if target else None
    return Row(column=key, before="" if known is None else as_json(known), after=as_json(value))


def _added(body: Mapping[str, Any]) -> list[Line]:
    children = body.get("children")
    blocks = children if isinstance(children, list) else [] if children is None else [children]
    markdown = body.get("markdown")
    written = [] if markdown is None else [markdown if isinstance(markdown, str) else as_json(markdown)]
    return [*block_lines(blocks), *(Line(type="markdown", text=text) for text in written)]


def _deleted(operation: Operation, around: Surroundings) -> list[Line]:
    match operation.kind:
        case Kind.PAGE_ARCHIVE:
            inside = [child for child in around.children if child.get("type") in _PAGES]
            return [Line(type="page", text=title_of(around.target)), *block_lines(inside, depth=1)]
        case Kind.BLOCK_DELETE:
            block = around.target
            kind = str(block.get("type") or "block") if block else "block"
            return [Line(type=kind, text=block_text(block) if block else operation.target)]
        case _:
            return []


def _content(operation: Operation, around: Surroundings) -> int:
    """The blocks that go to the trash with a page, its own pages aside."""
    if operation.kind is not Kind.PAGE_ARCHIVE:
        return 0
    return sum(child.get("type") not in _PAGES for child in around.children)


def _url(operation: Operation, target: Json | None) -> str:
    found = target.get("url") if target else None
    if isinstance(found, str) and found:
        return found
    try:
        return page_url(operation.target)
    except BadReference:
        return ""


def _shown(line: Line) -> Line:
    return Line(type=visible(line.type), text=visible(line.text), depth=line.depth)


def _hosts(texts: Iterable[str]) -> tuple[str, ...]:
    found = {host.rstrip(".").lower() for text in texts for pair in _HOST.findall(text) for host in pair}
    return tuple(sorted(host for host in found if host and not _is_notion(host)))


def _is_notion(host: str) -> bool:
    return any(host == own or host.endswith(f".{own}") for own in _NOT_OUTWARD)


def _strings(value: object) -> list[str]:
    """Every text in a body, keys included."""
    texts: list[str] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                texts.append(text)
            case dict() as inner:
                waiting.extend([*inner.keys(), *inner.values()])
            case list() as items:
                waiting.extend(items)
            case _:
                continue
    return texts
