"""Reading what an endpoint sent back: a completion, a list of models, or an error of ours. Pure.

Providers, and whatever stands before them, answer with much that is no chat completion; all
of it becomes one of our errors here, so that nothing above ever sees a `KeyError`.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from lakelight.llm.errors import (
    ModelError,
    ModelLimited,
    ModelRefused,
    ModelUnauthorized,
    ModelUnreachable,
    ModelUnusable,
)
from lakelight.llm.port import Completion, RawCall, Utterance
from lakelight.llm.quality import Fault

_OVERLOADED = 529
_SERVER_FAULTS = 500
_CLIENT_FAULTS = 400
_REASON_LENGTH = 300
_KEY_LENGTH = 8
"""Shorter ones are placeholders such as `ollama`, and words of their own right."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_BAD_KEY = re.compile(r"api[ _]key[ _](?:not valid|invalid)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back from one request."""

    host: str
    model: str
    """The model that was asked for."""
    status: int
    body: bytes
    retry_after: float | None = None
    secret: str = field(default="", repr=False)
    """The key that was sent; some errors quote it."""


def completion_in(reply: Reply, seconds: float) -> Completion:
    """The completion that `reply`, a success by its status, holds.

    Raises:
        ModelUnreachable: It is no JSON object.
        ModelUnusable: It holds an error instead.
    """
    return utterance_in(reply, seconds).completion


def utterance_in(reply: Reply, seconds: float) -> Utterance:
    """The completion that `reply`, a success by its status, holds, with the calls in it.

    Raises:
        ModelUnreachable, ModelUnusable: As for `completion_in`.
    """
    return utterance_of(_object_in(reply), reply, seconds)


def utterance_of(content: Mapping[str, Any], reply: Reply, seconds: float) -> Utterance:
    """The completion that `content`, the body of `reply` or what its stream came to, holds.

    Raises:
        ModelUnusable: It holds an error instead.
    """
    choice = _first(content.get("choices"))
    error = content.get("error") or choice.get("error")
    if error or not choice:
        fault: Fault = "error" if error or "choices" not in content else "empty"
        raise ModelUnusable(reply.model, fault, _reason_of(content, reply.secret))
    message = _mapping(choice.get("message"))
    return Utterance(completion=_completion(content, choice, reply, seconds), calls=_calls_of(message))


def broken_stream(reply: Reply, body: object) -> ModelUnusable:
    """The error for a stream in which an error, `body`, stood among the pieces of the answer."""
    return ModelUnusable(reply.model, "error", _reason_of({"error": body}, reply.secret))


def _completion(
    content: Mapping[str, Any], choice: Mapping[str, Any], reply: Reply, seconds: float
) -> Completion:
    message = _mapping(choice.get("message"))
    finish = choice.get("finish_reason")
    usage = _mapping(content.get("usage"))
    return Completion(
        text=_storable(_text_of(message)),
        model=_word(content.get("model")) or reply.model,
        input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
        seconds=seconds,
        finish="content_filter" if message.get("refusal") else _word(finish) or None,
    )


def _calls_of(message: Mapping[str, Any]) -> tuple[RawCall, ...]:
    listed = message.get("tool_calls")
    entries = listed if isinstance(listed, list) else []
    if not entries and isinstance(message.get("function_call"), dict):
        entries = [{"function": message["function_call"]}]
    calls = []
    for entry in entries:
        fields = _mapping(entry)
        function = _mapping(fields.get("function")) or fields
        name, arguments = _word(function.get("name")), function.get("arguments")
        if name or arguments:
            calls.append(RawCall(id=_word(fields.get("id")), name=name, arguments=arguments))
    return tuple(calls)


def names_in(reply: Reply) -> list[str]:
    """The names of the models that `reply` lists.

    Raises:
        ModelUnreachable: It is no list of models.
    """
    models = _object_in(reply).get("data")
    if not isinstance(models, list):
        raise ModelUnreachable(reply.host, "json", status=reply.status)
    return [name for model in models if (name := _word(_mapping(model).get("id")))]


def refusal_in(reply: Reply) -> ModelError:
    """The error that `reply`, no success by its status, stands for."""
    reason = _reason(reply)
    if reply.status == HTTPStatus.UNAUTHORIZED or _BAD_KEY.search(reason):
        return ModelUnauthorized(reply.host)
    if reply.status in {HTTPStatus.TOO_MANY_REQUESTS, _OVERLOADED}:
        # Out of credit comes with the same status, and waiting does not fill an account.
        if b"insufficient_quota" in reply.body:
            return ModelRefused(reply.host, reply.model, reply.status, reason)
        return ModelLimited(reply.host, reply.model, reply.retry_after)
    if reply.status >= _SERVER_FAULTS or reply.status < _CLIENT_FAULTS:
        return ModelUnreachable(reply.host, "status", status=reply.status)
    if reply.status == HTTPStatus.REQUEST_TIMEOUT:
        return ModelUnreachable(reply.host, "status", status=reply.status)
    if _is_markup(reply.body):
        return ModelUnreachable(reply.host, "html", status=reply.status)
    return ModelRefused(reply.host, reply.model, reply.status, reason)


def retry_after_in(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds to wait that `headers` (names in lower case) ask for, as a number or as a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
            seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _object_in(reply: Reply) -> dict[str, Any]:
    content = _parsed(reply.body)
    if not isinstance(content, dict):
        raise ModelUnreachable(reply.host, "html" if _is_markup(reply.body) else "json", status=reply.status)
    return content


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _is_markup(body: bytes) -> bool:
    return body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _reason(reply: Reply) -> str:
    """What the endpoint gives as its reason, in its own words, without the key."""
    content = _parsed(reply.body)
    if isinstance(content, list):  # Gemini wraps its errors in a list
        content = content[0] if content else None
    if content is None:
        text = "" if _is_markup(reply.body) else reply.body[:_REASON_LENGTH].decode(errors="replace")
        return _tidy(text, reply.secret)
    return _reason_of(content, reply.secret)


def _reason_of(content: object, secret: str) -> str:
    fields = _mapping(content)
    error = fields.get("error") or _first(fields.get("choices")).get("error") or content
    details = _mapping(error)
    said = [details.get("code"), details.get("message") or details.get("detail")]
    return _tidy(": ".join(str(part) for part in said if part) or _word(error), secret)


def _tidy(reason: str, secret: str) -> str:
    if len(secret) >= _KEY_LENGTH:
        reason = reason.replace(secret, "***")
    return _storable(" ".join(reason.split())[:_REASON_LENGTH])


def _text_of(message: Mapping[str, Any]) -> str:
    """The text of an answer, its reasoning in front of it in tags, as some endpoints send it anyway."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    text = "".join(_part(part, "text") for part in parts)
    thought = _word(message.get("reasoning_content")) or _word(message.get("reasoning"))
    thought += "".join(_part(part, "thinking") for part in parts)
    return f"<think>{thought}</think>\n{text}" if thought else text


def _part(part: object, kind: str) -> str:
    """The text of a content part when it is of `kind`; a bare string is a text."""
    if isinstance(part, str):
        return part if kind == "text" else ""
    fields = _mapping(part)
    if kind not in fields or fields.get("type", kind) != kind:
        return ""
    inner = fields[kind]
    return "".join(_part(piece, "text") for piece in inner) if isinstance(inner, list) else _word(inner)


def _first(value: object) -> Mapping[str, Any]:
    return _mapping(value[0]) if isinstance(value, list) and value else {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(usage: Mapping[str, Any], *names: str) -> int:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return 0


def _storable(text: str) -> str:
    """`text` without what a database refuses: NUL and halves of characters."""
    return _UNSTORABLE.sub("\ufffd", text)
