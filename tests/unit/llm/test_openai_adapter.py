"""The adapter against a real HTTP server that behaves as providers do, and as they should not."""

import asyncio
import gzip
import json
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.clock import SystemClock
from lakelight.errors import ConfigurationError
from lakelight.llm import (
    DEFAULT_ROUTES,
    ChatRequest,
    Completion,
    Message,
    ModelError,
    NoUsage,
    Purpose,
    RawCall,
    RoutedModel,
    ToolCall,
    Utterance,
)
from lakelight.llm.answer import retry_after_in
from lakelight.llm.bounds import MOST_BYTES, MOST_LINE_BYTES
from lakelight.llm.openai_adapter import OpenAIEndpoint

KEY = "sk-0123456789abcdef"
ASK = [Message("system", "简短。"), Message("user", "你好")]
LONG = timedelta(seconds=20)


@dataclass
class Raw:
    """An answer, byte by byte under the test's control."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    promised: int | None = None
    """The content length to announce when it is not the body's."""
    silent: bool = False
    """Say nothing at all, and keep the line open."""
    dripping: bool = False
    """Send one byte after the other, for ever."""


class Provider:
    """An HTTP server on this machine that gives its answers in order and keeps the requests."""

    def __init__(self) -> None:
        self.answers: list[Raw] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests.append((head[0], headers, json.loads(body) if body else None))
        answer = self.answers.pop(0)
        if answer.silent:
            await reader.read()
            return
        length = len(answer.body) if answer.promised is None else answer.promised
        lines = [f"HTTP/1.1 {answer.status} X", f"content-length: {length}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + answer.body)
        await writer.drain()
        while answer.dripping:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)


class Waitless:
    """The machine's clock, but nobody waits; the waits are kept."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, wait: timedelta) -> None:
        self.waits.append(wait.total_seconds())


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    provider = Provider()
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
    provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield provider
    server.close()


@pytest.fixture
async def endpoint(provider: Provider) -> AsyncIterator[OpenAIEndpoint]:
    endpoint = OpenAIEndpoint(provider.url, KEY, clock=SystemClock(), timeout=LONG)
    yield endpoint
    await endpoint.aclose()


def reply(content: Any = "好的。", *, finish: str | None = "stop", **message: Any) -> Raw:
    return as_json(
        {
            "model": "qwen-plus-2026",
            "choices": [{"message": {"content": content, **message}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
        }
    )


def as_json(content: Any, status: int = 200, **headers: str) -> Raw:
    return Raw(json.dumps(content).encode(), status, {"content-type": "application/json", **headers})


def as_delta(content: str) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": content}}]}


def page(status: int) -> Raw:
    return Raw(b"\n<!DOCTYPE html><html><h1>nginx</h1></html>", status, {"content-type": "text/html"})


def error(message: str, status: int, **fields: Any) -> Raw:
    return as_json({"error": {"message": message, **fields}}, status)


async def ask(endpoint: OpenAIEndpoint) -> Completion:
    return await endpoint.chat("qwen-plus", ASK, max_tokens=40, temperature=0.5)


async def test_a_good_answer_comes_with_its_model_and_usage(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    provider.answers = [reply()]

    answer = await ask(endpoint)

    assert answer == Completion(
        text="好的。",
        model="qwen-plus-2026",
        input_tokens=12,
        output_tokens=5,
        seconds=answer.seconds,
        finish="stop",
    )
    [(line, headers, body)] = provider.requests
    assert line == "POST /v1/chat/completions HTTP/1.1"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "qwen-plus",
        "messages": [{"role": "system", "content": "简短。"}, {"role": "user", "content": "你好"}],
        "max_tokens": 40,
        "temperature": 0.5,
    }


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        pytest.param(reply(""), "", id="empty"),
        pytest.param(reply(None), "", id="null"),
        pytest.param(
            reply(None, reasoning_content="嗯"), "<think>嗯</think>\n", id="reasoning apart, no answer"
        ),
        pytest.param(reply("好", reasoning_content="嗯"), "<think>嗯</think>\n好", id="reasoning apart"),
        pytest.param(reply("好", reasoning="嗯"), "<think>嗯</think>\n好", id="reasoning by another name"),
        pytest.param(
            reply([{"type": "text", "text": "好"}, {"type": "text", "text": "的"}]), "好的", id="parts"
        ),
        pytest.param(
            reply(
                [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "嗯"}]},
                    {"type": "text", "text": "好"},
                ]
            ),
            "<think>嗯</think>\n好",
            id="parts with reasoning",
        ),
        pytest.param(reply([{"type": "image_url", "image_url": {}}, 7, None]), "", id="parts of other kinds"),
        pytest.param(reply("a\x00b\ud83d"), "a\ufffdb\ufffd", id="what no database takes"),
        pytest.param(reply({"a": 1}), "", id="an object"),
    ],
)
async def test_the_text_is_found_wherever_it_stands(
    provider: Provider, endpoint: OpenAIEndpoint, answer: Raw, text: str
) -> None:
    provider.answers = [answer]

    assert (await ask(endpoint)).text == text


async def test_an_answer_that_says_little_about_itself_will_do(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    provider.answers = [as_json({"choices": [{"message": {"content": "好"}}], "usage": None, "error": None})]

    answer = await ask(endpoint)

    assert (answer.text, answer.model, answer.input_tokens, answer.output_tokens, answer.finish) == (
        "好",
        "qwen-plus",
        0,
        0,
        None,
    )


@pytest.mark.parametrize(
    ("answer", "code", "facts"),
    [
        pytest.param(page(200), "model.unreachable", {"what": "html", "status": 200}, id="HTML"),
        pytest.param(page(404), "model.unreachable", {"what": "html", "status": 404}, id="HTML, not found"),
        pytest.param(
            page(502), "model.unreachable", {"what": "status", "status": 502}, id="HTML, bad gateway"
        ),
        pytest.param(error("x", 500), "model.unreachable", {"what": "status", "status": 500}, id="500"),
        pytest.param(
            as_json({}, 307, location="http://127.0.0.1:1/v1"),
            "model.unreachable",
            {"what": "status", "status": 307},
            id="sent elsewhere",
        ),
        pytest.param(Raw(b""), "model.unreachable", {"what": "json"}, id="nothing"),
        pytest.param(Raw(b'{"choices": [{"mess'), "model.unreachable", {"what": "json"}, id="half an object"),
        pytest.param(Raw(b"\xff\xfe\x00garbage"), "model.unreachable", {"what": "json"}, id="garbage"),
        pytest.param(Raw(b"[" * 100_000), "model.unreachable", {"what": "json"}, id="too deep"),
        pytest.param(Raw(b'"ok"'), "model.unreachable", {"what": "json"}, id="no object"),
        pytest.param(Raw(b'{"a', promised=500), "model.unreachable", {"what": "network"}, id="line cut"),
        pytest.param(
            Raw(b"xx", headers={"content-encoding": "gzip"}),
            "model.unreachable",
            {"what": "network"},
            id="broken compression",
        ),
        pytest.param(error("Incorrect API key", 401), "model.unauthorized", {}, id="wrong key"),
        pytest.param(
            as_json([{"error": {"code": 400, "message": "API key not valid."}}], 400),
            "model.unauthorized",
            {},
            id="wrong key, Gemini",
        ),
        pytest.param(
            error("The model `x` does not exist", 404, code="model_not_found"),
            "model.refused",
            {"status": 404, "reason": "model_not_found: The model `x` does not exist"},
            id="unknown model",
        ),
        pytest.param(
            error("maximum context length is 8192 tokens", 400),
            "model.refused",
            {"status": 400, "reason": "maximum context length is 8192 tokens"},
            id="too long",
        ),
        pytest.param(
            error("balance", 402), "model.refused", {"status": 402, "reason": "balance"}, id="no credit"
        ),
        pytest.param(
            error("quota", 429, code="insufficient_quota"),
            "model.refused",
            {"status": 429, "reason": "insufficient_quota: quota"},
            id="no credit, OpenAI",
        ),
        pytest.param(
            Raw(b"404 page not found", 404, {"content-type": "text/plain"}),
            "model.refused",
            {"status": 404, "reason": "404 page not found"},
            id="wrong path, Ollama",
        ),
        pytest.param(
            as_json({"error": {}}, 429, **{"retry-after": "7"}),
            "model.limited",
            {"retry_after": 7.0},
            id="limited",
        ),
        pytest.param(error("x", 529), "model.limited", {"retry_after": None}, id="overloaded, Anthropic"),
        pytest.param(
            error("upstream", 200, code=502),
            "model.unusable",
            {"fault": "error", "reason": "502: upstream"},
            id="error in a 200",
        ),
        pytest.param(
            as_json({"choices": [{"error": {"message": "upstream"}}]}),
            "model.unusable",
            {"fault": "error", "reason": "upstream"},
            id="error in a choice",
        ),
        pytest.param(
            as_json({"code": "Arrearage", "message": "欠费"}),
            "model.unusable",
            {"fault": "error", "reason": "Arrearage: 欠费"},
            id="another protocol's error",
        ),
        pytest.param(as_json({"choices": []}), "model.unusable", {"fault": "empty"}, id="no choice"),
        pytest.param(as_json({"choices": None}), "model.unusable", {"fault": "empty"}, id="choices null"),
        pytest.param(Raw(b"", silent=True), "model.timeout", {"seconds": 0.3}, id="silence"),
        pytest.param(
            Raw(b" ", promised=99999, dripping=True), "model.timeout", {"seconds": 0.3}, id="dripping"
        ),
    ],
)
async def test_what_is_no_answer_becomes_an_error_of_ours(
    provider: Provider, answer: Raw, code: str, facts: dict[str, Any]
) -> None:
    waits = answer.silent or answer.dripping
    endpoint = OpenAIEndpoint(
        provider.url, KEY, clock=SystemClock(), timeout=timedelta(seconds=0.3) if waits else LONG
    )
    provider.answers = [answer]

    with pytest.raises(ModelError) as caught:
        await ask(endpoint)
    await endpoint.aclose()

    assert (caught.value.code, {**caught.value.facts, **facts}) == (code, caught.value.facts)
    assert len(provider.requests) == 1


async def test_a_port_where_nobody_listens_is_out_of_reach(provider: Provider) -> None:
    endpoint = OpenAIEndpoint("http://127.0.0.1:1/v1", None, clock=SystemClock(), timeout=LONG)

    with pytest.raises(ModelError) as caught:
        await ask(endpoint)
    await endpoint.aclose()

    assert caught.value.code == "model.unreachable"
    assert caught.value.facts == {"host": "127.0.0.1:1", "what": "network", "status": None}


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
async def test_no_error_tells_the_key(provider: Provider, endpoint: OpenAIEndpoint, status: int) -> None:
    provider.answers = [error(f"Incorrect API key provided: {KEY}. Find yours at our site.", status)]

    with pytest.raises(ModelError) as caught:
        await ask(endpoint)

    assert KEY not in f"{caught.value} {caught.value.facts} {caught.value.__cause__}"


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/compatible-mode/v1", "/compatible-mode/v1/chat/completions"),
    ],
)
async def test_the_address_may_be_written_in_several_ways(provider: Provider, suffix: str, path: str) -> None:
    provider.answers = [reply()]
    endpoint = OpenAIEndpoint(
        provider.url.removesuffix("/v1") + suffix, KEY, clock=SystemClock(), timeout=LONG
    )

    await ask(endpoint)
    await endpoint.aclose()

    assert provider.requests[0][0] == f"POST {path} HTTP/1.1"


async def test_a_key_of_another_account_in_the_environment_stays_there(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-account")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    provider.answers = [reply()]
    endpoint = OpenAIEndpoint(provider.url, None, clock=SystemClock(), timeout=LONG)

    await ask(endpoint)
    await endpoint.aclose()

    assert "of-another-account" not in str(provider.requests)


@pytest.mark.parametrize(
    ("base_url", "key", "expected"),
    [
        pytest.param("", KEY, "config.model_url", id="no address"),
        pytest.param("dashscope.aliyuncs.com", KEY, "config.model_url", id="no scheme"),
        pytest.param("http://[::1", KEY, "config.model_url", id="half an address"),
        pytest.param("http://h:99999/v1", KEY, "config.model_url", id="no port"),
        pytest.param("https://api.openai.com/v1", None, "config.model_key_missing", id="no key"),
        pytest.param("https://api.openai.com/v1", " ", "config.model_key_missing", id="blank key"),
        pytest.param("https://api.openai.com/v1", "sk-密钥0123", "config.model_key", id="full-width key"),
        pytest.param("http://127.0.0.1/v1", "sk-1\r\nx: y", "config.model_key", id="two lines"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_sent(
    base_url: str, key: str | None, expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAIEndpoint(base_url, key, clock=SystemClock())

    assert caught.value.message_key == expected
    assert not key or not key.strip() or key not in str(caught.value)


def test_a_proxy_that_cannot_be_used_is_named_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")

    with pytest.raises(ConfigurationError) as caught:
        OpenAIEndpoint("https://api.openai.com/v1", KEY, clock=SystemClock())

    assert caught.value.message_key == "config.proxy"


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAIEndpoint("http://127.0.0.1/v1", KEY, clock=SystemClock(), provider="qwen")

    assert caught.value.facts["provider"] == "qwen"


async def test_the_models_on_offer_are_listed(provider: Provider, endpoint: OpenAIEndpoint) -> None:
    provider.answers = [as_json({"data": [{"id": "qwen-plus"}, {"id": None}, {"id": "qwen-turbo"}]})]

    assert await endpoint.models() == ["qwen-plus", "qwen-turbo"]
    assert provider.requests[0][0] == "GET /v1/models HTTP/1.1"


async def test_something_else_than_a_list_of_models_is_out_of_reach(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    provider.answers = [as_json({"models": []})]

    with pytest.raises(ModelError) as caught:
        await endpoint.models()

    assert caught.value.code == "model.unreachable"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 08:00:20 GMT"}, 20),
        ({"retry-after": "Mon, 30 Nov 2026 07:00:00 GMT"}, 0),
        ({"retry-after": "Mon, 30 Nov 2026 08:00:20 -0000"}, 20),
    ],
)
def test_retry_after_is_a_number_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_in(headers, datetime(2026, 11, 30, 8, tzinfo=UTC)) == seconds


async def test_the_router_gets_its_answer_through_all_of_it(provider: Provider) -> None:
    clock = Waitless()
    endpoint = OpenAIEndpoint(provider.url, KEY, clock=clock, timeout=LONG)
    model = RoutedModel(endpoint, DEFAULT_ROUTES, usage=NoUsage(), clock=clock)
    provider.answers = [
        as_json({}, 429, **{"retry-after": "5"}),
        Raw(b'{"a', promised=500),
        page(502),
        reply("def f():", finish="length"),
        error("no such model", 404),
        reply("<think>嗯</think>\n\n好的。"),
    ]

    answer = await model.complete("coding", ASK, purpose=Purpose(agent="A05"))
    await endpoint.aclose()

    assert answer.text == "好的。"
    assert [body["model"] for _, _, body in provider.requests] == [
        *["qwen-coder-turbo"] * 4,
        "qwen-plus",
        "qwen-turbo",
    ]
    assert clock.waits == [5, 1, 2]


@pytest.mark.slow
async def test_the_sdk_is_not_imported_until_an_endpoint_is_made() -> None:
    program = "import sys, lakelight.llm.openai_adapter; sys.exit('openai' in sys.modules or 'httpx2' in sys.modules)"
    source = Path(__file__).parents[3] / "src"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env={"PYTHONPATH": str(source)}
    )

    assert await process.wait() == 0


SEARCH = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def events(*chunks: Any, end: str = "data: [DONE]\n\n", **fields: Any) -> Raw:
    """An answer in a stream; a text stands for a chunk of it."""
    lines = [
        f"data: {json.dumps({'choices': [{'delta': {'content': chunk}}]} if isinstance(chunk, str) else chunk)}\n\n"
        for chunk in chunks
    ]
    return Raw(": keep-alive\n\n".join(["", *lines]).encode() + end.encode(), headers=STREAM, **fields)


def tool_piece(**entry: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"tool_calls": [{"index": 0, **entry}]}}]}


END = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
USAGE = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 5}}


async def converse(
    endpoint: OpenAIEndpoint, on_text: Callable[[str], None] | None = None, **request: Any
) -> Utterance:
    return await endpoint.converse(
        "qwen-plus",
        ChatRequest(messages=ASK, **request),
        max_tokens=40,
        temperature=0.5,
        on_text=on_text,
    )


async def test_an_answer_streams_in_pieces_with_its_usage_at_the_end(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    provider.answers = [events({"model": "qwen-plus-2026", **as_delta("好")}, "的", "。", END, USAGE)]
    pieces: list[str] = []

    utterance = await converse(endpoint, pieces.append)

    assert pieces == ["好", "的", "。"]
    assert utterance == Utterance(
        completion=Completion(
            text="好的。",
            model="qwen-plus-2026",
            input_tokens=12,
            output_tokens=5,
            seconds=utterance.completion.seconds,
            finish="stop",
        )
    )
    [(_, _, body)] = provider.requests
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


async def test_calls_come_whole_or_in_pieces_and_are_the_same(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    function = {"name": "search", "arguments": '{"query": "湖"}'}
    provider.answers = [
        reply(None, tool_calls=[{"id": "c1", "type": "function", "function": function}]),
        events(
            tool_piece(id="c1", function={"name": "search", "arguments": ""}),
            tool_piece(function={"arguments": '{"query":'}),
            tool_piece(function={"arguments": ' "湖"}'}),
            END,
        ),
    ]

    whole = await converse(endpoint, tools=[SEARCH])
    streamed = await converse(endpoint, lambda _: None, tools=[SEARCH])

    assert whole.calls == streamed.calls == (RawCall(id="c1", **function),)
    assert [body.get("stream") for _, _, body in provider.requests] == [None, True]
    assert provider.requests[0][2]["tools"] == [SEARCH]


async def test_who_cannot_stream_may_answer_in_one_piece(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    provider.answers = [reply("好的。")]
    pieces: list[str] = []

    utterance = await converse(endpoint, pieces.append)

    assert (utterance.completion.text, pieces) == ("好的。", [])


async def test_a_model_that_only_streams_is_streamed_though_nobody_watches(provider: Provider) -> None:
    endpoint = OpenAIEndpoint(provider.url, KEY, clock=SystemClock(), timeout=LONG, provider="dashscope")
    provider.answers = [events({"choices": [{"delta": {"reasoning_content": "嗯"}}]}, "好", END)]

    utterance = await endpoint.converse("qwq-plus", ChatRequest(messages=ASK), max_tokens=40, temperature=0.5)
    await endpoint.aclose()

    assert utterance.completion.text == "<think>嗯</think>\n好"
    assert provider.requests[0][2]["stream"] is True


@pytest.mark.parametrize(
    ("answer", "code", "facts", "shown"),
    [
        pytest.param(
            events("湖", {"error": {"message": f"upstream {KEY}", "code": 502}}),
            "model.unusable",
            {"fault": "error", "reason": "502: upstream ***"},
            "湖",
            id="an error among the pieces",
        ),
        pytest.param(
            events("湖", {"choices": [{"error": {"message": "upstream"}, "finish_reason": "error"}]}),
            "model.unusable",
            {"fault": "error", "reason": "upstream"},
            "湖",
            id="an error in a choice",
        ),
        pytest.param(events("湖", end=""), "model.unreachable", {"what": "network"}, "湖", id="it stops"),
        pytest.param(
            events("湖", promised=9999), "model.unreachable", {"what": "network"}, "湖", id="the line is cut"
        ),
        pytest.param(
            events("湖", end="data: {broken\n\n"), "model.unreachable", {"what": "json"}, "湖", id="garbage"
        ),
        pytest.param(events(end=""), "model.unreachable", {"what": "network"}, "", id="nothing"),
        pytest.param(page(200), "model.unreachable", {"what": "html"}, "", id="HTML"),
        pytest.param(page(502), "model.unreachable", {"what": "status"}, "", id="bad gateway"),
        pytest.param(error("quota", 429), "model.limited", {}, "", id="limited"),
        pytest.param(error("no", 401), "model.unauthorized", {}, "", id="wrong key"),
        pytest.param(
            error("`tool_choice` is not supported", 400), "model.refused", {"status": 400}, "", id="refused"
        ),
        pytest.param(
            as_json({"error": {"message": "upstream"}}),
            "model.unusable",
            {"fault": "error", "reason": "upstream"},
            "",
            id="error in a 200",
        ),
        pytest.param(
            Raw(b"data: ", headers=STREAM, promised=99999, dripping=True),
            "model.timeout",
            {"seconds": 0.3},
            "",
            id="dripping",
        ),
    ],
)
async def test_a_stream_that_goes_wrong_becomes_an_error_of_ours(
    provider: Provider, answer: Raw, code: str, facts: dict[str, Any], shown: str
) -> None:
    endpoint = OpenAIEndpoint(
        provider.url, KEY, clock=SystemClock(), timeout=timedelta(seconds=0.3) if answer.dripping else LONG
    )
    provider.answers = [answer]
    pieces: list[str] = []

    with pytest.raises(ModelError) as caught:
        await converse(endpoint, pieces.append)
    await endpoint.aclose()

    assert (caught.value.code, {**caught.value.facts, **facts}) == (code, caught.value.facts)
    assert "".join(pieces) == shown
    assert KEY not in str(caught.value)


async def test_a_stopped_turn_lets_go_of_the_line(provider: Provider, endpoint: OpenAIEndpoint) -> None:
    provider.answers = [Raw(b"data: ", headers=STREAM, promised=99999, dripping=True)]
    task = asyncio.create_task(converse(endpoint, lambda _: None))
    while not provider.requests:
        await asyncio.sleep(0.01)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_conversation_goes_through_all_of_it(provider: Provider) -> None:
    clock = Waitless()
    endpoint = OpenAIEndpoint(provider.url, KEY, clock=clock, timeout=LONG)
    model = RoutedModel(endpoint, DEFAULT_ROUTES, usage=NoUsage(), clock=clock)
    call = '{"name": "search", "arguments": "{\\"query\\": \\"湖\\"}"}'
    provider.answers = [
        page(502),
        events("湖", {"error": {"message": "upstream"}}),
        events("<think>嗯</th", "ink>我找。\n``", f"`json\n{call}\n```", END, USAGE),
    ]
    shown: list[str] = []

    said = await model.converse(
        "reasoning",
        ASK,
        purpose=Purpose(agent="A05"),
        tools=[SEARCH],
        on_text=shown.append,
        on_restart=lambda error: shown.append(f"[{error.code}]"),
    )
    await endpoint.aclose()

    assert shown == ["湖", "[model.unusable]", "我找。"]
    assert (said.text, said.completion.input_tokens) == ("我找。", 12)
    assert said.tool_calls == (ToolCall(id="call_0", name="search", arguments={"query": "湖"}),)


LARGE = b" " * (MOST_BYTES + 1)
FOLDED = gzip.compress(b'{"choices": []}' + b" " * 40_000_000)
GZIP = {"content-encoding": "gzip"}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Raw(LARGE, promised=10**12), id="a body"),
        pytest.param(Raw(LARGE, promised=10**12, status=500), id="an error's body"),
        pytest.param(Raw(FOLDED, headers=GZIP), id="few bytes that unfold"),
        pytest.param(
            Raw(b"data: {}\n\n" * (MOST_BYTES // 10 + 1), headers=STREAM, promised=10**12), id="events"
        ),
        pytest.param(
            Raw(b"data: " + LARGE[: MOST_LINE_BYTES + 1], headers=STREAM, promised=10**12), id="one line"
        ),
        pytest.param(Raw(FOLDED, headers=STREAM | GZIP), id="events that unfold"),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_an_answer_without_an_end_is_broken_off_and_is_the_models_fault(
    provider: Provider, endpoint: OpenAIEndpoint, answer: Raw, *, streamed: bool
) -> None:
    provider.answers = [answer]

    with pytest.raises(ModelError) as caught:
        await (converse(endpoint, lambda _: None) if streamed else ask(endpoint))

    assert caught.value.code == "model.overlong"


async def test_a_compressed_answer_is_read_like_any_other(
    provider: Provider, endpoint: OpenAIEndpoint
) -> None:
    plain = reply()
    provider.answers = [Raw(gzip.compress(plain.body), headers=plain.headers | GZIP)]

    assert (await ask(endpoint)).text == "好的。"
    assert provider.requests[0][1]["accept-encoding"] == "gzip"
