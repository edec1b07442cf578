"""The way of every write: known already? settle. Else guard, then executor, approval or refusal."""

from collections.abc import Mapping
from typing import Any

from lakelight.audit import Trail
from lakelight.errors import PermitError, StorageError, TrailError
from lakelight.execution.executor import Executor, decision_entry
from lakelight.execution.intents import find_intent
from lakelight.guard import Approvals, Asker, Cap, Guard, Review
from lakelight.operations import Operation, Outcome, Parked, Stopped, Written
from lakelight.storage import Connection, Database


class Door:
    """People, agents and tickets all hand their operations in here."""

    def __init__(
        self, *, guard: Guard, executor: Executor, trail: Trail, approvals: Approvals, database: Database
    ) -> None:
        self._guard = guard
        self._executor = executor
        self._trail = trail
        self._approvals = approvals
        self._database = database

    async def submit(
        self, operation: Operation, asker: Asker, before: Mapping[str, Any] | None = None
    ) -> Outcome:
        """See `operation` through, once, however often it is submitted.

        Raises:
            PermitError: An operation of this id went out before, with other bytes.
            NotionError: Notion could not be reached or asked us to wait, and nothing was sent; or it
                refused for a reason that a person can remove. Submit again later.
        """
        intent, asked = await self._database.run(
            lambda connection: (
                find_intent(connection, operation.id),
                self._approvals.is_pending(connection, operation.id),
            )
        )
        if intent is not None:
            if intent.operation.payload_hash != operation.payload_hash:
                raise PermitError(operation=operation.id, why="sent before with other bytes")
            outcome = await self._executor.settle(intent, asker)
            if outcome is not None:
                return outcome
        review = await self._guard.review(operation, asker, trail=await self._trail.available())
        match review.decision.cap:
            case Cap.ALLOW if review.permit:
                outcome = await self._executor.perform(operation, review.permit, review, asker, before)
                if asked and isinstance(outcome, Written):
                    await self._database.run(
                        lambda connection: self._approvals.withdraw(connection, operation.id)
                    )
                return outcome
            case Cap.CONFIRM:
                return await self._park(operation, review, asker, asked=asked)
            case _:
                return await self._stop(operation, review, asker)

    async def _park(self, operation: Operation, review: Review, asker: Asker, *, asked: bool) -> Outcome:
        def ask(connection: Connection) -> int:
            number = self._approvals.park(
                connection,
                operation,
                agent=asker.agent,
                run_id=asker.run_id,
                reason=str(review.decision.reason or ""),
                policy_hash=review.policy_hash,
            )
            if not asked:
                self._trail.append(connection, decision_entry(operation, review, asker))
            return number

        try:
            return Parked(await self._database.run_durably(ask))
        except (StorageError, TrailError):
            return Stopped(decision="deny", reason="trail", facts={})

    async def _stop(self, operation: Operation, review: Review, asker: Asker) -> Outcome:
        facts = review.facts
        try:
            await self._trail.record(decision_entry(operation, review, asker))
        except TrailError:
            return Stopped(decision="deny", reason="trail", facts={})
        return Stopped(
            decision=review.decision.word,
            reason=str(review.decision.reason or ""),
            facts={"needs": int(facts.needs), "level": int(facts.level), "kind": operation.kind.value},
        )
