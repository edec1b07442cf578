"""What a card tells beyond its own row: the run it belongs to, and what came of that run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakelight.agent.chats import load_reply
from lakelight.agent.reply import Reply
from lakelight.guard import Approval, Approvals
from lakelight.storage import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One approval with everything around it."""

    approval: Approval
    predecessor: Approval | None
    """The approval whose place it took."""
    run_state: str
    run_reason: str
    run_facts: Mapping[str, Any]
    ticket: str
    """The ticket's number and title; empty for what is no ticket."""
    request: str
    """What a person asked for, in his own words; empty for a ticket."""
    reply: Reply | None
    """What came of the run, when it is over."""
    waiting: tuple[str, ...]
    """The other approvals that the run waits for."""

    @property
    def run_goes_on(self) -> bool:
        """True while what was decided may still be on its way."""
        return self.run_state in {"queued", "working", "waiting"} and not self.waiting


def read_record(connection: Connection, approvals: Approvals, number: int) -> Record:
    """The record of one approval.

    Raises:
        NoSuchApproval: There is none with this number.
    """
    approval = approvals.get(connection, number)
    run = (
        connection.exec_driver_sql(
            "SELECT runs.state, runs.reason, runs.reason_facts, tickets.number, tickets.title"
            " FROM runs LEFT JOIN tickets ON tickets.page_id = runs.page_id WHERE runs.id = ?",
            (approval.run_id,),
        )
        .mappings()
        .first()
    )
    steps = {
        name: json.loads(content)
        for name, content in connection.exec_driver_sql(
            "SELECT name, content FROM steps WHERE run_id = ? AND name IN ('request', 'reply')",
            (approval.run_id,),
        )
    }
    waiting = connection.exec_driver_sql(
        "SELECT number FROM approvals WHERE run_id = ? AND state = 'pending' AND number != ? ORDER BY number",
        (approval.run_id, number),
    )
    before = connection.exec_driver_sql(
        "SELECT number FROM approvals WHERE successor = ? ORDER BY number DESC", (number,)
    ).scalar()
    return Record(
        approval=approval,
        predecessor=None if before is None else approvals.get(connection, before),
        run_state=run["state"] if run else "",
        run_reason=run["reason"] if run else "",
        run_facts=json.loads(run["reason_facts"]) if run else {},
        ticket=" · ".join(filter(None, (run["number"], run["title"]))) if run else "",
        request=str((steps.get("request") or {}).get("request") or ""),
        reply=load_reply(steps["reply"]) if steps.get("reply") else None,
        waiting=tuple(f"A-{each}" for (each,) in waiting),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One page of the list."""

    pending: list[Approval]
    decided: list[Approval]
    total: int
    """How many wait in all."""
    page: int
    pages: int


def read_listing(connection: Connection, approvals: Approvals, page: int, *, size: int) -> Listing:
    """The questions that wait, oldest first, a page of them; and the newest that were answered."""
    pending = approvals.pending(connection)
    pages = max(1, -(-len(pending) // size))
    page = min(max(page, 1), pages)
    decided = [each for each in approvals.all(connection, len(pending) + size) if each.state != "pending"]
    return Listing(
        pending=pending[(page - 1) * size : page * size],
        decided=decided[::-1][:size],
        total=len(pending),
        page=page,
        pages=pages,
    )
