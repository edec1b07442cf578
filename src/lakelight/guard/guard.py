"""Gathers the facts about an operation and asks the policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lakelight.guard.permits import Permit
from lakelight.guard.policy import Cap, Decision, Facts, decide
from lakelight.guard.policy_file import Entry, Policy
from lakelight.guard.scope import Scopes
from lakelight.operations import Kind, Level, Operation, Risk, classify, touched

Actor = Literal["user", "ai", "system"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTicket:
    """The ticket that a run works on: its page, and what the engine's own marks may touch."""

    page_id: str
    self_check: str | None
    """Name of the column that takes the fixed texts."""
    status: str | None
    statuses: frozenset[str]
    """The status words that the settings name."""
    is_fixed_text: Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """On whose behalf an operation is submitted."""

    actor: Actor
    agent: str
    run_id: str
    ticket: OwnTicket | None = None
    undoes: Mapping[str, Kind] = field(default_factory=dict)
    """Operations (by payload hash) that take back a recorded write of ours, with that write's kind."""
    everywhere: bool = False
    """A person's own chat: all that is shared with the token is in scope, at the installation's level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The decision, what it was based on, and the permit when it is a yes."""

    decision: Decision
    facts: Facts
    policy_hash: str
    permit: Permit | None


class Guard:
    """Decides; it holds nothing that could write."""

    def __init__(self, policy: Policy, scopes: Scopes) -> None:
        self._policy = policy
        self._scopes = scopes

    async def review(
        self,
        operation: Operation,
        asker: Asker,
        *,
        trail: bool,
        approval: Literal["none", "valid", "invalid"] = "none",
    ) -> Review:
        """The guard's answer about `operation`; an exception on the way is a denial by its facts."""
        entry = Entry(level=self._policy.level) if asker.everywhere else self._policy.entry(asker.agent)
        kinds = effects(operation, asker.ticket)
        own = frozenset({asker.ticket.page_id}) if asker.ticket else frozenset()
        # A person who takes back what we wrote needs no more than the write needed, and has asked already.
        undone = asker.undoes.get(operation.payload_hash) if asker.actor == "user" else None
        facts = Facts(
            effect=_effect(operation, kinds),
            needs=undone.level if undone else max((kind.level for kind in kinds), default=Level.ADMIN),
            risk=Risk.MEDIUM if undone else max((kind.risk for kind in kinds), default=Risk.CRITICAL),
            level=min(entry.level, self._policy.level),
            scope="in"
            if asker.everywhere
            else await self._scopes.covers(operation.target, own | entry.roots),
            auth="ready",
            trail=trail,
            mode=self._policy.mode,
            actor=asker.actor,
            targets=1,
            ask=bool(entry.ask & kinds),
            approval=approval,
        )
        decision = decide(facts)
        permit = Permit(operation, self._policy.hash) if decision.cap is Cap.ALLOW else None
        return Review(decision=decision, facts=facts, policy_hash=self._policy.hash, permit=permit)


def effects(operation: Operation, ticket: OwnTicket | None) -> frozenset[Kind]:
    """What `operation` does, by its request; a mark is told from other property updates by its content."""
    kinds = classify(operation.request)
    if operation.kind is Kind.TICKET_MARK and kinds == {Kind.PAGE_PROPERTIES_UPDATE} and ticket:
        return frozenset({Kind.TICKET_MARK}) if _is_mark(operation, ticket) else kinds
    return kinds


def _effect(operation: Operation, kinds: frozenset[Kind]) -> Literal["known", "unknown", "other"]:
    if not kinds:
        return "unknown"
    if kinds != {operation.kind} or touched(operation.request) != operation.target:
        return "other"
    return "known"


def _is_mark(operation: Operation, ticket: OwnTicket) -> bool:
    body = operation.request.content
    if operation.target != ticket.page_id or body.keys() != {"properties"}:
        return False
    return all(
        (name == ticket.self_check and _is_fixed(value, ticket.is_fixed_text))
        or (name == ticket.status and _is_status(value, ticket.statuses))
        for name, value in body["properties"].items()
    )


def _is_fixed(value: Any, is_fixed_text: Callable[[str], bool]) -> bool:
    match value:
        case {"rich_text": [{"text": {"content": str() as text, **link}, **rest}], **more} if (
            not link and not more and rest in ({}, {"type": "text"})
        ):
            return is_fixed_text(text)
        case _:
            return False


def _is_status(value: Any, statuses: frozenset[str]) -> bool:
    match value:
        case {"status": {"name": str() as word, **more}, **rest} | {
            "select": {"name": str() as word, **more},
            **rest,
        } if not more and not rest:
            return word in statuses
        case _:
            return False
