"""The reply to a turn, made from facts. Pure.

What was done, what failed, what was cancelled and what the guard stopped is taken from the
outcomes, never from what a planner says about them. Its words are given beside, as its words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lakelight.agent.planning import AskUser, Finish, NeedsModel, Plan, Step

Ending = Literal[
    "done", "asked", "needs_model", "waiting", "capped", "repeated", "failed", "unreachable", "cancelled"
]
"""`failed`: a fault, in us or in what we were answered. `unreachable`: Notion or the model gave no answer.
`cancelled`: the user broke the turn off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One write that was wanted, and what came of it."""

    tool: str
    kind: str
    title: str
    url: str = ""
    approval: str | None = None
    reason: str = ""
    """Key of the sentence that says why, for what did not happen."""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a user is told about a turn."""

    run_id: str
    ending: Ending
    done: tuple[Effect, ...] = ()
    failed: tuple[Effect, ...] = ()
    cancelled: tuple[Effect, ...] = ()
    stopped: tuple[Effect, ...] = ()
    waiting: tuple[Effect, ...] = ()
    found: tuple[Mapping[str, Any], ...] = ()
    """What the reads brought, as values."""
    question: Mapping[str, Any] | None = None
    said: str = ""
    """The planner's own words."""
    needs: str = ""
    """Which kind of work would take a model: `prose`, `reasoning`, `unknown`."""

    @property
    def exit_code(self) -> int:
        """The command line's code.

        0 done, 1 failed, 4 stopped by the guard, 5 waits for an approval, 6 nobody answered, 130 broken off.
        """
        if self.ending == "cancelled":
            return 130
        if self.ending == "unreachable":
            return 6
        if self.waiting:
            return 5
        if self.stopped:
            return 4
        if self.failed or self.cancelled or self.ending in {"failed", "capped", "repeated", "needs_model"}:
            return 1
        return 0


def compose_reply(run_id: str, steps: Sequence[Step], last: Plan | None, ending: Ending) -> Reply:
    """The reply to a turn whose steps were `steps` and whose last plan was `last`."""
    by_outcome: dict[str, list[Effect]] = {}
    found: list[Mapping[str, Any]] = []
    for step in steps:
        if step.data.get("again"):
            continue
        if step.outcome == "found":
            found.append({"tool": step.call.tool, **step.data})
        elif step.outcome != "question":
            by_outcome.setdefault(_GROUPS.get(step.outcome, "failed"), []).append(_effect(step))
    question = last.question if isinstance(last, AskUser) else None
    return Reply(
        run_id=run_id,
        ending=ending,
        done=tuple(by_outcome.get("done", ())),
        failed=tuple(by_outcome.get("failed", ())),
        cancelled=tuple(by_outcome.get("cancelled", ())),
        stopped=tuple(by_outcome.get("stopped", ())),
        waiting=tuple(by_outcome.get("waiting", ())),
        found=tuple(found),
        question=None
        if question is None
        else {
            "key": question.key,
            "facts": dict(question.facts),
            "candidates": [
                {"id": each.id, "title": each.title, "type": each.type, "url": each.url}
                for each in question.candidates
            ],
        },
        said=last.text if isinstance(last, Finish) else "",
        needs=last.why if isinstance(last, NeedsModel) else "",
    )


def recalled(reply: Reply) -> str:
    """A reply as a planner is told it in a later turn: what came of the request, and the words beside it."""
    lines = [reply.said] if reply.said else []
    for group in ("done", "failed", "cancelled", "stopped", "waiting"):
        effects: tuple[Effect, ...] = getattr(reply, group)
        lines += [
            f"{group}: {effect.kind or effect.tool or effect.reason} {effect.title}".strip()
            for effect in effects
        ]
    if reply.ending not in {"done", "waiting"}:
        lines.append(f"ended: {reply.ending}")
    return "\n".join(lines)


def _effect(step: Step) -> Effect:
    data = step.data
    return Effect(
        tool=step.call.tool,
        kind=str(data.get("kind", "")),
        title=str(data.get("title", "")),
        url=str(data.get("url", "")),
        approval=data.get("approval"),
        reason=str(data.get("reason", "")),
        facts=data.get("facts") or {},
    )


_GROUPS = {
    "written": "done",
    "refused": "failed",
    "fault": "failed",
    "unsettled": "waiting",
    "parked": "waiting",
    "rejected": "cancelled",
    "overtaken": "cancelled",
    "stopped": "stopped",
}
