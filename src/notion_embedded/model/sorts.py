"""The order of a query's rows, and the place in it that a cursor remembers.

A place is the sort key of the first row of the next page. Paging goes on from the key and not
from a count, so that rows that come, go or move in between neither repeat others nor hide them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any, cast

from notion_embedded.model.checks import UNDEFINED, Json, an_array, an_object, failed_all, one_of, only_keys
from notion_embedded.model.columns import Column, Columns, find_column
from notion_embedded.model.dates import moment_of
from notion_embedded.model.errors import invalid
from notion_embedded.model.filters import TIMESTAMPS, Timestamp, moment_in
from notion_embedded.model.values import Desk, Row, as_words, is_empty, related

Key = list[Any]


@dataclass(frozen=True, slots=True)
class Sort:
    """By which column or timestamp, and whether the greatest comes first."""

    subject: Column | Timestamp
    descending: bool


Sorts = tuple[Sort, ...]


def read_sorts(value: Any, path: str, columns: Columns) -> Sorts:
    """The sorts of a request, the first one first."""
    sorts: list[Sort] = []
    for at, item in enumerate(an_array(value, path)):
        where = f"{path}[{at}]"
        body = an_object(item, where)
        direction = one_of(
            body.get("direction", UNDEFINED), f"{where}.direction", ("ascending", "descending")
        )
        if "timestamp" in body:
            only_keys(body, where, ("timestamp", "direction"))
            name = one_of(body["timestamp"], f"{where}.timestamp", TIMESTAMPS)
            sorts.append(Sort(cast("Timestamp", name), direction == "descending"))
        elif isinstance(body.get("property"), str):
            only_keys(body, where, ("property", "direction"))
            column = find_column(columns, body["property"])
            if column is None:
                raise invalid(f"Could not find sort property with name or id: {body['property']}")
            sorts.append(Sort(column, direction == "descending"))
        else:
            raise failed_all([(f"{where}.{key}", "defined", UNDEFINED) for key in ("property", "timestamp")])
    return tuple(sorts)


def newest_first(sorts: Sorts) -> bool:
    """Whether equal rows stand with the newest first: as the first sort goes, and so without any."""
    return sorts[0].descending if sorts else True


def sort_key(row: Row, sorts: Sorts, desk: Desk) -> Key:
    """The row's place in the order, as JSON."""
    return [*(_part(sort.subject, row, desk) for sort in sorts), row.seq]


def order(keys: Iterable[Key], sorts: Sorts) -> list[Key]:
    """The keys of rows in the order that the sorts ask for; the last part of each is the row's `seq`."""

    def place(one: Key, two: Key) -> int:
        return compare(one, two, sorts)

    return sorted(keys, key=cmp_to_key(place))


def compare(one: Key, two: Key, sorts: Sorts) -> int:
    """Below zero where `one` stands before `two`. Empty values stand last in either direction."""
    for sort, left, right in zip(sorts, one, two, strict=False):
        if left == right:
            continue
        if left is None or right is None:
            return 1 if left is None else -1
        before = left < right
        return 1 if before == sort.descending else -1
    older: int = one[-1] - two[-1]
    return -older if newest_first(sorts) else older


def _part(subject: Column | Timestamp, row: Row, desk: Desk) -> Any:
    if isinstance(subject, str):
        return moment_in(row, subject)
    if subject.type in TIMESTAMPS:
        return moment_in(row, subject.type)
    if subject.type in ("created_by", "last_edited_by"):
        return _name(row.created_by if subject.type == "created_by" else row.last_edited_by, desk)
    if subject.type in ("formula", "rollup"):
        return _outcome_part(desk.computed(subject, row))
    value = related(subject, row, desk) if subject.type == "relation" else row.value(subject.id)
    if subject.type == "checkbox":
        return bool(value)
    return None if is_empty(subject, value) else _stored_part(subject, value, desk)


def _outcome_part(outcome: Json) -> Any:
    """What of a formula or rollup can be put in order; lists and what is unsupported count as empty."""
    match outcome:
        case {"type": "number", "number": value} | {"type": "boolean", "boolean": value}:
            return value
        case {"type": "string", "string": str() as words} if words:
            return words.casefold()
        case {"type": "date", "date": {"start": start}}:
            return moment_of(start)
        case _:
            return None


def _stored_part(column: Column, value: Any, desk: Desk) -> Any:
    match column.type:
        case "number" | "unique_id":
            return value
        case "date":
            return moment_of(value["start"])
        case "select" | "status":
            return _place(column, value)
        case "multi_select":
            return [_place(column, option) for option in value]
        case "people":
            return [_name(user_id, desk) for user_id in value]
        case "relation":
            return [desk.page_title(page_id) or "" for page_id in value]
        case "files":
            return value[0]["name"] or ""
        case "place":
            return (value["name"] or value["address"] or "").casefold()
        case "verification":
            return value["state"]
        case _:
            return as_words(column, value).casefold()


def _place(column: Column, option_id: str) -> int:
    ids = [option["id"] for option in column.config["options"]]
    return ids.index(option_id) if option_id in ids else len(ids)


def _name(user_id: str, desk: Desk) -> str:
    user = desk.user(user_id)
    return ((user or {}).get("name") or "").casefold()
