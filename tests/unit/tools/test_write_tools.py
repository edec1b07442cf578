"""What the writing tools build: an operation that Notion takes, or a question, or a fault. Never a write."""

from typing import Any

from lakelight.notion.schema import plain
from lakelight.operations import Kind, touched
from lakelight.tools import Built, Fault, Found, Question, check_kinds


def built(result: Any) -> Built:
    assert isinstance(result, Built), result
    return result


async def texts(desk: Any, page: str) -> list[str]:
    blocks = (await desk.notion.children(page)).blocks
    return [run["plain_text"] for block in blocks for run in block[block["type"]].get("rich_text", [])]


async def test_content_goes_to_the_end_of_the_page(desk: Any) -> None:
    result = built(await desk.call("append_content", {"page": "项目计划", "markdown": "## 小结\n\n完成。"}))

    await desk.carry_out(result)

    assert (result.title, result.operation.kind, result.operation.target) == (
        "项目计划",
        Kind.BLOCK_APPEND,
        desk.ids["计划"],
    )
    assert (await texts(desk, desk.ids["计划"]))[-2:] == ["小结", "完成。"]


async def test_content_for_more_than_one_request_is_told_with_how_much_fits(desk: Any) -> None:
    markdown = "\n".join(f"- {number}" for number in range(250))

    result = await desk.call("append_content", {"page": "项目计划", "markdown": markdown})

    assert result == Fault(key="tool.too_much", facts={"blocks": 250, "fits": 100, "calls": 3})


async def test_exactly_a_hundred_blocks_fit(desk: Any) -> None:
    markdown = "\n".join(f"- {number}" for number in range(100))

    result = built(await desk.call("append_content", {"page": "项目计划", "markdown": markdown}))

    assert len(result.operation.request.content["children"]) == 100


async def test_nothing_to_append_is_told(desk: Any) -> None:
    result = await desk.call("append_content", {"page": "项目计划", "markdown": " \n"})

    assert result == Fault(key="tool.empty", facts={"field": "markdown"})


async def test_a_column_is_set_by_what_it_is(desk: Any) -> None:
    cases: list[tuple[str, Any, Any]] = [
        ("优先级", "低", "低"),
        ("优先级", None, None),
        ("数", "42", 42),
        ("数", 3.5, 3.5),
        ("勾", True, True),
        ("勾", "true", True),
        ("期限", "2026-12-31", "2026-12-31"),
        ("期限", "2026-12-01/2026-12-31", "2026-12-01/2026-12-31"),
        ("标签", ["b", "a"], ["b", "a"]),
        ("标签", '["a"]', ["a"]),
        ("标签", "a", ["a"]),
        ("链接", "https://a.example", "https://a.example"),
        ("说明", "一段 **原样** 的文字", "一段 **原样** 的文字"),
        ("title", "修复登录超时", "修复登录超时"),
        ("名称", "修复登录超时", "修复登录超时"),
        (" 任务标题 ", "修复登录超时", "修复登录超时"),
    ]

    written = []
    for column, value, _ in cases:
        row = await desk.row("行", 优先级={"select": {"name": "高"}})
        result = built(
            await desk.call("update_page_property", {"page": row, "column": column, "value": value})
        )
        page = await desk.carry_out(result)
        (name,) = result.operation.request.content["properties"]
        written.append((column, value, plain(page["properties"][name])))
        assert result.before is not None
        assert result.before["id"] == page["id"] == row

    assert written == cases


async def test_people_are_named_by_their_names(desk: Any) -> None:
    me = await desk.notion.me()

    result = built(
        await desk.call("update_page_property", {"page": "修复登录", "column": "负责人", "value": me["name"]})
    )

    assert plain((await desk.carry_out(result))["properties"]["负责人"]) == [me["name"]]


async def test_pages_of_a_relation_are_named_by_their_titles(desk: Any) -> None:
    schema = {
        "Name": {"title": {}},
        "来自": {"relation": {"data_source_id": desk.ids["任务"], "single_property": {}}},
    }
    await desk.database("引用", schema)

    result = built(
        await desk.call(
            "create_page",
            {"parent": "引用", "title": "一条", "properties": {"来自": ["修复登录", desk.ids["分页"]]}},
        )
    )
    unknown = await desk.call(
        "create_page", {"parent": "引用", "title": "一条", "properties": {"来自": "没有这一页"}}
    )

    page = await desk.carry_out(result)
    assert plain(page["properties"]["来自"]) == [desk.ids["登录"], desk.ids["分页"]]
    assert isinstance(unknown, Question)
    assert unknown.key == "ask.no_such_page"


async def test_the_title_of_a_plain_page_is_its_one_column(desk: Any) -> None:
    result = built(
        await desk.call("update_page_property", {"page": "项目计划", "column": "标题", "value": "新计划"})
    )
    other = await desk.call("update_page_property", {"page": "项目计划", "column": "状态", "value": "x"})

    page = await desk.carry_out(result)
    assert plain(page["properties"]["title"]) == "新计划"
    assert isinstance(other, Question)


async def test_an_unknown_option_or_column_is_a_question_and_makes_nothing(desk: Any) -> None:
    option = await desk.call(
        "update_page_property", {"page": "修复登录", "column": "优先级", "value": "紧急"}
    )
    status = await desk.call("update_page_property", {"page": "修复登录", "column": "状态", "value": "紧急"})
    column = await desk.call("update_page_property", {"page": "修复登录", "column": "阶段", "value": "x"})

    assert isinstance(option, Question)
    assert isinstance(status, Question)
    assert isinstance(column, Question)
    assert (option.key, option.facts) == ("ask.which_option", {"column": "优先级", "value": "紧急"})
    assert [one.title for one in option.candidates] == ["高", "中", "低"]
    assert status.key == "ask.which_option"
    assert (column.key, column.facts) == ("ask.no_such_column", {"column": "阶段"})
    assert {one.type for one in column.candidates} == {"column"}


async def test_a_value_that_cannot_be_written_is_a_fault(desk: Any) -> None:
    cases = [
        ("创建时间", "2026-12-31", "notion.read_only_column"),
        ("编号", "T-9", "notion.read_only_column"),
        ("公式", "2", "notion.read_only_column"),
        ("数", "many", "tool.bad_value"),
        ("期限", "soon", "tool.bad_value"),
        ("勾", "perhaps", "tool.bad_value"),
        ("说明", "字" * 200_001, "notion.too_large"),
    ]

    told = []
    for column, value, _ in cases:
        arguments = {"page": desk.ids["登录"], "column": column, "value": value}
        result = await desk.call("update_page_property", arguments)
        assert isinstance(result, Fault)
        told.append((column, value, result.key))

    assert told == cases


async def test_a_value_that_is_there_already_is_not_written_again(desk: Any) -> None:
    result = await desk.call("update_page_property", {"page": "修复登录", "column": "优先级", "value": "高"})

    assert isinstance(result, Found)
    assert result.data["unchanged"] is True


async def test_a_row_is_created_by_the_columns_of_its_database(desk: Any) -> None:
    arguments = {
        "parent": "任务",
        "title": "写月报",
        "markdown": "- 汇总",
        "properties": '{"优先级":"中","数":7,"期限":"2026-12-31","标签":["a"],"说明":null}',
    }

    result = built(await desk.call("create_page", arguments))
    page = await desk.carry_out(result)

    assert (result.title, result.operation.target, result.before) == ("写月报", desk.ids["任务"], None)
    assert touched(result.operation.request) == desk.ids["任务"]
    values = {name: plain(value) for name, value in page["properties"].items()}
    assert (values["任务标题"], values["优先级"], values["数"]) == ("写月报", "中", 7)
    assert (values["期限"], values["标签"]) == ("2026-12-31", ["a"])
    assert await texts(desk, page["id"]) == ["汇总"]


async def test_a_page_is_created_under_a_page(desk: Any) -> None:
    result = built(await desk.call("create_page", {"title": "附录"}, page="项目计划"))

    page = await desk.carry_out(result)

    assert page["parent"]["page_id"] == desk.ids["计划"]
    assert "children" not in result.operation.request.content


async def test_the_title_has_an_argument_of_its_own_which_wins(desk: Any) -> None:
    result = built(
        await desk.call("create_page", {"parent": "任务", "title": "甲", "properties": {"任务标题": "乙"}})
    )

    assert plain((await desk.carry_out(result))["properties"]["任务标题"]) == "甲"


async def test_a_page_that_cannot_be_made_as_asked_is_not_made(desk: Any) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"title": "x"}, "ask.place_missing"),
        ({"title": "x", "parent": "没有"}, "ask.no_such_page"),
        ({"title": "x", "parent": "周报"}, "ask.which_page"),
        ({"title": "x", "parent": "任务", "properties": {"阶段": "1"}}, "ask.no_such_column"),
        ({"title": "x", "parent": "任务", "properties": {"优先级": "紧急"}}, "ask.which_option"),
        ({"title": "x", "parent": "项目计划", "properties": {"状态": "1"}}, "tool.no_columns"),
        ({"title": "x", "parent": "任务", "properties": {"编号": "1"}}, "notion.read_only_column"),
        ({"title": "  ", "parent": "任务"}, "tool.bad_arguments"),
        ({"parent": "任务"}, "tool.bad_arguments"),
        ({"title": "x", "parent": "任务", "markdown": "- a\n" * 101}, "tool.too_much"),
    ]

    told = []
    for arguments, _ in cases:
        result = await desk.call("create_page", arguments)
        assert isinstance(result, Question | Fault)
        told.append((arguments, result.key))

    assert told == cases


async def test_a_page_goes_to_the_trash(desk: Any) -> None:
    result = built(await desk.call("archive_page", {"page": "加分页"}))

    page = await desk.carry_out(result)

    assert (page["id"], page["in_trash"]) == (desk.ids["分页"], True)
    assert result.operation.kind is Kind.PAGE_ARCHIVE


async def test_what_is_in_the_trash_takes_no_writes(desk: Any) -> None:
    page = desk.ids["分页"]
    await desk.carry_out(await desk.call("archive_page", {"page": page}))

    results = [
        await desk.call("append_content", {"page": page, "markdown": "x"}),
        await desk.call("update_page_property", {"page": page, "column": "数", "value": 1}),
        await desk.call("create_page", {"parent": page, "title": "x"}),
    ]
    again = await desk.call("archive_page", {"page": page})

    assert results == [Fault(key="tool.in_trash", facts={"title": "加分页"})] * 3
    assert isinstance(again, Found)


async def test_a_write_never_guesses_its_page(desk: Any) -> None:
    writes: dict[str, dict[str, Any]] = {
        "append_content": {"markdown": "x"},
        "update_page_property": {"column": "数", "value": 1},
        "archive_page": {},
    }
    pages: list[dict[str, str]] = [
        {},
        *({"page": name} for name in ("周报", "your_page_id", "周", "12345678")),
    ]

    results = [
        await desk.call(tool, {**page, **arguments}) for tool, arguments in writes.items() for page in pages
    ]

    assert [type(result) for result in results] == [Question] * 15


async def test_what_a_tool_builds_is_within_its_kinds(desk: Any) -> None:
    calls: dict[str, dict[str, Any]] = {
        "append_content": {"page": "修复登录", "markdown": "x"},
        "update_page_property": {"page": "修复登录", "column": "数", "value": 1},
        "create_page": {"parent": "任务", "title": "x", "markdown": "y"},
        "archive_page": {"page": "修复登录"},
    }

    operations = {
        tool: built(await desk.call(tool, arguments)).operation for tool, arguments in calls.items()
    }

    assert all(check_kinds(desk.tools[tool].spec, operation) for tool, operation in operations.items())
    assert all(touched(operation.request) == operation.target for operation in operations.values())


async def test_a_question_to_the_user_is_passed_on(desk: Any) -> None:
    result = await desk.call("ask_user", {"question": " 哪一个？ "})

    assert result == Question(key="ask.user", facts={"question": "哪一个？"})
