"""Filters and sorts against a plain reading of what each condition means."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from notion_embedded.model.columns import Column, Columns
from notion_embedded.model.computed import compute, formula_in
from notion_embedded.model.filters import Asker, matches, read_filter
from notion_embedded.model.rich_text import text_run
from notion_embedded.model.sorts import compare, order, read_sorts, sort_key
from notion_embedded.model.values import Row

OPTIONS = [
    {"id": f"o{n}", "name": name, "color": "blue", "description": None} for n, name in enumerate("abc")
]
COLUMNS: Columns = (
    Column(id="title", name="Name", type="title", config={}),
    Column(id="n", name="Count", type="number", config={"format": "number"}),
    Column(id="s", name="Kind", type="select", config={"options": OPTIONS}),
    Column(id="m", name="Tags", type="multi_select", config={"options": OPTIONS}),
    Column(id="c", name="Done", type="checkbox", config={}),
    Column(id="d", name="Due", type="date", config={}),
)
NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
ASKER = Asker(now=NOW, user_id="e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e")


class NoDesk:
    """A workspace with nobody in it, where no page was ever trashed."""

    caller = ASKER.user_id
    now = NOW

    def user(self, user_id: str) -> None:
        return None

    def page_title(self, page_id: str) -> None:
        return None

    def is_row_of(self, page_id: str, data_source_id: str) -> bool:
        return False

    def option_id(self) -> str:
        return ""

    def columns(self, data_source_id: str) -> Columns:
        return COLUMNS

    def present(self, page_ids: Sequence[str]) -> list[str]:
        return list(page_ids)

    def rows(self, page_ids: Sequence[str]) -> list[Row]:
        return []

    def computed(self, column: Column, row: Row) -> dict[str, Any]:
        return compute(column, row, formula_in(column, COLUMNS) if column.type == "formula" else None, self)


words = st.text(alphabet="abAB ", max_size=4)
numbers = st.none() | st.integers(-3, 3)
options = st.none() | st.sampled_from("abc")
tags = st.lists(st.sampled_from("abc"), unique=True, max_size=3)
days = st.none() | st.integers(-3, 3).map(lambda n: (NOW.date() + timedelta(days=n)).isoformat())


@st.composite
def facts(draw: st.DrawFn) -> dict[str, Any]:
    """A row as a person would write it down."""
    return {
        "Name": draw(words),
        "Count": draw(numbers),
        "Kind": draw(options),
        "Tags": draw(tags),
        "Done": draw(st.booleans()),
        "Due": draw(days),
    }


def row(fact: dict[str, Any], seq: int = 0) -> Row:
    ids = {option["name"]: option["id"] for option in OPTIONS}
    values = {
        "title": [text_run(fact["Name"])] if fact["Name"] else [],
        "n": fact["Count"],
        "s": fact["Kind"] and ids[fact["Kind"]],
        "m": [ids[tag] for tag in fact["Tags"]],
        "c": fact["Done"],
        "d": fact["Due"] and {"start": fact["Due"], "end": None, "time_zone": None},
    }
    return Row(
        id=str(seq),
        values=values,
        created_time=0,
        created_by="",
        last_edited_time=0,
        last_edited_by="",
        seq=seq,
    )


def empty(value: Any) -> bool:
    return value is None or value in ("", [])


Oracle = Callable[[Any, Any], bool]
TEXTS: dict[str, Oracle] = {
    "equals": lambda v, a: v.lower() == a.lower(),
    "does_not_equal": lambda v, a: v.lower() != a.lower(),
    "contains": lambda v, a: a.lower() in v.lower(),
    "does_not_contain": lambda v, a: a.lower() not in v.lower(),
    "starts_with": lambda v, a: v.lower().startswith(a.lower()),
    "ends_with": lambda v, a: v.lower().endswith(a.lower()),
}
NUMBERS: dict[str, Oracle] = {
    "equals": lambda v, a: v == a,
    "does_not_equal": lambda v, a: v != a,
    "greater_than": lambda v, a: v is not None and v > a,
    "less_than": lambda v, a: v is not None and v < a,
    "greater_than_or_equal_to": lambda v, a: v is not None and v >= a,
    "less_than_or_equal_to": lambda v, a: v is not None and v <= a,
}
DATES: dict[str, Oracle] = {
    "equals": lambda v, a: v == a,
    "before": lambda v, a: v is not None and v < a,
    "after": lambda v, a: v is not None and v > a,
    "on_or_before": lambda v, a: v is not None and v <= a,
    "on_or_after": lambda v, a: v is not None and v >= a,
}


@st.composite
def leaves(draw: st.DrawFn) -> tuple[dict[str, Any], Oracle]:
    """A condition, and what it means for a row."""
    name, kind, tests, arguments = draw(
        st.sampled_from(
            [
                ("Name", "title", TEXTS, words),
                ("Count", "number", NUMBERS, st.integers(-3, 3)),
                ("Due", "date", DATES, days.filter(bool)),
                ("Kind", "select", {"equals": lambda v, a: v == a, "does_not_equal": lambda v, a: v != a}, options.filter(bool)),
                ("Tags", "multi_select", {"contains": lambda v, a: a in v, "does_not_contain": lambda v, a: a not in v}, options.filter(bool)),
                ("Done", "checkbox", {"equals": lambda v, a: v == a, "does_not_equal": lambda v, a: v != a}, st.booleans()),
            ]
        )
    )  # fmt: skip
    conditions = [*tests, *(() if kind == "checkbox" else ("is_empty", "is_not_empty"))]
    condition = draw(st.sampled_from(conditions))
    if condition in ("is_empty", "is_not_empty"):
        leaf = {"property": name, kind: {condition: True}}
        return leaf, lambda fact, _: empty(fact[name]) is (condition == "is_empty")
    argument, oracle = draw(arguments), tests[condition]
    return {"property": name, kind: {condition: argument}}, lambda fact, _: oracle(fact[name], argument)


@st.composite
def filters(draw: st.DrawFn, depth: int = 2) -> tuple[dict[str, Any], Oracle]:
    """A condition, or several joined, up to two levels."""
    if depth == 0 or draw(st.booleans()):
        return draw(leaves())
    word, join = draw(st.sampled_from([("and", all), ("or", any)]))
    parts = draw(st.lists(filters(depth=depth - 1), max_size=3))
    return {word: [body for body, _ in parts]}, lambda fact, _: join(oracle(fact, _) for _, oracle in parts)


@given(filters(), st.lists(facts(), max_size=5))
def test_a_filter_finds_the_rows_that_it_means(
    condition: tuple[dict[str, Any], Oracle], some: list[dict[str, Any]]
) -> None:
    body, means = condition
    read = read_filter(body, "body.filter", COLUMNS, ASKER)

    assert [matches(read, row(fact), NoDesk()) for fact in some] == [means(fact, None) for fact in some]


sorts = st.lists(
    st.tuples(st.sampled_from([column.name for column in COLUMNS]), st.booleans()), min_size=1, max_size=3
)


@given(sorts, st.lists(facts(), max_size=8), st.integers(0, 8))
def test_rows_are_ordered_with_empty_ones_last_and_paged_from_any_place(
    by: list[tuple[str, bool]], some: list[dict[str, Any]], cut: int
) -> None:
    body = [{"property": name, "direction": "descending" if down else "ascending"} for name, down in by]
    read = read_sorts(body, "body.sorts", COLUMNS)
    rows = [row(fact, seq) for seq, fact in enumerate(some)]
    ordered = order([sort_key(each, read, NoDesk()) for each in rows], read)
    name, down = by[0]
    filled = [some[key[-1]][name] for key in ordered if not empty(some[key[-1]][name])]
    ranks = [value.lower() if isinstance(value, str) else value for value in filled]

    assert ranks == sorted(ranks, reverse=down)
    assert all(empty(some[key[-1]][name]) for key in ordered[len(filled) :])
    if cut < len(ordered):
        assert [key for key in ordered if compare(key, ordered[cut], read) >= 0] == ordered[cut:]


PERIODS = [
    ("today", 0, True), ("today", 1, False), ("tomorrow", 1, True), ("yesterday", -1, True),
    ("one_week_ago", -7, True), ("one_week_from_now", 7, True),
]  # fmt: skip


@pytest.mark.parametrize(("word", "offset", "found"), PERIODS)
def test_a_relative_day_means_the_day_of_asking(word: str, offset: int, found: bool) -> None:
    body = {"property": "Due", "date": {"equals": word}}
    day = (NOW.date() + timedelta(days=offset)).isoformat()
    fact = {"Name": "", "Count": None, "Kind": None, "Tags": [], "Done": False, "Due": day}

    assert matches(read_filter(body, "body.filter", COLUMNS, ASKER), row(fact), NoDesk()) is found


SPANS = [
    ("this_week", date(2026, 5, 3), date(2026, 5, 9)),
    ("past_week", date(2026, 4, 27), date(2026, 5, 4)),
    ("past_month", date(2026, 4, 4), date(2026, 5, 4)),
    ("past_year", date(2025, 5, 4), date(2026, 5, 4)),
    ("next_week", date(2026, 5, 4), date(2026, 5, 11)),
    ("next_month", date(2026, 5, 4), date(2026, 6, 4)),
    ("next_year", date(2026, 5, 4), date(2027, 5, 4)),
]


@pytest.mark.parametrize(("word", "first", "last"), SPANS)
def test_a_period_holds_its_first_and_last_day_and_none_beside(word: str, first: date, last: date) -> None:
    read = read_filter({"property": "Due", "date": {word: {}}}, "body.filter", COLUMNS, ASKER)
    asked = [first - timedelta(days=1), first, last, last + timedelta(days=1)]
    fact = {"Name": "", "Count": None, "Kind": None, "Tags": [], "Done": False}

    assert [matches(read, row({**fact, "Due": day.isoformat()}), NoDesk()) for day in asked] == [
        False,
        True,
        True,
        False,
    ]
