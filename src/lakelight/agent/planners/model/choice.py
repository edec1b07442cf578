"""From what a model said to the next step of the loop. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakelight.agent.planners.model.wording import WORDS
from lakelight.agent.planning import AskUser, Call, CallTools, Finish, Turn
from lakelight.llm import Said, ToolCall
from lakelight.llm.schema import problems_in
from lakelight.messages import Language
from lakelight.tools import Question, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Nothing of what was said can be done; `problems` tells the model why."""

    problems: str
    text: str = ""
    """What it said beside it."""


def choose(said: Said, turn: Turn, tools: Sequence[ToolSpec]) -> CallTools | AskUser | Finish | Wrong:
    """What to do about `said`.

    Reads go out together, a write alone, in the order in which they were called: of several writes
    the first is made, and the others wait until the model has seen what came of it and calls them
    again. A wrong call beside right ones is left out, and what the others brought shows that it was.
    """
    specs = {tool.name: tool for tool in tools}
    problems = [
        WORDS[turn.language][call.why].format(name=call.name or "?", tools=", ".join(specs))
        for call in said.unread
    ]
    calls: list[ToolCall] = []
    for call in said.tool_calls:
        found = wrong_with(call, specs, turn.language)
        problems += found
        if not found:
            calls.append(call)
    if not calls:
        return Wrong(problems="\n".join(problems), text=said.text) if problems else Finish(text=said.text)
    together = _together(calls, specs)
    if specs[together[0].name].effect == "ask":
        return asked(together[0].arguments)
    return CallTools(calls=numbered(together, turn), remark=said.text)


def wrong_with(call: ToolCall, specs: Mapping[str, ToolSpec], language: Language) -> list[str]:
    """What keeps `call` from being made."""
    spec = specs.get(call.name)
    if spec is None:
        return [WORDS[language]["unknown_tool"].format(name=call.name, tools=", ".join(specs))]
    return [f"{call.name}: {problem}" for problem in problems_in(dict(call.arguments), spec.parameters)]


def asked(arguments: Mapping[str, object]) -> AskUser:
    """The question that a call of `ask_user` stands for."""
    return AskUser(question=Question(key="ask.user", facts={"question": arguments.get("question", "")}))


def numbered(calls: Sequence[ToolCall], turn: Turn) -> tuple[Call, ...]:
    """`calls` with ids that are unique within the turn: how many steps came before, and which it is."""
    return tuple(
        Call(id=f"{len(turn.steps)}.{index}", tool=call.name, arguments=call.arguments)
        for index, call in enumerate(calls)
    )


def _together(calls: Sequence[ToolCall], specs: Mapping[str, ToolSpec]) -> Sequence[ToolCall]:
    """The calls that are made now: the reads before the first other call, or that call alone."""
    reads = next((index for index, call in enumerate(calls) if specs[call.name].effect != "read"), len(calls))
    return calls[: reads or 1]
