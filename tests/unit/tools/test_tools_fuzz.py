"""Whatever a planner calls a tool with, the tool answers; and what it builds is sound."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lakelight.operations import touched
from lakelight.operations.preview import preview
from lakelight.operations.surroundings import Surroundings
from lakelight.tools import Built, Fault, Found, Question, check_kinds, standard_tools

names = st.sampled_from(["修复登录", "周报", "任务", "项目计划", "your_page_id", "", "\ud800"]) | st.text(
    max_size=6
)
columns = st.sampled_from(
    ["状态", "优先级", "标签", "数", "勾", "期限", "链接", "说明", "负责人", "编号", "title"]
)
values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, float("inf"), float("nan"), -0.0, 1e308])
    | st.floats()
    | st.sampled_from(
        ["高", "Done", "a", '["a"]', "[", "2026-12-31", "2026-13-01", "/", "T-", "\ud800", "today"]
    )
    | st.text(max_size=8)
    | st.lists(st.text(max_size=4), max_size=3)
)
ops = st.sampled_from(
    ["equals", "not_equals", "contains", "greater", "less", "before", "after", "empty", "not_empty"]
)
anything = st.recursive(
    values,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "query": names,
    "page": names,
    "database": names,
    "parent": names,
    "part": st.integers(-1, 3),
    "filters": st.lists(st.fixed_dictionaries({"column": columns, "op": ops, "value": values}), max_size=2),
    "sorts": st.lists(st.fixed_dictionaries({"column": columns}), max_size=2),
    "limit": st.integers(0, 101),
    "markdown": st.text(max_size=40) | st.just("- a\n" * 101),
    "column": columns,
    "value": values,
    "title": names,
    "properties": st.dictionaries(columns, values, max_size=3),
    "question": names,
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(list(standard_tools())))
    fields = standard_tools()[tool].spec.parameters["properties"]
    right = {name: ARGUMENTS[name] for name in fields}
    arguments = draw(st.fixed_dictionaries({}, optional=right))
    if draw(st.integers(0, 4)) == 0:
        arguments[draw(st.sampled_from([*fields, "strange"]))] = draw(anything)
    return tool, arguments


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(call=calls(), target=st.sampled_from([None, "任务", "没有"]), page=st.sampled_from([None, "修复登录"]))
async def test_a_tool_always_answers_and_builds_only_what_is_sound(
    desk: Any, call: tuple[str, dict[str, Any]], target: str | None, page: str | None
) -> None:
    tool, arguments = call

    result = await desk.call(tool, arguments, page=page, target=target)

    assert isinstance(result, Found | Built | Question | Fault)
    if isinstance(result, Built):
        assert check_kinds(desk.tools[tool].spec, result.operation)
        assert touched(result.operation.request) == result.operation.target
        assert preview(result.operation, Surroundings(target=result.before), result.title).undo


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan")])
async def test_a_number_that_is_none_is_a_fault(desk: Any, value: float) -> None:
    result = await desk.call("update_page_property", {"page": "修复登录", "column": "数", "value": value})

    assert isinstance(result, Fault)
    assert result.key == "tool.bad_value"
