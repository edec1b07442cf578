"""Computed columns: what a formula or a rollup makes of a row.

A rollup reads at most the pages that a page shows of a relation. It does not read another rollup, nor a
formula that reads one, so that no value can depend on itself.
"""

from collections.abc import Hashable
from typing import Any

from notion_embedded.model.checks import Json
from notion_embedded.model.columns import Column, Columns, find_column, rolled_up
from notion_embedded.model.dates import stamp
from notion_embedded.model.formulas import (
    Formula,
    Kind,
    Source,
    UnsupportedFormula,
    Value,
    When,
    read_formula,
    when_of,
    work_out,
)
from notion_embedded.model.rich_text import plain_text
from notion_embedded.model.rollups import Cell, kind_of, roll_up
from notion_embedded.model.values import (
    SHOWN_RELATIONS,
    Desk,
    Row,
    as_words,
    is_empty,
    related,
    shown_user,
    typed_value,
)

MAX_REFERENCES = 12
UNSUPPORTED: Json = {"type": "unsupported", "unsupported": {}}

_TEXTS = ("title", "rich_text", "url", "email", "phone_number", "select", "status")
_LISTS = ("multi_select", "people", "relation", "files")
_TIMES = ("created_time", "last_edited_time")
_USERS = ("created_by", "last_edited_by")
_KINDS: dict[str, Kind] = {
    **dict.fromkeys((*_TEXTS, "unique_id"), "string"),
    **dict.fromkeys((*_LISTS, *_USERS), "list"),
    **dict.fromkeys((*_TIMES, "date"), "date"),
    "number": "number",
    "checkbox": "boolean",
}


def formula_in(column: Column, columns: Columns) -> Formula | None:
    """The column's formula; nothing if it is outside the subset or reads itself."""
    return _Reading(columns).formula(column)


class _Reading:
    """The formulas of some columns, each read once, however often others mention it."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._read: dict[str, Formula | None] = {}
        self._above: list[str] = []

    def formula(self, column: Column) -> Formula | None:
        """The column's formula, if it has one of the subset."""
        if column.id in self._above or len(self._above) > MAX_REFERENCES:
            return None
        if column.id not in self._read:
            self._above.append(column.id)
            try:
                self._read[column.id] = read_formula(column.config["expression"], self._named)
            except UnsupportedFormula:
                self._read[column.id] = None
            self._above.pop()
        return self._read[column.id]

    def _named(self, name: str) -> Source | None:
        column = find_column(self._columns, name, decode=False)
        if column is None:
            return None
        if column.type == "formula":
            formula = self.formula(column)
            return None if formula is None else Source(formula.kind, formula.depth, formula.rolls_up)
        if column.type == "rollup":
            kind = kind_of(column.config["function"])
            if kind == "number":
                return Source("number", depth=1, rolls_up=True)
            return Source("date", depth=1, rolls_up=True) if kind == "date" else None
        known = _KINDS.get(column.type)
        return None if known is None else Source(known)


def compute(column: Column, row: Row, formula: Formula | None, desk: Desk) -> Json:
    """The outcome for a row, as responses show it; `formula` is that of a formula column."""
    if column.type == "rollup":
        cells = rolled_cells(column, row, desk)
        function: str = column.config["function"]
        return {**UNSUPPORTED, "function": function} if cells is None else roll_up(function, cells)
    return UNSUPPORTED if formula is None else _formula_outcome(formula, row, desk)


class Outcomes:
    """What formulas and rollups come to, each formula read once and each row worked out once."""

    def __init__(self) -> None:
        self._formulas: dict[tuple[str, str], Formula | None] = {}
        self._known: dict[tuple[str, str], Json] = {}

    def of(self, column: Column, row: Row, desk: Desk) -> Json:
        """The outcome of this column for a row, as responses show it."""
        key = (row.id, column.id)
        if key not in self._known:
            self._known[key] = compute(column, row, self._formula(column, row, desk), desk)
        return self._known[key]

    def forget(self) -> None:
        """Some row has changed: work everything out anew."""
        self._known.clear()

    def forget_formulas(self) -> None:
        """Some column has changed: read the formulas anew as well."""
        self._formulas.clear()
        self.forget()

    def _formula(self, column: Column, row: Row, desk: Desk) -> Formula | None:
        if column.type != "formula":
            return None
        key = (row.data_source, column.id)
        if key not in self._formulas:
            self._formulas[key] = formula_in(column, desk.columns(row.data_source))
        return self._formulas[key]


def rolled_cells(
    column: Column, row: Row, desk: Desk, *, at_most: int | None = SHOWN_RELATIONS
) -> list[Cell] | None:
    """What the related rows hold in the column that a rollup reads; nothing if it cannot be read."""
    relation, target = rolled_up(column, desk.columns(row.data_source), desk.columns)
    if (
        relation is None
        or target is None
        or not rollable(target, desk.columns(relation.config["data_source_id"]))
    ):
        return None
    pages = related(relation, row, desk)
    return [_cell(target, there, desk) for there in desk.rows(pages[:at_most])]


def rollable(target: Column, columns: Columns) -> bool:
    """Whether a rollup may read this column."""
    if target.type == "formula":
        formula = formula_in(target, columns)
        return formula is not None and not formula.rolls_up
    return target.type != "rollup"


def _formula_outcome(formula: Formula, row: Row, desk: Desk) -> Json:
    columns = desk.columns(row.data_source)

    def held(name: str) -> Value:
        column = find_column(columns, name, decode=False)
        return None if column is None else _held(column, row, desk)

    try:
        value = work_out(formula, held, desk.now)
    except UnsupportedFormula:
        return UNSUPPORTED
    shown: Any = value.stored() if isinstance(value, When) else value
    return {"type": formula.kind, formula.kind: shown}


def _held(column: Column, row: Row, desk: Desk) -> Value:
    """What a formula reads in a column."""
    match column.type:
        case "formula" | "rollup":
            return _computed_before(column, row, desk)
        case "created_time" | "last_edited_time":
            return when_of(stamp(row.created_time if column.type == "created_time" else row.last_edited_time))
        case "number":
            number: float | int | None = row.value(column.id)
            return number
        case "checkbox":
            return bool(row.value(column.id))
        case "date":
            date = row.value(column.id)
            return None if date is None else when_of(date["start"], date["end"])
        case "unique_id":
            prefix, number = column.config.get("prefix"), row.value(column.id)
            return f"{prefix}-{number}" if prefix else str(number)
        case _:
            if _KINDS[column.type] == "list":
                return tuple(_words_held(column, row, desk))
            return as_words(column, row.value(column.id))


def _computed_before(column: Column, row: Row, desk: Desk) -> Value:
    outcome = desk.computed(column, row)
    if outcome["type"] == "unsupported":
        raise UnsupportedFormula
    value = outcome[outcome["type"]]
    if isinstance(value, dict):
        return when_of(value["start"], value["end"])
    scalar: Value = value
    return scalar


def _words_held(column: Column, row: Row, desk: Desk) -> list[str]:
    value = row.value(column.id) or ()
    match column.type:
        case "created_by" | "last_edited_by":
            by = row.created_by if column.type == "created_by" else row.last_edited_by
            return [_user_name(by, desk)]
        case "people":
            return [_user_name(user_id, desk) for user_id in value]
        case "relation":
            return [desk.page_title(page_id) or "" for page_id in related(column, row, desk)]
        case "files":
            return [str(file["name"] or "") for file in value]
        case _:
            names = (column.option(option) for option in value)
            return [option["name"] for option in names if option]


def _user_name(user_id: str, desk: Desk) -> str:
    return str(shown_user(user_id, desk).get("name") or "")


def _cell(column: Column, row: Row, desk: Desk) -> Cell:
    shown = typed_value(column, row, desk)
    value = shown[column.type]
    kind = column.type
    if kind == "formula":
        kind = {"boolean": "checkbox"}.get(value["type"], value["type"])
        value = value.get(value["type"])
        value = None if kind == "unsupported" else value
    elif kind in _TIMES:
        kind, value = "date", {"start": value, "end": None, "time_zone": None}
    return Cell(
        parts=_parts(column, row, value, desk),
        shown=shown,
        number=value if kind == "number" else None,
        checked=bool(value) if kind == "checkbox" else None,
        date=value if kind == "date" else None,
    )


def _parts(column: Column, row: Row, value: Any, desk: Desk) -> tuple[Hashable, ...]:
    match column.type:
        case "title" | "rich_text":
            words = plain_text(value)
            return (words,) if words else ()
        case "relation":
            return tuple(related(column, row, desk))
        case "multi_select":
            return tuple(option["id"] for option in value)
        case "checkbox" | "formula" | "unique_id" | "created_time" | "last_edited_time":
            return () if value is None or value == "" else (_hashable(value),)
        case "created_by" | "last_edited_by":
            return (value["id"],)
        case "button":
            return ()
    stored = row.value(column.id)
    if is_empty(column, stored):
        return ()
    return tuple(map(_hashable, stored)) if isinstance(stored, list) else (_hashable(stored),)


def _hashable(value: Any) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)
