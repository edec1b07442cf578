"""A query of a data source: what the indexes can find they find, the rest is asked row by row.

Conditions on times, and `equals` or `contains` on options, related pages and unique numbers, go to
the store when every row must fulfil them. When nothing else is asked and the order is by time, one
page of rows is all that is read. Everything else, formulas and rollups among it, reads the rows that
are left.
"""

import json
from dataclasses import dataclass, replace

from notion_embedded.http.call import Call, listing, page_size, start_cursor, wrong_cursor
from notion_embedded.http.desk import Desk
from notion_embedded.http.places import read_cursor, write_cursor
from notion_embedded.http.shapes import show_page, wanted_columns
from notion_embedded.model.checks import Json, a_boolean, one_of
from notion_embedded.model.columns import Column
from notion_embedded.model.filters import All, Filter, Leaf, Span, matches, read_filter
from notion_embedded.model.sorts import Key, Sort, Sorts, compare, newest_first, order, read_sorts, sort_key
from notion_embedded.store import rows
from notion_embedded.store.nodes import Node
from notion_embedded.store.rows import columns_in, row_of

MAX_RESULTS = 10_000
MAX_INTEGER = 2**62

_TIMES: dict[str, rows.Order] = {"created_time": "created", "last_edited_time": "edited"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a page of results ends: the key of the first row of the next, and how many came before."""

    key: Key
    before: int


@dataclass(frozen=True, slots=True)
class _Plan:
    wanted: rows.Wanted
    left: tuple[Filter, ...]
    """What the store does not answer."""


def query_source(desk: Desk, call: Call) -> Json:
    """The rows of a data source that fulfil a filter, sorted, a page at a time."""
    call.only(
        "filter", "sorts", "start_cursor", "page_size", "is_archived", "in_trash", "archived", "result_type"
    )
    source = desk.find(call.id("data_source_id"), "database", ("data_source",))
    columns = columns_in(source)
    fields = wanted_columns(columns, call.query.get("filter_properties", []))
    given = call.body.get("filter")
    condition = None if given is None else read_filter(given, "body.filter", columns, desk.asker)
    sorts = read_sorts(call.body.get("sorts") or [], "body.sorts", columns)
    if _nothing_wanted(call):
        return listing("page_or_data_source", [])
    archived = call.body.get("is_archived")
    plan = _plan(
        source.id, condition, archived=archived is not None and a_boolean(archived, "body.is_archived")
    )
    sorts = sorts or _natural_order(plan.wanted)
    size, place = page_size(call, in_body=True), _read_place(start_cursor(call, in_body=True), sorts)
    before = place.before if place else 0
    found = _one_page(desk, plan, sorts, place, min(size, MAX_RESULTS - before))
    pages = [show_page(page, desk, fields) for _, page in found[:size]]
    if len(found) <= size:
        return listing("page_or_data_source", pages)
    if before + size >= MAX_RESULTS:
        status = {"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
        return listing("page_or_data_source", pages, request_status=status)
    return listing("page_or_data_source", pages, write_cursor([before + size, found[size][0]]))


def _nothing_wanted(call: Call) -> bool:
    """Whether only trashed rows or data sources are asked for, of which a data source shows none."""
    kind = call.body.get("result_type")
    if kind is not None:
        one_of(kind, "body.result_type", ("page", "data_source"))
    return kind == "data_source" or call.trash() is True


def _plan(source_id: str, condition: Filter | None, *, archived: bool) -> _Plan:
    wanted = rows.Wanted(data_source=source_id, archived=archived)
    left: list[Filter] = []
    parts = condition.parts if isinstance(condition, All) else () if condition is None else (condition,)
    for part in parts:
        narrowed = _narrowed(wanted, part)
        if narrowed is None:
            left.append(part)
        else:
            wanted = narrowed
            if (
                isinstance(part, Leaf)
                and isinstance(part.subject, Column)
                and part.subject.type == "relation"
            ):
                # The index knows pages in the trash too, which a relation does not show.
                left.append(part)
    return _Plan(wanted, tuple(left))


def _narrowed(wanted: rows.Wanted, part: Filter) -> rows.Wanted | None:
    """The rows wanted when this must hold too, if the store can tell."""
    if not isinstance(part, Leaf):
        return None
    name = part.subject.type if isinstance(part.subject, Column) else part.subject
    if isinstance(part.argument, Span) and name == "created_time":
        return replace(wanted, created=_narrower(wanted.created, part.argument))
    if isinstance(part.argument, Span) and name == "last_edited_time":
        return replace(wanted, edited=_narrower(wanted.edited, part.argument))
    if isinstance(part.subject, Column):
        values = _values_held(part.subject, part)
        if values is not None:
            return replace(wanted, choices=(*wanted.choices, (part.subject.id, values)))
    return None


def _narrower(bounds: tuple[int | None, int | None], span: Span) -> tuple[int | None, int | None]:
    lows = [low for low in (bounds[0], span.low) if low is not None]
    highs = [high for high in (bounds[1], span.high) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def _values_held(column: Column, leaf: Leaf) -> tuple[str, ...] | None:
    """The indexed values of which the row must hold one, for the conditions that the index answers."""
    if (column.type, leaf.condition) in {
        ("select", "equals"),
        ("status", "equals"),
        ("multi_select", "contains"),
    }:
        return tuple(o["id"] for o in column.config["options"] if o["name"].casefold() in leaf.argument)
    if (column.type, leaf.condition) == ("relation", "contains"):
        return (leaf.argument,)
    if (column.type, leaf.condition) == ("unique_id", "equals"):
        number = leaf.argument
        return (json.dumps(int(number) if float(number).is_integer() else number),)
    return None


def _one_page(
    desk: Desk, plan: _Plan, sorts: Sorts, place: _Place | None, size: int
) -> list[tuple[Key, Node]]:
    """The rows from the place on, one more than a page, each with its key."""
    by_time = _time_order(sorts)
    if by_time is not None:
        wanted = replace(plan.wanted, order=_TIMES[by_time], newest_first=newest_first(sorts))
        if place is not None:
            wanted = replace(wanted, place=(place.key[0], place.key[-1]))
        return _in_order(desk, wanted, plan.left, by_time, size)
    keys: list[Key] = []
    for page in rows.select(desk.connection, plan.wanted):
        row = row_of(page)
        if all(matches(part, row, desk) for part in plan.left):
            key = sort_key(row, sorts, desk)
            if place is None or _follows(key, place, sorts):
                keys.append(key)
    # Only keys are kept for all rows: whole pages of them would be slow to sort and to forget.
    first = order(keys, sorts)[: size + 1]
    by_seq = rows.by_seq(desk.connection, [key[-1] for key in first])
    return [(key, by_seq[key[-1]]) for key in first]


def _follows(key: Key, place: _Place, sorts: Sorts) -> bool:
    try:
        return compare(key, place.key, sorts) >= 0
    except TypeError:
        # The key of another query: its values cannot be compared with these.
        raise wrong_cursor(write_cursor([place.before, place.key])) from None


def _in_order(
    desk: Desk, wanted: rows.Wanted, left: tuple[Filter, ...], by_time: str, size: int
) -> list[tuple[Key, Node]]:
    """The rows as the store hands them out; reading stops when a page is full."""
    found: list[tuple[Key, Node]] = []
    for page in rows.select(desk.connection, wanted, limit=-1 if left else size + 1):
        if all(matches(part, row_of(page), desk) for part in left):
            time = page.created_time if by_time == "created_time" else page.edited_time
            found.append(([time, page.seq], page))
            if len(found) > size:
                break
    return found


def _natural_order(wanted: rows.Wanted) -> Sorts:
    """The order where none is asked for: newest first, by the time asked about, so that an index has it."""
    by_edit = wanted.edited != (None, None) and wanted.created == (None, None)
    return (Sort("last_edited_time" if by_edit else "created_time", descending=True),)


def _time_order(sorts: Sorts) -> str | None:
    if len(sorts) > 1:
        return None
    subject = sorts[0].subject
    name = subject.type if isinstance(subject, Column) else subject
    return name if name in _TIMES else None


def _read_place(cursor: str | None, sorts: Sorts) -> _Place | None:
    if cursor is None:
        return None
    match read_cursor(cursor):
        case [int() as before, list() as key] if 0 <= before < MAX_RESULTS:
            place = _Place(key, before)
        case _:
            raise wrong_cursor(cursor)
    by_time = _time_order(sorts) is not None
    if len(place.key) != len(sorts) + 1 or not isinstance(place.key[-1], int):
        raise wrong_cursor(cursor)
    if by_time and not (isinstance(place.key[0], int) and max(map(abs, place.key)) < MAX_INTEGER):
        raise wrong_cursor(cursor)
    return place
