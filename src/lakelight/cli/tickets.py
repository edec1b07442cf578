"""`lakelight tickets`: what the ledger knows."""

import json
from collections.abc import Mapping
from typing import get_args

from rich.cells import cell_len, set_cell_size

from lakelight.agent import tokens_of
from lakelight.cli.links import openable
from lakelight.cli.reasons import reason_text
from lakelight.cli.session import FAILED, LONGEST_TITLE, OK, USAGE, Session, end
from lakelight.cli.state import open_existing
from lakelight.clock import SystemClock
from lakelight.errors import LakelightError
from lakelight.operations.visible import one_line, shortened
from lakelight.storage import Connection
from lakelight.tickets import ledger
from lakelight.tickets.dispatcher import ask_again
from lakelight.tickets.ledger import Entry, TicketState
from lakelight.tickets.receipt import heading


def list_tickets(session: Session, *, state: str | None, as_json: bool) -> None:
    """Every ticket, or those in one state."""
    if state is not None and state not in get_args(TicketState):
        session.say("cli.usage", message=f"--state: {', '.join(get_args(TicketState))}")
        raise SystemExit(USAGE)
    try:
        database = open_existing(session)
        with database.transaction() as connection:
            known = ledger.entries(connection)
            found = [entry for entry in known if state in {None, entry.state}]
    except LakelightError as error:
        end(session, error)
    if as_json:
        session.data({"tickets": [_row(session, entry) for entry in found]})
        return
    if not found:
        session.say("cli.tickets.none_such" if known else "cli.tickets.none", state=state or "")
        return
    rows = [_cells(session, entry) for entry in found]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for entry, row in zip(found, rows, strict=True):
        session.line(
            "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
        if reason := _reason(session, entry):
            session.line(f"{' ' * (widths[0] + 2)}{reason}")


def _cells(session: Session, entry: Entry) -> tuple[str, ...]:
    receipt = heading(entry.receipt, session.messages.language) if entry.receipt else ""
    state = session.messages.say(f"state.{entry.state}")
    return (one_line(entry.number), one_line(entry.title[:60]), entry.agent, state, receipt)


def show_ticket(session: Session, text: str, *, as_json: bool) -> None:
    """One ticket with the steps of its run."""
    try:
        database = open_existing(session)
        with database.transaction() as connection:
            entry = _one(session, connection, text)
            steps = _steps(connection, entry.run_id)
            tokens = tokens_of(connection, entry.run_id or "")
    except LakelightError as error:
        end(session, error)
    row = _row(session, entry) | {
        "steps": [{"at": at, "step": name} for at, name, _ in steps],
        "tokens": {"input": tokens[0], "output": tokens[1]},
    }
    if as_json:
        session.data(row)
        return
    _tell_row(session, entry, row)
    for at, name, content in steps:
        session.line("  ".join(filter(None, (at, _step(session, name), _outcome(session, content)))))


def _tell_row(session: Session, entry: Entry, row: Mapping[str, object]) -> None:
    say = session.messages.say
    shown = {
        "number": entry.number,
        "title": entry.title,
        "agent": entry.agent,
        "state": say(f"state.{entry.state}"),
        "reason": row["reason"],
        "receipt": row["receipt"],
        "url": openable(session)(entry.url) or entry.page_id,
    }
    labels = {name: say(f"cli.tickets.field.{name}") for name in shown}
    width = max(map(cell_len, labels.values()))
    for name, value in shown.items():
        if value:
            session.line(f"{set_cell_size(labels[name], width)}  {value}")


def retry_tickets(session: Session, texts: list[str], *, as_json: bool) -> None:
    """Have tickets worked on again."""
    asked: list[str] = []
    busy: list[str] = []
    try:
        database = open_existing(session)
        with database.transaction() as connection:
            for text in texts:
                entry = _one(session, connection, text)
                done = ask_again(connection, entry.page_id, SystemClock().now())
                (asked if done else busy).append(entry.label)
    except LakelightError as error:
        end(session, error)
    if as_json:
        session.data({"retried": asked, "busy": busy})
    for label in asked:
        session.say("cli.tickets.retried", ticket=label)
    for label in busy:
        session.say("cli.tickets.busy", ticket=label)
    raise SystemExit(FAILED if busy else OK)


def _one(session: Session, connection: Connection, text: str) -> Entry:
    found = ledger.lookup(connection, text)
    if len(found) == 1:
        return found[0]
    if not found:
        session.say("cli.tickets.unknown", ticket=text)
    else:
        matches = [f"{shortened(entry.label, LONGEST_TITLE)} ({entry.page_id})" for entry in found]
        session.say("cli.tickets.several", ticket=text, matches=matches)
    raise SystemExit(USAGE)


def _row(session: Session, entry: Entry) -> dict[str, object]:
    return {
        "page_id": entry.page_id,
        "number": entry.number,
        "title": entry.title,
        "url": entry.url,
        "agent": entry.agent,
        "state": entry.state,
        "reason_code": entry.reason,
        "reason": _reason(session, entry),
        "receipt": f"R-{entry.receipt}" if entry.receipt else None,
        "updated_at": entry.updated_at,
    }


def _reason(session: Session, entry: Entry) -> str:
    return reason_text(session.messages, entry.state, entry.reason, entry.facts)


def _steps(connection: Connection, run_id: str | None) -> list[tuple[str, str, object]]:
    rows = connection.exec_driver_sql(
        "SELECT at, name, content FROM steps WHERE run_id = ? ORDER BY seq", (run_id,)
    )
    return [(str(at), str(name), json.loads(content)) for at, name, content in rows]


def _step(session: Session, name: str) -> str:
    """What a step of the journal is called; its own name where it has no other."""
    messages = session.messages
    if name.endswith(".operation"):
        return messages.say("cli.step.prepared", what=_step(session, name.removesuffix(".operation")))
    kind, _, number = name.partition(".")
    if kind == "receipt":
        kind = "receipt" if number else "receipts"
        number = str(int(number) + 1) if number.isdigit() else number
    key = f"cli.step.{kind}"
    return messages.say(key, number=number.partition(".")[0]) if messages.has(key) else name


def _outcome(session: Session, content: object) -> str:
    outcome = content.get("outcome") if isinstance(content, dict) else None
    key = f"cli.step.outcome.{outcome}"
    return session.messages.say(key) if session.messages.has(key) else str(outcome or "")
