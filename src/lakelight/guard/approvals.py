"""Approvals: rows that wait for a person for as long as it takes.

Silence is never a decision, so nothing here expires by itself. What is kept is the operation's
own bytes; what is approved is what is sent.
"""

from dataclasses import dataclass

from lakelight.clock import Clock, iso
from lakelight.operations import Operation
from lakelight.storage import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One question to a person."""

    number: int
    operation: Operation
    agent: str
    run_id: str
    reason: str
    state: str
    created_at: str

    @property
    def key(self) -> str:
        """`A-7`: how people call it."""
        return f"A-{self.number}"


class Approvals:
    """The table of questions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def park(
        self,
        connection: Connection,
        operation: Operation,
        *,
        agent: str,
        run_id: str,
        reason: str,
        policy_hash: str,
    ) -> int:
        """The number of the approval that `operation` waits for; asked twice, it is the same one."""
        connection.exec_driver_sql(
            "INSERT INTO approvals"
            " (operation_id, operation, payload_hash, agent, run_id, reason, policy_hash, state, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?) ON CONFLICT (operation_id) DO NOTHING",
            (
                operation.id,
                operation.dump(),
                operation.payload_hash,
                agent,
                run_id,
                reason,
                policy_hash,
                iso(self._clock.now()),
            ),
        )
        row = connection.exec_driver_sql(
            "SELECT number FROM approvals WHERE operation_id = ?", (operation.id,)
        ).one()
        return int(row[0])

    def is_pending(self, connection: Connection, operation_id: str) -> bool:
        """True when a person has been asked about an operation and has not answered yet."""
        row = connection.exec_driver_sql(
            "SELECT 1 FROM approvals WHERE operation_id = ? AND state = 'pending'", (operation_id,)
        ).first()
        return row is not None

    def withdraw(self, connection: Connection, operation_id: str) -> None:
        """Take back the question about an operation that needs no answer any more."""
        connection.exec_driver_sql(
            "UPDATE approvals SET state = 'withdrawn', decided_at = ?"
            " WHERE operation_id = ? AND state = 'pending'",
            (iso(self._clock.now()), operation_id),
        )

    def pending(self, connection: Connection) -> list[Approval]:
        """The questions that nobody has answered yet, oldest first."""
        rows = connection.exec_driver_sql(
            "SELECT number, operation, agent, run_id, reason, state, created_at FROM approvals"
            " WHERE state = 'pending' ORDER BY number"
        )
        return [Approval(**{**row, "operation": Operation.load(row["operation"])}) for row in rows.mappings()]
