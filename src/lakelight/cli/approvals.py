"""`lakelight approvals`: what waits for a yes, the exact change, and the decision."""

import getpass
import json
from collections.abc import Mapping
from typing import Any

from lakelight.agent.chats import load_reply
from lakelight.agent.journal import Journal
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.replies import reply_data, tell_reply
from lakelight.cli.session import FAILED, OK, USAGE, WAITING, Session, carry_out, end
from lakelight.cli.state import open_existing
from lakelight.clock import SystemClock
from lakelight.errors import LakelightError
from lakelight.guard import Approval, Approvals, approval_number
from lakelight.operations import Operation, request
from lakelight.tickets import ledger


def list_approvals(session: Session, *, everything: bool, as_json: bool) -> None:
    """The questions that wait, or all of them."""
    approvals = Approvals(SystemClock())
    try:
        with open_existing(session).transaction() as connection:
            found = approvals.all(connection) if everything else approvals.pending(connection)
    except LakelightError as error:
        end(session, error)
    if as_json:
        session.data({"approvals": [_row(approval) for approval in found]})
        return
    if not found:
        session.say("cli.approvals.none")
    for approval in found:
        title = approval.preview.get("title") or approval.operation.target
        kind = session.messages.say(f"kind.{approval.operation.kind.value}")
        why = session.messages.say(f"approval.why.{approval.reason}")
        state = session.messages.say(f"approval.state.{approval.state}")
        print(f"{approval.key}  {state}  {kind} · {title}  {approval.agent}  {why}".rstrip())


def show_approval(session: Session, text: str, *, as_json: bool) -> None:
    """One question with the exact change."""
    try:
        number = approval_number(text)
        with open_existing(session).transaction() as connection:
            approval = Approvals(SystemClock()).get(connection, number)
    except LakelightError as error:
        end(session, error)
    if as_json:
        session.data(
            _row(approval) | {"preview": dict(approval.preview), "request": _request(approval.operation)}
        )
        return
    tell_card(session, approval)


def decide(session: Session, text: str, *, approve: bool, comment: str, as_json: bool) -> None:
    """Say yes or no, see the run through, and print what came of it."""
    carry_out(session, _decide(session, text, approve=approve, comment=comment, as_json=as_json))


def edit(session: Session, text: str, *, body: str, as_json: bool) -> None:
    """Say yes to an edited change: its request body as JSON."""
    try:
        content = json.loads(body)
    except ValueError as error:
        session.say("cli.usage", message=f"--body: {error}")
        raise SystemExit(USAGE) from None
    if not isinstance(content, dict):
        session.say("cli.usage", message="--body: {}")
        raise SystemExit(USAGE)
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
            old = house.approvals.get(connection, number)
        edited = Operation(
            id=house.fresh_operation_id(),
            kind=old.operation.kind,
            target=old.operation.target,
            request=request(old.operation.request.method, old.operation.request.path, content),
        )
        view = await house.surroundings.look(edited, str(old.preview.get("title", "")))
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


def tell_card(session: Session, approval: Approval) -> None:
    """Print what a person needs to decide."""
    say, preview = session.messages.say, approval.preview
    kind = say(f"kind.{approval.operation.kind.value}")
    print(f"{approval.key} · {kind} · {preview.get('title') or approval.operation.target}")
    print(preview.get("url") or "")
    print(say("approval.asks", why=say(f"approval.why.{approval.reason}"), agent=approval.agent or "-"))
    for row in preview.get("rows", ()):
        print(f"  {row['column']}: {row['before'] or '–'} → {row['after'] or '–'}")
    for line in preview.get("added", ()):
        print(f"  + {'  ' * int(line.get('depth', 0))}{line.get('text', '')}")
    for line in preview.get("deleted", ()):
        print(f"  - {'  ' * int(line.get('depth', 0))}{line.get('text', '')}")
    hosts = preview.get("hosts") or ()
    counts = preview.get("counts") or {}
    for note in preview.get("notes", ()):
        print(f"  {say(note, hosts=hosts, **counts)}")
    undo = preview.get("undo", "possible")
    print(say("preview.undo." + undo))
    if approval.state != "pending":
        state = say(f"approval.state.{approval.state}")
        print(
            say(
                "approval.decided_by",
                state=state,
                by=approval.decided_by or "-",
                at=approval.decided_at or "-",
            )
        )


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
