"""The request that each provider gets."""

import json
from typing import Any

import pytest

from lakelight.llm.port import Called, ChatRequest, Message, Returned, ToolCall
from lakelight.llm.provider import PROFILES
from lakelight.llm.request import chat_body, request_body

HELLO = [Message("system", "简短。"), Message("user", "你好")]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
STRICT = {**SCHEMA, "additionalProperties": False}


def tool(parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": "count", "description": "Counts.", "parameters": parameters},
    }


def chat(provider: str, model: str = "m", *, stream: bool = False, **request: Any) -> dict[str, Any]:
    body = chat_body(
        PROFILES[provider],
        model,
        ChatRequest(messages=request.pop("messages", HELLO), **request),
        max_tokens=9,
        temperature=0.5,
        stream=stream,
    )
    return {
        key: value
        for key, value in body.items()
        if key not in {"model", "max_tokens", "temperature", "max_completion_tokens"}
    }


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
        pytest.param(
            "zhipu",
            "glm-4.6",
            {"max_tokens": 9, "temperature": 0.5, "thinking": {"type": "disabled"}},
            id="Zhipu, likewise",
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


def test_a_turn_with_calls_goes_back_with_content_and_arguments_as_text() -> None:
    messages = [
        Message("user", "你好"),
        Called("", (ToolCall(id="c1", name="count", arguments={"词": "湖"}),)),
        Returned("c1", "3"),
    ]

    assert chat("plain", messages=messages)["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"词": "湖"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
    ]


def test_what_the_user_says_in_a_row_is_one_turn() -> None:
    messages = [
        Message("user", "你好"),
        Message("user", "在吗"),
        Message("assistant", "在"),
        Message("user", "好"),
    ]

    assert [message["content"] for message in chat("plain", messages=messages)["messages"]] == [
        "你好\n\n在吗",
        "在",
        "好",
    ]


def test_a_plain_conversation_has_no_more_than_its_messages() -> None:
    assert chat("plain").keys() == {"messages"}


def test_a_stream_ends_with_its_usage() -> None:
    body = chat("plain", stream=True)

    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


def test_only_who_holds_to_strict_schemas_is_asked_to() -> None:
    free = tool({"type": "object", "additionalProperties": {"type": "string"}})

    assert chat("plain", tools=[tool(SCHEMA), free])["tools"] == [tool(SCHEMA), free]
    [strict, loose] = chat("openai", tools=[tool(SCHEMA), free])["tools"]
    assert strict["function"] == {**tool(STRICT)["function"], "strict": True}
    assert loose == free


@pytest.mark.parametrize(
    ("provider", "model", "choice"),
    [
        ("plain", "m", {"type": "function", "function": {"name": "count"}}),
        ("openai", "m", {"type": "function", "function": {"name": "count"}}),
        ("dashscope", "qwen-plus", {"type": "function", "function": {"name": "count"}}),
        ("dashscope", "qwq-plus", None),
        ("local", "m", "required"),
        ("zhipu", "m", None),
    ],
)
def test_one_tool_is_asked_for_as_far_as_a_provider_can_be(provider: str, model: str, choice: object) -> None:
    assert chat(provider, model, tools=[tool(SCHEMA)], tool="count").get("tool_choice") == choice


@pytest.mark.parametrize(
    ("provider", "model", "format_"),
    [
        ("openai", "m", {"name": "answer", "schema": STRICT, "strict": True}),
        ("local", "m", {"name": "answer", "schema": SCHEMA, "strict": True}),
        ("dashscope", "qwen-plus", {"name": "answer", "schema": SCHEMA, "strict": True}),
    ],
)
def test_who_takes_a_schema_gets_it(provider: str, model: str, format_: dict[str, object]) -> None:
    body = chat(provider, model, schema=SCHEMA)

    assert body["response_format"] == {"type": "json_schema", "json_schema": format_}
    assert body["messages"][0]["content"] == "简短。"


@pytest.mark.parametrize(
    ("provider", "model", "format_"),
    [
        ("dashscope", "qwen-turbo", {"type": "json_object"}),
        ("deepseek", "deepseek-chat", {"type": "json_object"}),
        ("anthropic", "claude", None),
    ],
)
def test_who_takes_no_schema_is_told_it_in_words(provider: str, model: str, format_: object) -> None:
    body = chat(provider, model, schema=SCHEMA)

    assert body.get("response_format") == format_
    assert body["messages"][0]["content"].startswith("简短。\n\nAnswer with one JSON object")
    assert body["messages"][0]["content"].endswith(json.dumps(SCHEMA))


def test_a_schema_in_words_needs_no_system_message() -> None:
    body = chat("anthropic", schema=SCHEMA, messages=[Message("user", "你好")])

    assert [message["role"] for message in body["messages"]] == ["system", "user"]
