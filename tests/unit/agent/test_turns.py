"""The loop of a turn: observe, plan, guard, act, observe, reply; with what came of everything."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.agent import Journal, Runs
from lakelight.agent.planning import AskUser, Call, CallTools, Finish, NeedsModel, Plan, Turn
from lakelight.agent.turns import MOST_CALLS, MOST_REPEATS, MOST_ROUNDS, Ended, Loop, Suspended
from lakelight.guard import Asker
from lakelight.ids import fresh
from lakelight.notion import NotionRefused, NotionUnreachable
from lakelight.operations import (
    Kind,
    Operation,
    Outcome,
    Overtaken,
    Parked,
    Refused,
    Stopped,
    Unsettled,
    Written,
    request,
)
from lakelight.storage import Database, migrate
from lakelight.tools import Built, Candidate, Fault, Found, Question, ToolContext, ToolResult, ToolSpec

PAGE = "11111111-2222-4333-8444-555555555555"
LATER = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Noon:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


class Script:
    """A planner that gives its plans in order and keeps the turns that it saw."""

    def __init__(self, log: list[str], *plans: Plan) -> None:
        self.log = log
        self.plans = list(plans)
        self.seen: list[Turn] = []
        self.offered: list[str] = []

    async def plan(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        self.log.append("plan")
        self.seen.append(turn)
        self.offered = [tool.name for tool in tools]
        return self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]


class Reads:
    """A tool that finds something, asks something, or cannot."""

    def __init__(self, log: list[str], result: ToolResult | Exception) -> None:
        self.spec = ToolSpec(name="fetch", effect="read", description="", parameters={})
        self.log = log
        self.result = result
        self.contexts: list[ToolContext] = []

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.log.append(f"read {arguments.get('page', '')}".strip())
        self.contexts.append(context)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


class Writes:
    """A tool that builds an append; it may build something else than it declares."""

    def __init__(self, log: list[str], body: Mapping[str, Any] | None = None) -> None:
        self.spec = ToolSpec(
            name="append",
            effect="write",
            description="",
            parameters={},
            kinds=frozenset({Kind.BLOCK_APPEND}),
        )
        self.log = log
        self.body = body or {"children": [{"divider": {}}]}

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.log.append("build")
        operation = Operation(
            id="op",
            kind=Kind.BLOCK_APPEND,
            target=PAGE,
            request=request("PATCH", f"/blocks/{PAGE}/children", self.body),
        )
        return Built(operation=operation, title="项目计划")


class DoorThatSays:
    """Answers operations with outcomes in order, the last one for ever."""

    def __init__(self, log: list[str], *outcomes: Outcome) -> None:
        self.log = log
        self.outcomes = list(outcomes)
        self.submitted: list[tuple[Operation, Asker]] = []

    async def submit(
        self, operation: Operation, asker: Asker, before: Mapping[str, Any] | None = None, *, title: str = ""
    ) -> Outcome:
        self.log.append(f"door {title}")
        self.submitted.append((operation, asker))
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


class Watcher:
    def __init__(self, log: list[str]) -> None:
        self.log = log

    def tell(self, event: str, **facts: object) -> None:
        self.log.append(f"[{event}]")


class Bench:
    """A loop whose every part writes into one log."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.log: list[str] = []
        self.read = Reads(self.log, Found(text="第一阶段", data={"title": "项目计划"}))
        self.write = Writes(self.log)
        self.door = DoorThatSays(self.log, Written(ids=("b1",)))
        # No job is ever asked for here.
        jobs: Any = None
        with database.transaction() as connection:
            self.run_id = Runs(jobs, Noon()).begin(connection, "chat")

    async def turn(self, *plans: Plan, **more: Any) -> Ended | Suspended:
        self.planner = Script(self.log, *plans)
        # Tools and door answer what is asked of them here, and nothing is read past a tool.
        parts: Any = {"reader": "the reader", "door": self.door}
        loop = Loop(
            planner=self.planner,
            tools={"fetch": self.read, "append": self.write},
            progress=Watcher(self.log),
            **parts,
        )
        journal = await Journal.open(self.database, Noon(), self.run_id)
        asker = Asker(actor="ai", agent="", run_id=self.run_id, everywhere=True)
        return await loop.advance(Turn(request="…", language="zh", **more), journal, asker)

    def done(self) -> list[str]:
        """What was done, without what was told of it."""
        return [line for line in self.log if not line.startswith("[")]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    yield Bench(database)
    database.close()


def reads(*pages: str) -> CallTools:
    return CallTools(
        calls=tuple(Call(id=fresh("call"), tool="fetch", arguments={"page": page}) for page in pages)
    )


def writes(words: str = "x", count: int = 1) -> CallTools:
    return CallTools(
        calls=tuple(
            Call(id=fresh("call"), tool="append", arguments={"markdown": f"{words}{number}"})
            for number in range(count)
        )
    )


async def test_a_turn_observes_plans_guards_acts_observes_and_replies(bench: Bench) -> None:
    result = await bench.turn(reads("甲"), writes(), Finish(text="好了"))

    assert bench.log == [
        "[turn.plan]",
        "plan",
        "[turn.read]",
        "read 甲",
        "[turn.plan]",
        "plan",
        "build",
        "[turn.guard]",
        "door 项目计划",
        "[turn.written]",
        "[turn.plan]",
        "plan",
    ]
    assert isinstance(result, Ended)
    assert (result.reply.ending, result.reply.said, len(result.reply.done)) == ("done", "好了", 1)


async def test_the_planner_sees_what_every_step_before_came_to(bench: Bench) -> None:
    bench.door.outcomes = [Refused(code="validation_error", status=400, message="too long")]

    await bench.turn(reads("甲"), writes(), Finish())

    first, second, third = bench.planner.seen
    assert first.steps == ()
    assert [(step.outcome, step.text) for step in second.steps] == [("found", "第一阶段")]
    assert [step.outcome for step in third.steps] == ["found", "refused"]
    assert "too long" in third.steps[-1].text


async def test_what_the_user_is_on_goes_to_planner_and_tools(bench: Bench) -> None:
    await bench.turn(reads("甲"), Finish(), page="p1", target="t1", history=(("你好", "在"),))

    (context,) = bench.read.contexts
    assert bench.planner.offered == ["fetch", "append"]
    assert (bench.planner.seen[0].page, bench.planner.seen[0].history) == ("p1", (("你好", "在"),))
    assert (context.page, context.target) == ("p1", "t1")


async def test_reads_do_not_pass_the_door_and_each_write_does(bench: Bench) -> None:
    await bench.turn(reads("甲", "乙"), writes("a"), writes("b"), Finish())

    assert bench.done().count("door 项目计划") == 2
    assert {asker.actor for _, asker in bench.door.submitted} == {"ai"}
    assert [operation.kind for operation, _ in bench.door.submitted] == [Kind.BLOCK_APPEND] * 2
    assert len({operation.id for operation, _ in bench.door.submitted}) == 2


OUTCOMES: dict[str, tuple[Outcome, str, str]] = {
    "written": (Written(ids=("b1",)), "done", ""),
    "refused by Notion": (
        Refused(code="validation_error", status=400, message="too long"),
        "failed",
        "reply.refused",
    ),
    "denied": (
        Stopped(decision="deny", reason="level", facts={"needs": 2}),
        "stopped",
        "guard.reason.level",
    ),
    "preview": (
        Stopped(decision="preview_only", reason="preview_mode", facts={}),
        "stopped",
        "guard.reason.preview_mode",
    ),
    "rejected by a person": (
        Stopped(decision="rejected", reason="rejected", facts={"comment": "no"}),
        "cancelled",
        "wait.rejected",
    ),
    "rejected without a word": (
        Stopped(decision="rejected", reason="rejected", facts={"comment": ""}),
        "cancelled",
        "wait.rejected_unexplained",
    ),
    "changed by somebody else": (Overtaken(), "cancelled", "wait.overtaken"),
}


@pytest.mark.parametrize(("outcome", "group", "reason"), OUTCOMES.values(), ids=OUTCOMES)
async def test_a_reply_says_of_a_write_what_came_of_it_and_why(
    bench: Bench, outcome: Outcome, group: str, reason: str
) -> None:
    bench.door.outcomes = [outcome]

    result = await bench.turn(writes(), Finish(text="I have written everything!"))

    groups = {
        name: getattr(result.reply, name) for name in ("done", "failed", "cancelled", "stopped", "waiting")
    }
    (effect,) = groups.pop(group)
    assert (effect.title, effect.kind, effect.reason) == ("项目计划", "block.append", reason)
    assert set(groups.values()) == {()}


async def test_a_turn_that_is_done_in_part_is_told_in_part(bench: Bench) -> None:
    bench.door.outcomes = [outcome for outcome, _, _ in OUTCOMES.values()]

    result = await bench.turn(*(writes(f"{number}") for number in range(len(OUTCOMES))), Finish())

    reply = result.reply
    assert [len(each) for each in (reply.done, reply.failed, reply.cancelled, reply.stopped)] == [1, 1, 3, 2]
    assert reply.exit_code == 4


@pytest.mark.parametrize(
    ("outcome", "reason", "until", "shown"),
    [
        pytest.param(Parked(7), "approval", None, "A-7", id="for a person"),
        pytest.param(Unsettled(until=LATER), "unsettled", LATER, None, id="for Notion"),
    ],
)
async def test_a_turn_that_has_to_wait_says_for_what(
    bench: Bench, outcome: Outcome, reason: str, until: datetime | None, shown: str | None
) -> None:
    bench.door.outcomes = [outcome]

    result = await bench.turn(writes(), Finish())

    assert isinstance(result, Suspended)
    assert (result.reason, result.until) == (reason, until)
    (waiting,) = result.reply.waiting
    assert waiting.approval == shown
    assert (result.reply.ending, result.reply.done) == ("waiting", ())


async def test_a_turn_that_is_taken_up_again_plans_nothing_twice_and_sends_the_same(bench: Bench) -> None:
    bench.door.outcomes = [Parked(1), Written(ids=("b1",))]
    await bench.turn(reads("甲"), writes(), Finish())
    before = bench.done()
    bench.log.clear()

    result = await bench.turn(Finish(text="再见"))

    assert isinstance(result, Ended)
    assert before == ["plan", "read 甲", "plan", "build", "door 项目计划"]
    assert bench.done() == ["door 项目计划", "plan"]
    first, second = (operation for operation, _ in bench.door.submitted)
    assert first == second


async def test_a_planner_is_reminded_of_what_it_asked_for_also_after_the_turn_was_taken_up_again(
    bench: Bench,
) -> None:
    noted = [{"tool": "append", "arguments": {}}]
    bench.door.outcomes = [Parked(7)]
    await bench.turn(replace(reads("甲"), memo=noted), writes(), Finish())
    told = [turn.memo for turn in bench.planner.seen]
    bench.door.outcomes = [Written(ids=("b1",))]
    await bench.turn(Finish())

    assert told == [None, noted]
    assert [turn.memo for turn in bench.planner.seen] == [noted]


async def test_of_several_writes_at_once_the_first_is_done_and_the_others_are_told(bench: Bench) -> None:
    result = await bench.turn(writes(count=3), Finish())

    assert bench.done().count("door 项目计划") == 1
    assert [effect.reason for effect in result.reply.failed] == ["tool.one_write"] * 2


async def test_only_so_many_calls_of_one_answer_are_carried_out_and_the_planner_hears_of_the_rest(
    bench: Bench,
) -> None:
    many = reads(*(f"{number}" for number in range(3000)))

    result = await bench.turn(many, Finish(text="好"))

    assert len([done for done in bench.done() if done.startswith("read")]) == MOST_CALLS
    told = bench.planner.seen[-1].steps
    assert (len(told), told[-1].call.arguments) == (MOST_CALLS + 1, {"page": f"{MOST_CALLS}"})
    assert f"{3000 - MOST_CALLS - 1} calls after it" in told[-1].text
    assert [effect.reason for effect in result.reply.failed] == ["tool.too_many_calls"]


@pytest.mark.parametrize(
    ("plan", "ending"),
    [
        pytest.param(Finish(text="好"), "done", id="nothing to do"),
        pytest.param(NeedsModel(why="prose"), "needs_model", id="a model is needed"),
        pytest.param(AskUser(question=Question(key="ask.user", facts={"question": "?"})), "asked", id="a question"),
        pytest.param(reads("甲"), "repeated", id="the same call for ever"),
    ],
)  # fmt: skip
async def test_every_turn_ends_with_a_reply(bench: Bench, plan: Plan, ending: str) -> None:
    result = await bench.turn(plan)

    assert isinstance(result, Ended)
    assert result.reply.ending == ending
    assert bench.done().count("read 甲") <= MOST_REPEATS + 1


async def test_a_planner_that_never_comes_to_an_end_is_stopped(bench: Bench) -> None:
    result = await bench.turn(*(reads(f"{number}") for number in range(MOST_ROUNDS + 5)))

    assert isinstance(result, Ended)
    assert result.reply.ending == "capped"
    assert bench.done().count("plan") == MOST_ROUNDS
    assert len(result.reply.found) == MOST_ROUNDS


QUESTION = Question(
    key="ask.page_ambiguous", candidates=(Candidate(id=PAGE, title="项目计划", type="page", url="https://x"),)
)


async def test_a_question_of_a_tool_ends_the_turn_with_its_candidates(bench: Bench) -> None:
    bench.read.result = QUESTION

    result = await bench.turn(reads("计划"), writes(), Finish())

    assert (result.reply.ending, bench.door.submitted) == ("asked", [])
    assert result.reply.question is not None
    assert result.reply.question["candidates"][0]["title"] == "项目计划"


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        pytest.param(Fault(key="tool.arguments", facts={}), "tool.arguments", id="a wrong call"),
        pytest.param(
            NotionRefused(status=404, notion_code="object_not_found", message="no", request_id="r"),
            "notion.object_not_found",
            id="a page that is not shared",
        ),
    ],
)
async def test_a_read_that_fails_is_told_to_the_planner_and_in_the_reply(
    bench: Bench, result: ToolResult | Exception, reason: str
) -> None:
    bench.read.result = result

    ended = await bench.turn(reads("甲"), Finish())

    assert [step.outcome for step in bench.planner.seen[1].steps] == ["fault"]
    assert [effect.reason for effect in ended.reply.failed] == [reason]


async def test_a_workspace_that_cannot_be_asked_breaks_the_turn_off(bench: Bench) -> None:
    bench.read.result = NotionUnreachable("no connection")

    with pytest.raises(NotionUnreachable):
        await bench.turn(reads("甲"), Finish())


async def test_a_tool_that_does_not_exist_is_told_and_nothing_is_called(bench: Bench) -> None:
    call = Call(id="c", tool="delete_everything", arguments={})

    result = await bench.turn(CallTools(calls=(call,)), Finish())

    assert bench.done() == ["plan", "plan"]
    assert [effect.reason for effect in result.reply.failed] == ["tool.unknown"]


async def test_a_tool_that_builds_more_than_it_declares_is_not_carried_out(bench: Bench) -> None:
    bench.write.body = {"children": [], "in_trash": True}

    result = await bench.turn(writes(), Finish())

    assert bench.door.submitted == []
    assert [effect.reason for effect in result.reply.failed] == ["tool.other_effect"]
