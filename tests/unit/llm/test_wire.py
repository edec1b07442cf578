"""What a route sends: every field of the request, through the router and over the wire."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from lakelight.clock import SystemClock
from lakelight.llm import Message, NoUsage, Purpose, RoutedModel
from lakelight.llm.openai_adapter import OpenAIEndpoint
from lakelight.llm.port import TaskKind
from lakelight.llm.routes import load_routes

KEY = "sk-0123456789abcdef"
MESSAGES = [Message("system", "你是录册。"), Message("user", "整理")]
ANSWER = {
    "model": "m",
    "choices": [{"message": {"content": "好的。"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


class Provider:
    """Answers every request alike, and keeps them."""

    def __init__(self) -> None:
        self.url = ""
        self.headers: dict[str, str] = {}
        self.line = ""
        self.body: Any = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.line, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        self.body = json.loads(await reader.readexactly(int(self.headers["content-length"])))
        body = json.dumps(ANSWER).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"{head}connection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    provider = Provider()
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
    provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield provider
    server.close()


async def ask(provider: Provider, task: TaskKind, models: Path) -> None:
    clock = SystemClock()
    endpoint = OpenAIEndpoint(provider.url, KEY, clock=clock)
    model = RoutedModel(endpoint, load_routes(models), usage=NoUsage(), clock=clock)
    answer = await model.complete(task, MESSAGES, purpose=Purpose(agent="录册A02"))
    await endpoint.aclose()
    assert answer.text == "好的。"


@pytest.mark.parametrize(
    ("task", "model", "max_tokens", "temperature"),
    [
        ("reasoning", "qwen-plus", 4000, 0.7),
        ("coding", "qwen-coder-turbo", 8000, 0.3),
        ("simple", "qwen-turbo", 1000, 0.5),
        ("thinking", "qwen-plus", 8000, 0.8),
    ],
)
async def test_a_route_sends_its_model_length_and_temperature(
    provider: Provider, tmp_path: Path, task: TaskKind, model: str, max_tokens: int, temperature: float
) -> None:
    await ask(provider, task, tmp_path / "models.toml")

    assert provider.body == {
        "model": model,
        "messages": [
            {"role": "system", "content": "你是录册。"},
            {"role": "user", "content": "整理"},
        ],
        "max_tokens": max_tokens,
        "temperature": temperature,
    }


async def test_a_request_is_posted_as_json_under_the_key(provider: Provider, tmp_path: Path) -> None:
    await ask(provider, "simple", tmp_path / "models.toml")

    assert provider.line == "POST /v1/chat/completions HTTP/1.1"
    assert provider.headers["content-type"] == "application/json"
    assert provider.headers["authorization"] == f"Bearer {KEY}"


async def test_thinking_can_be_given_a_model_of_its_own(provider: Provider, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text('[thinking]\nmodel = "qwq-plus"\n', "utf-8")

    await ask(provider, "thinking", models)

    assert (provider.body["model"], provider.body["max_tokens"]) == ("qwq-plus", 8000)
