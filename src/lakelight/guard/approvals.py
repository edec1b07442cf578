"""Approvals: rows that wait for a person for as long as it takes.

Silence is never a decision, so nothing here expires by itself. What is kept is the operation's
own bytes, with a hash of what it will change; what is approved is what is sent, once, and only while
that hash still holds.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lakelight.clock import Clock, iso
from lakelight.errors import LakelightError
from lakelight.operations import Operation
from lakelight.storage import Connection

ApprovalState = Literal["pending", "approved", "rejected", "used", "stale", "superseded", "withdrawn"]


class ApprovalError(LakelightError):
    """An approval cannot be decided."""

    code = "approval.invalid"


class NoSuchApproval(ApprovalError):
    """There is no approval with this number."""

    code = "approval.unknown"


class AlreadyDecided(ApprovalError):
    """Somebody has decided before; `facts` say what, who and when."""

    code = "approval.decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One question to a person."""

    number: int
    operation: Operation
    agent: str
    run_id: str
    reason: str
    policy_hash: str
    preview: Mapping[str, Any]
    """What was shown, as a value."""
    pre_state: str
    """Hash of what the operation will change, as it was when the preview was made."""
    state: ApprovalState
    successor: int | None
    """The approval that took its place: edited, or shown anew because the target had changed."""
    created_at: str
    decided_at: str | None
    decided_by: str
    comment: str

    @property
    def key(self) -> str:
        """`A-7`: how people call it."""
        return f"A-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a new question is made of."""

    operation: Operation
    agent: str
    run_id: str
    reason: str
    policy_hash: str
    preview: Mapping[str, Any]
    pre_state: str


class Approvals:
    """The table of questions. Every method works within the caller's transaction."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def park(
        self, connection: Connection, asked: Asked, *, state: ApprovalState = "pending", by: str = ""
    ) -> int:
        """The number of the question about an operation; asked twice, it is the same one."""
        now = iso(self._clock.now())
        connection.exec_driver_sql(
            "INSERT INTO approvals"
            " (operation_id, operation, payload_hash, agent, run_id, reason, policy_hash, preview, pre_state,"
            " state, created_at, decided_at, decided_by)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (operation_id) WHERE state IN ('pending', 'approved') DO NOTHING",
            (
                asked.operation.id,
                asked.operation.dump(),
                asked.operation.payload_hash,
                asked.agent,
                asked.run_id,
                asked.reason,
                asked.policy_hash,
                json.dumps(dict(asked.preview), ensure_ascii=False),
                asked.pre_state,
                state,
                now,
                now if state == "approved" else None,
                by,
            ),
        )
        found = self.newest(connection, asked.operation.id)
        if found is None:
            raise NoSuchApproval(approval=asked.operation.id)
        return found.number

    def newest(self, connection: Connection, operation_id: str) -> Approval | None:
        """The newest question about an operation, whatever became of it."""
        rows = _select(connection, "operation_id = ? ORDER BY number DESC LIMIT 1", (operation_id,))
        return rows[0] if rows else None

    def get(self, connection: Connection, number: int) -> Approval:
        """The approval with this number.

        Raises:
            NoSuchApproval: There is none.
        """
        rows = _select(connection, "number = ?", (number,))
        if not rows:
            raise NoSuchApproval(approval=f"A-{number}")
        return rows[0]

    def waiting(self, connection: Connection, number: int) -> Approval:
        """The approval with this number, as long as nobody has decided.

        Raises:
            NoSuchApproval: There is none.
            AlreadyDecided: It has been answered, or needs no answer any more.
        """
        found = self.get(connection, number)
        if found.state != "pending":
            raise _decided(found)
        return found

    def pending(self, connection: Connection) -> list[Approval]:
        """The questions that nobody has answered yet, oldest first."""
        return _select(connection, "state = 'pending' ORDER BY number", ())

    def all(self, connection: Connection, last: int = 100) -> list[Approval]:
        """The newest questions, answered or not, oldest first."""
        newest = _select(connection, "1 ORDER BY number DESC LIMIT ?", (last,))
        return newest[::-1]

    def decide(
        self,
        connection: Connection,
        number: int,
        state: Literal["approved", "rejected", "superseded", "withdrawn"],
        *,
        by: str,
        comment: str = "",
        successor: int | None = None,
    ) -> Approval:
        """Answer a question; the answer as it stands now.

        Raises:
            NoSuchApproval: There is no such question.
            AlreadyDecided: It has been answered, or needs no answer any more.
        """
        changed = connection.exec_driver_sql(
            "UPDATE approvals SET state = ?, decided_at = ?, decided_by = ?, comment = ?, successor = ?"
            " WHERE number = ? AND state = 'pending'",
            (state, iso(self._clock.now()), by, comment, successor, number),
        )
        found = self.get(connection, number)
        if not changed.rowcount:
            raise _decided(found)
        return found

    def redeem(self, connection: Connection, number: int) -> bool:
        """Use an approval up; False when it was used, or is none any more."""
        changed = connection.exec_driver_sql(
            "UPDATE approvals SET state = 'used' WHERE number = ? AND state = 'approved'", (number,)
        )
        return bool(changed.rowcount)

    def outdate(self, connection: Connection, number: int, asked: Asked) -> int:
        """Put a new question in the place of one whose target has changed since; the new one's number."""
        connection.exec_driver_sql(
            "UPDATE approvals SET state = 'stale' WHERE number = ? AND state IN ('pending', 'approved')",
            (number,),
        )
        fresh = self.park(connection, asked)
        connection.exec_driver_sql("UPDATE approvals SET successor = ? WHERE number = ?", (fresh, number))
        return fresh

    def withdraw_for(self, connection: Connection, run_id: str) -> None:
        """Take back what a run asks, when the run is over."""
        connection.exec_driver_sql(
            "UPDATE approvals SET state = 'withdrawn', decided_at = ? WHERE run_id = ? AND state = 'pending'",
            (iso(self._clock.now()), run_id),
        )

    def withdraw(self, connection: Connection, operation_id: str) -> None:
        """Take back the question about an operation that needs no answer any more."""
        connection.exec_driver_sql(
            "UPDATE approvals SET state = 'withdrawn', decided_at = ? WHERE operation_id = ?"
            " AND state IN ('pending', 'approved')",
            (iso(self._clock.now()), operation_id),
        )


def approval_number(text: str) -> int:
    """The number in `A-7`, `a7` or `7`.

    Raises:
        NoSuchApproval: The text is no approval's name.
    """
    found = re.fullmatch(r"(?:A-?)?([0-9]{1,9})", text.strip(), re.IGNORECASE)
    if not found:
        raise NoSuchApproval(approval=text)
    return int(found[1])


def _decided(found: Approval) -> AlreadyDecided:
    return AlreadyDecided(
        approval=found.key, state=found.state, by=found.decided_by or "-", at=found.decided_at or "-"
    )


def _select(connection: Connection, where: str, values: tuple[Any, ...]) -> list[Approval]:
    rows = connection.exec_driver_sql(
        # `where` is one of the texts above, never anybody's input.
        "SELECT number, operation, agent, run_id, reason, policy_hash, preview, pre_state, state, successor,"  # noqa: S608
        f" created_at, decided_at, decided_by, comment FROM approvals WHERE {where}",
        values,
    )
    return [
        Approval(
            **{
                **row,
                "operation": Operation.load(row["operation"]),
                "preview": json.loads(row["preview"]),
            }
        )
        for row in rows.mappings()
    ]
