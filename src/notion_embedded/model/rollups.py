"""Rollups: what a function makes of one column of the related rows.

The values come as `Cell`s, read beforehand; nothing here knows columns or rows.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from notion_embedded.model.dates import moment_of

Json = dict[str, Any]

_COUNTS = ("count", "count_values", "empty", "not_empty", "unique", "checked", "unchecked")
_SHARES = ("percent_empty", "percent_not_empty", "percent_checked", "percent_unchecked")
_AMOUNTS = ("sum", "average", "median", "min", "max", "range")
_DATES = ("earliest_date", "latest_date", "date_range")
_LISTS = ("show_original", "show_unique")
_GROUPS = ("count_per_group", "percent_per_group")

FUNCTIONS = (*_COUNTS, *_SHARES, *_AMOUNTS, *_DATES, *_LISTS, *_GROUPS)

LISTED = ("show_original", "show_unique", "unique", "median", *_GROUPS)
"""Those that are read value by value: of all of these but the first, no list ever tells the outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One related row's value in the column that is rolled up."""

    parts: tuple[Hashable, ...]
    """What it holds: nothing if it is empty, several where a value is a list."""
    shown: Json
    """The value as responses show it, without its column's id."""
    number: float | None = None
    checked: bool | None = None
    """Whether it is a checkbox that is ticked; nothing for every other type."""
    date: Json | None = None


def kind_of(function: str) -> str:
    """The type of the result: `number`, `date`, `array` or `unsupported`."""
    if function in _DATES:
        return "date"
    if function in _LISTS:
        return "array"
    return "unsupported" if function in _GROUPS else "number"


def roll_up(function: str, cells: Sequence[Cell]) -> Json:
    """The outcome, as responses show it."""
    kind = kind_of(function)
    match kind:
        case "date":
            outcome: Any = _dates(function, [cell.date for cell in cells if cell.date is not None])
        case "array":
            outcome = [cell.shown for cell in (cells if function == "show_original" else _different(cells))]
        case "unsupported":
            outcome = {}
        case _:
            outcome = _counted(function, cells)
    return {"type": kind, kind: outcome, "function": function}


def _different(cells: Sequence[Cell]) -> list[Cell]:
    seen: dict[tuple[Hashable, ...], Cell] = {}
    for cell in cells:
        if cell.parts:
            seen.setdefault(cell.parts, cell)
    return list(seen.values())


def _counted(function: str, cells: Sequence[Cell]) -> float | int | None:
    try:
        return _number(function, cells)
    except OverflowError:
        return None


def _number(function: str, cells: Sequence[Cell]) -> float | int | None:
    if function in _AMOUNTS:
        return _amount(function, [cell.number for cell in cells if cell.number is not None])
    if function in _SHARES:
        counted = _count(function.removeprefix("percent_"), cells)
        return counted / len(cells) if cells else None
    return _count(function, cells)


def _count(function: str, cells: Sequence[Cell]) -> int:
    match function:
        case "count":
            return len(cells)
        case "count_values":
            return sum(len(cell.parts) for cell in cells)
        case "empty":
            return sum(not cell.parts for cell in cells)
        case "not_empty":
            return sum(bool(cell.parts) for cell in cells)
        case "unique":
            return len({part for cell in cells for part in cell.parts})
        case "checked":
            return sum(cell.checked is True for cell in cells)
        case _:
            return sum(cell.checked is False for cell in cells)


def _amount(function: str, numbers: Sequence[float]) -> float | int | None:
    if function == "sum":
        return _tidy(sum(numbers))
    if not numbers:
        return None
    match function:
        case "average":
            return _tidy(sum(numbers) / len(numbers))
        case "median":
            return _tidy(median(numbers))
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case _:
            return _tidy(max(numbers) - min(numbers))


def _tidy(number: float) -> float | int | None:
    if isinstance(number, int):
        return number
    if number in (float("inf"), float("-inf")) or number != number:  # noqa: PLR0124  it is not a number
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _dates(function: str, dates: Sequence[Json]) -> Json | None:
    if not dates:
        return None
    first = min((date["start"] for date in dates), key=moment_of)
    last = max((date["end"] or date["start"] for date in dates), key=moment_of)
    match function:
        case "earliest_date":
            return {"start": first, "end": None, "time_zone": None}
        case "latest_date":
            return {"start": last, "end": None, "time_zone": None}
        case _:
            return {"start": first, "end": last, "time_zone": None}
