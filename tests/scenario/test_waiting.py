"""Notion that asks to wait, or gives no answer: what is waited for, and with what words the rest ends."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from notion_embedded.server import serve_app

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@dataclass
class Unwilling:
    """A Notion that answers every request with the next of these, and with the last for ever."""

    url: str = ""
    replies: list[Callable[[], Response]] = field(default_factory=list)
    asked: int = 0

    async def answer(self, _http: Request) -> Response:
        self.asked += 1
        return self.replies[min(self.asked, len(self.replies)) - 1]()


def wait(seconds: int) -> Callable[[], Response]:
    body = {"object": "error", "status": 429, "code": "rate_limited", "message": "slow down"}
    return lambda: JSONResponse(body, 429, headers={"Retry-After": str(seconds)})


@pytest.fixture
async def unwilling() -> AsyncIterator[Unwilling]:
    made = Unwilling()
    async with serve_app(
        Starlette(routes=[Route("/{path:path}", made.answer, methods=["GET", "POST"])])
    ) as url:
        made.url = url
        yield made


@pytest.mark.parametrize(
    "command", [("ask", "search Docker"), ("up", "--once"), ("approvals", "approve", "A-1")]
)
async def test_a_long_wait_ends_a_command_with_until_when_and_what_to_type(
    office: Any, unwilling: Unwilling, command: tuple[str, ...]
) -> None:
    unwilling.replies = [wait(900)]
    elsewhere = {"LAKELIGHT_NOTION__BASE_URL": unwilling.url}

    en = await office.process("--lang", "en", *command, **elsewhere)
    zh = await office.process("--lang", "zh", *command, **elsewhere)
    back = await office.process("ask", "search Docker", "--json")

    assert (en.code, zh.code) == (6, 6)
    assert "asks to wait until 20" in en.err
    assert "type the same command again after that" in en.err
    assert "要求等到 20" in zh.err
    assert "再次输入同样的命令" in zh.err
    assert unwilling.asked == 1, "the second command knows of the pause"
    assert back.code == 0, "what one server asks for holds for no other"


async def test_a_short_wait_is_waited_out_and_told_with_its_end(office: Any, unwilling: Unwilling) -> None:
    unwilling.replies = [wait(3), wait(900)]

    done = await office.process(
        "--lang", "en", "ask", "search Docker", "--json", LAKELIGHT_NOTION__BASE_URL=unwilling.url
    )

    assert done.code == 6
    assert done.err.count("Requests to Notion pause until 20") == 1
    assert unwilling.asked == 2
    assert "asks to wait until 20" in done.err


@pytest.mark.parametrize(
    "reply",
    [lambda: Response("<html>", 502), lambda: Response("{", media_type="application/json")],
    ids=["502", "no JSON"],
)
async def test_no_answer_ends_a_command_without_the_promise_of_another_try(
    office: Any, unwilling: Unwilling, reply: Callable[[], Response]
) -> None:
    unwilling.replies = [reply]
    more = {"LAKELIGHT_NOTION__BASE_URL": unwilling.url, "LAKELIGHT_NOTION__RETRY_WAITS": "0"}

    done = await office.process("--lang", "en", "ask", "search Docker", **more)

    assert done.code == 6
    assert "then try again; `lakelight up` does so by itself" in done.err


async def test_a_single_round_tells_which_tickets_it_leaves_waiting(office: Any) -> None:
    await office.ticket()
    no_model = {"GH_LLM_BASE_URL": "http://127.0.0.1:9/v1", "LAKELIGHT_MODEL__RETRY_WAITS": "0"}

    left = await office.process("--lang", "en", "up", "--once", **no_model)
    done = await office.process("--lang", "en", "up", "--once")

    assert (left.code, done.code) == (0, 0)
    assert "1 tickets wait for Notion or the model, the first until 20" in left.err
    assert "tickets wait for Notion" not in done.err
