"""What people decide about approvals, recorded with the decision in one commit."""

from collections.abc import Mapping
from typing import Literal

from lakelight.audit import Entry, Trail
from lakelight.guard import Approval, Approvals, Asked
from lakelight.operations import Operation
from lakelight.storage import Connection, Database


class Confirmations:
    """Approve, reject, edit. Carrying out what was approved is the door's, not this one's."""

    def __init__(self, database: Database, approvals: Approvals, trail: Trail) -> None:
        self._database = database
        self._approvals = approvals
        self._trail = trail

    async def approve(self, number: int, by: str) -> Approval:
        """Say yes to the stored bytes.

        Raises:
            AlreadyDecided, NoSuchApproval: There is nothing to decide.
            StorageError, TrailError: The decision could not be kept, and does not count.
        """
        return await self._database.run_durably(
            lambda connection: self._decide(connection, number, "approved", by=by, comment="")
        )

    async def reject(self, number: int, by: str, comment: str = "") -> Approval:
        """Say no, with a reason for the one who asked.

        Raises:
            AlreadyDecided, NoSuchApproval, StorageError, TrailError: As for `approve`.
        """
        return await self._database.run_durably(
            lambda connection: self._decide(connection, number, "rejected", by=by, comment=comment)
        )

    async def edit(
        self, number: int, by: str, operation: Operation, preview: Mapping[str, object], pre_state: str
    ) -> Approval:
        """Say yes to other bytes: the old question is superseded, the edited one is approved.

        The edited operation still goes through the guard before it is sent.

        Raises:
            AlreadyDecided, NoSuchApproval, StorageError, TrailError: As for `approve`.
        """

        def replace(connection: Connection) -> Approval:
            old = self._approvals.get(connection, number)
            asked = Asked(
                operation=operation,
                agent=old.agent,
                run_id=old.run_id,
                reason=old.reason,
                policy_hash=old.policy_hash,
                preview=preview,
                pre_state=pre_state,
            )
            self._decide(connection, number, "superseded", by=by, comment="")
            fresh = self._approvals.park(connection, asked, state="approved", by=by)
            connection.exec_driver_sql("UPDATE approvals SET successor = ? WHERE number = ?", (fresh, number))
            edited = self._approvals.get(connection, fresh)
            self._trail.append(connection, confirmation_entry("confirmation.granted", edited, "user"))
            return edited

        return await self._database.run_durably(replace)

    def _decide(
        self,
        connection: Connection,
        number: int,
        state: Literal["approved", "rejected", "superseded"],
        *,
        by: str,
        comment: str,
    ) -> Approval:
        decided = self._approvals.decide(connection, number, state, by=by, comment=comment)
        self._trail.append(connection, confirmation_entry(_EVENTS[state], decided, "user"))
        return decided


_EVENTS = {
    "approved": "confirmation.granted",
    "rejected": "confirmation.declined",
    "superseded": "confirmation.superseded",
}


def confirmation_entry(event: str, approval: Approval, actor: str) -> Entry:
    """The event that says what became of a question."""
    return Entry(
        event=event,
        actor=actor,
        source="executor",
        fields={
            "agent": approval.agent,
            "run": approval.run_id,
            "approval": approval.number,
            "operation.id": approval.operation.id,
            "operation.name": approval.operation.kind.value,
            "target.ref": approval.operation.target,
            "payload.hash": approval.operation.payload_hash,
        },
    )
