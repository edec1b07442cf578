"""Columns by their schema: read whatever Notion gives, written by type, options never invented."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from lakelight.notion import (
    BadProperty,
    NotionTooLarge,
    ReadOnlyColumn,
    UnknownColumn,
    UnknownOption,
)
from lakelight.notion.schema import (
    NOT_AVAILABLE,
    Column,
    assign,
    columns,
    equals,
    find,
    plain,
    status_groups,
    title_column,
)

PAGE = "393abc1e-edcd-8170-aebf-cf1d14057b30"

DATA_SOURCE: dict[str, Any] = {
    "object": "data_source",
    "properties": {
        "任务标题": {"id": "title", "name": "任务标题", "type": "title", "title": {}},
        "状态": {
            "id": "f%5C%5C%3Ap",
            "name": "状态",
            "type": "status",
            "status": {
                "options": [
                    {"id": "1", "name": "待开发"},
                    {"id": "2", "name": "进行中"},
                    {"id": "3", "name": "完成"},
                ],
                "groups": [
                    {"id": "a", "name": "To-do", "option_ids": ["1"]},
                    {"id": "b", "name": "In progress", "option_ids": ["2"]},
                    {"id": "c", "name": "Complete", "option_ids": ["3", "gone"]},
                ],
            },
        },
        "优先级": {"id": "p", "type": "select", "select": {"options": [{"name": "P1，急"}, {"name": "P2"}]}},
        "新类型": {"id": "n", "type": "brand_new", "brand_new": {}, "more": 1},
    },
}


def column(kind: str, *options: str) -> Column:
    return Column(id="c", name="栏", type=kind, options=options)


def test_columns_come_from_the_schema() -> None:
    found = columns(DATA_SOURCE)

    assert list(found) == ["任务标题", "状态", "优先级", "新类型"]
    assert found["状态"].options == ("待开发", "进行中", "完成")
    assert status_groups(found["状态"]) == {
        "To-do": ("待开发",),
        "In progress": ("进行中",),
        "Complete": ("完成",),
    }
    assert found["优先级"] == Column(id="p", name="优先级", type="select", options=("P1，急", "P2"))
    assert found["新类型"] == Column(id="n", name="新类型", type="brand_new")
    assert title_column(found).name == "任务标题"


@pytest.mark.parametrize("reference", ["状态", "f%5C%5C%3Ap", " 状态 "])
def test_a_column_is_found_by_name_or_id(reference: str) -> None:
    assert find(columns(DATA_SOURCE), reference).name == "状态"


def test_an_unknown_column_names_those_there_are() -> None:
    with pytest.raises(UnknownColumn) as caught:
        find(columns(DATA_SOURCE), "Status")

    assert caught.value.columns == ("任务标题", "状态", "优先级", "新类型")


def test_a_schema_without_columns_has_none() -> None:
    assert columns({"properties": None}) == {}


@pytest.mark.parametrize(
    ("kind", "condition"), [("status", "equals"), ("select", "equals"), ("multi_select", "contains")]
)
def test_a_filter_uses_the_word_of_the_column_type(kind: str, condition: str) -> None:
    assert equals(column(kind, "待开发"), "待开发") == {"property": "c", kind: {condition: "待开发"}}


def test_a_filter_for_an_unknown_option_is_refused() -> None:
    with pytest.raises(UnknownOption):
        equals(column("status", "待开发"), "Ready")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"type": "title", "title": [{"plain_text": "甲"}, {"plain_text": "乙"}]}, "甲乙", id="title"),
        pytest.param({"type": "rich_text", "rich_text": [{"text": {"content": "a"}}, {"equation": {"expression": "x"}}]}, "ax", id="rich text of a request"),
        pytest.param({"type": "rich_text", "rich_text": []}, "", id="empty text"),
        pytest.param({"type": "number", "number": 0}, 0, id="zero"),
        pytest.param({"type": "number", "number": None}, None, id="no number"),
        pytest.param({"type": "select", "select": None}, None, id="no selection"),
        pytest.param({"type": "select", "select": {"name": "P1"}}, "P1", id="selection"),
        pytest.param({"type": "status", "status": {"name": "完成"}}, "完成", id="status"),
        pytest.param({"type": "multi_select", "multi_select": [{"name": "a"}, {"name": "b"}]}, ["a", "b"], id="several"),
        pytest.param({"type": "checkbox", "checkbox": False}, False, id="checkbox"),
        pytest.param({"type": "date", "date": None}, None, id="no date"),
        pytest.param({"type": "date", "date": {"start": "2026-03-01", "end": None}}, "2026-03-01", id="day"),
        pytest.param({"type": "date", "date": {"start": "2026-03-01", "end": "2026-03-04"}}, "2026-03-01/2026-03-04", id="days"),
        pytest.param({"type": "people", "people": [{"object": "user", "id": "u"}, {"id": "v", "name": "王"}]}, ["u", "王"], id="person without a name"),
        pytest.param({"type": "created_by", "created_by": {"object": "user", "id": "u"}}, "u", id="created by"),
        pytest.param({"type": "relation", "relation": [{"id": "r"}], "has_more": False}, ["r"], id="relation"),
        pytest.param({"type": "files", "files": [{"name": "a.pdf", "file": {"url": "x"}}, {"name": "", "external": {"url": "https://e"}}]}, ["a.pdf", "https://e"], id="files"),
        pytest.param({"type": "url", "url": None}, None, id="no url"),
        pytest.param({"type": "formula", "formula": {"type": "number", "number": 3}}, 3, id="formula"),
        pytest.param({"type": "formula", "formula": {"type": "boolean", "boolean": False}}, False, id="formula that is false"),
        pytest.param({"type": "formula", "formula": {"type": "date", "date": {"start": "2026-03-01"}}}, "2026-03-01", id="formula with a date"),
        pytest.param({"type": "formula", "formula": {"type": "unsupported", "unsupported": {}}}, NOT_AVAILABLE, id="unsupported formula"),
        pytest.param({"type": "formula", "formula": {}}, NOT_AVAILABLE, id="formula left out"),
        pytest.param({"type": "rollup", "rollup": {"type": "array", "array": [{"type": "select", "select": {"name": "a"}}, {"type": "number", "number": None}]}}, ["a", ""], id="rollup"),
        pytest.param({"type": "rollup", "rollup": {"type": "incomplete", "incomplete": {}}}, NOT_AVAILABLE, id="incomplete rollup"),
        pytest.param({"type": "unique_id", "unique_id": {"prefix": "GD", "number": 7}}, "GD-7", id="number with a prefix"),
        pytest.param({"type": "unique_id", "unique_id": {"prefix": None, "number": 7}}, "7", id="number without"),
        pytest.param({"type": "verification", "verification": {"state": "verified"}}, "verified", id="verification"),
        pytest.param({"type": "place", "place": {"name": "湖边", "lat": 1, "lon": 2}}, "湖边", id="place"),
        pytest.param({"type": "button", "button": {}}, None, id="button"),
        pytest.param({"type": "brand_new", "brand_new": 1}, NOT_AVAILABLE, id="unknown type"),
        pytest.param({"type": "number"}, NOT_AVAILABLE, id="value left out"),
        pytest.param(None, NOT_AVAILABLE, id="nothing at all"),
    ],
)  # fmt: skip
def test_a_value_is_read_as_people_would_say_it(value: object, expected: object) -> None:
    assert plain(value) == expected


@pytest.mark.parametrize(
    ("to", "value", "sent"),
    [
        pytest.param(column("title"), "标题", {"title": [{"type": "text", "text": {"content": "标题"}}]}, id="title"),
        pytest.param(column("rich_text"), "", {"rich_text": []}, id="text cleared"),
        pytest.param(column("rich_text"), " a ", {"rich_text": [{"type": "text", "text": {"content": " a "}}]}, id="spaces stay"),
        pytest.param(column("status", "待开发"), "待开发", {"status": {"name": "待开发"}}, id="status"),
        pytest.param(column("select", "P1"), "p1", {"select": {"name": "P1"}}, id="option in another case"),
        pytest.param(column("select", "P1，急"), "P1,急", {"select": {"name": "P1，急"}}, id="option in another width"),
        pytest.param(column("select", "P1"), None, {"select": None}, id="selection cleared"),
        pytest.param(column("multi_select", "a", "b"), ["b", "a"], {"multi_select": [{"name": "b"}, {"name": "a"}]}, id="several"),
        pytest.param(column("multi_select", "a"), "a", {"multi_select": [{"name": "a"}]}, id="one of several"),
        pytest.param(column("multi_select", "a"), "", {"multi_select": []}, id="several cleared"),
        pytest.param(column("checkbox"), True, {"checkbox": True}, id="yes"),
        pytest.param(column("checkbox"), "false", {"checkbox": False}, id="no in words"),
        pytest.param(column("number"), 3.5, {"number": 3.5}, id="number"),
        pytest.param(column("number"), "12", {"number": 12}, id="number in words"),
        pytest.param(column("number"), "", {"number": None}, id="number cleared"),
        pytest.param(column("date"), "2026-03-01", {"date": {"start": "2026-03-01"}}, id="day stays a day"),
        pytest.param(column("date"), date(2026, 3, 1), {"date": {"start": "2026-03-01"}}, id="day as a date"),
        pytest.param(column("date"), "2026-03-01/2026-03-02", {"date": {"start": "2026-03-01", "end": "2026-03-02"}}, id="days"),
        pytest.param(column("date"), datetime(2026, 3, 1, 8, tzinfo=timezone(timedelta(hours=8))), {"date": {"start": "2026-03-01T00:00:00.000Z"}}, id="moment"),
        pytest.param(column("date"), {"start": "2026-03-01T08:00", "time_zone": "Asia/Shanghai"}, {"date": {"start": "2026-03-01T08:00", "time_zone": "Asia/Shanghai"}}, id="moment in a zone"),
        pytest.param(column("date"), "", {"date": None}, id="date cleared"),
        pytest.param(column("url"), "", {"url": None}, id="url cleared"),
        pytest.param(column("email"), " a@b.c ", {"email": "a@b.c"}, id="email"),
        pytest.param(column("relation"), [PAGE.replace("-", "")], {"relation": [{"id": PAGE}]}, id="relation"),
        pytest.param(column("people"), [], {"people": []}, id="people cleared"),
        pytest.param(column("files"), ["https://e.example/a"], {"files": [{"name": "https://e.example/a", "external": {"url": "https://e.example/a"}}]}, id="files"),
    ],
)  # fmt: skip
def test_a_value_is_written_as_its_column_wants_it(
    to: Column, value: object, sent: dict[str, object]
) -> None:
    assert assign(to, value) == sent


@pytest.mark.parametrize("kind", ["status", "select"])
def test_an_option_is_never_invented(kind: str) -> None:
    with pytest.raises(UnknownOption) as caught:
        assign(column(kind, "待开发", "完成"), "Done")

    assert (caught.value.column, caught.value.option, caught.value.options) == (
        "栏",
        "Done",
        ("待开发", "完成"),
    )


@pytest.mark.parametrize(
    "kind",
    [
        "formula",
        "rollup",
        "created_time",
        "last_edited_by",
        "unique_id",
        "button",
        "verification",
        "brand_new",
    ],
)
def test_what_notion_computes_is_not_written(kind: str) -> None:
    with pytest.raises(ReadOnlyColumn) as caught:
        assign(column(kind), "x")

    assert caught.value.type == kind


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", "many"),
        ("number", True),
        ("number", float("nan")),
        ("date", "tomorrow"),
        ("date", datetime(2026, 3, 1, tzinfo=UTC).replace(tzinfo=None)),
        ("checkbox", "maybe"),
        ("relation", ["x"]),
        ("people", [3]),
        ("url", 3),
        ("rich_text", 3),
        ("select", 3),
    ],
)
def test_a_value_of_another_kind_is_refused(kind: str, value: object) -> None:
    with pytest.raises(BadProperty) as caught:
        assign(column(kind, "a"), value)

    assert caught.value.code == "notion.bad_value"


def test_a_long_text_fits_into_one_value_until_it_does_not() -> None:
    runs = assign(column("rich_text"), "字" * 2001)["rich_text"]

    assert [len(run["text"]["content"]) for run in runs] == [2000, 1]
    with pytest.raises(NotionTooLarge):
        assign(column("rich_text"), "字" * 200_001)
