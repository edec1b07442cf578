"""A `Planner` that asks a language model what to do next.

A model that is good with tools is asked again after every step. One that is weak plans once, to a
schema, and is then asked only for the texts: its calls are carried out as planned. What it knows of a
turn comes from the turn alone, its outline included, so that another process can take over at any step.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from lakelight.agent.planners.model.choice import Wrong, asked, choose, numbered
from lakelight.agent.planners.model.conversation import (
    conversation,
    opening,
    told_data,
    told_steps,
    tool_schemas,
)
from lakelight.agent.planners.model.outline import (
    ANOTHER,
    REFERENCES,
    Names,
    depends_on_reading,
    dump_outline,
    load_outline,
    outline_in,
    outline_schema,
    quoted_in,
    remaining,
    shown_call,
    told_examples,
    told_tools,
)
from lakelight.agent.planners.model.wording import EXAMPLES, WORDS
from lakelight.agent.planning import AskUser, CallTools, Finish, Plan, Turn
from lakelight.llm import ChatMessage, ChatModel, Message, ModelError, Purpose, Said, TaskKind, ToolCall
from lakelight.llm.fence import unfenced
from lakelight.tools import Question, ToolSpec

_MOST_DATA = 48_000
_MOST_DATA_WEAK = 9_000
"""Weak models have small windows: 8192 tokens hold this with the rules and an answer."""
_GOES_ON = frozenset({"found", "written"})
"""The outcomes after which a plan goes on; after any other it is no longer the plan that was made."""


class ModelPlanner:
    """Plans the turns of one account; it keeps nothing of them itself."""

    def __init__(
        self,
        model: ChatModel,
        *,
        purpose: Purpose,
        task: TaskKind = "reasoning",
        names: Names | None = None,
        on_text: Callable[[str], None] | None = None,
        on_restart: Callable[[ModelError], None] | None = None,
    ) -> None:
        """Plan with `model`.

        Args:
            purpose: On whose account the calls go.
            names: Finds what a request names; without it what is in quotation marks counts.
            on_text: Is given the model's words while they come.
            on_restart: Is told when what was shown of them is void.
        """
        self._model = model
        self._purpose = purpose
        self._task: TaskKind = task
        self._names = names
        self._on_text = on_text
        self._on_restart = on_restart

    def for_run(
        self,
        purpose: Purpose,
        *,
        task: TaskKind | None = None,
        on_text: Callable[[str], None] | None = None,
        on_restart: Callable[[ModelError], None] | None = None,
    ) -> "ModelPlanner":
        """The same planner for one run: on its account, for its kind of task, with its listeners."""
        return ModelPlanner(
            self._model,
            purpose=purpose,
            task=task or self._task,
            names=self._names,
            on_text=on_text,
            on_restart=on_restart,
        )

    async def plan(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        """The next step.

        Raises:
            ModelError: No model gave a usable answer.
        """
        if self._model.weak_at_tools(self._task):
            return await self._plan_once(turn, tools)
        return await self._plan_freely(turn, tools)

    async def _plan_freely(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        messages = conversation(turn, _MOST_DATA)
        choice = choose(await self._call(messages, tools), turn, tools)
        if isinstance(choice, Wrong):
            messages.append(_told(turn, choice.problems))
            choice = choose(await self._call(messages, tools), turn, tools)
        if isinstance(choice, Wrong):
            return Finish(text=choice.text) if choice.text else _unclear(choice.problems)
        return choice

    async def _call(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> Said:
        return await self._model.converse(
            self._task,
            messages,
            purpose=self._purpose,
            tools=tool_schemas(tools),
            on_text=self._on_text,
            on_restart=self._on_restart,
        )

    async def _plan_once(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        if turn.steps and turn.steps[-1].outcome not in _GOES_ON:
            return Finish()
        outline = await self._outlined(turn, tools)
        if isinstance(outline, str):
            return _unclear(outline)
        left, memo = remaining(outline, turn.steps), dump_outline(outline)
        specs = {tool.name: tool for tool in tools}
        reads = next((i for i, call in enumerate(left) if specs[call.name].effect != "read"), len(left))
        if not left:
            return await self._answer(turn, tools)
        for call in left[: reads or 1]:
            for name, key in REFERENCES.items():
                if call.arguments.get(name) == ANOTHER:
                    return AskUser(question=Question(key=key))
        if reads:
            return CallTools(calls=numbered(left[:reads], turn), memo=memo)
        if specs[left[0].name].effect == "ask":
            return asked(left[0].arguments)
        return CallTools(calls=numbered([await self._written(left[0], turn, tools)], turn), memo=memo)

    async def _outlined(self, turn: Turn, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...] | str:
        """The turn's outline with what was done of it, or what was wrong with it.

        A turn that has none, or that took another way, gets a new one; nothing that was done is done again.
        """
        known = load_outline(turn.memo, tools)
        if known is not None and len(known) - len(remaining(known, turn.steps)) == len(turn.steps):
            return known
        made = await self._outline(turn, tools)
        return made if isinstance(made, str) else (*_made(turn), *_without_repeats(made, turn, tools))

    async def _outline(self, turn: Turn, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...] | str:
        words = WORDS[turn.language]
        found = await self._names.found_in(turn.request) if self._names else quoted_in(turn.request)
        names = list(dict.fromkeys([*found, *(ref for ref in (turn.page, turn.target) if ref)]))
        examples = told_examples(EXAMPLES[turn.language], tools)
        messages = _opening(turn, tools)
        if turn.steps:
            messages.append(Message("user", words["done"].format(steps=told_steps(turn))))
        messages.append(Message("user", words["outline"].format(another=ANOTHER, examples=examples)))
        schema = outline_schema(tools, names if found else ())
        problems: list[str] = []
        for _ in range(2):
            said = await self._model.converse(self._task, messages, purpose=self._purpose, schema=schema)
            outline = outline_in(said.text, tools)
            if isinstance(outline, tuple):
                return outline
            problems = outline or [words["no_plan"]]
            messages = [*messages, _told(turn, "\n".join(problems))]
        return "\n".join(problems)

    async def _written(self, call: ToolCall, turn: Turn, tools: Sequence[ToolSpec]) -> ToolCall:
        """`call` with the text that could only be written after the reading."""
        field = depends_on_reading(call, turn.request, turn.steps)
        if field is None:
            return call
        words = WORDS[turn.language]["compose"].format(field=field, call=shown_call(call))
        said = await self._say(turn, tools, words, on_text=None)
        return replace(call, arguments={**call.arguments, field: unfenced(said.text)})

    async def _answer(self, turn: Turn, tools: Sequence[ToolSpec]) -> Finish:
        """The answer from what was read last; after a write the facts say all there is."""
        if turn.steps and turn.steps[-1].outcome == "written":
            return Finish()
        words = WORDS[turn.language]["answer"]
        return Finish(text=(await self._say(turn, tools, words, on_text=self._on_text)).text)

    async def _say(
        self, turn: Turn, tools: Sequence[ToolSpec], words: str, *, on_text: Callable[[str], None] | None
    ) -> Said:
        data = told_data(turn, _MOST_DATA_WEAK)
        messages = _opening(turn, tools)
        messages.append(Message("user", f"{data}\n\n{words}" if data else words))
        return await self._model.converse(
            self._task, messages, purpose=self._purpose, on_text=on_text, on_restart=self._on_restart
        )


def _told(turn: Turn, problems: str) -> Message:
    # Its own words do not go back: what could not be read would be read again.
    return Message("user", WORDS[turn.language]["told"].format(problems=problems))


def _unclear(problems: str) -> AskUser:
    return AskUser(question=Question(key="ask.unclear", facts={"problems": problems}))


def _made(turn: Turn) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(id=step.call.id, name=step.call.tool, arguments=step.call.arguments) for step in turn.steps
    )


def _without_repeats(
    outline: Sequence[ToolCall], turn: Turn, tools: Sequence[ToolSpec]
) -> tuple[ToolCall, ...]:
    """`outline` without what was done, for one that was made anew in the middle of a turn.

    Of a write that was done to something, no other like it to the same thing is left either: better
    one too few than one twice.
    """
    writes = {tool.name for tool in tools if tool.effect == "write"}
    done = {
        (step.call.tool, _target(step.call.arguments)) for step in turn.steps if step.outcome == "written"
    }
    return tuple(
        call
        for call in remaining(outline, turn.steps)
        if call.name not in writes or (call.name, _target(call.arguments)) not in done
    )


def _target(arguments: object) -> tuple[str, ...]:
    # A column or a title tells two writes to one thing apart.
    named = (*REFERENCES, "column", "title")
    return tuple(str(arguments.get(name)) for name in named) if isinstance(arguments, dict) else ()


def _opening(turn: Turn, tools: Sequence[ToolSpec]) -> list[ChatMessage]:
    """The opening with the tools in words; the same for every call of a turn, so that it stays cached."""
    system, *rest = opening(turn)
    words = WORDS[turn.language]["tools"].format(tools=told_tools(tools))
    return [Message("system", f"{system.content}\n\n{words}"), *rest]
