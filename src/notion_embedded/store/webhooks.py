"""Webhook subscriptions and the events on their way to them, as stored."""

import json
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any, Literal

from notion_embedded.store.minting import new_uuid

MAX_ATTEMPTS = 8
BACKOFF = (60, 240, 900, 3_600, 10_800, 25_200, 45_600)
"""Seconds until each further attempt: a day in all, as Notion takes for its eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """How a subscriber's deliveries go wrong, or faster than in Notion."""

    aggregate_seconds: float = 0
    """Events of one kind on one thing within so many seconds become one; 0 sends each at once."""
    duplicates: int = 0
    """How many times more each event is delivered."""
    reorder: bool = False
    """Whether what is due together is delivered the newest first."""
    backoff_scale: float = 1
    """By what the waits between attempts are multiplied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A subscription: who is told of what, with whose eyes."""

    id: str
    url: str
    token_id: str
    """The token of the connection; it is told of what it can see."""
    verification_token: str
    status: Literal["pending", "active"]
    events: tuple[str, ...] | None
    """The types it wants; nothing means all."""
    api_version: str
    knobs: Knobs
    created_time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, for one subscriber."""

    seq: int
    id: str
    webhook: str
    type: str
    entity_type: str
    entity: str
    moment: int
    authors: list[dict[str, str]]
    data: dict[str, Any]
    attempt: int
    due: int | None
    outcome: str | None


def add(connection: sqlite3.Connection, webhook: Webhook) -> None:
    """Store a subscription."""
    connection.execute(
        "INSERT INTO webhook (id, url, token_id, verification_token, status, events, api_version, knobs,"
        " created_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            webhook.id,
            webhook.url,
            webhook.token_id,
            webhook.verification_token,
            webhook.status,
            None if webhook.events is None else json.dumps(webhook.events),
            webhook.api_version,
            json.dumps(asdict(webhook.knobs)),
            webhook.created_time,
        ),
    )


def set_status(connection: sqlite3.Connection, webhook_id: str, status: str) -> None:
    """Let the subscription wait for its verification, or be active."""
    connection.execute("UPDATE webhook SET status = ? WHERE id = ?", (status, webhook_id))


def set_knobs(connection: sqlite3.Connection, webhook_id: str, knobs: Knobs) -> None:
    """Turn the subscription's knobs."""
    connection.execute("UPDATE webhook SET knobs = ? WHERE id = ?", (json.dumps(asdict(knobs)), webhook_id))


def remove(connection: sqlite3.Connection, webhook_id: str) -> bool:
    """Take a subscription away with all its events; whether there was one."""
    connection.execute("DELETE FROM event WHERE webhook = ?", (webhook_id,))
    return connection.execute("DELETE FROM webhook WHERE id = ?", (webhook_id,)).rowcount > 0


def find(connection: sqlite3.Connection, webhook_id: str) -> Webhook | None:
    """The subscription with this id."""
    row = connection.execute("SELECT * FROM webhook WHERE id = ?", (webhook_id,)).fetchone()
    return None if row is None else _webhook(row)


def all_webhooks(connection: sqlite3.Connection) -> list[Webhook]:
    """Every subscription, the oldest first."""
    return [_webhook(row) for row in connection.execute("SELECT * FROM webhook ORDER BY created_time, rowid")]


def queue(connection: sqlite3.Connection, event_of: Webhook, happened: dict[str, Any], moment: int) -> None:
    """Put an event on its way, or join it to one that has not left yet."""
    wait = round(event_of.knobs.aggregate_seconds * 1000)
    if wait and _joined(connection, event_of, happened, moment):
        return
    connection.execute(
        "INSERT INTO event (id, webhook, type, entity_type, entity, moment, authors, data, attempt, due)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        (
            new_uuid(),
            event_of.id,
            happened["type"],
            happened["entity_type"],
            happened["entity"],
            moment,
            json.dumps(happened["authors"]),
            json.dumps(happened["data"], ensure_ascii=False),
            moment + (0 if happened["type"] in AT_ONCE else wait),
        ),
    )


AT_ONCE = ("page.locked", "page.unlocked", "comment.created", "comment.updated", "comment.deleted")
"""What is never aggregated."""

_UNDONE_BY = {"deleted": "undeleted", "undeleted": "deleted"}


def _joined(connection: sqlite3.Connection, event_of: Webhook, happened: dict[str, Any], moment: int) -> bool:
    if happened["type"] in AT_ONCE:
        return False
    thing, _, verb = happened["type"].rpartition(".")
    for kind in (happened["type"], f"{thing}.{_UNDONE_BY.get(verb, '')}"):
        row = connection.execute(
            "SELECT * FROM event WHERE webhook = ? AND type = ? AND entity = ? AND attempt = 0 AND due > ?"
            " ORDER BY seq DESC LIMIT 1",
            (event_of.id, kind, happened["entity"], moment),
        ).fetchone()
        if row is None:
            continue
        if kind != happened["type"]:
            # The state is back where it was, and nobody hears of it.
            connection.execute("DELETE FROM event WHERE seq = ?", (row["seq"],))
            return True
        data, authors = json.loads(row["data"]), json.loads(row["authors"])
        for key, value in happened["data"].items():
            if isinstance(value, list):
                data[key] = data.get(key, []) + [item for item in value if item not in data.get(key, [])]
            else:
                data[key] = value
        authors += [author for author in happened["authors"] if author not in authors]
        connection.execute(
            "UPDATE event SET data = ?, authors = ?, moment = ? WHERE seq = ?",
            (json.dumps(data, ensure_ascii=False), json.dumps(authors), moment, row["seq"]),
        )
        return True
    return False


def with_due(connection: sqlite3.Connection, moment: int) -> list[str]:
    """The ids of the active subscriptions that something is to be sent to by then."""
    rows = connection.execute(
        "SELECT DISTINCT webhook.id FROM event JOIN webhook ON webhook.id = event.webhook"
        " WHERE due <= ? AND status = 'active'",
        (moment,),
    )
    return [row["id"] for row in rows]


def due(connection: sqlite3.Connection, webhook_id: str, moment: int, limit: int = 50) -> list[Event]:
    """The events to be sent to a subscription by then, the longest due first."""
    rows = connection.execute(
        "SELECT * FROM event WHERE webhook = ? AND due <= ? ORDER BY due, seq LIMIT ?",
        (webhook_id, moment, limit),
    )
    return [_event(row) for row in rows]


def any_waiting(connection: sqlite3.Connection) -> bool:
    """Whether an event waits for its time."""
    return connection.execute("SELECT 1 FROM event WHERE due IS NOT NULL LIMIT 1").fetchone() is not None


def record(connection: sqlite3.Connection, sent: Event, outcome: str, again: int | None) -> None:
    """Say what came of an attempt, and when the next one is."""
    connection.execute(
        "UPDATE event SET attempt = ?, outcome = ?, due = ? WHERE seq = ?",
        (sent.attempt + 1, outcome, again, sent.seq),
    )


def events_of(connection: sqlite3.Connection, webhook_id: str) -> list[Event]:
    """The events of a subscription, the oldest first."""
    rows = connection.execute("SELECT * FROM event WHERE webhook = ? ORDER BY seq", (webhook_id,))
    return [_event(row) for row in rows]


def _webhook(row: sqlite3.Row) -> Webhook:
    values = dict(row)
    values["knobs"] = Knobs(**json.loads(values["knobs"]))
    values["events"] = None if values["events"] is None else tuple(json.loads(values["events"]))
    return Webhook(**values)


def _event(row: sqlite3.Row) -> Event:
    values = dict(row)
    values["authors"] = json.loads(values["authors"])
    values["data"] = json.loads(values["data"])
    return Event(**values)
