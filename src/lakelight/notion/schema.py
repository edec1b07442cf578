"""Columns as the data source has them, and their values: read as plain ones, written by type.

Nothing here knows what a column is called: the type, the id and the options always come
from the schema, so that a status may be a select and a title may be named anything. Pure.
"""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from lakelight.clock import iso, parse_iso
from lakelight.notion.errors import (
    BadProperty,
    BadReference,
    NotionTooLarge,
    ReadOnlyColumn,
    UnknownColumn,
    UnknownOption,
)
from lakelight.notion.links import page_id_from
from lakelight.notion.text import MAX_RUNS, rich_text

Plain = str | float | bool | list[str] | None

NOT_AVAILABLE = "not available"
"""What is read where Notion gives no value through its API; never a zero and never nothing."""

_TEXT = frozenset({"title", "rich_text"})
_YES = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a data source."""

    id: str
    name: str
    type: str
    options: tuple[str, ...] = ()
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of a status: each group's name and its options."""


def columns(data_source: Mapping[str, Any]) -> dict[str, Column]:
    """The columns of a data source, by name."""
    found = data_source.get("properties")
    schema = found if isinstance(found, Mapping) else {}
    return {name: _column(name, config) for name, config in schema.items() if isinstance(config, Mapping)}


def find(among: Mapping[str, Column], reference: str) -> Column:
    """The column with this id or name; spaces around, width and case of letters do not matter in a name.

    Raises:
        UnknownColumn: There is none.
    """
    for column in among.values():
        if reference in {column.name, column.id}:
            return column
    for column in among.values():
        if _folded(column.name) == _folded(reference):
            return column
    raise UnknownColumn(reference, list(among))


def title_column(among: Mapping[str, Column]) -> Column:
    """The one column that names a row, whatever it is called.

    Raises:
        UnknownColumn: The schema was cut short.
    """
    for column in among.values():
        if column.type == "title":
            return column
    raise UnknownColumn("title", list(among))


def status_groups(column: Column) -> dict[str, tuple[str, ...]]:
    """The options of a status column by group, in order; empty for any other."""
    return dict(column.groups)


def equals(column: Column, value: str) -> dict[str, Any]:
    """The filter for rows whose `column` is `value`, keyed by what the column is.

    Raises:
        UnknownOption: The column has no such option.
    """
    if column.type in {"select", "status"}:
        return {"property": column.id, column.type: {"equals": _option(column, value)}}
    if column.type == "multi_select":
        return {"property": column.id, column.type: {"contains": _option(column, value)}}
    return {"property": column.id, column.type: {"equals": value}}


def assign(column: Column, value: object) -> dict[str, Any]:
    """What a request sends to make `column` hold `value`; an empty text or None clears it.

    Raises:
        UnknownOption: There is no such option. It is never created on the way.
        ReadOnlyColumn: The column cannot be written.
        NotionTooLarge: More text than one value can hold.
        BadProperty: A column of this type cannot hold the value.
    """
    value = value.strip() if isinstance(value, str) and column.type not in _TEXT else value
    match column.type:
        case "title" | "rich_text":
            return {column.type: _text(column, value)}
        case "select" | "status":
            return {column.type: {"name": _option(column, value)} if value not in (None, "") else None}
        case "multi_select":
            return {column.type: [{"name": _option(column, name)} for name in _several(column, value)]}
        case "checkbox":
            return {column.type: _yes_or_no(column, value)}
        case "number":
            return {column.type: _number(column, value)}
        case "date":
            return {column.type: _date(column, value)}
        case "url" | "email" | "phone_number":
            return {column.type: _string(column, value)}
        case "people" | "relation":
            return {column.type: [{"id": _id(column, given)} for given in _several(column, value)]}
        case "files":
            links = _several(column, value)
            return {column.type: [{"name": link[:100], "external": {"url": link}} for link in links]}
        case _:
            raise ReadOnlyColumn(column.name, column.type)


def plain(value: object) -> Plain:
    """A property's value as people would say it; `NOT_AVAILABLE` where Notion does not tell it."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(kind, str) or kind not in value:
        return NOT_AVAILABLE
    return _plain(kind, value[kind])


def plain_text(items: object) -> str:
    """Rich text without its formatting, from an answer or a request."""
    runs = items if isinstance(items, list) else []
    return "".join(_run_text(run) for run in runs if isinstance(run, Mapping))


# Reading


def _column(name: str, config: Mapping[str, Any]) -> Column:
    kind = str(config.get("type") or "")
    inner = config.get(kind)
    options = [item for item in _list(inner, "options") if "name" in item]
    names = {option.get("id"): str(option["name"]) for option in options}
    groups = [
        (
            str(group.get("name")),
            tuple(names[each] for each in group.get("option_ids") or () if each in names),
        )
        for group in _list(inner, "groups")
    ]
    return Column(
        id=str(config.get("id") or name),
        name=name,
        type=kind,
        options=tuple(str(option["name"]) for option in options),
        groups=tuple(groups),
    )


def _list(holder: object, key: str) -> list[Mapping[str, Any]]:
    found = holder.get(key) if isinstance(holder, Mapping) else None
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _plain(kind: str, inner: Any) -> Plain:
    match kind:
        case "title" | "rich_text":
            return plain_text(inner)
        case "number" | "checkbox" | "url" | "email" | "phone_number" | "created_time" | "last_edited_time":
            return inner if isinstance(inner, str | int | float) else None
        case "string" | "boolean":
            return inner if isinstance(inner, str | bool) else None
        case "formula" | "rollup":
            return _computed(inner)
        case "multi_select" | "people" | "relation" | "files":
            return [_named(item) for item in inner or [] if isinstance(item, Mapping)]
        case "select" | "status" | "created_by" | "last_edited_by":
            return _named(inner) if isinstance(inner, Mapping) else None
        case "date":
            return _interval(inner) if isinstance(inner, Mapping) else None
        case "unique_id":
            return _number_of(inner) if isinstance(inner, Mapping) else None
        case "verification":
            return str(inner.get("state") or "") or None if isinstance(inner, Mapping) else None
        case "place":
            return _place(inner) if isinstance(inner, Mapping) else None
        case "button":
            return None
        case _:
            return NOT_AVAILABLE


def _computed(inner: object) -> Plain:
    kind = inner.get("type") if isinstance(inner, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(kind, str) or kind not in inner:
        return NOT_AVAILABLE
    if kind == "array":
        return [_as_text(plain(item)) for item in inner["array"] or []]
    if kind in {"string", "boolean", "number", "date"}:
        return _plain(kind, inner[kind])
    return NOT_AVAILABLE


def _as_text(value: Plain) -> str:
    match value:
        case None:
            return ""
        case list():
            return ", ".join(value)
        case _:
            return str(value)


def _named(item: Mapping[str, Any]) -> str:
    """The name, else the id: an answer about a person may hold no more."""
    return str(item.get("name") or item.get("id") or _address(item) or "")


def _address(item: Mapping[str, Any]) -> object:
    return next(
        (file.get("url") for key in ("external", "file") if isinstance(file := item.get(key), Mapping)), None
    )


def _interval(inner: Mapping[str, Any]) -> str | None:
    start, end = inner.get("start"), inner.get("end")
    return f"{start}/{end}" if start and end else (str(start) if start else None)


def _number_of(inner: Mapping[str, Any]) -> str | None:
    prefix, number = inner.get("prefix"), inner.get("number")
    if number is None:
        return None
    return f"{prefix}-{number}" if prefix else str(number)


def _place(inner: Mapping[str, Any]) -> str | None:
    return str(inner.get("name") or inner.get("address") or f"{inner.get('lat')}, {inner.get('lon')}")


def _run_text(run: Mapping[str, Any]) -> str:
    if isinstance(run.get("plain_text"), str):
        return str(run["plain_text"])
    for kind, key in (("text", "content"), ("equation", "expression")):
        if isinstance(inner := run.get(kind), Mapping):
            return str(inner.get(key, ""))
    return ""


# Writing


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _option(column: Column, value: object) -> str:
    """The option's own spelling; what differs in width or case alone is meant all the same."""
    if not isinstance(value, str):
        raise BadProperty(column.name, f"an option of {column.name!r} is a text", value=value)
    if value in column.options:
        return value
    for option in column.options:
        if _folded(option) == _folded(value):
            return option
    raise UnknownOption(column.name, value, column.options)


def _several(column: Column, value: object) -> list[str]:
    if value is None or value == "":
        return []
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not all(isinstance(item, str) for item in values):
        raise BadProperty(column.name, f"column {column.name!r} takes a list of texts", value=value)
    return list(values)


def _text(column: Column, value: object) -> list[dict[str, Any]]:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    if value is not None and not isinstance(value, str):
        raise BadProperty(column.name, f"column {column.name!r} takes a text", value=value)
    runs = rich_text(value or "")
    if len(runs) > MAX_RUNS:
        raise NotionTooLarge(column.name, MAX_RUNS, len(runs))
    return runs


def _yes_or_no(column: Column, value: object) -> bool:
    found = _YES.get(value.lower()) if isinstance(value, str) else value
    if value is None or value == "":
        return False
    if not isinstance(found, bool):
        raise BadProperty(column.name, f"column {column.name!r} takes true or false", value=value)
    return found


def _number(column: Column, value: object) -> float | int | None:
    if value is None or value == "":
        return None
    try:
        number = float(value) if isinstance(value, str) else value
        finite = isinstance(number, int | float) and math.isfinite(number)
    except (ValueError, OverflowError):
        number, finite = None, False
    if isinstance(number, bool) or not isinstance(number, int | float) or not finite:
        raise BadProperty(column.name, f"column {column.name!r} takes a number", value=value)
    return int(number) if isinstance(value, str) and number == int(number) else number


def _date(column: Column, value: object) -> dict[str, Any] | None:
    match value:
        case None | "":
            return None
        case datetime() if value.tzinfo:
            return {"start": iso(value)}
        case date() if not isinstance(value, datetime):
            return {"start": value.isoformat()}
        case str():
            start, _, end = value.partition("/")
            return {"start": _moment(column, start), **({"end": _moment(column, end)} if end else {})}
        case Mapping() if isinstance(value.get("start"), str):
            return dict(value)
        case _:
            raise BadProperty(column.name, f"column {column.name!r} takes a date", value=value)


def _moment(column: Column, text: str) -> str:
    try:
        parse_iso(text)
    except ValueError:
        raise BadProperty(column.name, f"column {column.name!r} takes an ISO 8601 date", value=text) from None
    return text


def _string(column: Column, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadProperty(column.name, f"column {column.name!r} takes a text", value=value)
    return value or None


def _id(column: Column, text: str) -> str:
    try:
        return page_id_from(text)
    except BadReference:
        raise BadProperty(column.name, f"column {column.name!r} takes ids", value=text) from None
