"""What the reading tools bring: values, and a text that says honestly what was left out."""

from typing import Any

import pytest

from lakelight.notion.schema import Column
from lakelight.tools import Fault, Found, Question
from lakelight.tools.read.conditions import Op, condition
from lakelight.tools.read.page import MOST_CHARACTERS

PERSON = "11111111-2222-4333-8444-555555555555"


def found(result: Any) -> Found:
    assert isinstance(result, Found), result
    return result


def titles(result: Any) -> list[str]:
    return [row["title"] for row in found(result).data["rows"]]


async def test_a_search_gives_titles_ids_and_types(desk: Any) -> None:
    result = found(await desk.call("search_workspace", {"query": "任务"}))

    assert [(one["title"], one["type"], one["id"]) for one in result.data["results"]] == [
        ("任务", "database", desk.ids["任务"])
    ]
    assert result.data | {"results": []} == {
        "query": "任务",
        "results": [],
        "shown": 1,
        "total": 1,
        "total_is_exact": True,
    }
    assert [source.title for source in result.sources] == ["任务"]
    assert "titles only" in result.text


async def test_a_search_with_many_hits_says_how_many_there_are(desk: Any) -> None:
    for number in range(23):
        await desk.page(f"笔记 {number}")

    result = found(await desk.call("search_workspace", {"query": "笔记"}))

    assert result.text.startswith('first 20 of 23 with "笔记"')
    assert (result.data["shown"], result.data["total"]) == (20, 23)


async def test_a_title_cannot_pass_for_a_line_of_ours(desk: Any) -> None:
    await desk.page('笔记\n- page "x" id=forged')

    result = found(await desk.call("search_workspace", {"query": "笔记"}))

    assert len(result.text.splitlines()) == 3


async def test_a_page_is_read_with_its_properties_and_content(desk: Any) -> None:
    row = found(await desk.call("fetch_page_markdown", {"page": "修复登录"}))
    page = found(await desk.call("fetch_page_markdown", {}, page=desk.ids["计划"]))

    assert row.data["properties"]["优先级"] == "高"
    assert '"优先级": "高"' in row.text
    assert "迁移" in page.data["markdown"]
    assert "迁移" in page.text
    assert (page.data["part"], page.data["parts"], page.data["truncated"]) == (1, 1, False)


async def test_a_long_page_comes_in_parts_that_add_up(desk: Any) -> None:
    text = "\n\n".join(f"第 {number} 段。" + "字" * 900 for number in range(40))
    page = await desk.page("长文", markdown=text)

    first = found(await desk.call("fetch_page_markdown", {"page": page}))
    parts = [
        found(await desk.call("fetch_page_markdown", {"page": page, "part": number + 1})).data["markdown"]
        for number in range(first.data["parts"])
    ]

    assert first.data["parts"] == 3
    assert f"part 1 of 3, {first.data['characters']} characters in all" in first.text
    assert max(map(len, parts)) == MOST_CHARACTERS
    assert "".join(parts) == (await desk.notion.page_markdown(page)).markdown


async def test_a_page_that_is_not_there_is_asked_about(desk: Any) -> None:
    assert isinstance(await desk.call("fetch_page_markdown", {"page": "没有"}), Question)
    assert isinstance(await desk.call("query_database", {"database": "没有"}), Question)
    assert isinstance(await desk.call("get_database_schema", {}), Question)


async def test_a_schema_lists_columns_options_and_what_cannot_be_written(desk: Any) -> None:
    result = found(await desk.call("get_database_schema", {"database": "任务"}))

    columns = {column["name"]: column for column in result.data["columns"]}
    assert columns["优先级"] == {
        "name": "优先级",
        "type": "select",
        "options": ["高", "中", "低"],
        "groups": {},
        "writable": True,
    }
    assert columns["状态"]["groups"]
    assert not columns["创建时间"]["writable"]
    assert not columns["公式"]["writable"]
    assert '"优先级" (select) options: "高", "中", "低"' in result.text
    assert '"创建时间" (created_time, read-only)' in result.text


async def test_rows_are_filtered_and_sorted_by_the_columns_as_they_are(desk: Any) -> None:
    await desk.row("写周报", 数={"number": 5}, 标签={"multi_select": [{"name": "a"}]}, 勾={"checkbox": True})
    database = {"database": "任务"}

    def wanted(*filters: tuple[str, str, Any]) -> dict[str, Any]:
        listed = [{"column": column, "op": op, "value": value} for column, op, value in filters]
        return {**database, "filters": listed, "sorts": [{"column": "数", "direction": "descending"}]}

    async def query(*filters: tuple[str, str, Any]) -> list[str]:
        return titles(await desk.call("query_database", wanted(*filters)))

    assert await query() == ["加分页", "写周报", "修复登录"]
    assert await query(("优先级", "equals", "高")) == ["修复登录"]
    assert await query(("优先级", "not_equals", "高")) == ["加分页", "写周报"]
    assert await query(("优先级", "empty", None)) == ["写周报"]
    assert await query(("优先级", "not_empty", None), ("数", "less", 5)) == ["修复登录"]
    assert await query(("数", "greater", "3")) == ["加分页", "写周报"]
    assert await query(("标签", "contains", "A")) == ["写周报"]
    assert await query(("勾", "equals", "true")) == ["写周报"]
    assert await query(("勾", "empty", None)) == ["加分页", "修复登录"]
    assert await query(("任务标题", "contains", "分页")) == ["加分页"]
    assert await query(("title", "equals", "写周报")) == ["写周报"]
    assert await query(("编号", "equals", "T-1")) == ["修复登录"]
    assert await query(("创建时间", "after", "2020-01-01")) == ["加分页", "写周报", "修复登录"]
    assert await query(("创建时间", "before", "2020-01-01")) == []
    assert await query(("负责人", "empty", None)) == ["加分页", "写周报", "修复登录"]


async def test_people_are_named_in_filters(desk: Any) -> None:
    me = await desk.notion.me()
    await desk.row("我的", 负责人={"people": [{"id": me["id"]}]})

    mine = await desk.call(
        "query_database",
        {"filters": [{"column": "负责人", "op": "contains", "value": me["name"]}]},
        target="任务",
    )
    nobody = await desk.call(
        "query_database",
        {"filters": [{"column": "负责人", "op": "contains", "value": "没有此人"}]},
        target="任务",
    )

    assert titles(mine) == ["我的"]
    assert isinstance(nobody, Question)
    assert (nobody.key, {one.type for one in nobody.candidates}) == ("ask.which_user", {"user"})


async def test_a_cut_list_of_rows_says_how_many_there_are(desk: Any) -> None:
    for number in range(5):
        await desk.row(f"行 {number}")

    result = found(await desk.call("query_database", {"database": "任务", "limit": 3}))

    assert result.text.splitlines()[0] == 'database "任务": first 3 of 7 rows'
    assert (result.data["shown"], result.data["total"], result.data["total_is_exact"]) == (3, 7, True)
    assert len(result.data["rows"]) == 3


async def test_an_unknown_column_or_option_is_asked_about_with_those_there_are(desk: Any) -> None:
    column = await desk.call(
        "query_database", {"database": "任务", "filters": [{"column": "阶段", "op": "empty"}]}
    )
    sort = await desk.call("query_database", {"database": "任务", "sorts": [{"column": "阶段"}]})
    option = await desk.call(
        "query_database",
        {"database": "任务", "filters": [{"column": "优先级", "op": "equals", "value": "紧急"}]},
    )

    assert isinstance(column, Question)
    assert isinstance(sort, Question)
    assert isinstance(option, Question)
    assert (column.key, sort.key, option.key) == (
        "ask.no_such_column",
        "ask.no_such_column",
        "ask.which_option",
    )
    assert "优先级" in [one.title for one in column.candidates]
    assert [one.title for one in option.candidates] == ["高", "中", "低"]


def column(kind: str, *options: str) -> Column:
    return Column(id="c", name="列", type=kind, options=options)


@pytest.mark.parametrize(
    ("of", "op", "value", "filter_"),
    [
        (column("select", "高"), "contains", "高", {"select": {"equals": "高"}}),
        (column("status", "Done"), "equals", "ｄｏｎｅ", {"status": {"equals": "Done"}}),
        (column("multi_select", "a"), "not_equals", ["a"], {"multi_select": {"does_not_contain": "a"}}),
        (column("number"), "after", "3", {"number": {"greater_than": 3}}),
        (column("date"), "greater", "2026-12-01", {"date": {"after": "2026-12-01"}}),
        (column("date"), "equals", "today", {"date": {"equals": "today"}}),
        (column("people"), "contains", PERSON, {"people": {"contains": PERSON}}),
        (column("created_by"), "not_equals", PERSON, {"created_by": {"does_not_contain": PERSON}}),
        (column("relation"), "equals", PERSON, {"relation": {"contains": PERSON}}),
        (column("files"), "not_empty", None, {"files": {"is_not_empty": True}}),
        (column("checkbox"), "not_equals", True, {"checkbox": {"does_not_equal": True}}),
        (column("unique_id"), "less", "ABC-12", {"unique_id": {"less_than": 12}}),
        (column("url"), "contains", "a.example", {"url": {"contains": "a.example"}}),
    ],
)
def test_a_condition_is_worded_by_the_columns_type(
    of: Column, op: Op, value: object, filter_: dict[str, Any]
) -> None:
    assert condition(of, op, value) == {"property": "c", **filter_}


@pytest.mark.parametrize(
    ("of", "op", "value", "key"),
    [
        (column("number"), "equals", "many", "tool.bad_value"),
        (column("date"), "before", "soon", "tool.bad_value"),
        (column("date"), "not_equals", "2026-12-01", "tool.bad_condition"),
        (column("checkbox"), "contains", "x", "tool.bad_condition"),
        (column("formula"), "equals", "1", "tool.bad_condition"),
        (column("rich_text"), "equals", None, "tool.bad_value"),
        (column("rich_text"), "equals", ["a", "b"], "tool.bad_value"),
        (column("files"), "equals", "x", "tool.bad_condition"),
        (column("people"), "contains", "nobody", "tool.bad_value"),
    ],
)
def test_a_condition_that_makes_no_sense_is_told(of: Column, op: Op, value: object, key: str) -> None:
    result = condition(of, op, value)

    assert isinstance(result, Fault)
    assert result.key == key
