"""Calls that a model wrote into its text, since its chat template or its server let it. Pure.

Tags that only mark calls are taken at their word. JSON, fenced or bare, counts only where it names a
tool and ends the text: in the middle of an answer it is something that the answer shows.
"""

import json
import re
from collections.abc import Iterable, Set as AbstractSet
from typing import Any

from lakelight.llm.port import RawCall
from lakelight.llm.schema import parse

_TAGGED = re.compile(
    r"<tool_call>(?P<call>.*?)(?:</tool_call>|(?=<tool_call>)|\Z)"
    r"|<function=(?P<name>[\w.-]+)>(?P<arguments>.*?)(?:</function>|\Z)"
    r"|(?:<\|python_tag\|>|\[TOOL_CALLS\])(?P<rest>.*)\Z",
    re.DOTALL,
)
_FENCE = re.compile(r"```\w*[ \t]*\n((?:(?!```).)*)(?:```|\Z)", re.DOTALL)
_FENCED = re.compile(rf"(?:{_FENCE.pattern}\s*)+\Z", re.DOTALL)
_BARE = re.compile(r"(?:\A|(?<=\n))[ \t]*[{\[].*\Z", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>\s*(.*?)\s*(?:</parameter>|\Z)", re.DOTALL)

_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input")
_KNOWN = frozenset({*_NAMES, *_ARGUMENTS, "id", "type", "index"})


def calls_in_text(text: str, tools: AbstractSet[str]) -> tuple[str, tuple[RawCall, ...]]:
    """`text` without the calls that stand in it, and the calls.

    Args:
        tools: The names of the tools that the model was given.
    """
    calls = [call for match in _TAGGED.finditer(text) for call in _tagged(match)]
    if calls:
        return _TAGGED.sub("", text).strip(), tuple(calls)
    for pattern in (_FENCED, _BARE):
        match = pattern.search(text)
        if match is None:
            continue
        pieces = _FENCE.findall(match[0]) if pattern is _FENCED else [match[0]]
        found = [call for piece in pieces for call in _in_json(piece)]
        if found and all(call.name in tools for call in found):
            return text[: match.start()].strip(), tuple(found)
    return text, ()


def _tagged(match: re.Match[str]) -> list[RawCall]:
    if match["name"]:
        inner = match["arguments"].strip()
        if "<parameter=" in inner:
            parameters: object = dict(_PARAMETER.findall(inner))
        else:
            parameters = inner
        return [RawCall(id="", name=match["name"], arguments=parameters)]
    inner = (match["call"] if match["call"] is not None else match["rest"]).strip()
    nested = _TAGGED.search(inner)
    if nested is not None and nested["name"]:
        return _tagged(nested)
    fence = _FENCE.search(inner)
    inner = fence[1].strip() if fence else inner
    # A tag with nothing to be read in it was meant as a call, and the model is told of it.
    return _in_json(inner) or [RawCall(id="", name=_name_in(inner), arguments=inner)] if inner else []


def _name_in(broken: str) -> str:
    match = re.search(r'"name"\s*:\s*"([\w.-]+)"', broken)
    return match[1] if match else ""


def _in_json(text: str) -> list[RawCall]:
    """The calls that `text` is made of; none when anything in it is none."""
    calls = []
    for value in _values_in(text):
        found = _calls_of(value)
        if not found:
            return []
        calls += found
    return calls


def _values_in(text: str) -> Iterable[Any]:
    """The JSON values that follow each other in `text`; none when it is not made of such."""
    try:
        return [parse(text)]
    except ValueError:
        pass
    values, rest, decoder = [], text.strip(), json.JSONDecoder(strict=False)
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            return []
        values.append(value)
        rest = rest[end:].lstrip(" \t\r\n,;")
    return values


def _calls_of(value: Any) -> list[RawCall]:
    match value:
        case list():
            found = [_calls_of(item) for item in value]
            return [call for calls in found for call in calls] if all(found) else []
        case {"tool_calls": list() as inner}:
            return _calls_of(inner)
        case {"function": dict() as inner}:
            return [
                RawCall(id=str(value.get("id") or ""), name=call.name, arguments=call.arguments)
                for call in _calls_of(inner)
            ]
        case dict() if value.keys() <= _KNOWN:
            name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
            key = next((key for key in _ARGUMENTS if key in value), None)
            if not name or key is None:
                return []
            return [RawCall(id=str(value.get("id") or ""), name=name, arguments=value[key])]
        case _:
            return []
