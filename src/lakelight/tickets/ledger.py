"""The ledger: what we know of every ticket page, and what we made of it.

Our own ledger decides what is new, since our writes move Notion's stamps too. Every function works
within the caller's transaction.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from lakelight.clock import iso, parse_iso
from lakelight.storage import Connection
from lakelight.tickets.news import Seen
from lakelight.tickets.ticket import Ticket

_PAGE_ID_LENGTH = 32

TicketState = Literal["backlog", "queued", "working", "waiting", "skipped", "done", "failed", "ignored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One ticket page."""

    page_id: str
    number: str
    title: str
    url: str
    state: TicketState
    reason: str
    facts: Mapping[str, Any]
    agent: str
    seen: Seen
    run_id: str | None
    receipt: int | None
    updated_at: str

    @property
    def label(self) -> str:
        """What people call the ticket: its number, or its title, or the start of its id."""
        return self.number or self.title or self.page_id[:8]


def find(connection: Connection, page_id: str) -> Entry | None:
    """The entry of a page."""
    rows = _select(connection, "page_id = ?", (page_id,))
    return rows[0] if rows else None


def lookup(connection: Connection, text: str) -> list[Entry]:
    """The entries that a person may mean: by page id or its start, by number, by title."""
    plain = text.strip().replace("-", "").lower()
    # The database refuses longer patterns; no page id is as long.
    start = plain if plain.isalnum() and len(plain) <= _PAGE_ID_LENGTH else "-"
    found = _select(
        connection,
        "number = ? OR title = ? OR (length(?) >= 8 AND replace(page_id, '-', '') LIKE ? || '%')",
        (text.strip(), text.strip(), plain, start),
    )
    exact = [entry for entry in found if entry.number == text.strip()]
    return exact or found


def entries(connection: Connection, *states: TicketState) -> list[Entry]:
    """The entries in one of `states`, in the order in which they were first seen.

    Without states: all but those that were never ours. One that was left alone for a reason counts.
    """
    if not states:
        return _select(connection, "state <> 'ignored' OR reason <> ''", ())
    return _select(connection, f"state IN ({', '.join('?' for _ in states)})", states)


def counts(connection: Connection) -> dict[str, int]:
    """How many tickets there are in each state."""
    rows = connection.exec_driver_sql("SELECT state, count(*) FROM tickets GROUP BY state")
    return {state: number for state, number in rows}  # noqa: C416 - rows are not pairs to a type checker


def keep(connection: Connection, ticket: Ticket, seen: Seen, now: datetime) -> None:
    """Make sure that there is an entry for `ticket`, and bring its words up to date."""
    connection.exec_driver_sql(
        "INSERT INTO tickets"
        " (page_id, number, title, url, state, content_hash, stamp, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, 'ignored', ?, ?, ?, ?)"
        " ON CONFLICT (page_id)"
        " DO UPDATE SET number = excluded.number, title = excluded.title, url = excluded.url",
        (
            ticket.page_id,
            ticket.number,
            ticket.title,
            ticket.url,
            seen.content_hash,
            iso(seen.last_edited),
            iso(now),
            iso(now),
        ),
    )


def mark_seen(connection: Connection, page_id: str, seen: Seen) -> None:
    """Remember how the page looked when it was last taken note of."""
    connection.exec_driver_sql(
        "UPDATE tickets SET content_hash = ?, stamp = ? WHERE page_id = ?",
        (seen.content_hash, iso(seen.last_edited), page_id),
    )


def forget_look(connection: Connection, page_id: str) -> None:
    """Have the page be news at the next full look, however it looks then."""
    connection.exec_driver_sql("UPDATE tickets SET content_hash = '' WHERE page_id = ?", (page_id,))


def set_state(
    connection: Connection,
    page_id: str,
    state: TicketState,
    now: datetime,
    *,
    reason: str = "",
    facts: Mapping[str, object] | None = None,
    agent: str | None = None,
    run_id: str | None = None,
    receipt: int | None = None,
) -> None:
    """Say what a ticket is at; agent, run and receipt stay as they are when they are not given."""
    connection.exec_driver_sql(
        "UPDATE tickets SET state = ?, reason = ?, reason_facts = ?, agent = coalesce(?, agent),"
        " run_id = coalesce(?, run_id), receipt = coalesce(?, receipt), updated_at = ? WHERE page_id = ?",
        (
            state,
            reason,
            json.dumps(dict(facts or {}), ensure_ascii=False, default=str),
            agent,
            run_id,
            receipt,
            iso(now),
            page_id,
        ),
    )


def fact(connection: Connection, name: str) -> str | None:
    """What is known under `name` about this state."""
    row = connection.exec_driver_sql("SELECT value FROM facts WHERE name = ?", (name,)).first()
    return str(row[0]) if row else None


def know(connection: Connection, name: str, value: str) -> None:
    """Remember `value` under `name`."""
    connection.exec_driver_sql(
        "INSERT INTO facts (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _select(connection: Connection, where: str, values: tuple[Any, ...]) -> list[Entry]:
    rows = connection.exec_driver_sql(
        # `where` is one of the texts above, never anybody's input.
        f"SELECT * FROM tickets WHERE {where} ORDER BY created_at, number, page_id",  # noqa: S608
        values,
    )
    return [
        Entry(
            page_id=row["page_id"],
            number=row["number"],
            title=row["title"],
            url=row["url"],
            state=row["state"],
            reason=row["reason"],
            facts=json.loads(row["reason_facts"]),
            agent=row["agent"],
            seen=Seen(last_edited=parse_iso(row["stamp"]), content_hash=row["content_hash"]),
            run_id=row["run_id"],
            receipt=row["receipt"],
            updated_at=row["updated_at"],
        )
        for row in rows.mappings()
    ]
