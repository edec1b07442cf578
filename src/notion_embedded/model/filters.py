"""Filters of a query: read from a request, then asked of a row.

Reading checks everything and turns every argument into what is compared, so that asking
cannot fail. A date condition of any kind becomes one span of time. A condition on a formula or a
rollup is one on its outcome; where it has none that can be compared, no row fulfils it.
"""

from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from notion_embedded.model.checks import (
    MAX_ITEMS,
    UNDEFINED,
    Json,
    a_boolean,
    a_number,
    a_string,
    a_uuid,
    an_array,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.columns import Column, Columns, find_column, rolled_up
from notion_embedded.model.computed import formula_in
from notion_embedded.model.dates import DAY, date_text, is_date_only, milliseconds, moment_of
from notion_embedded.model.errors import ApiError, guessed, invalid
from notion_embedded.model.rich_text import plain_text
from notion_embedded.model.rollups import kind_of
from notion_embedded.model.values import (
    SHOWN_RELATIONS,
    Desk,
    Row,
    is_empty,
    related,
    verification_state,
)

MAX_NESTING = 2
DECEMBER = 12

Timestamp = Literal["created_time", "last_edited_time"]
TIMESTAMPS: tuple[Timestamp, ...] = ("created_time", "last_edited_time")


@dataclass(frozen=True, slots=True)
class Span:
    """From `low` (included) to `high` (not included), in milliseconds; open where nothing is said."""

    low: int | None = None
    high: int | None = None

    def holds(self, moment: int) -> bool:
        """Whether the moment lies in it."""
        return (self.low is None or moment >= self.low) and (self.high is None or moment < self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One condition on one column or timestamp."""

    subject: Column | Timestamp
    condition: str
    argument: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One condition on what a formula or rollup comes to."""

    subject: Column
    kind: str
    """The family of the condition: `rich_text`, `number`, `checkbox` or `date`."""
    condition: str
    argument: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A condition that any, every or none of the related rows fulfils."""

    relation: Column
    which: str
    part: "Leaf | Outcome"


@dataclass(frozen=True, slots=True)
class All:
    """Holds where every part holds."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds where a part holds."""

    parts: tuple["Filter", ...]


Filter = Leaf | Outcome | Related | All | AnyOf


def _no_columns(_data_source_id: str) -> Columns:
    return ()


@dataclass(frozen=True, slots=True)
class Asker:
    """When and by whom a filter is asked: what `today` and `me` mean, and what a rollup reads."""

    now: datetime
    user_id: str
    columns_of: Callable[[str], Columns] = _no_columns


def read_filter(value: Any, path: str, columns: Columns, asker: Asker, depth: int = 0) -> Filter:
    """The filter of a request, checked against the columns it names."""
    body = an_object(value, path)
    for word, kind in (("and", All), ("or", AnyOf)):
        if word in body:
            only_keys(body, path, (word,))
            if depth >= MAX_NESTING:
                raise failed(f"{path}.{word}", "not present", body[word])
            parts = an_array(body[word], f"{path}.{word}")
            return kind(
                tuple(
                    read_filter(part, f"{path}.{word}[{at}]", columns, asker, depth + 1)
                    for at, part in enumerate(parts)
                )
            )
    if "timestamp" in body:
        return _timestamp_leaf(body, path, asker)
    if "property" in body:
        return _property_leaf(body, path, columns, asker)
    raise failed_all(
        [(f"{path}.{key}", "defined", UNDEFINED) for key in ("or", "and", "property", "timestamp")]
    )


def _timestamp_leaf(body: Json, path: str, asker: Asker) -> Leaf:
    name = one_of(body["timestamp"], f"{path}.timestamp", TIMESTAMPS)
    subject: Timestamp = "created_time" if name == "created_time" else "last_edited_time"
    only_keys(body, path, ("timestamp", "type", subject))
    inner = f"{path}.{subject}"
    condition, argument = _condition(an_object(body.get(subject, UNDEFINED), inner), inner, _DATES, asker)
    return Leaf(subject=subject, condition=condition, argument=argument)


def _property_leaf(body: Json, path: str, columns: Columns, asker: Asker) -> Leaf | Outcome | Related:
    key = a_string(body["property"], f"{path}.property")
    kinds = [name for name in body if name not in ("property", "type")]
    if len(kinds) != 1 or kinds[0] not in _FAMILIES:
        raise failed_all([(f"{path}.{kind}", "defined", UNDEFINED) for kind in _FAMILIES])
    kind = kinds[0]
    column = find_column(columns, key)
    if column is None:
        raise invalid(f"Could not find property with name or id: {key}")
    inner = f"{path}.{kind}"
    if column.type == kind == "formula":
        return _formula_leaf(column, an_object(body[kind], inner), inner, columns, asker)
    if column.type == kind == "rollup":
        return _rollup_leaf(column, an_object(body[kind], inner), inner, columns, asker)
    if not _fits(kind, column):
        raise _no_match(column, kind)
    condition, argument = _condition(an_object(body[kind], inner), inner, _FAMILIES[kind], asker)
    return Leaf(subject=column, condition=condition, argument=argument)


def _fits(kind: str, column: Column) -> bool:
    if kind == "date" and column.type in TIMESTAMPS:
        return True
    return kind == column.type or (kind in _TEXT_TYPES and column.type in _TEXT_TYPES)


def _no_match(column: Column, kind: str) -> ApiError:
    return invalid(
        "The property type in the database does not match the property type of the filter provided: "
        f"database property {column.type} does not match filter {kind}"
    )


_OUTCOMES = {"string": "rich_text", "checkbox": "checkbox", "number": "number", "date": "date"}
"""The words by which a formula filter names the type of the result, and the conditions they take."""
_FORMULA_KINDS = {"string": "string", "boolean": "checkbox", "number": "number", "date": "date"}


def _formula_leaf(column: Column, body: Json, path: str, columns: Columns, asker: Asker) -> Outcome:
    word = _only_key(body, path, tuple(_OUTCOMES))
    formula = formula_in(column, columns)
    if formula is None:
        raise invalid("Unable to filter based on a formula of unknown type")
    if _FORMULA_KINDS[formula.kind] != word:
        raise guessed(
            f"Formula property {column.name} is of type {_FORMULA_KINDS[formula.kind]} and cannot be "
            f"filtered as {word}."
        )
    return _outcome(column, _OUTCOMES[word], body[word], f"{path}.{word}", asker)


def _outcome(column: Column, kind: str, value: Any, path: str, asker: Asker) -> Outcome:
    condition, argument = _condition(an_object(value, path), path, _FAMILIES[kind], asker)
    return Outcome(subject=column, kind=kind, condition=condition, argument=argument)


_WHICH = ("any", "every", "none")


def _rollup_leaf(column: Column, body: Json, path: str, columns: Columns, asker: Asker) -> Outcome | Related:
    word = _only_key(body, path, (*_WHICH, "date", "number"))
    if word in _WHICH:
        return _related_leaf(
            column, word, an_object(body[word], f"{path}.{word}"), f"{path}.{word}", columns, asker
        )
    if kind_of(column.config["function"]) != word:
        raise guessed(
            f"Rollup property {column.name} is of type {kind_of(column.config['function'])} and cannot be "
            f"filtered as {word}."
        )
    return _outcome(column, word, body[word], f"{path}.{word}", asker)


def _related_leaf(
    column: Column, which: str, body: Json, path: str, columns: Columns, asker: Asker
) -> Related:
    kind = _only_key(body, path, _RELATED)
    relation, target = rolled_up(column, columns, asker.columns_of)
    if relation is None or target is None:
        raise guessed(f"Rollup property {column.name} reads a property that is not there.")
    inner = f"{path}.{kind}"
    part: Leaf | Outcome
    if target.type == "formula":
        formula = formula_in(target, asker.columns_of(relation.config["data_source_id"]))
        if formula is None or formula.rolls_up:
            raise invalid("Unable to filter based on a formula of unknown type")
        if _OUTCOMES[_FORMULA_KINDS[formula.kind]] != kind:
            raise _no_match(target, kind)
        part = _outcome(target, kind, body[kind], inner, asker)
    elif _fits(kind, target) or (kind == "people" and target.type in ("created_by", "last_edited_by")):
        condition, argument = _condition(an_object(body[kind], inner), inner, _FAMILIES[kind], asker)
        part = Leaf(subject=target, condition=condition, argument=argument)
    else:
        raise _no_match(target, kind)
    return Related(relation=relation, which=which, part=part)


def _only_key(body: Json, path: str, allowed: Sequence[str]) -> str:
    if len(body) != 1 or next(iter(body)) not in allowed:
        for key in body:
            if key not in allowed:
                raise failed(f"{path}.{key}", "not present", body[key])
        raise failed_all([(f"{path}.{key}", "defined", UNDEFINED) for key in allowed])
    return next(iter(body))


Argument = Callable[[Any, str, Asker], Any]


def _condition(body: Json, path: str, family: Mapping[str, Argument], asker: Asker) -> tuple[str, Any]:
    name = _only_key(body, path, tuple(family))
    return name, family[name](body[name], f"{path}.{name}", asker)


def _words(value: Any, path: str, _asker: Asker) -> Any:
    return a_string(value, path).casefold()


def _word_list(value: Any, path: str, _asker: Asker) -> Any:
    values = value if isinstance(value, list) else [value]
    if len(values) > MAX_ITEMS:
        raise failed(f"{path}.length", f"≤ `{MAX_ITEMS}`", len(values))
    return frozenset(a_string(word, path).casefold() for word in values)


def _amount(value: Any, path: str, _asker: Asker) -> Any:
    return a_number(value, path)


def _yes_no(value: Any, path: str, _asker: Asker) -> Any:
    return a_boolean(value, path)


def _state(value: Any, path: str, _asker: Asker) -> Any:
    word = one_of(value, path, ("verified", "expired", "none"))
    return "unverified" if word == "none" else word


def _true(value: Any, path: str, _asker: Asker) -> Any:
    if value is not True:
        raise failed(path, "`true`", value)
    return True


def _person(value: Any, path: str, asker: Asker) -> Any:
    return asker.user_id if value == "me" else a_uuid(value, path)


def _page(value: Any, path: str, _asker: Asker) -> Any:
    return a_uuid(value, path)


def _span(make: Callable[[int, int], Span]) -> Argument:
    def read(value: Any, path: str, asker: Asker) -> Any:
        if isinstance(value, str) and value in _RELATIVE:
            start = _day(_RELATIVE[value](asker.now.date()))
            return make(start, start + DAY)
        text = date_text(value, path)
        start = moment_of(text)
        return make(start, start + (DAY if is_date_only(text) else 1))

    return read


def _period(first: Callable[[date], date], last: Callable[[date], date]) -> Argument:
    def read(value: Any, path: str, asker: Asker) -> Any:
        only_keys(an_object(value, path), path, ())
        today = asker.now.date()
        return Span(_day(first(today)), _day(last(today)) + DAY)

    return read


def _day(day: date) -> int:
    return milliseconds(datetime.fromisoformat(f"{day.isoformat()}T00:00:00+00:00"))


def _days(count: int) -> Callable[[date], date]:
    return lambda day: day + timedelta(days=count)


def _months(count: int) -> Callable[[date], date]:
    def shift(day: date) -> date:
        month = day.year * DECEMBER + day.month - 1 + count
        year, month = divmod(month, DECEMBER)
        return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))

    return shift


def _sunday(day: date) -> date:
    return day - timedelta(days=(day.weekday() + 1) % 7)


_RELATIVE: Mapping[str, Callable[[date], date]] = {
    "today": _days(0),
    "tomorrow": _days(1),
    "yesterday": _days(-1),
    "one_week_ago": _days(-7),
    "one_week_from_now": _days(7),
    "one_month_ago": _months(-1),
    "one_month_from_now": _months(1),
}

_EMPTIES: Mapping[str, Argument] = {"is_empty": _true, "is_not_empty": _true}
_TEXTS: Mapping[str, Argument] = {
    **dict.fromkeys(
        ("equals", "does_not_equal", "contains", "does_not_contain", "starts_with", "ends_with"), _words
    ),
    **_EMPTIES,
}
_NUMBERS: Mapping[str, Argument] = {
    **dict.fromkeys(
        (
            "equals", "does_not_equal", "greater_than", "less_than", "greater_than_or_equal_to",
            "less_than_or_equal_to",
        ),
        _amount,
    ),
    **_EMPTIES,
}  # fmt: skip
_CHOICES: Mapping[str, Argument] = {"equals": _word_list, "does_not_equal": _word_list, **_EMPTIES}
_TAGS: Mapping[str, Argument] = {"contains": _word_list, "does_not_contain": _word_list, **_EMPTIES}
_PEOPLE: Mapping[str, Argument] = {"contains": _person, "does_not_contain": _person, **_EMPTIES}
_PAGES: Mapping[str, Argument] = {"contains": _page, "does_not_contain": _page, **_EMPTIES}
_DATES: Mapping[str, Argument] = {
    "equals": _span(Span),
    "before": _span(lambda start, _end: Span(None, start)),
    "after": _span(lambda _start, end: Span(end, None)),
    "on_or_before": _span(lambda _start, end: Span(None, end)),
    "on_or_after": _span(lambda start, _end: Span(start, None)),
    "this_week": _period(_sunday, lambda day: _sunday(day) + timedelta(days=6)),
    "past_week": _period(_days(-7), _days(0)),
    "past_month": _period(_months(-1), _days(0)),
    "past_year": _period(_months(-12), _days(0)),
    "next_week": _period(_days(0), _days(7)),
    "next_month": _period(_days(0), _months(1)),
    "next_year": _period(_days(0), _months(12)),
    **_EMPTIES,
}

_TEXT_TYPES = ("title", "rich_text", "url", "email", "phone_number")
_FAMILIES: Mapping[str, Mapping[str, Argument]] = {
    **dict.fromkeys(_TEXT_TYPES, _TEXTS),
    "number": _NUMBERS,
    "unique_id": _NUMBERS,
    "checkbox": dict.fromkeys(("equals", "does_not_equal"), _yes_no),
    "select": _CHOICES,
    "status": _CHOICES,
    "multi_select": _TAGS,
    **dict.fromkeys(("date", *TIMESTAMPS), _DATES),
    **dict.fromkeys(("people", "created_by", "last_edited_by"), _PEOPLE),
    "relation": _PAGES,
    "files": _EMPTIES,
    "formula": {},
    "rollup": {},
    "verification": {"status": _state, "does_not_equal": _state},
}
_RELATED = (
    "rich_text", "number", "checkbox", "select", "multi_select", "relation", "date", "people", "files",
    "status",
)  # fmt: skip
"""Of which types the condition on a related row may be."""


def matches(condition: Filter, row: Row, desk: Desk) -> bool:
    """Whether the row fulfils the filter."""
    match condition:
        case All(parts):
            return all(matches(part, row, desk) for part in parts)
        case AnyOf(parts):
            return any(matches(part, row, desk) for part in parts)
        case Outcome():
            return _outcome_matches(condition, row, desk)
        case Related(relation=relation, which=which, part=part):
            pages = desk.rows(related(relation, row, desk)[:SHOWN_RELATIONS])
            found = (matches(part, page, desk) for page in pages)
            return all(found) if which == "every" else any(found) is (which == "any")
        case Leaf(subject=Column() as column):
            return _column_matches(condition, column, row, desk)
        case Leaf(subject="created_time"):
            return _time_matches(condition, row.created_time)
        case _:
            return _time_matches(condition, row.last_edited_time)


def _outcome_matches(outcome: Outcome, row: Row, desk: Desk) -> bool:
    computed = desk.computed(outcome.subject, row)
    if computed["type"] == "unsupported":
        return False
    value = computed[computed["type"]]
    if outcome.condition in _EMPTIES:
        return (value is None or value == "") is (outcome.condition == "is_empty")
    match outcome.kind:
        case "rich_text":
            return _TEXT_TESTS[outcome.condition]((value or "").casefold(), outcome.argument)
        case "number":
            return _compares(outcome, value)
        case "checkbox":
            return (bool(value) is outcome.argument) is (outcome.condition == "equals")
        case _:
            span: Span = outcome.argument
            return value is not None and span.holds(moment_of(value["start"]))


def moment_in(row: Row, timestamp: str) -> int:
    """The row's time of that name."""
    return row.created_time if timestamp == "created_time" else row.last_edited_time


def _column_matches(leaf: Leaf, column: Column, row: Row, desk: Desk) -> bool:
    if column.type in TIMESTAMPS:
        return _time_matches(leaf, moment_in(row, column.type))
    if column.type in ("created_by", "last_edited_by"):
        return _among(leaf, [row.created_by if column.type == "created_by" else row.last_edited_by])
    value: Any = related(column, row, desk) if column.type == "relation" else row.value(column.id)
    empty = is_empty(column, value)
    if leaf.condition == "is_empty":
        return empty
    if leaf.condition == "is_not_empty":
        return not empty
    if column.type in _TEXT_TYPES:
        words = "" if empty else value if isinstance(value, str) else plain_text(value)
        return _TEXT_TESTS[leaf.condition](words.casefold(), leaf.argument)
    match column.type:
        case "number" | "unique_id":
            return _compares(leaf, None if empty else value)
        case "checkbox":
            wanted: bool = leaf.argument
            return (bool(value) is wanted) is (leaf.condition == "equals")
        case "select" | "status":
            named = _names(column, [] if empty else [value])
            return bool(named & leaf.argument) is (leaf.condition == "equals")
        case "multi_select":
            return bool(_names(column, value or []) & leaf.argument) is (leaf.condition == "contains")
        case "date":
            span: Span = leaf.argument
            return not empty and span.holds(moment_of(value["start"]))
        case "verification":
            same: bool = verification_state(value, desk.now) == leaf.argument
            return same is (leaf.condition == "status")
        case _:
            return _among(leaf, value or [])


def _names(column: Column, options: Sequence[str]) -> set[str]:
    return {option["name"].casefold() for option in map(column.option, options) if option}


def _time_matches(leaf: Leaf, moment: int) -> bool:
    match leaf.condition:
        case "is_empty":
            return False
        case "is_not_empty":
            return True
        case _:
            span: Span = leaf.argument
            return span.holds(moment)


def _among(leaf: Leaf, ids: Sequence[str]) -> bool:
    match leaf.condition:
        case "is_empty":
            return not ids
        case "is_not_empty":
            return bool(ids)
        case _:
            return (leaf.argument in ids) == (leaf.condition == "contains")


def _compares(leaf: Leaf | Outcome, number: float | None) -> bool:
    if number is None:
        return leaf.condition == "does_not_equal"
    return _NUMBER_TESTS[leaf.condition](number, leaf.argument)


_TEXT_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "equals": str.__eq__,
    "does_not_equal": str.__ne__,
    "contains": str.__contains__,
    "does_not_contain": lambda words, part: part not in words,
    "starts_with": lambda words, part: words.startswith(part),
    "ends_with": lambda words, part: words.endswith(part),
}

_NUMBER_TESTS: Mapping[str, Callable[[float, float], bool]] = {
    "equals": lambda number, other: number == other,
    "does_not_equal": lambda number, other: number != other,
    "greater_than": lambda number, other: number > other,
    "less_than": lambda number, other: number < other,
    "greater_than_or_equal_to": lambda number, other: number >= other,
    "less_than_or_equal_to": lambda number, other: number <= other,
}
