"""The guard's rules, as one table and one pure function.

`decide` does no I/O and reads no clock: the same facts always get the same answer, so the
whole policy is tested as a table. Each rule puts a cap on the answer and the lowest cap wins,
whatever the order. No text enters. Recording an answer and acting on it is the business of
`lakelight.execution`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal

from lakelight.operations import Level, Risk

ASK_ABOVE = 20
"""More targets than this at once, and a person is asked."""
MOST_TARGETS = 100
"""More targets than this at once are denied."""


class Cap(IntEnum):
    """The lattice of answers."""

    DENY = 0
    PREVIEW = 1
    CONFIRM = 2
    ALLOW = 3


class Reason(StrEnum):
    """Why an answer is not a plain yes; a closed list that surfaces print."""

    UNKNOWN_EFFECT = "unknown_effect"
    OTHER_EFFECT = "other_effect"
    LEVEL = "level"
    OUT_OF_SCOPE = "out_of_scope"
    SCOPE_UNRESOLVED = "scope_unresolved"
    FORBIDDEN = "forbidden"
    SIGN_IN = "sign_in"
    TRAIL = "trail"
    FROZEN = "frozen"
    PREVIEW_MODE = "preview_mode"
    TOO_MANY = "too_many"
    MANY = "many"
    RISK = "risk"
    ASK = "ask"
    APPROVAL_INVALID = "approval_invalid"
    SYSTEM_RISK = "system_risk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the guard knows about one operation at the moment of asking."""

    effect: Literal["known", "unknown", "other"]
    """`other`: the request does something else than the operation declares."""
    needs: Level
    """The highest level among the request's effects."""
    risk: Risk
    """The highest risk among them."""
    level: Level
    """The lower of the agent's level and the installation's."""
    scope: Literal["in", "out", "unresolved"]
    auth: Literal["ready", "missing", "expired", "forbidden"]
    trail: bool
    """True when the trail can be written."""
    mode: Literal["normal", "preview", "frozen"]
    actor: Literal["user", "ai", "system"]
    targets: int
    """How many pages the request touches."""
    ask: bool
    """True when the policy wants a person asked for this kind in any case."""
    approval: Literal["none", "valid", "invalid"]
    """`invalid`: redeemed for other bytes, used before, rejected or withdrawn."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The guard's answer, and the rule that made it."""

    cap: Cap
    reason: Reason | None = None

    @property
    def word(self) -> str:
        """`allow`, `confirm_required`, `preview_only` or `deny`."""
        return _WORDS[self.cap]


_WORDS = {
    Cap.ALLOW: "allow",
    Cap.CONFIRM: "confirm_required",
    Cap.PREVIEW: "preview_only",
    Cap.DENY: "deny",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: where it holds, no answer above its cap is given."""

    cap: Cap
    reason: Reason
    holds: Callable[[Facts], bool]


RULES: tuple[Rule, ...] = (
    Rule(Cap.DENY, Reason.UNKNOWN_EFFECT, lambda facts: facts.effect == "unknown"),
    Rule(Cap.DENY, Reason.OTHER_EFFECT, lambda facts: facts.effect == "other"),
    Rule(Cap.DENY, Reason.LEVEL, lambda facts: facts.level < facts.needs),
    Rule(Cap.DENY, Reason.OUT_OF_SCOPE, lambda facts: facts.scope == "out"),
    Rule(Cap.DENY, Reason.SCOPE_UNRESOLVED, lambda facts: facts.scope == "unresolved"),
    Rule(Cap.DENY, Reason.FORBIDDEN, lambda facts: facts.auth == "forbidden"),
    Rule(Cap.DENY, Reason.TRAIL, lambda facts: not facts.trail),
    Rule(Cap.DENY, Reason.FROZEN, lambda facts: facts.mode == "frozen"),
    Rule(Cap.DENY, Reason.TOO_MANY, lambda facts: facts.targets > MOST_TARGETS),
    Rule(Cap.DENY, Reason.APPROVAL_INVALID, lambda facts: facts.approval == "invalid"),
    Rule(Cap.DENY, Reason.SYSTEM_RISK, lambda facts: facts.actor == "system" and facts.risk == Risk.CRITICAL),
    Rule(Cap.PREVIEW, Reason.SIGN_IN, lambda facts: facts.auth in {"missing", "expired"}),
    Rule(Cap.PREVIEW, Reason.PREVIEW_MODE, lambda facts: facts.mode == "preview"),
    Rule(Cap.CONFIRM, Reason.RISK, lambda facts: facts.risk >= Risk.HIGH),
    Rule(Cap.CONFIRM, Reason.MANY, lambda facts: facts.targets > ASK_ABOVE),
    Rule(Cap.CONFIRM, Reason.ASK, lambda facts: facts.ask),
)


def decide(facts: Facts) -> Decision:
    """The lowest cap that any rule puts on the answer, with the first rule that put it.

    A valid approval lifts `CONFIRM` to `ALLOW`. It lifts no level, no scope and no mode.
    """
    lowest = Decision(Cap.ALLOW)
    for rule in RULES:
        if rule.cap < lowest.cap and rule.holds(facts):
            lowest = Decision(rule.cap, rule.reason)
    if lowest.cap is Cap.CONFIRM and facts.approval == "valid":
        return Decision(Cap.ALLOW)
    return lowest
