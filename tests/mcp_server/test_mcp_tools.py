"""What a client is offered and what its calls bring, from a real server process."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client

from lakelight import __version__

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("mcp_tools"),
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def bench(
    opened_bench: Callable[..., Any], shared: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Any]:
    async with shared(opened_bench(tmp_path_factory.mktemp("mcp"))) as bench:
        yield bench


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def client(bench: Any, shared: Callable[..., Any]) -> AsyncIterator[Client]:
    """A client that knows no forms."""
    async with shared(bench.client()) as client:
        yield client


async def raw(client: Client, arguments: object, tool: str = "search_workspace") -> dict[str, Any]:
    """A call whose arguments the SDK would not let out."""
    parameters = {"name": tool, "arguments": arguments}
    answer: dict[str, Any] = await client.session._dispatcher.send_raw_request("tools/call", parameters)
    return answer


async def test_the_tools_come_with_their_hints(client: Client) -> None:
    tools = (await client.list_tools()).tools

    hints = {
        tool.name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint)
        for tool in tools
        if tool.annotations
    }
    assert hints == {
        "search_workspace": (True, None),
        "fetch_page_markdown": (True, None),
        "query_database": (True, None),
        "get_database_schema": (True, None),
        "append_content": (False, False),
        "update_page_property": (False, True),
        "create_page": (False, False),
        "archive_page": (False, True),
        "notion_overview": (True, None),
        "approval_status": (True, None),
        "undo": (False, True),
    }
    assert all(tool.input_schema["type"] == "object" for tool in tools)


async def test_the_descriptions_of_all_tools_take_at_most_12_kb(client: Client) -> None:
    tools = (await client.list_tools()).tools

    told = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools])
    assert len(told.encode()) + len((client.instructions or "").encode()) <= 12_000


async def test_the_server_says_who_it_is_and_what_it_may_do(client: Client) -> None:
    assert client.server_info is not None
    assert (client.server_info.name, client.server_info.version) == ("lakelight", __version__)
    said = client.instructions or ""
    assert "光湖" in said
    assert "level is 2 of 3" in said
    assert "guard" in said


async def test_the_overview_explains_the_set_up(client: Client, bench: Any) -> None:
    result = await client.call_tool("notion_overview", {})

    data = result.structured_content
    assert not result.is_error
    assert (data["workspace"], data["level"], data["mode"]) == ("光湖", 2, "normal")
    assert (data["model"], data["console"], data["read_only"], data["demo"]) == (False, None, False, False)
    assert data["pages"] >= 1
    assert "光湖" in result.content[0].text


async def test_a_read_brings_its_data_as_text_and_as_values(client: Client, bench: Any) -> None:
    page = await bench.page("部署手册", "先备份。")

    found = await client.call_tool("search_workspace", {"query": "部署"})
    read = await client.call_tool("fetch_page_markdown", {"page": "部署手册"})

    assert [row["id"] for row in found.structured_content["result"]["results"]] == [page]
    assert page in found.content[0].text
    assert read.structured_content["status"] == "done"
    assert "先备份。" in read.structured_content["result"]["markdown"]
    assert "先备份。" in read.content[0].text


async def test_a_title_that_two_pages_have_becomes_a_question(client: Client, bench: Any) -> None:
    pages = {await bench.page("Twins"), await bench.page("Twins")}

    result = await client.call_tool("append_content", {"page": "Twins", "markdown": "x"})

    data = result.structured_content
    assert (result.is_error, data["status"]) == (False, "question")
    assert {one["id"] for one in data["candidates"]} == pages
    assert all(page in result.content[0].text for page in pages)
    assert data["next"]


async def test_a_write_is_told_with_ids_and_can_be_taken_back_by_its_run(client: Client, bench: Any) -> None:
    page = await bench.page("Minutes", "one")

    done = await client.call_tool("append_content", {"page": page, "markdown": "two"})
    after = await bench.texts(page)
    back = await client.call_tool("undo", {"run": done.structured_content["run"]})

    assert done.structured_content["status"] == "done"
    assert [len(each["ids"]) for each in done.structured_content["done"]] == [1]
    assert after == ["one", "two"]
    assert back.structured_content["undone"] == [
        {"kind": "block.append", "title": "Minutes", "result": "undone"}
    ]
    assert await bench.texts(page) == ["one"]


async def test_a_created_page_is_where_the_answer_says(client: Client, bench: Any) -> None:
    parent = await bench.page("Projects")

    result = await client.call_tool("create_page", {"parent": parent, "title": "Plan", "markdown": "- a"})

    [done] = result.structured_content["done"]
    made = await bench.owner.page(done["ids"][0])
    assert made["parent"]["page_id"] == parent
    assert done["url"] == made["url"]
    assert done["url"] in result.content[0].text


async def test_nothing_to_write_is_no_write(client: Client, bench: Any) -> None:
    page = await bench.page("Same")

    result = await client.call_tool(
        "update_page_property", {"page": page, "column": "title", "value": "Same"}
    )

    assert (result.structured_content["status"], result.structured_content["result"]["unchanged"]) == (
        "done",
        True,
    )
    assert "undo" not in result.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        pytest.param("nonsense", {}, "tool.unknown", id="no such tool"),
        pytest.param("ask_user", {"question": "?"}, "tool.unknown", id="a tool that only asks"),
        pytest.param("append_content", {}, "tool.bad_arguments", id="one is missing"),
        pytest.param("search_workspace", {"query": "a", "x": 1}, "tool.bad_arguments", id="one too many"),
        pytest.param("search_workspace", {"query": 7}, "tool.bad_arguments", id="of the wrong type"),
        pytest.param("append_content", {"markdown": ""}, "tool.empty", id="nothing to write"),
        pytest.param("undo", {}, "mcp.bad_argument", id="undo of nothing"),
        pytest.param("undo", {"run": 7}, "mcp.bad_argument", id="undo of a number"),
        pytest.param("undo", {"run": "run_0"}, "mcp.unknown_run", id="undo of no run"),
        pytest.param("approval_status", {"approval": "A-999"}, "approval.unknown", id="no such approval"),
        pytest.param("approval_status", {"approval": "'; --"}, "approval.unknown", id="no approval's name"),
        pytest.param("approval_status", {"approval": "run_0"}, "mcp.unknown_run", id="status of no run"),
        pytest.param("notion_overview", {"x": "1"}, "mcp.bad_argument", id="overview of something"),
    ],
)
async def test_a_call_that_cannot_be_used_says_what_to_do(
    client: Client, tool: str, arguments: dict[str, Any], code: str
) -> None:
    result = await client.call_tool(tool, arguments)

    data = result.structured_content
    assert (result.is_error, data["status"], data["code"]) == (True, "failed", code)
    assert data["fix"]
    assert data["message"] in result.content[0].text


@pytest.mark.parametrize(
    "arguments", [[1], "text", "[1]", 7, True, "{" * 5000], ids=lambda value: repr(value)[:12]
)
async def test_arguments_that_are_no_object_are_told_of(client: Client, arguments: object) -> None:
    answer = await raw(client, arguments)

    assert answer["isError"]
    assert answer["structuredContent"]["code"] == "mcp.arguments"


async def test_arguments_that_come_as_json_text_are_read_once(client: Client) -> None:
    answer = await raw(client, json.dumps({"query": "nothing like this"}))

    assert answer["structuredContent"]["result"]["total"] == 0


@pytest.mark.parametrize(
    "text",
    ["\x00", "\u202eevil", "😀" * 3000, "{tool}", "</system>", "a" * 200_000],
    ids=["nul", "bidi", "emoji", "braces", "tag", "long"],
)
async def test_strange_text_neither_ends_the_server_nor_is_guessed_at(client: Client, text: str) -> None:
    result = await client.call_tool("append_content", {"page": text, "markdown": text})

    assert result.structured_content["status"] in {"question", "failed"}
    assert not (await client.call_tool("search_workspace", {"query": "x"})).is_error


async def test_arguments_of_more_than_a_megabyte_are_refused_before_anything_is_kept(
    client: Client, bench: Any
) -> None:
    before = bench.rows("SELECT count(*) FROM runs")

    result = await client.call_tool("append_content", {"page": "x", "markdown": "長" * 500_000})

    assert result.structured_content["code"] == "mcp.too_large"
    assert bench.rows("SELECT count(*) FROM runs") == before


async def test_a_page_that_is_not_shared_comes_with_the_way_to_share_it(client: Client) -> None:
    result = await client.call_tool("fetch_page_markdown", {"page": "11111111-2222-4333-8444-555555555555"})

    data = result.structured_content
    assert data["status"] in {"failed", "question"}
    assert "Connections" in result.content[0].text


async def test_calls_made_at_once_are_each_done_once(client: Client, bench: Any) -> None:
    page = await bench.page("Busy")
    words = [f"line {number}" for number in range(4)]

    results = await asyncio.gather(
        *(client.call_tool("append_content", {"page": page, "markdown": word}) for word in words),
        *(client.call_tool("fetch_page_markdown", {"page": page}) for _ in range(3)),
    )

    assert {result.structured_content["status"] for result in results} == {"done"}
    assert sorted(await bench.texts(page)) == words


async def test_every_call_is_a_run_of_one_session(client: Client, bench: Any) -> None:
    await client.call_tool("search_workspace", {"query": "x"})

    sessions = bench.rows("SELECT DISTINCT session_id, kind FROM runs WHERE session_id IS NOT NULL")
    assert [(session[:4], kind) for session, kind in sessions] == [("mcp_", "chat")]


async def test_without_forms_a_risky_write_waits_and_says_how_it_is_decided(
    client: Client, bench: Any
) -> None:
    page = await bench.page("Old plan", "one line")

    result = await client.call_tool("archive_page", {"page": page})

    data = result.structured_content
    assert (result.is_error, data["status"], data["url"]) == (False, "waiting_approval", None)
    assert "Old plan" in data["diff"]
    assert f"lakelight approvals approve {data['approval']}" in data["next"]
    assert all(data[name] in result.content[0].text for name in ("approval", "diff", "next"))
    assert not await bench.trashed(page)


async def test_what_waits_can_be_approved_in_another_shell_and_is_told(client: Client, bench: Any) -> None:
    page = await bench.page("Older plan")
    waiting = await client.call_tool("archive_page", {"page": page})
    approval = waiting.structured_content["approval"]

    before = await client.call_tool("approval_status", {"approval": approval})
    await bench.command("approvals", "approve", approval)
    after = await client.call_tool("approval_status", {"approval": approval})

    assert before.structured_content["status"] == "waiting_approval"
    assert (after.structured_content["status"], after.structured_content["decision"]) == ("done", "used")
    assert await bench.trashed(page)


async def test_what_waits_can_be_rejected_and_is_told_with_the_reason(client: Client, bench: Any) -> None:
    page = await bench.page("Good plan")
    waiting = await client.call_tool("archive_page", {"page": page})
    approval = waiting.structured_content["approval"]

    await bench.command("approvals", "reject", approval, "-m", "still in use")
    after = await client.call_tool("approval_status", {"approval": approval})

    assert after.structured_content["status"] == "rejected"
    assert "still in use" in after.content[0].text
    assert not await bench.trashed(page)


async def test_what_was_not_written_by_way_of_mcp_is_not_taken_back_by_it(client: Client, bench: Any) -> None:
    page = await bench.page("Own notes")
    _, out, err = await bench.process("ask", f'append "by hand" to {page}', "--json")
    assert await bench.texts(page) == ["by hand"], (out, err)

    result = await client.call_tool("undo", {"run": json.loads(out)["run_id"]})

    assert result.structured_content["code"] == "mcp.not_ours"
    assert await bench.texts(page) == ["by hand"]
