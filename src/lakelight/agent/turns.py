"""The loop: observe, plan, guard, act, observe, reply. A step of the journal at a time.

Reads of one plan go out together, writes one at a time. Every plan, every operation and every
outcome is in the journal before the next thing happens, so a turn that was killed goes on where it
was, and sends nothing twice.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from lakelight.agent.journal import Journal
from lakelight.agent.planning import AskUser, Call, CallTools, Finish, NeedsModel, Plan, Planner, Step, Turn
from lakelight.agent.progress import Progress
from lakelight.agent.reply import Ending, Reply, compose_reply
from lakelight.execution import Door
from lakelight.guard import Asker
from lakelight.ids import fresh
from lakelight.notion import NotionReader, NotionRefused
from lakelight.operations import (
    Operation,
    Outcome,
    Overtaken,
    Parked,
    Refused,
    Stopped,
    Unsettled,
    Written,
)
from lakelight.tools import Built, Candidate, Fault, Found, Question, Tool, ToolContext, check_kinds

MOST_ROUNDS = 12
"""Plans a turn may take."""
MOST_REPEATS = 2
"""The same call with the same arguments more often than this is a planner going in circles."""
MOST_CALLS = 20
"""Calls that are carried out of one plan; the planner is told that the others were not."""
READS_AT_ONCE = 8
_FINAL = frozenset({"written", "rejected", "stopped", "refused", "overtaken"})
"""What a write came to that the very same write, made once more, would not better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The turn is over."""

    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """The turn waits: for a person, or until Notion has settled."""

    reply: Reply
    reason: str
    until: datetime | None
    """None: until something happens."""


class Loop:
    """Carries turns. It can write only by way of the door."""

    def __init__(
        self,
        *,
        planner: Planner,
        tools: Mapping[str, Tool],
        reader: NotionReader,
        door: Door,
        progress: Progress,
    ) -> None:
        self._planner = planner
        self._tools = tools
        self._reader = reader
        self._door = door
        self._progress = progress

    async def advance(
        self, turn: Turn, journal: Journal, asker: Asker, planner: Planner | None = None
    ) -> Ended | Suspended:
        """Bring a turn as far as it can go now.

        Args:
            planner: Plans this turn in the place of the usual one.

        Raises:
            ModelError: The planning model gave no usable answer; the turn can be taken up again.
            NotionError: Notion could not be asked; likewise.
        """
        last: Plan | None = None
        for round_ in range(1, MOST_ROUNDS + 1):
            last = await self._plan(turn, journal, round_, planner or self._planner)
            match last:
                case CallTools(calls=calls, memo=memo) if calls:
                    if memo is not None:
                        turn = replace(turn, memo=memo)
                    steps, suspended = await self._act(turn, calls, journal, asker, round_)
                    turn = replace(turn, steps=(*turn.steps, *steps))
                    if suspended is not None:
                        reply = compose_reply(asker.run_id, turn.steps, last, "waiting")
                        return replace(suspended, reply=reply)
                    asked = next((step for step in steps if step.outcome == "question"), None)
                    if asked is not None:
                        question = AskUser(question=_question(asked.data))
                        return await self._end(turn, journal, asker, question, "asked")
                    if _in_circles(turn.steps):
                        return await self._end(turn, journal, asker, last, "repeated")
                case AskUser():
                    return await self._end(turn, journal, asker, last, "asked")
                case NeedsModel():
                    return await self._end(turn, journal, asker, last, "needs_model")
                case _:
                    return await self._end(turn, journal, asker, last, "done")
        return await self._end(turn, journal, asker, last, "capped")

    async def steps_so_far(self, journal: Journal) -> list[Step]:
        """The steps that a journal holds, in order; for a turn that broke off."""
        steps = []
        for round_ in range(1, MOST_ROUNDS + 1):
            plan = journal.get(f"plan.{round_}")
            for index in range(len((plan or {}).get("calls", ()))):
                known = journal.get(f"step.{round_}.{index}")
                if known is not None:
                    steps.append(_step(known))
        return steps

    async def _plan(self, turn: Turn, journal: Journal, round_: int, planner: Planner) -> Plan:
        known = journal.get(f"plan.{round_}")
        if known is None:
            self._progress.tell("turn.plan", who=turn.label, round=round_)
            plan = await planner.plan(turn, [tool.spec for tool in self._tools.values()])
            known = await journal.once(f"plan.{round_}", _dump(plan))
        return _load(known)

    async def _act(
        self, turn: Turn, calls: Sequence[Call], journal: Journal, asker: Asker, round_: int
    ) -> tuple[list[Step], Suspended | None]:
        calls, left = calls[:MOST_CALLS], calls[MOST_CALLS:]
        reads = [call for call in calls if self._effect(call) != "write"]
        writes = [call for call in calls if self._effect(call) == "write"]
        names = [f"step.{round_}.{index}" for index in range(len(calls))]
        at_once = asyncio.Semaphore(READS_AT_ONCE)

        async def read(call: Call, name: str) -> Step:
            async with at_once:
                return await self._read(turn, call, journal, name)

        steps = list(
            await asyncio.gather(*(read(call, name) for call, name in zip(reads, names, strict=False)))
        )
        if left:
            steps.append(_left_out(left))
        for index, call in enumerate(writes):
            if index:
                text = "one write at a time: call it again after this one"
                steps.append(Step(call=call, outcome="fault", text=text, data={"reason": "tool.one_write"}))
                continue
            step, suspended = await self._write(turn, call, journal, asker, names[len(reads)])
            steps.append(step)
            if suspended is not None:
                return steps, suspended
        return steps, None

    def _effect(self, call: Call) -> str:
        tool = self._tools.get(call.tool)
        return tool.spec.effect if tool else "ask"

    async def _read(self, turn: Turn, call: Call, journal: Journal, name: str) -> Step:
        known = journal.get(name)
        if known is None:
            self._progress.tell("turn.read", who=turn.label, tool=call.tool)
            known = await journal.once(name, asdict(await self._observe(turn, call)))
        return _step(known)

    async def _observe(self, turn: Turn, call: Call) -> Step:
        tool = self._tools.get(call.tool)
        if tool is None:
            known = ", ".join(self._tools)
            facts = {"tool": call.tool, "tools": known}
            return Step(
                call=call,
                outcome="fault",
                text=f"there is no tool {call.tool!r}; there are: {known}",
                data={"reason": "tool.unknown", "facts": facts},
            )
        try:
            result = await tool.call(call.arguments, self._context(turn))
        except NotionRefused as error:
            # A page that is not shared is something to be told, not a reason to stop the turn.
            data = {"reason": error.message_key, "facts": _plain(error.facts)}
            return Step(call=call, outcome="fault", text=str(error), data=data)
        match result:
            case Found():
                sources = [asdict(source) for source in result.sources]
                return Step(
                    call=call, outcome="found", text=result.text, data={**result.data, "sources": sources}
                )
            case Question():
                return Step(call=call, outcome="question", text=result.key, data=asdict(result))
            case Fault():
                data = {"reason": result.key, "facts": _plain(result.facts)}
                return Step(call=call, outcome="fault", text=f"{result.key}: {dict(result.facts)}", data=data)
            case Built():
                return Step(call=call, outcome="fault", text="a read that would write", data={})

    async def _write(
        self, turn: Turn, call: Call, journal: Journal, asker: Asker, name: str
    ) -> tuple[Step, Suspended | None]:
        known = journal.get(name)
        if known is not None:
            return _step(known), None
        frozen = journal.get(f"{name}.operation")
        if frozen is None and (earlier := _just_made(turn.steps, call)) is not None:
            return _step(await journal.once(name, asdict(_again(call, earlier)))), None
        if frozen is None:
            tool = self._tools[call.tool]
            try:
                result = await tool.call(call.arguments, self._context(turn))
            except NotionRefused as error:
                result = Fault(key=error.message_key, facts=_plain(error.facts))
            if not isinstance(result, Built):
                return _step(await journal.once(name, asdict(_not_built(call, result)))), None
            if not check_kinds(tool.spec, result.operation):
                fault = Fault(key="tool.other_effect", facts={"tool": call.tool})
                return _step(await journal.once(name, asdict(_not_built(call, fault)))), None
            operation = replace(result.operation, id=fresh("op"))
            frozen = await journal.once(
                f"{name}.operation",
                {"operation": operation.dump(), "title": result.title, "before": result.before},
            )
        operation = Operation.load(frozen["operation"])
        self._progress.tell(
            "turn.guard", who=turn.label, tool=call.tool, kind=operation.kind.value, title=frozen["title"]
        )
        try:
            outcome = await self._door.submit(operation, asker, frozen["before"], title=frozen["title"])
        except asyncio.CancelledError:
            # The turn was broken off; what had gone out by then is in its journal all the same.
            settled = await self._door.settled(operation.id)
            if settled is not None:
                await journal.once(name, asdict(_acted(call, operation, frozen["title"], settled)))
            raise
        step = _acted(call, operation, frozen["title"], outcome)
        told = {name: step.data[name] for name in ("approval", "reason", "facts") if name in step.data}
        self._progress.tell(
            f"turn.{step.outcome}", who=turn.label, tool=call.tool, title=frozen["title"], **told
        )
        match outcome:
            case Parked():
                return step, Suspended(reply=_EMPTY, reason="approval", until=None)
            case Unsettled(until=until):
                return step, Suspended(reply=_EMPTY, reason="unsettled", until=until)
            case _:
                return _step(await journal.once(name, asdict(step))), None

    def _context(self, turn: Turn) -> ToolContext:
        return ToolContext(reader=self._reader, language=turn.language, page=turn.page, target=turn.target)

    async def _end(
        self, turn: Turn, journal: Journal, asker: Asker, last: Plan | None, ending: Ending
    ) -> Ended:
        reply = compose_reply(asker.run_id, turn.steps, last, ending)
        await journal.once("reply", asdict(reply))
        return Ended(reply=reply)


def _left_out(calls: Sequence[Call]) -> Step:
    # One step for all of them: thousands would fill the conversation and the reply.
    text = (
        f"not carried out, and neither were {len(calls) - 1} calls after it: of one answer the first"
        f" {MOST_CALLS} are; call again what is still needed"
    )
    data = {"reason": "tool.too_many_calls", "facts": {"count": len(calls), "most": MOST_CALLS}}
    return Step(call=calls[0], outcome="fault", text=text, data=data)


def _acted(call: Call, operation: Operation, title: str, outcome: Outcome) -> Step:
    about: dict[str, Any] = {
        "kind": operation.kind.value,
        "title": title,
        "target": operation.target,
        "operation": operation.id,
    }
    match outcome:
        case Written():
            ids = list(outcome.ids)
            text = f"written and read back: {operation.kind.value} on {title!r}, ids {ids}"
            url = str((outcome.page or {}).get("url") or "")
            more: dict[str, Any] = {"ids": ids, "url": url, "differences": list(outcome.differences)}
            if not outcome.on_trail:
                more["reason"] = "reply.off_trail"
            elif outcome.differences:
                where = ", ".join(outcome.differences)
                more |= {"reason": "reply.differs", "facts": {"where": where}}
            return Step(call=call, outcome="written", text=text, data={**about, **more})
        case Refused():
            data = {
                **about,
                "reason": "reply.refused",
                "facts": {"code": outcome.code, "status": outcome.status, "message": outcome.message},
            }
            return Step(call=call, outcome="refused", text=f"Notion refused: {outcome.message}", data=data)
        case Stopped(decision="rejected"):
            comment = outcome.facts.get("comment") or ""
            reason = "wait.rejected" if comment else "wait.rejected_unexplained"
            data = {**about, "reason": reason, "facts": outcome.facts}
            return Step(call=call, outcome="rejected", text=f"the user said no: {comment}", data=data)
        case Stopped():
            data = {
                **about,
                "reason": f"guard.reason.{outcome.reason}",
                "facts": {**outcome.facts, "decision": outcome.decision},
            }
            text = f"stopped by the guard ({outcome.decision}, {outcome.reason}); do not try it another way"
            return Step(call=call, outcome="stopped", text=text, data=data)
        case Parked(approval=number):
            data = {
                **about,
                "approval": f"A-{number}",
                "reason": "wait.approval",
                "facts": {"approval": f"A-{number}"},
            }
            return Step(call=call, outcome="parked", text=f"waits for approval A-{number}", data=data)
        case Unsettled(cause=cause):
            facts = {"kind": operation.kind.value, "cause": cause}
            data = {**about, "reason": "wait.unsettled", "facts": facts}
            return Step(call=call, outcome="unsettled", text="no answer from Notion yet", data=data)
        case Overtaken():
            data = {**about, "reason": "wait.overtaken", "facts": {}}
            return Step(call=call, outcome="overtaken", text="somebody else changed it meanwhile", data=data)


def _not_built(call: Call, result: Found | Question | Fault) -> Step:
    match result:
        case Question():
            return Step(call=call, outcome="question", text=result.key, data=asdict(result))
        case Fault():
            data = {"reason": result.key, "facts": _plain(result.facts)}
            return Step(call=call, outcome="fault", text=f"{result.key}: {dict(result.facts)}", data=data)
        case Found():
            # A write tool that finds that there is nothing to do.
            return Step(call=call, outcome="found", text=result.text, data=dict(result.data))


def _just_made(steps: Sequence[Step], call: Call) -> Step | None:
    """The last write of the turn, when it was the very same and came to an end.

    Weak models make a write again instead of going on: it must neither be there twice nor be asked about
    twice. With another write in between it may well be meant.
    """
    writes = [step for step in steps if step.outcome in _FINAL or step.data.get("again")]
    if not writes or (writes[-1].call.tool, dict(writes[-1].call.arguments)) != (
        call.tool,
        dict(call.arguments),
    ):
        return None
    return writes[-1]


def _again(call: Call, earlier: Step) -> Step:
    text = earlier.text if earlier.data.get("again") else f"made already, so not made again: {earlier.text}"
    return Step(call=call, outcome="found", text=text, data={"again": True})


def _in_circles(steps: Sequence[Step]) -> bool:
    if not steps:
        return False
    newest = (steps[-1].call.tool, dict(steps[-1].call.arguments))
    same = [step for step in steps if (step.call.tool, dict(step.call.arguments)) == newest]
    return len(same) > MOST_REPEATS


def _dump(plan: Plan) -> dict[str, Any]:
    return {"plan": type(plan).__name__, **asdict(plan)}


def _load(known: Mapping[str, Any]) -> Plan:
    match known["plan"]:
        case "CallTools":
            return CallTools(
                calls=tuple(Call(**call) for call in known["calls"]),
                remark=known["remark"],
                memo=known.get("memo"),
            )
        case "AskUser":
            return AskUser(question=_question(known["question"]))
        case "NeedsModel":
            return NeedsModel(why=known["why"])
        case _:
            return Finish(text=known["text"])


def _question(known: Mapping[str, Any]) -> Question:
    return Question(
        key=known["key"],
        facts=known["facts"],
        candidates=tuple(Candidate(**candidate) for candidate in known["candidates"]),
    )


def _step(known: Mapping[str, Any]) -> Step:
    return Step(call=Call(**known["call"]), outcome=known["outcome"], text=known["text"], data=known["data"])


def _plain(facts: Mapping[str, object]) -> dict[str, object]:
    return {
        name: value if isinstance(value, str | int | float | bool | None) else str(value)
        for name, value in facts.items()
    }


_EMPTY = Reply(run_id="", ending="waiting")
