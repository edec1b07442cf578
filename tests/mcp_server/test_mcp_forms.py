"""A write that needs a yes, with a client that can ask its user: in both eras of the protocol."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("mcp_forms"),
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def bench(
    opened_bench: Callable[..., Any], shared: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Any]:
    async with shared(opened_bench(tmp_path_factory.mktemp("mcp"))) as bench:
        yield bench


WITHIN = pytest.mark.parametrize("client", ["legacy"], ids=["asked within the call"], indirect=True)
BY_CALLING_AGAIN = pytest.mark.parametrize("client", ["auto"], ids=["asked by calling again"], indirect=True)


@pytest_asyncio.fixture(
    loop_scope="module",
    scope="module",
    params=["legacy", "auto"],
    ids=["asked within the call", "asked by calling again"],
)
async def client(bench: Any, shared: Callable[..., Any], request: Any) -> AsyncIterator[Client]:
    async with shared(bench.client(request.param, forms=True)) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def fresh(bench: Any) -> None:
    bench.said.clear()
    bench.decides = lambda: "accept"


def decided(bench: Any) -> list[tuple[str, str]]:
    """The state of the newest approval, and who decided."""
    return list(bench.rows("SELECT state, decided_by FROM approvals ORDER BY number DESC LIMIT 1"))


async def test_a_yes_writes_what_the_form_showed_once(client: Client, bench: Any) -> None:
    page = await bench.page("Old plan", "one line")

    result = await client.call_tool("archive_page", {"page": page})

    assert result.structured_content["status"] == "done"
    assert await bench.trashed(page)
    assert len(bench.said) == 1
    assert "Old plan" in bench.said[0]
    assert decided(bench) == [("used", "mcp:tester")]


async def test_a_no_writes_nothing_and_is_told_as_a_no(client: Client, bench: Any) -> None:
    page = await bench.page("Good plan")
    bench.decides = lambda: "decline"

    result = await client.call_tool("archive_page", {"page": page})

    assert (result.is_error, result.structured_content["status"]) == (True, "rejected")
    assert result.structured_content["fix"]
    assert not await bench.trashed(page)
    assert decided(bench) == [("rejected", "mcp:tester")]


async def test_a_closed_form_decides_nothing(client: Client, bench: Any) -> None:
    page = await bench.page("Some plan")
    bench.decides = lambda: "cancel"

    result = await client.call_tool("archive_page", {"page": page})

    assert (result.is_error, result.structured_content["status"]) == (False, "waiting_approval")
    assert not await bench.trashed(page)
    assert decided(bench) == [("pending", "")]


async def test_a_yes_to_what_has_changed_meanwhile_is_asked_again(client: Client, bench: Any) -> None:
    page = await bench.page("First name")

    async def rename_once() -> str:
        if len(bench.said) == 1:
            title = {"title": {"title": [{"text": {"content": "Second name"}}]}}
            await bench.owner.send("PATCH", f"/pages/{page}", {"properties": title})
        return "accept"

    bench.decides = rename_once

    result = await client.call_tool("archive_page", {"page": page})

    assert result.structured_content["status"] == "done"
    assert ["Second name" in said for said in bench.said] == [False, True]
    assert await bench.trashed(page)


async def test_a_decision_made_elsewhere_while_the_form_is_open_is_the_one_that_counts(
    client: Client, bench: Any
) -> None:
    page = await bench.page("Shared plan")

    async def reject_beside() -> str:
        [(number,)] = bench.rows("SELECT max(number) FROM approvals")
        await bench.command("approvals", "reject", f"A-{number}", "-m", "no")
        return "accept"

    bench.decides = reject_beside

    result = await client.call_tool("archive_page", {"page": page})

    assert result.structured_content["status"] == "rejected"
    assert not await bench.trashed(page)


@WITHIN
async def test_a_client_whose_form_fails_has_asked_nothing(client: Client, bench: Any) -> None:
    page = await bench.page("Odd plan")

    async def fail() -> str:
        raise RuntimeError("no window")

    bench.decides = fail

    result = await client.call_tool("archive_page", {"page": page})

    assert result.structured_content["status"] == "waiting_approval"
    assert not await bench.trashed(page)


async def test_an_open_form_holds_no_other_call_up(client: Client, bench: Any) -> None:
    page, other = await bench.page("Slow plan"), await bench.page("Quick notes")
    opened, answered = asyncio.Event(), asyncio.Event()

    async def wait() -> str:
        opened.set()
        await answered.wait()
        return "accept"

    bench.decides = wait
    slow = asyncio.create_task(client.call_tool("archive_page", {"page": page}))
    await opened.wait()

    quick = await client.call_tool("append_content", {"page": other, "markdown": "x"})
    answered.set()

    assert quick.structured_content["status"] == "done"
    assert (await slow).structured_content["status"] == "done"


@BY_CALLING_AGAIN
async def test_an_answer_counts_only_for_the_question_that_was_put(client: Client, bench: Any) -> None:
    page, other = await bench.page("Mine"), await bench.page("Other")
    accepted: Any = {"approve": {"action": "accept", "content": {}}}
    asked = await client.session.call_tool("archive_page", {"page": page}, allow_input_required=True)
    state = asked.request_state

    made_up = await client.session.call_tool(
        "archive_page", {"page": page}, input_responses=accepted, request_state="A-1"
    )
    moved = await client.session.call_tool(
        "archive_page", {"page": other}, input_responses=accepted, request_state=state
    )
    again = await client.session.call_tool(
        "archive_page", {"page": page}, input_responses=accepted, request_state=state
    )

    codes = [result.structured_content["code"] for result in (made_up, moved, again)]
    assert codes == ["mcp.over"] * 3
    assert not await bench.trashed(page)
    assert not await bench.trashed(other)
