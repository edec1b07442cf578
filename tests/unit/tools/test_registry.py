"""The tools that a planner is told of: few bytes, no wrong kinds, and a sentence for each thing they say."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import lakelight.tools
from lakelight.messages.catalogue import catalogue
from lakelight.operations import Kind, Operation, request
from lakelight.tools import check_kinds, standard_tools

PAGE = "11111111-2222-4333-8444-555555555555"
SOURCE = Path(lakelight.tools.__file__).parent


def test_there_are_nine_tools_under_their_own_names() -> None:
    tools = standard_tools()

    assert {name: tool.spec.effect for name, tool in tools.items()} == {
        "search_workspace": "read",
        "fetch_page_markdown": "read",
        "query_database": "read",
        "get_database_schema": "read",
        "append_content": "write",
        "update_page_property": "write",
        "create_page": "write",
        "archive_page": "write",
        "ask_user": "ask",
    }
    assert [tool.spec.name for tool in tools.values()] == list(tools)


def test_all_descriptions_together_take_no_more_than_six_kilobytes() -> None:
    told = [
        {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
        for spec in (tool.spec for tool in standard_tools().values())
    ]

    assert len(json.dumps(told, separators=(",", ":")).encode()) <= 6000


def test_a_write_declares_one_kind_and_a_read_none() -> None:
    kinds = {name: tool.spec.kinds for name, tool in standard_tools().items() if tool.spec.kinds}

    assert kinds == {
        "append_content": {Kind.BLOCK_APPEND},
        "update_page_property": {Kind.PAGE_PROPERTIES_UPDATE},
        "create_page": {Kind.PAGE_CREATE},
        "archive_page": {Kind.PAGE_ARCHIVE},
    }


archive = Operation(
    id="op_1",
    kind=Kind.PAGE_ARCHIVE,
    target=PAGE,
    request=request("PATCH", f"/pages/{PAGE}", {"in_trash": True}),
)


@pytest.mark.parametrize(
    ("tool", "operation", "within"),
    [
        pytest.param("archive_page", archive, True, id="what it declares"),
        pytest.param("append_content", archive, False, id="another tool's"),
        pytest.param("search_workspace", archive, False, id="of a read"),
        pytest.param("archive_page", replace(archive, kind=Kind.PAGE_ERASE), False, id="under another name"),
        pytest.param(
            "archive_page",
            replace(
                archive, request=request("PATCH", f"/pages/{PAGE}", {"in_trash": True, "properties": {}})
            ),
            False,
            id="and something more",
        ),
        pytest.param(
            "archive_page",
            replace(archive, request=request("PATCH", f"/pages/{PAGE}", {"strange": True})),
            False,
            id="not understood",
        ),
        pytest.param(
            "archive_page",
            replace(archive, request=request("PATCH", f"/pages/{PAGE}", {"erase_content": True})),
            False,
            id="graver than it says",
        ),
    ],
)
def test_an_operation_is_within_a_tool_by_what_its_request_does(
    tool: str, operation: Operation, within: bool
) -> None:
    assert check_kinds(standard_tools()[tool].spec, operation) is within


def test_every_key_that_a_tool_says_has_a_sentence() -> None:
    keys = {
        key
        for file in SOURCE.rglob("*.py")
        for key in re.findall(r'"((?:ask|tool)\.[a-z_]+)"', file.read_text(encoding="utf-8"))
    }

    assert len(keys) > 10
    assert keys - catalogue("en").keys() == set()
