"""The client against a real server on this machine: what it sends again, what it never does, and what it says."""

import asyncio
import contextlib
import json
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.errors import ConfigurationError
from lakelight.notion import (
    BadReference,
    NotionConflict,
    NotionError,
    NotionIncomplete,
    NotionLimited,
    NotionRefused,
    NotionTooLarge,
    NotionUnreachable,
)
from lakelight.notion.api_log import ApiLog
from lakelight.notion.budget import NoBudget, SharedBudget
from lakelight.notion.http import HttpNotion

TOKEN = "ntn_a-token-nobody-may-see"
PAGE = "393abc1e-edcd-8170-aebf-cf1d14057b30"
APPEND = f"/blocks/{PAGE}/children"
HELLO: dict[str, object] = {"children": [{"paragraph": {"rich_text": [{"text": {"content": "hello"}}]}}]}
ME = {"object": "user", "id": PAGE, "type": "bot"}
EMPTY = {"object": "list", "results": [], "has_more": False, "next_cursor": None}


@dataclass(frozen=True)
class Reply:
    """One answer of the workspace; `cut` ends the connection instead, `silent` never answers."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False


def ok(body: object) -> Reply:
    return Reply(body=json.dumps(body).encode())


def error(status: int, code: str, headers: dict[str, str] | None = None, **additional: object) -> Reply:
    body = {"object": "error", "status": status, "code": code, "message": "a reason", "request_id": "r-1"}
    if additional:
        body["additional_data"] = additional
    return Reply(status, json.dumps(body).encode(), headers or {})


HTML_502 = Reply(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"})
CUT = Reply(cut=True)
SILENT = Reply(silent=True)


@dataclass
class Workspace:
    """Gives its replies in order, and the last of them for ever; keeps what it was asked."""

    replies: list[Reply] = field(default_factory=lambda: [ok(ME)])
    asked: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator["Workspace"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield self
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while await self._answer(reader, writer):
                pass
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        self.headers.append(headers)
        self.asked.append((first.removesuffix(" HTTP/1.1"), json.loads(content or b"null")))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if reply.silent:
            await reader.read()
        if reply.cut or reply.silent:
            return False
        head = {"Content-Length": str(len(reply.body)), "Content-Type": "application/json", **reply.headers}
        text = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        writer.write(f"HTTP/1.1 {reply.status} X\r\n{text}\r\n".encode() + reply.body)
        await writer.drain()
        return True


class Waits:
    """A clock whose waits are noted and pass at once."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = datetime(2026, 11, 30, 8, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    async def sleep(self, wait: timedelta) -> None:
        self.slept.append(wait.total_seconds())
        self._now += wait
        await asyncio.sleep(0)


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with Workspace().served() as workspace:
        yield workspace


@pytest.fixture
def clock() -> Waits:
    return Waits()


@pytest.fixture
async def notion(workspace: Workspace, clock: Waits) -> AsyncIterator[HttpNotion]:
    async with connected(workspace.url, clock) as notion:
        yield notion


@contextlib.asynccontextmanager
async def connected(url: str, clock: Waits, **settings: Any) -> AsyncIterator[HttpNotion]:
    notion = HttpNotion(TOKEN, clock=clock, base_url=url, **{"budget": NoBudget(), **settings})
    try:
        yield notion
    finally:
        await notion.aclose()


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
async def test_the_base_url_may_end_with_or_without_v1(
    workspace: Workspace, clock: Waits, ending: str
) -> None:
    async with connected(workspace.url + ending, clock) as notion:
        me = await notion.me()

    assert me == ME
    assert workspace.asked == [("GET /v1/users/me", None)]


@pytest.mark.parametrize(
    "address",
    ["", "api.notion.com", "ftp://api.notion.com", "https://a:b@notion.com", "https://x/?a=b", "http://[x"],
)
def test_an_address_that_is_none_is_a_configuration_error(address: str, clock: Waits) -> None:
    with pytest.raises(ConfigurationError) as caught:
        HttpNotion(TOKEN, clock=clock, base_url=address, budget=NoBudget())

    assert caught.value.message_key == "config.notion_base_url"


@pytest.mark.parametrize("token", ["", "  ", "密钥", "two\nlines"])
def test_a_token_that_cannot_be_one_is_a_configuration_error(token: str, clock: Waits) -> None:
    with pytest.raises(ConfigurationError) as caught:
        HttpNotion(token, clock=clock, budget=NoBudget())

    assert caught.value.message_key == "config.notion_token"


async def test_every_request_names_the_version_and_the_token(
    notion: HttpNotion, workspace: Workspace
) -> None:
    await notion.me()

    assert workspace.headers[0]["notion-version"] == "2026-03-11"
    assert workspace.headers[0]["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    "passing",
    [
        pytest.param(CUT, id="reset"),
        pytest.param(HTML_502, id="502 with HTML"),
        pytest.param(Reply(200, b"<html>sign in</html>"), id="200 with HTML"),
        pytest.param(error(500, "internal_server_error"), id="500"),
        pytest.param(error(503, "service_unavailable"), id="503"),
        pytest.param(error(504, "gateway_timeout"), id="504"),
        pytest.param(error(409, "conflict_error"), id="409"),
        pytest.param(error(429, "rate_limited"), id="429"),
        pytest.param(error(529, "service_overload"), id="529"),
    ],
)
@pytest.mark.parametrize("call", ["get", "query", "search"])
async def test_a_read_that_fails_in_passing_is_sent_again(
    notion: HttpNotion, workspace: Workspace, clock: Waits, passing: Reply, call: str
) -> None:
    workspace.replies = [passing, passing, ok(EMPTY)]

    match call:
        case "get":
            await notion.children(PAGE)
        case "query":
            assert [row async for row in notion.query(PAGE)] == []
        case _:
            assert await notion.search("x") == []

    assert len(workspace.asked) == 3
    assert clock.slept == [1, 2]


async def test_a_read_gives_up_after_three_repeats(
    notion: HttpNotion, workspace: Workspace, clock: Waits
) -> None:
    workspace.replies = [HTML_502]

    with pytest.raises(NotionUnreachable) as caught:
        await notion.me()

    assert (caught.value.status, caught.value.maybe_written) == (502, False)
    assert clock.slept == [1, 2, 4]
    assert len(workspace.asked) == 4


async def test_a_read_that_takes_too_long_is_unreachable(workspace: Workspace, clock: Waits) -> None:
    workspace.replies = [SILENT]

    async with connected(workspace.url, clock, read_timeout=0.05) as notion:
        with pytest.raises(NotionUnreachable) as caught:
            await notion.me()

    assert caught.value.maybe_written is False
    assert len(workspace.asked) == 4


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "validation_error"),
        (401, "unauthorized"),
        (403, "restricted_resource"),
        (404, "object_not_found"),
    ],
)
async def test_a_no_is_final_and_keeps_what_notion_said(
    notion: HttpNotion, workspace: Workspace, status: int, code: str
) -> None:
    workspace.replies = [error(status, code, integration_id="i")]

    with pytest.raises(NotionRefused) as caught:
        await notion.page(PAGE)

    refused = caught.value
    assert (refused.status, refused.notion_code, refused.message, refused.request_id) == (
        status,
        code,
        "a reason",
        "r-1",
    )
    assert refused.additional_data == {"integration_id": "i"}
    assert refused.message_key == f"notion.{code}"
    assert refused.code == "notion.refused"
    assert len(workspace.asked) == 1


async def test_a_no_that_notion_did_not_give_is_not_taken_for_one(
    notion: HttpNotion, workspace: Workspace
) -> None:
    workspace.replies = [Reply(404, b'{"detail": "Not Found"}')]

    with pytest.raises(NotionUnreachable) as caught:
        await notion.page(PAGE)

    assert caught.value.status == 404
    assert len(workspace.asked) == 1


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(CUT, id="reset after the request"),
        pytest.param(HTML_502, id="502 with HTML"),
        pytest.param(error(500, "internal_server_error"), id="500"),
        pytest.param(error(503, "service_unavailable"), id="503"),
        pytest.param(Reply(200, b"<html>"), id="200 with HTML"),
        pytest.param(Reply(302, b"", {"Location": "http://127.0.0.1:1/"}), id="redirect"),
    ],
)
async def test_a_write_without_a_trustworthy_answer_is_never_sent_again(
    notion: HttpNotion, workspace: Workspace, clock: Waits, reply: Reply
) -> None:
    workspace.replies = [reply, ok(EMPTY)]

    with pytest.raises(NotionUnreachable) as caught:
        await notion.send("PATCH", APPEND, HELLO)

    assert caught.value.maybe_written is True
    assert workspace.asked == [(f"PATCH /v1{APPEND}", HELLO)]
    assert clock.slept == []


async def test_a_write_that_takes_too_long_may_have_been_done(workspace: Workspace, clock: Waits) -> None:
    workspace.replies = [SILENT]

    async with connected(workspace.url, clock, write_timeout=0.05) as notion:
        with pytest.raises(NotionUnreachable) as caught:
            await notion.send("PATCH", APPEND, HELLO)

    assert caught.value.maybe_written is True
    assert len(workspace.asked) == 1


async def test_what_notion_saved_before_it_gave_up_is_told(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [
        error(503, "service_unavailable", committed_resource_id=PAGE, committed_child_ids=["a", "b"])
    ]

    with pytest.raises(NotionUnreachable) as caught:
        await notion.send("PATCH", APPEND, HELLO)

    assert caught.value.committed_id == PAGE
    assert caught.value.committed_child_ids == ("a", "b")


@pytest.mark.parametrize("status", [429, 529])
async def test_a_write_that_was_turned_away_is_sent_again(
    notion: HttpNotion, workspace: Workspace, clock: Waits, status: int
) -> None:
    workspace.replies = [error(status, "rate_limited", {"Retry-After": "7"}), ok(EMPTY)]

    answer = await notion.send("PATCH", APPEND, HELLO)

    assert answer.body == EMPTY
    assert clock.slept == [7]


async def test_a_write_that_never_left_is_sent_again_and_then_surely_not_done(clock: Waits) -> None:
    async with connected("http://127.0.0.1:1", clock) as notion:
        with pytest.raises(NotionUnreachable) as caught:
            await notion.send("PATCH", APPEND, HELLO)

    assert caught.value.maybe_written is False
    assert clock.slept == [1, 2, 4]


async def test_a_conflict_on_a_write_goes_up_at_once(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [error(409, "conflict_error")]

    with pytest.raises(NotionConflict):
        await notion.send("PATCH", f"/pages/{PAGE}", {"properties": {}})

    assert len(workspace.asked) == 1


async def test_a_blocked_token_is_not_tried_again(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [error(429, "rate_limited", rate_limit_reason="public_api_request_blocked")]

    with pytest.raises(NotionLimited) as caught:
        await notion.me()

    assert caught.value.blocked
    assert caught.value.message_key == "notion.blocked"
    assert len(workspace.asked) == 1


@pytest.mark.parametrize(
    ("headers", "additional", "seconds"),
    [
        pytest.param({"Retry-After": "7"}, {}, 7, id="seconds"),
        pytest.param({"Retry-After": "Mon, 30 Nov 2026 08:00:09 GMT"}, {}, 9, id="a date"),
        pytest.param({}, {"retry_after": "5"}, 5, id="in the body"),
        pytest.param({"Retry-After": "soon"}, {}, 1, id="nonsense"),
        pytest.param({"Retry-After": "nan"}, {}, 1, id="no number"),
    ],
)
async def test_retry_after_is_understood_in_every_form(
    notion: HttpNotion,
    workspace: Workspace,
    clock: Waits,
    headers: dict[str, str],
    additional: Any,
    seconds: float,
) -> None:
    workspace.replies = [error(429, "rate_limited", headers, **additional), ok(ME)]

    await notion.me()

    assert clock.slept == [seconds]


async def test_nobody_waits_for_longer_than_a_minute(
    notion: HttpNotion, workspace: Workspace, clock: Waits
) -> None:
    workspace.replies = [error(429, "rate_limited", {"Retry-After": "600"})]

    with pytest.raises(NotionLimited) as caught:
        await notion.me()

    assert caught.value.retry_after == 600
    assert clock.slept == []


async def test_a_429_pauses_every_other_call_of_the_token(
    workspace: Workspace, clock: Waits, tmp_path: Path
) -> None:
    one, other = (
        SharedBudget(tmp_path / "budget.db", TOKEN, base_url=workspace.url, clock=clock) for _ in range(2)
    )
    workspace.replies = [error(429, "rate_limited", {"Retry-After": "40"}), ok(ME)]

    async with connected(workspace.url, clock, budget=one, waits=()) as notion:
        with pytest.raises(NotionLimited):
            await notion.me()
    async with connected(workspace.url, clock, budget=other) as notion:
        await notion.me()

    assert clock.slept == [40]
    one.close()
    other.close()


async def test_a_list_is_read_to_its_end(notion: HttpNotion, workspace: Workspace) -> None:
    first = {
        "object": "list",
        "results": [{"id": "1", "archived": True}],
        "has_more": True,
        "next_cursor": "c/1",
    }
    workspace.replies = [
        ok(first),
        Reply(
            200,
            json.dumps({**EMPTY, "results": [{"id": "2"}]}).encode(),
            {"Date": "Mon, 30 Nov 2026 08:00:09 GMT"},
        ),
    ]

    children = await notion.children(PAGE)

    assert children.blocks == [{"id": "1", "archived": True, "in_trash": True}, {"id": "2"}]
    assert children.date == datetime(2026, 11, 30, 8, 0, 9, tzinfo=UTC)
    assert [asked for asked, _ in workspace.asked] == [
        f"GET /v1{APPEND}?page_size=100",
        f"GET /v1{APPEND}?page_size=100&start_cursor=c%2F1",
    ]


async def test_a_query_sends_its_filter_with_every_page_and_no_empty_cursor(
    notion: HttpNotion, workspace: Workspace
) -> None:
    workspace.replies = [
        ok({**EMPTY, "results": [{"id": "1"}], "has_more": True, "next_cursor": "c"}),
        ok(EMPTY),
    ]

    rows = [row async for row in notion.query(PAGE, {"property": "a"}, [{"property": "b"}], page_size=50)]

    assert rows == [{"id": "1"}]
    query = {"page_size": 50, "filter": {"property": "a"}, "sorts": [{"property": "b"}]}
    assert [body for _, body in workspace.asked] == [query, {**query, "start_cursor": "c"}]


async def test_a_query_asks_for_no_page_that_nobody_reads(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [
        ok({**EMPTY, "results": [{"id": "1"}, {"id": "2"}], "has_more": True, "next_cursor": "c"})
    ]

    async for row in notion.query(PAGE):
        assert row == {"id": "1"}
        break

    assert len(workspace.asked) == 1


async def test_a_repeated_cursor_ends_in_an_error(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [ok({**EMPTY, "has_more": True, "next_cursor": "again"})]

    with pytest.raises(NotionIncomplete) as caught:
        await notion.children(PAGE)

    assert caught.value.reason == "repeated_cursor"
    assert len(workspace.asked) == 2


async def test_a_list_that_notion_cut_short_says_so_after_its_last_row(
    notion: HttpNotion, workspace: Workspace
) -> None:
    status = {"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
    workspace.replies = [ok({**EMPTY, "results": [{"id": "1"}], "request_status": status})]
    rows = notion.query(PAGE)

    first = await anext(rows)
    with pytest.raises(NotionIncomplete) as caught:
        await anext(rows)

    assert first == {"id": "1"}
    assert caught.value.reason == "query_result_limit_reached"


async def test_search_stops_at_its_limit_and_asks_for_one_kind(
    notion: HttpNotion, workspace: Workspace
) -> None:
    workspace.replies = [
        ok({**EMPTY, "results": [{"id": "1"}, {"id": "2"}], "has_more": True, "next_cursor": "c"})
    ]

    found = await notion.search("课题", "data_source", limit=1)

    assert found == [{"id": "1"}]
    assert workspace.asked == [
        (
            "POST /v1/search",
            {"query": "课题", "page_size": 1, "filter": {"property": "object", "value": "data_source"}},
        )
    ]


async def test_a_page_in_markdown_tells_what_is_missing(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [
        ok({"object": "page_markdown", "markdown": "# 标题", "truncated": True, "unknown_block_ids": ["a"]})
    ]

    page = await notion.page_markdown(PAGE)

    assert (page.markdown, page.truncated, page.unknown_block_ids) == ("# 标题", True, ("a",))


async def test_an_encoded_property_id_is_encoded_once(notion: HttpNotion, workspace: Workspace) -> None:
    workspace.replies = [ok({"object": "property_item", "type": "number", "number": 3})]

    items = await notion.property_items(PAGE, "f%5C%5C%3Ap")

    assert items == [{"object": "property_item", "type": "number", "number": 3}]
    assert workspace.asked == [(f"GET /v1/pages/{PAGE}/properties/f%5C%5C%3Ap", None)]


@pytest.mark.parametrize("given", ["abc/properties/title", "../users", "me", "", PAGE + "?x=1", PAGE + "#x"])
async def test_an_id_cannot_lead_to_another_endpoint(
    notion: HttpNotion, workspace: Workspace, given: str
) -> None:
    with pytest.raises(BadReference):
        await notion.page(given)
    with pytest.raises(BadReference):
        await notion.send("PATCH", f"/pages/{given}/x", {})

    assert workspace.asked == []


async def test_an_id_without_dashes_is_sent_with_them(notion: HttpNotion, workspace: Workspace) -> None:
    await notion.send("PATCH", f"/pages/{PAGE.replace('-', '').upper()}", {"in_trash": False})

    assert workspace.asked == [(f"PATCH /v1/pages/{PAGE}", {"in_trash": False})]


async def test_a_delete_has_no_body(notion: HttpNotion, workspace: Workspace) -> None:
    await notion.send("DELETE", f"/blocks/{PAGE}", {})

    assert workspace.asked == [(f"DELETE /v1/blocks/{PAGE}", None)]


async def test_what_is_too_large_is_not_sent(notion: HttpNotion, workspace: Workspace) -> None:
    with pytest.raises(NotionTooLarge):
        await notion.send("PATCH", APPEND, {"children": [{"divider": {}}] * 101})

    assert workspace.asked == []


async def test_the_token_is_in_no_error_and_no_log(
    workspace: Workspace, clock: Waits, tmp_path: Path
) -> None:
    echo = {
        "object": "error",
        "code": "unauthorized",
        "message": f"Bearer {TOKEN}",
        "additional_data": {"t": TOKEN},
    }
    workspace.replies = [Reply(401, json.dumps(echo).encode(), {"x-notion-request-id": "r-7"}), CUT]
    log = tmp_path / "api.log"
    texts: list[str] = []

    async with connected(workspace.url, clock, api_log=ApiLog(log)) as notion:
        for request in (notion.page(PAGE), notion.send("PATCH", APPEND, HELLO)):
            with pytest.raises(NotionError) as caught:
                await request
            texts += [
                str(caught.value),
                repr(caught.value),
                repr(caught.value.facts),
                repr(vars(caught.value)),
            ]
        texts += [repr(notion), log.read_text()]

    assert TOKEN not in "".join(texts)
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        {
            "time": "2026-11-30T08:00:00.000Z",
            "method": "GET",
            "path": f"/pages/{PAGE}",
            "status": 401,
            "ms": 0.0,
            "request_id": "r-7",
            "error": "unauthorized",
        },
        {
            "time": "2026-11-30T08:00:00.000Z",
            "method": "PATCH",
            "path": APPEND,
            "status": None,
            "ms": 0.0,
            "request_id": None,
            "error": "RemoteProtocolError",
        },
    ]
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
