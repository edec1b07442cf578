"""What came of the run behind a decision, in words. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from lakelight.agent.reply import Effect, Reply
from lakelight.console.records import Record
from lakelight.messages import Messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One line of a result."""

    group: str
    """`done`, `failed`, `cancelled`, `stopped` or `waiting`."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a person is told after a decision."""

    lines: tuple[Told, ...]
    said: str
    """The planner's own words."""
    undo: str
    """How to take it back; empty where nothing was done."""
    state: str
    """How far the run is, while it is not over."""
    reason: str


def result_of(record: Record, messages: Messages) -> Result:
    """The result of the run that an approval belongs to, as far as it is known."""
    reply = record.reply
    if reply is None:
        return Result(
            lines=(),
            said="",
            undo="",
            state=messages.say(f"state.{record.run_state}") if record.run_state else "",
            reason=_run_reason(record, messages),
        )
    return Result(
        lines=tuple(_lines(reply, messages)),
        said=reply.said,
        undo=messages.say("reply.undo", run=reply.run_id) if reply.done else "",
        state="",
        reason=_ending(reply, messages),
    )


def _lines(reply: Reply, messages: Messages) -> Iterator[Told]:
    for group, effects in (
        ("done", reply.done),
        ("failed", reply.failed),
        ("cancelled", reply.cancelled),
        ("stopped", reply.stopped),
        ("waiting", reply.waiting),
    ):
        for effect in effects:
            yield Told(group=group, text=_told(group, effect, messages))


def _told(group: str, effect: Effect, messages: Messages) -> str:
    kind = messages.say(f"kind.{effect.kind}") if effect.kind else ""
    what = " · ".join(filter(None, (kind, effect.title, effect.approval)))
    why = messages.say(effect.reason, **effect.facts) if effect.reason else ""
    return messages.say(f"reply.{group}", what=what, why=why).rstrip(" ·:：")


def _ending(reply: Reply, messages: Messages) -> str:
    if reply.question is not None:
        return messages.say(reply.question["key"], **reply.question["facts"])
    key = f"needs_model.{reply.needs}" if reply.needs else f"reply.{reply.ending}"
    known = reply.needs or reply.ending in {"capped", "repeated"}
    return messages.say(key) if known else ""


def _run_reason(record: Record, messages: Messages) -> str:
    prefix = "fail." if record.run_state == "failed" else "wait."
    key = prefix + record.run_reason
    if not record.run_reason or record.run_reason == "approval" or not messages.has(key):
        return ""
    return messages.say(key, **record.run_facts)
