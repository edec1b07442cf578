"""A turn as a conversation with a model. Pure.

What came out of the workspace stands between fences that it cannot close, also where it was part of
an earlier reply.
"""

import json
from collections.abc import Sequence
from typing import Any

from lakelight.agent.planners.model.wording import ENDS, RULES, WORDS
from lakelight.agent.planning import Step, Turn
from lakelight.llm import Called, ChatMessage, Message, Returned, ToolCall, fence, tame
from lakelight.tools import ToolSpec


def tool_schemas(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """`tools` as the chat completions protocol has them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def conversation(turn: Turn, most_data: int) -> list[ChatMessage]:
    """The turn so far: our rules, the request, then each call with what it brought.

    Args:
        most_data: The most characters of data; the oldest is left out first.
    """
    messages = opening(turn)
    for index, (step, data) in enumerate(zip(turn.steps, _data(turn, most_data), strict=True)):
        # Nine letters and digits: there are providers that take no other id.
        call = ToolCall(id=f"call{index:05d}", name=step.call.tool, arguments=step.call.arguments)
        outcome = WORDS[turn.language]["outcome"].format(outcome=step.outcome)
        messages += [Called("", (call,)), Returned(call.id, f"{outcome}\n{data}")]
    return messages


def opening(turn: Turn) -> list[ChatMessage]:
    """Our rules, and the request."""
    rules = f"{RULES[turn.language]}\n{ENDS[turn.language]['ticket' if turn.framed else 'chat']}"
    system = f"{turn.persona}\n\n{rules}" if turn.persona else rules
    return [Message("system", system), Message("user", _asked(turn))]


def told_data(turn: Turn, most_data: int) -> str:
    """What the reads of the turn brought, for a model that is not shown the calls themselves."""
    parts = [
        f"## {step.call.tool} {_plain(step)}\n{data}"
        for step, data in zip(turn.steps, _data(turn, most_data), strict=True)
        if step.outcome == "found"
    ]
    return "\n\n".join(parts)


def told_steps(turn: Turn) -> str:
    """The calls of the turn, a line each."""
    return "\n".join(f"- {step.call.tool} {_plain(step)}: {step.outcome}" for step in turn.steps)


def _asked(turn: Turn) -> str:
    words = WORDS[turn.language]
    parts = []
    if turn.history:
        parts.append(words["earlier"])
        for asked, replied in turn.history:
            parts.append(f"{words['user']}: {tame(asked)}\n{words['reply']}: {fence(replied)}")
    if turn.page:
        parts.append(words["page"].format(page=_line(turn.page)))
    if turn.target:
        parts.append(words["target"].format(target=_line(turn.target)))
    # Who frames a request has tamed and fenced what is in it.
    parts.append(turn.framed or f"{words['request']}\n{tame(turn.request)}")
    return "\n\n".join(parts)


def _data(turn: Turn, most: int) -> list[str]:
    """What each step is told as, the newest in full for as long as there is room."""
    told: list[str] = []
    left = most
    for step in reversed(turn.steps):
        left -= len(step.text)
        if left < 0 and not told:
            told.append(fence(step.text[:most]))
        else:
            told.append(fence(step.text) if left >= 0 else WORDS[turn.language]["left_out"])
    return told[::-1]


def _plain(step: Step) -> str:
    return tame(json.dumps(dict(step.call.arguments), ensure_ascii=False))


def _line(text: str) -> str:
    return tame(" ".join(text.split()))
