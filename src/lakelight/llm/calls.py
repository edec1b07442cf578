"""From what an endpoint gave to what was said: calls with names, ids and arguments that can be used. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lakelight.llm.arguments import arguments_in
from lakelight.llm.port import RawCall, Said, ToolCall, UnreadCall, Utterance
from lakelight.llm.quality import answer_in
from lakelight.llm.schema import fit
from lakelight.llm.text_calls import calls_in_text


def said_of(utterance: Utterance, tools: Sequence[Mapping[str, Any]], *, in_text: bool) -> Said:
    """What `utterance` says once its reasoning is gone and its calls are read.

    Every call has an id of its own. The same call twice in one answer is one call: streams repeat
    themselves, and nobody wants the same thing done twice at once.

    Args:
        in_text: Calls are looked for in the text as well when there are none beside it.
    """
    text, raw = answer_in(utterance.completion.text), utterance.calls
    schemas = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in tools}
    if in_text and schemas and not raw:
        text, raw = calls_in_text(text, schemas.keys())
    calls: list[ToolCall] = []
    unread: list[UnreadCall] = []
    for call in raw:
        name = _tool_named(call.name, schemas)
        read = UnreadCall(name=call.name, why="unknown_tool") if name is None else _read(call, name, schemas)
        if isinstance(read, UnreadCall):
            unread.append(read)
        elif not any((known.name, known.arguments) == (read.name, read.arguments) for known in calls):
            calls.append(replace(read, id=_own_id(call.id, len(calls), {known.id for known in calls})))
    completion = replace(utterance.completion, text=text)
    return Said(completion=completion, tool_calls=tuple(calls), unread=tuple(unread))


def _tool_named(name: str, schemas: Mapping[str, Any]) -> str | None:
    """The tool that is meant by `name`, which may have a namespace before it or brackets behind it."""
    if name in schemas:
        return name
    bare = name.strip().removesuffix("()").replace(":", ".").rpartition(".")[2].casefold()
    same = [tool for tool in schemas if tool.casefold() == bare]
    return same[0] if len(same) == 1 else None


def _read(call: RawCall, name: str, schemas: Mapping[str, Any]) -> ToolCall | UnreadCall:
    arguments = arguments_in(call.arguments)
    if isinstance(arguments, str):
        return UnreadCall(name=name, why=arguments)
    schema = schemas[name]
    inner = next(iter(arguments.values())) if len(arguments) == 1 else None
    within = arguments.keys() <= {"arguments", "parameters"} - schema.get("properties", {}).keys()
    # Some models call the tool within its own arguments.
    if within and isinstance(inner, dict):
        arguments = inner
    return ToolCall(id=call.id, name=name, arguments=fit(arguments, schema))


def _own_id(wanted: str, index: int, taken: set[str]) -> str:
    if wanted and wanted not in taken:
        return wanted
    number = index
    while (name := f"{wanted or 'call'}_{number}") in taken:
        number += 1
    return name
