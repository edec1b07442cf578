"""Property values as the templates show them: chips, links, dates, words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from notion_embedded.model.columns import Column, Columns
from notion_embedded.store import Node
from notion_embedded.viewer.prose import NOTHING, colour_class, outside_link, prose
from notion_embedded.viewer.visit import Visit


@dataclass(frozen=True, slots=True)
class Chip:
    """A small coloured word: an option, a person, a related page."""

    name: str
    colour: str = ""
    href: str | None = None


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

    href: str
    title: str
    emoji: str | None
    cells: list[Cell]
    edited: int


@dataclass(frozen=True, slots=True)
class Lane:
    """A column of the board: one status and the rows that have it."""

    chip: Chip
    lines: list[Line]


def emoji(node: Node) -> str | None:
    """Return the emoji that a page or database has for an icon, if it has one."""
    return (node.body.get("icon") or {}).get("emoji")


def cells(row: Node, columns: Columns, visit: Visit) -> list[Cell]:
    """Return the values of a row, its title left out."""
    return [_cell(row, column, visit) for column in columns if column.type != "title"]


def line(row: Node, columns: Columns, visit: Visit) -> Line:
    """Return a row of a table or a card of a board."""
    return Line(
        href=visit.href(row.id),
        title=row.title or visit.say("untitled"),
        emoji=emoji(row),
        cells=cells(row, columns, visit),
        edited=row.edited_time,
    )


def status_column(columns: Columns) -> Column | None:
    """Return the column that a board is made of, if there is one."""
    return next((column for column in columns if column.type == "status"), None)


def board(rows: Sequence[Node], columns: Columns, visit: Visit) -> list[Lane]:
    """Return the rows by status, in the order of the options; what has none comes first."""
    status = status_column(columns)
    if status is None:
        return []
    lanes: dict[str | None, Lane] = {None: Lane(Chip(visit.say("no_status")), [])}
    for option in status.config.get("options", ()):
        lanes[option["id"]] = Lane(Chip(option["name"], colour_class(f"{option['color']}_background")), [])
    for row in rows:
        value = row.body["values"].get(status.id)
        lanes.get(value, lanes[None]).lines.append(line(row, columns, visit))
    return [lane for key, lane in lanes.items() if key is not None or lane.lines]


def _cell(row: Node, column: Column, visit: Visit) -> Cell:
    value = row.body["values"].get(column.id)
    text, chips = Markup(), list[Chip]()
    match column.type:
        case "select" | "status" | "multi_select":
            chips = _options(column, value)
        case "people" | "created_by" | "last_edited_by":
            ids = {"created_by": [row.created_by], "last_edited_by": [row.edited_by]}.get(
                column.type, value or []
            )
            chips = [Chip(visit.user(user_id)) for user_id in ids]
        case "relation":
            chips = [
                Chip(visit.title(page), href=visit.href(page)) for page in value or () if page in visit.titles
            ]
        case "created_time" | "last_edited_time":
            moment = row.created_time if column.type == "created_time" else row.edited_time
            text = Markup("{}").format(f"{visit.moment(moment):%Y-%m-%d %H:%M}")
        case _:
            text = _words(column, value, visit)
    return Cell(kind=column.type, name=column.name, text=text, chips=chips)


def _options(column: Column, value: Any) -> list[Chip]:
    chosen = value if isinstance(value, list) else [] if value is None else [value]
    found = (column.option(option) for option in chosen)
    return [Chip(option["name"], colour_class(f"{option['color']}_background")) for option in found if option]


def _words(column: Column, value: Any, visit: Visit) -> Markup:
    kind = column.type
    if kind in {"formula", "rollup"}:
        return Markup('<span class="quiet">{}</span>').format(visit.say("not_available"))
    if kind == "checkbox":
        return Markup("{}").format(visit.say("yes" if value else "no"))
    if value is None or value == []:
        return Markup()
    match kind:
        case "rich_text":
            return prose(value, visit)
        case "date":
            return Markup("{}").format(
                " → ".join(_day(value[edge]) for edge in ("start", "end") if value[edge])
            )
        case "url":
            return outside_link(value, value)
        case "files":
            return Markup(", ").join(outside_link(_file_url(file), file.get("name") or "?") for file in value)
        case "number":
            return Markup("{}").format(f"{value:g}" if isinstance(value, float) else value)
        case "unique_id":
            prefix = column.config.get("prefix")
            return Markup("{}").format(f"{prefix}-{value}" if prefix else value)
        case "place":
            return Markup("{}").format(value["name"] or value["address"] or f"{value['lat']}, {value['lon']}")
        case "verification":
            return Markup("✓")
        case _:
            return Markup("{}").format(value)


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _file_url(file: dict[str, Any]) -> str:
    return str((file.get(file.get("type", "")) or {}).get("url", ""))
