"""What goes wrong around a server: told with its cure, and nothing written twice or by half."""

import asyncio
import json
import os
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def state(bench: Any, kind: str = "chat") -> list[tuple[str, str]]:
    """State and reason of the newest run."""
    return list(bench.rows("SELECT state, reason FROM runs WHERE kind = ? ORDER BY id DESC LIMIT 1", kind))


async def lost(call: Any) -> None:
    """Let a call end however it ends: its server is gone."""
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


async def test_read_only_offers_reads_and_says_so(bench: Any) -> None:
    page = await bench.page("Notes")

    async with bench.client("legacy", "--read-only") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        refused = await client.call_tool("append_content", {"page": page, "markdown": "x"})
        undo = await client.call_tool("undo", {"run": "run_1"})
        overview = await client.call_tool("notion_overview", {})
        said = client.instructions or ""

    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert set(tools) >= {"search_workspace", "fetch_page_markdown", "notion_overview", "approval_status"}
    assert "--read-only" in said
    assert {refused.structured_content["code"], undo.structured_content["code"]} == {"mcp.read_only"}
    assert overview.structured_content["read_only"] is True
    assert await bench.texts(page) == []


async def test_writes_are_offered_at_level_0_and_stopped_by_the_guard(bench: Any) -> None:
    (bench.home / "policy.toml").write_text("version = 1\nlevel = 0\n")
    page = await bench.page("Notes")

    async with bench.client("auto") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("append_content", {"page": page, "markdown": "x"})
        said = client.instructions or ""

    data = result.structured_content
    assert names >= {"append_content", "archive_page"}
    assert "level is 0 of 3" in said
    assert (result.is_error, data["status"], data["code"], data["reason"]) == (
        True,
        "stopped",
        "guard.deny",
        "level",
    )
    assert "policy.toml" in data["fix"]
    assert await bench.texts(page) == []


async def test_the_server_comes_up_without_notion_and_goes_on_when_notion_is_back(bench: Any) -> None:
    bench.gate.answer = (503, {}, {"object": "error", "code": "service_unavailable", "message": "down"})

    async with bench.client() as client:
        first = await client.call_tool("notion_overview", {})
        bench.gate.open()
        second = await client.call_tool("notion_overview", {})
        said = client.instructions or ""

    assert "not ready" in said
    assert (first.is_error, first.structured_content["code"]) == (True, "notion.unreachable")
    assert first.structured_content["fix"]
    assert second.structured_content["workspace"] == "光湖"


async def test_a_wrong_token_is_told_with_where_to_find_the_right_one(bench: Any) -> None:
    token = "ntn_000000000000000000000000000000000000000000000"

    async with bench.client("legacy", GH_NOTION_TOKEN=token) as client:
        result = await client.call_tool("search_workspace", {"query": "x"})

    assert result.is_error
    assert "GH_NOTION_TOKEN" in result.structured_content["fix"]
    assert token not in result.content[0].text


async def test_a_limit_says_after_how_many_seconds_to_come_back(bench: Any) -> None:
    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        bench.gate.answer = (
            429,
            {"retry-after": "300"},
            {"object": "error", "code": "rate_limited", "message": "slow down"},
        )
        result = await client.call_tool("search_workspace", {"query": "x"})
        bench.gate.open()

    data = result.structured_content
    assert (data["code"], result.is_error) == ("notion.limited", True)
    assert 0 < data["retry_after_seconds"] <= 300


async def test_a_cancelled_read_ends_its_run_and_not_the_server(bench: Any) -> None:
    page = await bench.page("Notes", "text")

    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        bench.gate.hold()
        bench.gate.holds = lambda method, path: path.endswith("/markdown")
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "fetch_page_markdown", {"page": page})
                await bench.gate.held.wait()
                group.cancel_scope.cancel()
        await bench.until(lambda: state(bench) == [("dropped", "cancelled")])
        bench.gate.open()
        after = await client.call_tool("fetch_page_markdown", {"page": page})

    assert not scope.cancelled_caught
    assert after.structured_content["status"] == "done"


async def test_a_write_that_is_cancelled_on_its_way_is_still_taken_down(bench: Any) -> None:
    page = await bench.page("Notes")

    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        bench.gate.hold()
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "append_content", {"page": page, "markdown": "x"})
            await bench.gate.held.wait()
            group.cancel_scope.cancel()
        bench.gate.open()
        await bench.until(lambda: state(bench)[0][0] == "done")

    assert await bench.texts(page) == ["x"]
    assert bench.rows("SELECT state FROM intents") == [("written",)]


@pytest.mark.parametrize("stores", [True, False], ids=["after it arrived", "before it arrived"])
async def test_a_server_killed_in_the_middle_of_a_write_has_written_once_after_the_next_start(
    bench: Any, stores: bool
) -> None:
    page = await bench.page("Notes")
    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        bench.gate.hold(stores=stores)
        call = asyncio.create_task(client.call_tool("append_content", {"page": page, "markdown": "x"}))
        await bench.gate.held.wait()
        os.kill(bench.servers()[0].pid, signal.SIGKILL)
        await lost(call)
    bench.gate.open()

    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        await bench.until(lambda: state(bench)[0][0] == "done")

    assert await bench.texts(page) == ["x"]
    assert bench.rows("SELECT state FROM intents") == [("written",)]


async def test_a_client_that_goes_in_the_middle_of_a_write_has_written_once(bench: Any) -> None:
    page = await bench.page("Notes")
    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        bench.gate.hold()
        call = asyncio.create_task(client.call_tool("append_content", {"page": page, "markdown": "x"}))
        await bench.gate.held.wait()
    await lost(call)
    bench.gate.open()

    async with bench.client() as client:
        await client.call_tool("notion_overview", {})
        await bench.until(lambda: state(bench)[0][0] == "done")

    assert await bench.texts(page) == ["x"]


async def test_what_waits_for_a_person_outlives_its_server(bench: Any) -> None:
    page = await bench.page("Old plan")
    async with bench.client() as client:
        waiting = await client.call_tool("archive_page", {"page": page})
    approval = waiting.structured_content["approval"]

    async with bench.client() as client:
        before = await client.call_tool("approval_status", {"approval": approval})
        await bench.command("approvals", "approve", approval)
        after = await client.call_tool("approval_status", {"approval": approval})

    assert before.structured_content["status"] == "waiting_approval"
    assert after.structured_content["status"] == "done"
    assert await bench.trashed(page)


async def test_clients_of_one_embedded_workspace_outlive_the_one_that_served_it(bench: Any) -> None:
    for name in ("GH_NOTION_TOKEN", "LAKELIGHT_NOTION__BASE_URL"):
        del bench.environment[name]

    async with bench.client() as second_to_go:
        async with bench.client() as other:
            shared = await other.call_tool("create_page", {"parent": "Home", "title": "Shared"})
        await second_to_go.call_tool("notion_overview", {})
    async with bench.client() as client:
        found = await client.call_tool("search_workspace", {"query": "Shared"})

    assert shared.structured_content["status"] == "done"
    assert found.structured_content["result"]["total"] == 1


async def test_when_whoever_serves_the_embedded_workspace_has_gone_it_is_served_anew(bench: Any) -> None:
    for name in ("GH_NOTION_TOKEN", "LAKELIGHT_NOTION__BASE_URL"):
        del bench.environment[name]
    async with AsyncExitStack() as first, AsyncExitStack() as second:
        await first.enter_async_context(bench.client())
        client = await second.enter_async_context(bench.client())
        serving = min(bench.servers(), key=lambda process: process.create_time())

        os.kill(serving.pid, signal.SIGKILL)
        failed = await client.call_tool("notion_overview", {})
        after = await client.call_tool("notion_overview", {})

    assert failed.structured_content["code"] == "notion.unreachable"
    assert after.structured_content["demo"] is True


async def test_nothing_but_the_protocol_goes_to_stdout(bench: Any) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    lines = [
        hello,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "notion_overview"}},
    ]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "lakelight", "mcp"),
        env={**bench.environment, "LAKELIGHT_HOME": str(bench.home)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"this is no JSON\n" + b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    answers: dict[Any, Any] = {}
    while 3 not in answers:
        line = await process.stdout.readline()
        assert line, "the server ended"
        answer = json.loads(line)
        answers[answer.get("id")] = answer
    process.stdin.close()
    rest = await process.stdout.read()

    assert await process.wait() == 0
    assert rest == b""
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[2]["error"]["code"] == -32601
    assert answers[3]["result"]["structuredContent"]["status"] == "done"


async def test_without_the_sdk_the_command_says_how_to_install_it(bench: Any, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    missing = "raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n"
    (hidden / "mcp.py").write_text(missing)

    code, out, err = await bench.process("mcp", PYTHONPATH=str(hidden))

    assert (code, out) == (3, "")
    assert "pip install" in err
    assert "mcp" in err
