"""The body of a request, as the provider wants it. Pure."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lakelight.llm.port import Called, ChatMessage, ChatRequest, Message, Returned
from lakelight.llm.provider import Profile
from lakelight.llm.strict import strict_form

_UNSENDABLE = re.compile("[\ud800-\udfff]")
_JSON = json.JSONEncoder(ensure_ascii=False)
_TO_SCHEMA = "Answer with one JSON object and nothing else. It fits this JSON Schema:\n"


def request_body(
    profile: Profile, model: str, messages: Sequence[ChatMessage], *, max_tokens: int, temperature: float
) -> dict[str, Any]:
    """The body of a chat completion request for a text."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_wire(message) for message in _in_turns(messages)],
        profile.max_tokens_field: max_tokens,
    }
    if not model.startswith(profile.untempered):
        body["temperature"] = temperature
    if model.startswith(profile.thinkers):
        body.update(profile.thinking_off)
    return body


def chat_body(
    profile: Profile, model: str, request: ChatRequest, *, max_tokens: int, temperature: float, stream: bool
) -> dict[str, Any]:
    """The body of a chat completion request with tools, to a schema or in a stream."""
    to_schema = request.schema is not None and _takes_schema(profile, model)
    messages = request.messages
    if request.schema is not None and not to_schema:
        messages = _told(messages, request.schema)
    body = request_body(profile, model, messages, max_tokens=max_tokens, temperature=temperature)
    if request.tools:
        body["tools"] = [_tool(profile, tool) for tool in request.tools]
    if request.tools and request.tool and not model.startswith(profile.stream_only):
        body.update(_choice(profile, request.tool))
    if request.schema is not None:
        body.update(_format(profile, request.schema, to_schema=to_schema))
    if stream:
        body.update(stream=True, stream_options={"include_usage": True})
    return body


def _in_turns(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """`messages` with what one side says in a row as one: some chat templates refuse two turns of a side."""
    turns: list[ChatMessage] = []
    for message in messages:
        match turns, message:
            case [*_, Message("user", before)], Message("user", content):
                turns[-1] = Message("user", f"{before}\n\n{content}")
            case _:
                turns.append(message)
    return turns


def _wire(message: ChatMessage) -> dict[str, Any]:
    match message:
        case Message(role, content):
            return {"role": role, "content": _sendable(content)}
        case Called(content, calls):
            # Some providers refuse a turn with calls that has no content, others one that has null.
            return {
                "role": "assistant",
                "content": _sendable(content),
                "tool_calls": [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {
                            "name": call.name,
                            "arguments": _sendable(_JSON.encode(dict(call.arguments))),
                        },
                    }
                    for call in calls
                ],
            }
        case Returned(call, content):
            return {"role": "tool", "tool_call_id": call, "content": _sendable(content)}


def _tool(profile: Profile, tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if not profile.strict:
        return tool
    function = tool["function"]
    strict = strict_form(function["parameters"])
    if strict is None:
        return tool
    return {**tool, "function": {**function, "parameters": strict, "strict": True}}


def _choice(profile: Profile, name: str) -> dict[str, Any]:
    match profile.tool_choice:
        case "named":
            return {"tool_choice": {"type": "function", "function": {"name": name}}}
        case "required":
            return {"tool_choice": "required"}
        case "none":
            return {}


def _takes_schema(profile: Profile, model: str) -> bool:
    return profile.schemas == "json_schema" or model.startswith(profile.schema_models)


def _format(profile: Profile, schema: Mapping[str, Any], *, to_schema: bool) -> dict[str, Any]:
    if not to_schema:
        return {"response_format": {"type": "json_object"}} if profile.schemas == "json_object" else {}
    strict = strict_form(schema) if profile.strict else None
    named: dict[str, Any] = {"name": "answer", "schema": schema if strict is None else strict}
    if strict is not None or not profile.strict:
        named["strict"] = True
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _told(messages: Sequence[ChatMessage], schema: Mapping[str, Any]) -> Sequence[ChatMessage]:
    """`messages` with the schema at the end of the system's word, where it stays the same between calls."""
    words = _TO_SCHEMA + json.dumps(schema, ensure_ascii=False)
    match messages:
        case [Message("system", content), *rest]:
            return [Message("system", f"{content}\n\n{words}"), *rest]
        case _:
            return [Message("system", words), *messages]


def _sendable(text: str) -> str:
    """`text` with half characters, which JSON can carry and UTF-8 cannot, replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSENDABLE.sub("\ufffd", text)
    return text
