"""Intents: what is about to be sent, committed before it goes out, and what came of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from lakelight.clock import iso, parse_iso
from lakelight.operations import Operation, Outcome, Overtaken, Refused, Written
from lakelight.storage import Connection

State = Literal["sent", "unsent", "written", "refused", "overtaken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What was seen just before the send, for telling afterwards whether it arrived."""

    last_child: str | None = None
    """The last child of the target, for an append."""
    notion_minute: str | None = None
    """Notion's own clock at that moment, cut to the minute as Notion cuts its times."""
    before: Mapping[str, Any] = field(default_factory=dict)
    """The touched properties as they were, in canonical form, for an update."""
    known: tuple[str, ...] = ()
    """The pages of that minute that our bot had made before, for a creation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One row: the operation, its anchor, and how far it got."""

    operation: Operation
    anchor: Anchor
    run_id: str
    sends: int
    sent_at: datetime
    state: State
    outcome: Mapping[str, Any]

    def settled(self) -> Outcome | None:
        """What came of it, if that is known for good."""
        match self.state:
            case "written":
                return Written(
                    ids=tuple(self.outcome["ids"]),
                    differences=tuple(self.outcome["differences"]),
                    found=self.outcome["found"],
                )
            case "refused":
                return Refused(**self.outcome)
            case "overtaken":
                return Overtaken()
            case _:
                return None


def find_intent(connection: Connection, operation_id: str) -> Intent | None:
    """The intent of an operation, if it was ever about to be sent."""
    row = connection.exec_driver_sql(_FIND, (operation_id,)).mappings().first()
    return None if row is None else _intent(row)


def open_intent(
    connection: Connection, operation: Operation, anchor: Anchor, run_id: str, now: datetime
) -> Intent:
    """Say that `operation` is about to be sent, and return how that stands.

    The anchor of a send that nobody heard of stays: whatever arrived of it lies after that one. After a
    send that surely did not arrive, the new anchor counts.
    """
    connection.exec_driver_sql(
        "INSERT INTO intents (operation_id, operation, payload_hash, run_id, anchor, sends, sent_at, state)"
        " VALUES (?, ?, ?, ?, ?, 1, ?, 'sent')"
        " ON CONFLICT (operation_id) DO UPDATE"
        " SET sends = sends + 1, sent_at = excluded.sent_at, state = 'sent',"
        " anchor = CASE state WHEN 'unsent' THEN excluded.anchor ELSE anchor END"
        " WHERE state IN ('sent', 'unsent')",
        (
            operation.id,
            operation.dump(),
            operation.payload_hash,
            run_id,
            json.dumps(
                {
                    "last_child": anchor.last_child,
                    "notion_minute": anchor.notion_minute,
                    "before": anchor.before,
                    "known": anchor.known,
                }
            ),
            iso(now),
        ),
    )
    return _intent(connection.exec_driver_sql(_FIND, (operation.id,)).mappings().one())


def close_intent(
    connection: Connection, operation_id: str, state: State, outcome: Mapping[str, object]
) -> None:
    """Say what came of it. What is known for good is not changed any more."""
    connection.exec_driver_sql(
        "UPDATE intents SET state = ?, outcome = ? WHERE operation_id = ? AND state IN ('sent', 'unsent')",
        (state, json.dumps(outcome), operation_id),
    )


_FIND = "SELECT operation, anchor, run_id, sends, sent_at, state, outcome FROM intents WHERE operation_id = ?"


def _intent(row: Mapping[Any, Any]) -> Intent:
    anchor = json.loads(row["anchor"])
    return Intent(
        operation=Operation.load(row["operation"]),
        anchor=Anchor(**{**anchor, "known": tuple(anchor.get("known", ()))}),
        run_id=row["run_id"],
        sends=row["sends"],
        sent_at=parse_iso(row["sent_at"]),
        state=row["state"],
        outcome=json.loads(row["outcome"]),
    )
