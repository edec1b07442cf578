"""The whole plan of a turn at once, for a model that is weak at calling tools step by step. Pure.

Weak models repeat writes and call before they have seen anything, but they can fill in a form: a list
of calls, held to the tools' schemas, with the names that stand in the request to choose from.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lakelight.agent.planning import Step
from lakelight.llm import ToolCall
from lakelight.llm.arguments import arguments_in
from lakelight.llm.schema import fit, problems_in
from lakelight.tools import ToolSpec

MOST_STEPS = 8
ANOTHER = "(another)"
"""What a model chooses when the request means something that is not among the names."""
REFERENCES: Mapping[str, str] = {
    "page": "ask.page_missing",
    "database": "ask.database_missing",
    "parent": "ask.place_missing",
}
"""The arguments that name something in the workspace, and what is asked when it is another."""
PROSE = frozenset({"markdown"})
"""The arguments that hold a text."""

_QUOTED = re.compile(r"[「『《“\"'‘]([^「」『』《》“”\"'‘’\n]{1,100})[」』》”\"'’]")


class Names(Protocol):
    """Knows what things in the workspace are called."""

    async def found_in(self, text: str) -> Sequence[str]:
        """The titles of pages and databases that stand in `text`."""
        ...


def quoted_in(text: str) -> list[str]:
    """What stands in quotation marks in `text`, each once."""
    return list(dict.fromkeys(match.strip() for match in _QUOTED.findall(text) if match.strip()))


def outline_schema(tools: Sequence[ToolSpec], names: Sequence[str]) -> dict[str, Any]:
    """The form of a plan: a list of calls of `tools`, which refer to `names` when there are any."""
    steps = [
        {
            "type": "object",
            "properties": {
                "tool": {"type": "string", "enum": [tool.name]},
                "arguments": _narrowed(tool.parameters, names),
            },
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    listed = {"type": "array", "items": {"anyOf": steps}, "maxItems": MOST_STEPS}
    return {
        "type": "object",
        "properties": {"steps": listed},
        "required": ["steps"],
        "additionalProperties": False,
    }


def told_tools(tools: Sequence[ToolSpec]) -> str:
    """The tools, for a prompt."""
    return "\n".join(
        f"- {tool.name}({', '.join(tool.parameters.get('properties', {}))}): {tool.description}"
        for tool in tools
    )


def told_examples(
    examples: Sequence[tuple[str, Sequence[tuple[str, Any]]]], tools: Sequence[ToolSpec]
) -> str:
    """Those of `examples`, requests with their plans, for which all tools are there, for a prompt."""
    offered = {tool.name for tool in tools}
    lines = []
    for request, steps in examples:
        if {tool for tool, _ in steps} <= offered:
            plan = {"steps": [{"tool": tool, "arguments": arguments} for tool, arguments in steps]}
            lines.append(f"- {request}\n  {json.dumps(plan, ensure_ascii=False)}")
    return "\n".join(lines)


def outline_in(text: str, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...] | list[str]:
    """The plan that a model wrote, or what is wrong with it; the same call twice is one call."""
    read = arguments_in(text[text.find("{") : text.rfind("}") + 1])
    steps = read.get("steps") if isinstance(read, dict) else None
    if not isinstance(steps, list):
        return []
    specs = {tool.name: tool for tool in tools}
    calls: list[ToolCall] = []
    problems: list[str] = []
    for index, step in enumerate(steps[:MOST_STEPS]):
        name = step.get("tool") if isinstance(step, dict) else None
        if name not in specs:
            problems.append(f"steps[{index}].tool must be one of {', '.join(specs)}")
            continue
        arguments = fit(step.get("arguments", {}), specs[name].parameters)
        found = problems_in(arguments, specs[name].parameters)
        problems += [f"steps[{index}] {name}: {problem}" for problem in found]
        if not found and not any((call.name, call.arguments) == (name, arguments) for call in calls):
            calls.append(ToolCall(id=str(index), name=name, arguments=arguments))
    return problems or tuple(calls)


def dump_outline(outline: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """`outline` as JSON has it."""
    return [{"tool": call.name, "arguments": dict(call.arguments)} for call in outline]


def load_outline(known: Any, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...] | None:
    """What `dump_outline` made; nothing where there is none, or it calls what is no tool any more."""
    names = {tool.name for tool in tools}
    if not isinstance(known, list) or not all(step["tool"] in names for step in known):
        return None
    return tuple(
        ToolCall(id=str(index), name=step["tool"], arguments=step["arguments"])
        for index, step in enumerate(known)
    )


def remaining(outline: Sequence[ToolCall], steps: Sequence[Step]) -> tuple[ToolCall, ...]:
    """The calls of `outline` that none of `steps` has made, whatever texts were written into them since."""
    left = list(outline)
    for step in steps:
        made = next((call for call in left if _same(call, step)), None)
        if made is not None:
            left.remove(made)
    return tuple(left)


def depends_on_reading(call: ToolCall, request: str, steps: Sequence[Step]) -> str | None:
    """The argument whose text is to be written now that something was read.

    A text that the user gave word for word stays as it is.
    """
    if not any(step.outcome == "found" for step in steps):
        return None
    said = "".join(request.split())
    for name in sorted(PROSE & call.arguments.keys()):
        if "".join(str(call.arguments[name]).split()) not in said:
            return name
    return None


def shown_call(call: ToolCall) -> str:
    """`call`, for a prompt."""
    return f"{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False)}"


def _same(call: ToolCall, step: Step) -> bool:
    planned = {name: value for name, value in call.arguments.items() if name not in PROSE}
    made = {name: value for name, value in step.call.arguments.items() if name not in PROSE}
    return (call.name, planned) == (step.call.tool, made)


def _narrowed(parameters: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """`parameters` as a form: no numbers that may be left out, and what it refers to chosen from `names`.

    Weak models fill in what is there: with `limit` in the form every list ends after one row.
    """
    required = list(parameters.get("required", ()))
    properties = {
        name: part
        for name, part in parameters.get("properties", {}).items()
        if name in required or part.get("type") != "integer"
    }
    if names:
        among = {"type": "string", "enum": [*names, ANOTHER]}
        references = [name for name in REFERENCES if name in properties]
        properties = {**dict.fromkeys(references, among), **_without(properties, references)}
        required = [*references, *(name for name in required if name not in references)]
    return {**parameters, "properties": properties, "required": required}


def _without(properties: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: part for name, part in properties.items() if name not in names}
