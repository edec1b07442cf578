"""Property values as the templates show them: chips, links, dates, words.

They are read as responses show them, so that what a rollup lists looks like the values themselves.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from notion_embedded.model.checks import Json
from notion_embedded.model.columns import Column, Columns
from notion_embedded.model.values import Row, typed_value
from notion_embedded.store import Node
from notion_embedded.store.rows import row_of
from notion_embedded.viewer.numbers import in_format
from notion_embedded.viewer.prose import NOTHING, colour_class, outside_link, prose
from notion_embedded.viewer.visit import Visit


@dataclass(frozen=True, slots=True)
class Chip:
    """A small word: an option, a person, a related page."""

    name: str
    colour: str = ""
    href: str | None = None
    emoji: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value: words, chips, or both empty."""

    kind: str
    name: str
    text: Markup = NOTHING
    chips: list[Chip] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.text and not self.chips


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row: where its page is, what it is called, and its other values in the columns' order."""

    id: str
    href: str
    title: str
    emoji: str | None
    cells: list[Cell]
    edited: int


def emoji(node: Node) -> str | None:
    """Return the emoji that a page or database has for an icon, if it has one."""
    found = (node.body.get("icon") or {}).get("emoji")
    return None if found is None else str(found)


def cells(row: Node, columns: Columns, visit: Visit) -> list[Cell]:
    """Return the values of a row, its title left out."""
    read = row_of(row)
    return [_cell(read, column, visit) for column in columns if column.type != "title"]


def line(row: Node, columns: Columns, visit: Visit) -> Line:
    """Return a row of a table or a card of a board."""
    return Line(
        id=row.id,
        href=visit.href(row.id),
        title=row.title or visit.say("untitled"),
        emoji=emoji(row),
        cells=cells(row, columns, visit),
        edited=row.edited_time,
    )


def option_chip(option: Json) -> Chip:
    """Return the chip of an option."""
    return Chip(str(option["name"]), colour_class(f"{option['color']}_background"))


def _cell(row: Row, column: Column, visit: Visit) -> Cell:
    shown = typed_value(column, row, visit.eyes)
    if column.type == "number":
        text: Markup = escape(in_format(shown["number"], column.config.get("format", "")))
        return Cell(kind="number", name=column.name, text=text)
    return Cell(
        kind=column.type, name=column.name, text=_text(shown, visit), chips=list(_chips(shown, visit))
    )


def _chips(shown: Json, visit: Visit) -> Iterable[Chip]:
    kind: str = shown["type"]
    value: Any = shown.get(kind)
    match kind:
        case "select" | "status":
            return [option_chip(value)] if value else []
        case "multi_select":
            return map(option_chip, value)
        case "people":
            return [Chip(visit.user(user["id"])) for user in value]
        case "created_by" | "last_edited_by":
            return [Chip(visit.user(value["id"]))]
        case "relation":
            return [_page_chip(page["id"], visit) for page in value]
        case "rollup" if value["type"] == "array":
            # Several rows often hold the same; once is enough to see it.
            return dict.fromkeys(chip for inner in value["array"] for chip in _chips(inner, visit))
        case _:
            return ()


def _page_chip(page_id: str, visit: Visit) -> Chip:
    page = visit.eyes.place(page_id)
    return Chip(visit.title(page_id), "page", visit.href(page_id), emoji(page) if page else None)


def _text(shown: Json, visit: Visit) -> Markup:
    kind: str = shown["type"]
    value: Any = shown.get(kind)
    if kind in {"formula", "rollup"}:
        return _outcome(value, visit)
    if kind in {"checkbox", "boolean"}:
        return tick(visit, checked=bool(value))
    if value is None or value == []:
        return NOTHING
    write = _WORDS.get(kind)
    return NOTHING if write is None else write(value, visit)


def _date(value: Json, _visit: Visit) -> Markup:
    return escape(" → ".join(_day(value[edge]) for edge in ("start", "end") if value[edge]))


def _unique(value: Json, _visit: Visit) -> Markup:
    number, prefix = value["number"], value["prefix"]
    return NOTHING if number is None else escape(f"{prefix}-{number}" if prefix else number)


def _place(value: Json, _visit: Visit) -> Markup:
    return escape(value["name"] or value["address"] or f"{value['lat']}, {value['lon']}")


def _outcome(value: Json, visit: Visit) -> Markup:
    if value["type"] == "unsupported":
        return Markup('<span class="quiet">{}</span>').format(visit.say("not_computed"))
    if value["type"] == "array":
        return Markup(", ").join(filter(None, (_text(inner, visit) for inner in value["array"])))
    if value["type"] == "number" and str(value.get("function", "")).startswith("percent"):
        return escape(in_format(value["number"], "percent"))
    return _text(value, visit)


def tick(visit: Visit, *, checked: bool) -> Markup:
    """Return a box, ticked or not."""
    return Markup('<span class="box{}" role="img" aria-label="{}"></span>').format(
        " on" if checked else "", visit.say("yes" if checked else "no")
    )


def file_link(file: Json, visit: Visit) -> Markup:
    """Return a link to a file, or its name where it is no longer there."""
    if "file_upload" in file:
        stored = visit.eyes.file(file["file_upload"]["id"])
        name = file.get("name") or (stored.name if stored else "") or visit.say("file")
        return Markup('<a href="{}">{}</a>').format(stored.path, name) if stored else escape(name)
    url = str((file.get("external") or {}).get("url", ""))
    return outside_link(url, file.get("name") or url or visit.say("file"))


def _verified(value: Json, visit: Visit) -> Markup:
    if value["state"] == "unverified":
        return NOTHING
    mark = "✓ " if value["state"] == "verified" else ""
    by = (value.get("verified_by") or {}).get("id")
    return escape(f"{mark}{visit.say(value['state'])}{f' · {visit.user(by)}' if by else ''}")


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")


_WORDS: Mapping[str, Callable[[Any, Visit], Markup]] = {
    "title": prose,
    "rich_text": prose,
    "date": _date,
    "created_time": lambda value, _: escape(_day(value)),
    "last_edited_time": lambda value, _: escape(_day(value)),
    "url": lambda value, _: outside_link(value, value.removeprefix("https://").removesuffix("/")),
    "email": lambda value, _: outside_link(f"mailto:{value}", value),
    "phone_number": lambda value, _: outside_link(f"tel:{value}", value),
    "files": lambda value, visit: Markup(", ").join(file_link(file, visit) for file in value),
    "unique_id": _unique,
    "number": lambda value, _: escape(in_format(value, "")),
    "string": lambda value, _: escape(value),
    "place": _place,
    "verification": _verified,
}
