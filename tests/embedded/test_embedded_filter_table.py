"""Each condition of each type, once where it holds, once where it does not, and once on an empty value."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from notion_embedded.model.columns import Column, Columns
from notion_embedded.model.errors import ApiError
from notion_embedded.model.filters import Asker, matches, read_filter
from notion_embedded.model.rich_text import text_run
from notion_embedded.model.values import Row

ME = "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"
YOU = "0a1b2c3d-1a15-80eb-87e8-ae2e9fbf7d9e"
NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
OPTIONS = [{"id": name, "name": name.upper(), "color": "blue", "description": None} for name in "abc"]
TYPES = (
    "title", "rich_text", "url", "email", "phone_number", "number", "unique_id", "checkbox", "select", "status",
    "multi_select", "date", "created_time", "last_edited_time", "people", "created_by", "last_edited_by", "relation",
    "files", "verification",
)  # fmt: skip
COLUMNS: Columns = tuple(
    Column(id=kind, name=kind.capitalize(), type=kind, config={"options": OPTIONS}) for kind in TYPES
)


class Empty:
    """A workspace in which nothing was ever trashed."""

    caller = ME
    now = NOW

    def present(self, page_ids: Sequence[str]) -> list[str]:
        return list(page_ids)


FULL = {
    "title": [text_run("Lake light")],
    "rich_text": [text_run("Lake light")],
    "url": "Lake light",
    "email": "Lake light",
    "phone_number": "Lake light",
    "number": 5,
    "unique_id": 5,
    "checkbox": True,
    "select": "a",
    "status": "a",
    "multi_select": ["a", "b"],
    "date": {"start": "2026-05-04", "end": None, "time_zone": None},
    "people": [ME],
    "relation": [ME],
    "files": [{"name": "a", "type": "external", "external": {"url": "https://example.com"}}],
    "verification": {"state": "verified", "date": None, "verified_by": ME},
}


def row(values: dict[str, Any]) -> Row:
    moment = int(NOW.timestamp() * 1000)
    return Row(
        id="r", values=values, created_time=moment, created_by=ME, last_edited_time=moment, last_edited_by=ME
    )  # fmt: skip


TEXTS = [
    ("equals", "lake LIGHT", "lake", False),
    ("does_not_equal", "lake", "lake light", True),
    ("contains", "E L", "dark", False),
    ("does_not_contain", "dark", "ake", True),
    ("starts_with", "lake", "light", False),
    ("ends_with", "LIGHT", "lake", False),
]
NUMBERS = [
    ("equals", 5, 6, False),
    ("does_not_equal", 6, 5, True),
    ("greater_than", 4.5, 5, False),
    ("less_than", 6, 5, False),
    ("greater_than_or_equal_to", 5, 6, False),
    ("less_than_or_equal_to", 5, 4, False),
]
CHOICES = [
    ("equals", "A", "b", False),
    ("equals", ["c", "a"], ["b", "c"], False),
    ("does_not_equal", "B", "a", True),
    ("does_not_equal", ["b", "c"], ["b", "A"], True),
]
TAGS = [
    ("contains", "B", "c", False),
    ("contains", ["c", "a"], ["c"], False),
    ("does_not_contain", "c", "a", True),
    ("does_not_contain", ["c"], ["c", "a"], True),
]
DATES = [
    ("equals", "2026-05-04", "2026-05-03", False),
    ("equals", "today", "tomorrow", False),
    ("before", "2026-05-05", "2026-05-04", False),
    ("before", "one_week_from_now", "one_week_ago", False),
    ("after", "2026-05-03", "2026-05-04", False),
    ("after", "yesterday", "today", False),
    ("on_or_before", "2026-05-04", "2026-05-03", False),
    ("on_or_before", "one_month_from_now", "one_month_ago", False),
    ("on_or_after", "2026-05-04", "2026-05-05", False),
    ("on_or_after", "2026-05-04T02:00:00+02:00", "2026-05-05T00:00:00+08:00", False),
    *((name, {}, None, False) for name in ("this_week", "past_week", "past_month", "past_year")),
    *((name, {}, None, False) for name in ("next_week", "next_month", "next_year")),
]
PEOPLE = [
    ("contains", "me", YOU, False),
    ("contains", ME.upper(), YOU, False),
    ("does_not_contain", YOU, "me", True),
]
PAGES = [("contains", ME, YOU, False), ("does_not_contain", YOU, ME, True)]
EMPTIES = [("is_empty", None, True, True), ("is_not_empty", True, None, False)]
FAMILIES: dict[str, list[tuple[str, Any, Any, bool]]] = {
    **{key: [*TEXTS, *EMPTIES] for key in ("title", "rich_text", "url", "email", "phone_number")},
    **{key: [*NUMBERS, *EMPTIES] for key in ("number", "unique_id")},
    "checkbox": [("equals", True, False, False), ("does_not_equal", False, True, False)],
    **{key: [*CHOICES, *EMPTIES] for key in ("select", "status")},
    "multi_select": [*TAGS, *EMPTIES],
    **{key: [*DATES, *EMPTIES] for key in ("date", "created_time", "last_edited_time")},
    **{key: [*PEOPLE, *EMPTIES] for key in ("people", "created_by", "last_edited_by")},
    "relation": [*PAGES, *EMPTIES],
    "files": EMPTIES,
    "verification": [
        ("status", "verified", "none", False),
        ("status", "verified", "expired", False),
        ("does_not_equal", "none", "verified", True),
    ],
}
"""By type: a condition, an argument for which it holds, one for which not, and whether an empty value fulfils
the condition with the first of them."""

COMPUTED = ("created_time", "last_edited_time", "created_by", "last_edited_by")


def asked(kind: str, condition: str, argument: Any, values: dict[str, Any]) -> bool:
    body = {"property": kind.capitalize(), kind: {condition: argument}}
    return matches(
        read_filter(body, "body.filter", COLUMNS, Asker(now=NOW, user_id=ME)), row(values), Empty()
    )


CASES = [(kind, *case) for kind, cases in FAMILIES.items() for case in cases]


@pytest.mark.parametrize(
    ("kind", "condition", "holds", "fails", "on_empty"), CASES, ids=[f"{c[0]} {c[1]} {c[2]}" for c in CASES]
)
def test_a_condition_holds_where_it_says(
    kind: str, condition: str, holds: Any, fails: Any, on_empty: bool
) -> None:
    if holds is not None:
        assert asked(kind, condition, holds, FULL)
    if fails is not None:
        assert not asked(kind, condition, fails, FULL)
    if kind not in COMPUTED:
        argument = fails if holds is None else holds
        wanted = on_empty if kind != "verification" else condition == "does_not_equal" and holds != "none"
        assert asked(kind, condition, argument, {}) is wanted


WRONG: list[tuple[str, Any]] = [
    *((kind, {}) for kind in TYPES),
    *((kind, {"between": 1}) for kind in TYPES),
    *((kind, {"is_empty": False}) for kind in TYPES if kind not in ("checkbox", "verification")),
    *((kind, {"is_empty": True, "is_not_empty": True}) for kind in TYPES),
    *((kind, {"equals": 5}) for kind in ("title", "rich_text", "url", "select", "status", "date")),
    *((kind, {"equals": "5"}) for kind in ("number", "unique_id", "checkbox")),
    ("number", {"equals": None}),
    ("multi_select", {"contains": [1]}),
    ("select", {"equals": [str(n) for n in range(101)]}),
    ("people", {"contains": "you"}),
    ("relation", {"contains": "me"}),
    ("date", {"equals": "someday"}),
    ("date", {"this_week": {"from": 1}}),
    ("date", {"this_week": True}),
    ("verification", {"status": "perhaps"}),
    ("files", {"contains": "a"}),
    ("title", []),
    ("title", "a"),
]


@pytest.mark.parametrize(("kind", "condition"), WRONG, ids=[f"{k} {str(c)[:30]}" for k, c in WRONG])
def test_a_condition_that_a_type_does_not_have_is_refused(kind: str, condition: Any) -> None:
    body = {"property": kind.capitalize(), kind: condition}
    with pytest.raises(ApiError):
        read_filter(body, "body.filter", COLUMNS, Asker(now=NOW, user_id=ME))


TEXT_TYPES = ("title", "rich_text", "url", "email", "phone_number")


def test_a_filter_of_another_type_is_refused_but_between_texts_and_for_times() -> None:
    accepted: set[tuple[str, str]] = set()
    refused: set[str] = set()
    for column in TYPES:
        for kind, cases in FAMILIES.items():
            condition, holds, fails, _ = cases[0]
            body = {"property": column.capitalize(), kind: {condition: fails if holds is None else holds}}
            try:
                read_filter(body, "body.filter", COLUMNS, Asker(now=NOW, user_id=ME))
            except ApiError as error:
                refused.add(error.message.replace(f" {column} ", " X ").replace(f"filter {kind}", "filter Y"))
            else:
                accepted.add((column, kind))

    assert refused == {
        (
            "The property type in the database does not match the property type of the filter provided: "
            "database property X does not match filter Y"
        )
    }
    assert accepted == {
        *((kind, kind) for kind in TYPES),
        *((one, other) for one in TEXT_TYPES for other in TEXT_TYPES),
        ("created_time", "date"),
        ("last_edited_time", "date"),
    }


LEAF = {"property": "Number", "number": {"equals": 5}}
GROUPS: list[tuple[Any, bool | None]] = [
    ({"and": []}, True),
    ({"or": []}, False),
    ({"and": [LEAF, {"or": [LEAF, {"property": "Select", "select": {"equals": "b"}}]}]}, True),
    ({"or": [{"and": [LEAF, {"property": "Checkbox", "checkbox": {"equals": False}}]}]}, False),
    ({"timestamp": "created_time", "created_time": {"equals": "today"}}, True),
    ({"timestamp": "last_edited_time", "last_edited_time": {"before": "today"}}, False),
    ({"property": "number", "type": "number", "number": {"equals": 5}}, True),
    ({"and": [{"or": [{"and": [LEAF]}]}]}, None),
    ({"and": [LEAF], "or": [LEAF]}, None),
    ({"and": LEAF}, None),
    ({"not": LEAF}, None),
    ({"timestamp": "created_time", "last_edited_time": {"equals": "today"}}, None),
    ({"timestamp": "seen_time", "seen_time": {}}, None),
    ({"property": "Number"}, None),
    ({"property": 5, "number": {"equals": 5}}, None),
    ({"property": "Number", "number": {"equals": 5}, "checkbox": {"equals": True}}, None),
    ({"property": "Nowhere", "number": {"equals": 5}}, None),
    ({}, None),
    ([], None),
]


@pytest.mark.parametrize(("body", "holds"), GROUPS, ids=[str(body)[:50] for body, _ in GROUPS])
def test_conditions_are_joined_two_levels_deep(body: Any, holds: bool | None) -> None:
    asker = Asker(now=NOW, user_id=ME)
    if holds is None:
        with pytest.raises(ApiError):
            read_filter(body, "body.filter", COLUMNS, asker)
    else:
        assert matches(read_filter(body, "body.filter", COLUMNS, asker), row(FULL), Empty()) is holds
