"""What would be done with the tickets that are ready now. Nothing is kept, nothing is written."""

from dataclasses import dataclass

from lakelight.guard import Asker, Guard, OwnTicket
from lakelight.notion import NotionReader
from lakelight.operations import Kind, Operation, request
from lakelight.tickets import mark
from lakelight.tickets.assignment import Assigned, Skipped, assign
from lakelight.tickets.personas import NoPersona, Personas
from lakelight.tickets.roster import Roster
from lakelight.tickets.source import Source
from lakelight.tickets.ticket import Ticket, parse_ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One ticket and what would come of it."""

    ticket: Ticket
    assignment: Assigned | Skipped
    persona: str = "ok"
    """`ok`, or why the persona can't be read: `missing`, `in_trash`, `empty`."""
    decision: str = ""
    """The guard's word about the receipt: `allow`, `confirm_required`, `preview_only` or `deny`."""
    writes: tuple[str, ...] = ()
    """What would be written: `self_check`, `status`, `receipt`."""


async def plan(
    reader: NotionReader, source: Source, roster: Roster, personas: Personas, guard: Guard
) -> list[Planned]:
    """Every ready ticket, oldest first, with what would be done.

    Raises:
        NotionError: Notion could not be asked.
    """
    oldest_first = [{"timestamp": "created_time", "direction": "ascending"}]
    pages = reader.query(source.data_source_id, source.ready_filter(), oldest_first)
    return [
        await _plan(parse_ticket(page, source.mapped), source, roster, personas, guard)
        async for page in pages
    ]


async def _plan(ticket: Ticket, source: Source, roster: Roster, personas: Personas, guard: Guard) -> Planned:
    assignment = assign(ticket, roster)
    if isinstance(assignment, Skipped):
        return Planned(ticket=ticket, assignment=assignment)
    persona = await personas.load(assignment.agent)
    receipt = Operation(
        id="op_plan",
        kind=Kind.BLOCK_APPEND,
        target=ticket.page_id,
        request=request("PATCH", f"/blocks/{ticket.page_id}/children", {"children": []}),
    )
    asker = Asker(
        actor="ai", agent=assignment.agent.key, run_id="run_plan", ticket=own_ticket(ticket, source)
    )
    review = await guard.review(receipt, asker, trail=True)
    writes = ["self_check"] if source.self_check_write("") else []
    writes += ["status"] if source.status_write(source.words.working or source.words.done) else []
    return Planned(
        ticket=ticket,
        assignment=assignment,
        persona=persona.why if isinstance(persona, NoPersona) else "ok",
        decision=review.decision.word,
        writes=(*writes, "receipt"),
    )


def own_ticket(ticket: Ticket, source: Source) -> OwnTicket:
    """What the engine's own marks may touch on the page of `ticket`."""
    words = [source.status_write(word) for word in source.words.every()]
    return OwnTicket(
        page_id=ticket.page_id,
        self_check=source.mapped["self_check"].name if "self_check" in source.mapped else None,
        status=source.mapped["status"].name,
        statuses=frozenset(
            str(part["name"])
            for properties in words
            for value in properties.values()
            for part in value.values()
        ),
        is_fixed_text=mark.is_mark,
    )
