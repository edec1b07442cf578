"""`lakelight approvals`: what waits for a yes, the exact change, and the decision."""

import getpass
from collections.abc import Mapping, Sequence
from typing import Any

from lakelight.agent.chats import load_reply
from lakelight.agent.journal import Journal
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.links import openable
from lakelight.cli.replies import reply_data, tell_reply
from lakelight.cli.session import (
    DENIED,
    FAILED,
    LONGEST_TITLE,
    OK,
    USAGE,
    WAITING,
    Session,
    carry_out,
    end,
)
from lakelight.cli.state import open_existing
from lakelight.clock import SystemClock
from lakelight.console.card import Change, card_of, shown_change
from lakelight.console.editing import read_json
from lakelight.console.edits import NoEdit, edited_operation, title_in
from lakelight.console.records import Record, read_record
from lakelight.console.visitor import Visitor
from lakelight.errors import LakelightError
from lakelight.guard import Approval, Approvals, approval_number
from lakelight.operations import Operation
from lakelight.operations.lines import Line
from lakelight.operations.visible import shortened
from lakelight.tickets import ledger


def list_approvals(session: Session, *, everything: bool, as_json: bool) -> None:
    """The questions that wait, or all of them."""
    approvals = Approvals(SystemClock())
    try:
        with open_existing(session).transaction() as connection:
            found = approvals.all(connection) if everything else approvals.pending(connection)
            records = [read_record(connection, approvals, approval.number) for approval in found]
    except LakelightError as error:
        end(session, error)
    if as_json:
        session.data({"approvals": [_row(approval) for approval in found]})
        return
    if not found:
        session.say("cli.approvals.none")
    visitor = Visitor(messages=session.messages, now=SystemClock().now())
    for record in records:
        session.line(_listed(record, visitor))


def show_approval(session: Session, text: str, *, as_json: bool) -> None:
    """One question with the exact change."""
    try:
        number = approval_number(text)
        with open_existing(session).transaction() as connection:
            record = read_record(connection, Approvals(SystemClock()), number)
    except LakelightError as error:
        end(session, error)
    if as_json:
        approval = record.approval
        session.data(
            _row(approval) | {"preview": dict(approval.preview), "request": _request(approval.operation)}
        )
        return
    tell_card(session, record)


def decide(session: Session, text: str, *, approve: bool, comment: str, as_json: bool) -> None:
    """Say yes or no, see the run through, and print what came of it."""
    carry_out(session, _decide(session, text, approve=approve, comment=comment, as_json=as_json))


def edit(session: Session, text: str, *, body: str, as_json: bool) -> None:
    """Say yes to an edited change: its request body as JSON."""
    try:
        content = read_json(body)
    except ValueError as error:
        session.say("console.edit.bad_json", problem=str(error))
        raise SystemExit(USAGE) from None
    carry_out(session, _edit(session, text, content, as_json=as_json))


async def _decide(session: Session, text: str, *, approve: bool, comment: str, as_json: bool) -> None:
    number = approval_number(text)
    who = _who()
    async with desk(session, quiet=as_json) as house:
        if approve:
            approval = await house.confirmations.approve(number, who)
        else:
            approval = await house.confirmations.reject(number, who, comment)
        key = "cli.approvals.approved" if approve else "cli.approvals.rejected"
        session.say(key, approval=approval.key)
        await _see_through(session, house, approval, as_json=as_json)


async def _edit(session: Session, text: str, content: Mapping[str, Any], *, as_json: bool) -> None:
    number = approval_number(text)
    async with desk(session, quiet=as_json) as house:
        with house.database.transaction() as connection:
            old = house.approvals.waiting(connection, number)
        edited = edited_operation(old.operation, content, house.fresh_operation_id())
        if isinstance(edited, NoEdit):
            session.say(edited.key, **edited.facts)
            raise SystemExit(DENIED if edited.denied else USAGE)
        view = await house.surroundings.look(edited, title_in(edited) or str(old.preview.get("title", "")))
        approval = await house.confirmations.edit(number, _who(), edited, view.preview, view.pre_state)
        session.say("cli.approvals.edited", approval=f"A-{number}", fresh=approval.key)
        await _see_through(session, house, approval, as_json=as_json)


async def _see_through(session: Session, house: House, approval: Approval, *, as_json: bool) -> None:
    """Bring the run of `approval` on and print what came of it."""
    await house.see_through(approval.run_id)
    journal = await Journal.open(house.database, house.clock, approval.run_id)
    known = journal.get("reply")
    if known is not None:
        reply = load_reply(known)
        # A no that was carried out is what was asked for, whatever it left of the request.
        code = reply.exit_code if approval.state == "approved" else OK
        if as_json:
            session.data(reply_data(reply) | {"exit_code": code})
        else:
            tell_reply(session, reply)
        raise SystemExit(code)
    with house.database.transaction() as connection:
        run = house.runs.get(connection, approval.run_id)
        ticket = ledger.find(connection, run.page_id) if run and run.page_id else None
        waiting = [each for each in house.approvals.pending(connection) if each.run_id == approval.run_id]
    if as_json:
        session.data(
            {
                "approval": approval.key,
                "state": approval.state,
                "run": approval.run_id,
                "run_state": run.state if run else "",
                "ticket": ticket.number if ticket else "",
                "waiting": [each.key for each in waiting],
            }
        )
    if waiting:
        session.say("cli.approvals.anew", approval=approval.key, fresh=waiting[0].key)
        raise SystemExit(WAITING)
    if run is not None:
        label = ticket.label if ticket else run.id
        session.say("cli.approvals.run", run=label, state=session.messages.say(f"state.{run.state}"))
        if run.state == "failed" and approval.state == "approved":
            raise SystemExit(FAILED)


def tell_card(session: Session, record: Record) -> None:
    """Print what a person needs to decide: what the console's page of the approval shows."""
    say, approval = session.messages.say, record.approval
    visitor = Visitor(messages=session.messages, now=SystemClock().now(), link=openable(session))
    card = card_of(approval, visitor, whole=True)
    title = shortened(card.title or approval.operation.target, LONGEST_TITLE)
    session.line(f"{card.key} · {say(f'approval.state.{approval.state}')} · {card.kind} · {title}")
    if card.place:
        session.line(f"{say('console.card.place')} {shortened(card.place, LONGEST_TITLE)}")
    if card.url:
        session.line(card.url)
    session.line(card.why)
    session.line(f"{card.level} · {card.undo}")
    for note in card.notes:
        session.line(note)
    _tell_change(session, card.change, visitor)
    for name, value in (
        ("agent", approval.agent),
        ("ticket", record.ticket),
        ("request", record.request),
        ("run", approval.run_id),
        ("asked_at", visitor.at(approval.created_at)),
    ):
        if value:
            session.line(f"{say(f'console.card.{name}')}: {value}")
    if approval.state != "pending":
        state, at = say(f"approval.state.{approval.state}"), visitor.at(approval.decided_at)
        session.line(say("approval.decided_by", state=state, by=approval.decided_by or "Lakelight", at=at))
        if approval.comment:
            session.line(f"{say('console.card.comment')} {approval.comment}")
        if approval.successor:
            session.line(say("console.card.successor", approval=f"A-{approval.successor}"))
        return
    session.say("cli.approvals.decide", approval=card.key)


def _tell_change(session: Session, change: Change, visitor: Visitor) -> None:
    say = session.messages.say
    if change.deleted:
        session.line(say("console.card.trash" if change.to_trash else "console.card.deleted"))
        _tell_lines(session, "-", change.deleted, visitor)
        if change.content:
            session.line(say("console.card.content", count=change.content))
    for row in change.rows:
        session.line(f"  {row.column}: {row.before or '–'} → {row.after or '–'}")
    if change.added:
        session.line(say("console.card.added"))
        _tell_lines(session, "+", change.added, visitor)
    if change.empty:
        session.line(say("console.card.nothing_to_show"))


def _tell_lines(session: Session, sign: str, lines: Sequence[Line], visitor: Visitor) -> None:
    for line in lines:
        session.line(f"  {sign} {'  ' * line.depth}[{visitor.block(line.type)}] {line.text}".rstrip())


def _listed(record: Record, visitor: Visitor) -> str:
    """One line of the list: what tells this question from the others."""
    approval, say = record.approval, visitor.say
    title = shortened(str(approval.preview.get("title") or approval.operation.target), LONGEST_TITLE)
    parts = (
        approval.key,
        say(f"approval.state.{approval.state}"),
        visitor.ago(approval.created_at),
        record.ticket.partition(" · ")[0] or say("cli.approvals.chat"),
        approval.agent,
        f"{say(f'kind.{approval.operation.kind.value}')} · {title}",
        _difference(approval),
    )
    return "  ".join(filter(None, parts))


def _difference(approval: Approval) -> str:
    """What would be different afterwards: its first part, and how many more there are."""
    shown = shown_change(approval.operation, approval.preview)
    parts = [
        *(f"{row.column}: {row.before or '–'} → {row.after or '–'}" for row in shown.rows),
        *(f"+ {line.text}" for line in shown.added if line.text),
        *(f"- {line.text}" for line in shown.deleted if line.text),
    ]
    if not parts:
        return ""
    first = shortened(parts[0], LONGEST_TITLE)
    return f"{first} (+{len(parts) - 1})" if len(parts) > 1 else first


def _row(approval: Approval) -> dict[str, Any]:
    return {
        "approval": approval.key,
        "state": approval.state,
        "kind": approval.operation.kind.value,
        "target": approval.operation.target,
        "title": approval.preview.get("title", ""),
        "agent": approval.agent,
        "run": approval.run_id,
        "reason": approval.reason,
        "created_at": approval.created_at,
        "decided_at": approval.decided_at,
        "decided_by": approval.decided_by,
        "comment": approval.comment,
        "successor": f"A-{approval.successor}" if approval.successor else None,
    }


def _request(operation: Operation) -> dict[str, Any]:
    sent = operation.request
    return {"method": sent.method, "path": sent.path, "body": sent.content}


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "cli"
