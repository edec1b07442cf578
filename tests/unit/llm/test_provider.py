"""Who gets which request."""

import pytest

from lakelight.llm.port import Message
from lakelight.llm.provider import PROFILES, is_local, profile_for, request_body

HELLO = [Message("system", "简短。"), Message("user", "你好")]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.openai.com", "openai"),
        ("notapi.openai.com.example.org", "plain"),
        ("dashscope.aliyuncs.com", "dashscope"),
        ("dashscope-intl.aliyuncs.com", "dashscope"),
        ("api.deepseek.com", "plain"),
        ("127.0.0.1", "local"),
        ("192.168.1.20", "local"),
        ("localhost", "local"),
        ("ollama", "local"),
        ("gpu.local", "local"),
        ("::1", "local"),
        ("8.8.8.8", "plain"),
    ],
)
def test_the_host_tells_the_provider(host: str, name: str) -> None:
    assert profile_for(host).name == name
    assert is_local(host) == (name == "local")


def test_most_providers_get_max_tokens_and_a_temperature() -> None:
    assert request_body(PROFILES["plain"], "qwen-plus", HELLO, max_tokens=9, temperature=0.5) == {
        "model": "qwen-plus",
        "messages": [{"role": "system", "content": "简短。"}, {"role": "user", "content": "你好"}],
        "max_tokens": 9,
        "temperature": 0.5,
    }


@pytest.mark.parametrize(
    ("provider", "model", "rest"),
    [
        pytest.param("openai", "gpt-4.1", {"max_completion_tokens": 9, "temperature": 0.5}, id="OpenAI"),
        pytest.param("openai", "gpt-5-mini", {"max_completion_tokens": 9}, id="OpenAI, no temperature"),
        pytest.param("dashscope", "qwen-plus", {"max_tokens": 9, "temperature": 0.5}, id="DashScope"),
        pytest.param(
            "dashscope",
            "qwen3-8b",
            {"max_tokens": 9, "temperature": 0.5, "enable_thinking": False},
            id="DashScope, a model that thinks unless told not to",
        ),
        pytest.param("local", "qwen3-8b", {"max_tokens": 9, "temperature": 0.5}, id="local"),
    ],
)
def test_each_provider_gets_what_it_takes(provider: str, model: str, rest: dict[str, object]) -> None:
    body = request_body(PROFILES[provider], model, HELLO, max_tokens=9, temperature=0.5)

    assert {key: value for key, value in body.items() if key not in {"model", "messages"}} == rest


def test_half_a_character_does_not_reach_the_wire() -> None:
    body = request_body(PROFILES["plain"], "m", [Message("user", "a\ud83d")], max_tokens=9, temperature=0)

    assert body["messages"] == [{"role": "user", "content": "a\ufffd"}]
