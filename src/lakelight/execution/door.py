"""The way of every write: known already? settle. Else guard, then executor, approval or refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lakelight.audit import Trail
from lakelight.errors import PermitError, StorageError, TrailError
from lakelight.execution.confirmations import confirmation_entry
from lakelight.execution.executor import Executor, decision_entry
from lakelight.execution.intents import Intent, find_intent
from lakelight.guard import Approval, Approvals, Asked, Asker, Cap, Guard, Review
from lakelight.operations import Operation, Outcome, Parked, Stopped, Written
from lakelight.storage import Connection, Database


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a person is shown of an operation, and what it stands on."""

    preview: Mapping[str, Any] = field(default_factory=dict)
    pre_state: str = ""
    """Hash of what will be changed, as it is now; empty where nothing can be compared."""


class Surroundings(Protocol):
    """Looks at what an operation will change."""

    async def look(self, operation: Operation, title: str) -> View:
        """How it stands now.

        Raises:
            NotionError: Notion could not be asked.
        """
        ...


class Door:
    """People, agents and tickets all hand their operations in here."""

    def __init__(
        self,
        *,
        guard: Guard,
        executor: Executor,
        trail: Trail,
        approvals: Approvals,
        database: Database,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._guard = guard
        self._executor = executor
        self._trail = trail
        self._approvals = approvals
        self._database = database
        self._surroundings = surroundings

    async def submit(
        self,
        operation: Operation,
        asker: Asker,
        before: Mapping[str, Any] | None = None,
        *,
        title: str = "",
    ) -> Outcome:
        """See `operation` through, once, however often it is submitted.

        Args:
            before: The page as it was last seen, where it is known.
            title: What the operation falls on, for the people who are asked about it.

        Raises:
            PermitError: An operation of this id went out before, with other bytes.
            NotionError: Notion could not be reached or asked us to wait, and nothing was sent; or it
                refused for a reason that a person can remove. Submit again later.
        """
        intent, asked = await self._database.run(lambda connection: self._known(connection, operation.id))
        if intent is not None:
            if intent.operation.payload_hash != operation.payload_hash:
                raise PermitError(operation=operation.id, why="sent before with other bytes")
            outcome = await self._executor.settle(intent, asker)
            if outcome is not None:
                return outcome
        match asked:
            case Approval(state="superseded", successor=int() as successor):
                edited = await self._database.run(
                    lambda connection: self._approvals.get(connection, successor)
                )
                return await self.submit(edited.operation, asker, before, title=title)
            case Approval(state="rejected"):
                facts: dict[str, object] = {
                    "approval": asked.key,
                    "by": asked.decided_by,
                    "comment": asked.comment,
                }
                return Stopped(decision="rejected", reason="rejected", facts=facts)
            case Approval(state="approved"):
                view = await self._look(operation, title)
                if view.pre_state != asked.pre_state:
                    return await self._ask_anew(asked, view, asker)
            case _:
                pass
        return await self._decide(operation, asker, before, title, asked, intent)

    async def settled(self, operation_id: str) -> Outcome | None:
        """What came of an operation, if that is known for good. Nothing is looked up for it."""
        intent, _ = await self._database.run(lambda connection: self._known(connection, operation_id))
        return None if intent is None else intent.settled()

    async def _decide(
        self,
        operation: Operation,
        asker: Asker,
        before: Mapping[str, Any] | None,
        title: str,
        asked: Approval | None,
        intent: Intent | None,
    ) -> Outcome:
        approval = _standing(asked, intent)
        review = await self._guard.review(
            operation, asker, trail=await self._trail.available(), approval=approval
        )
        match review.decision.cap:
            case Cap.ALLOW if review.permit:
                redeem = asked.number if asked and asked.state == "approved" else None
                try:
                    outcome = await self._executor.perform(
                        operation,
                        review.permit,
                        review,
                        asker,
                        before,
                        also=lambda connection: self._redeem(connection, redeem),
                    )
                except PermitError:
                    return Stopped(decision="deny", reason="approval_invalid", facts={})
                if asked and asked.state == "pending" and isinstance(outcome, Written):
                    await self._database.run(
                        lambda connection: self._approvals.withdraw(connection, operation.id)
                    )
                return outcome
            case Cap.CONFIRM:
                if asked is not None and asked.state == "pending":
                    return Parked(asked.number)
                return await self._park(operation, review, asker, title)
            case _:
                return await self._stop(operation, review, asker)

    def _known(self, connection: Connection, operation_id: str) -> tuple[Intent | None, Approval | None]:
        return find_intent(connection, operation_id), self._approvals.newest(connection, operation_id)

    def _redeem(self, connection: Connection, number: int | None) -> None:
        if number is not None and not self._approvals.redeem(connection, number):
            raise PermitError(approval=f"A-{number}", why="used before")

    async def _look(self, operation: Operation, title: str) -> View:
        return View() if self._surroundings is None else await self._surroundings.look(operation, title)

    async def _park(self, operation: Operation, review: Review, asker: Asker, title: str) -> Outcome:
        view = await self._look(operation, title)
        question = Asked(
            operation=operation,
            agent=asker.agent,
            run_id=asker.run_id,
            reason=str(review.decision.reason or ""),
            policy_hash=review.policy_hash,
            preview=view.preview,
            pre_state=view.pre_state,
        )

        def ask(connection: Connection) -> int:
            self._trail.append(connection, decision_entry(operation, review, asker))
            return self._approvals.park(connection, question)

        try:
            return Parked(await self._database.run_durably(ask))
        except (StorageError, TrailError):
            return Stopped(decision="deny", reason="trail", facts={})

    async def _ask_anew(self, asked: Approval, view: View, asker: Asker) -> Outcome:
        """The target is not as it was shown: nothing is written, and a new preview waits."""
        question = Asked(
            operation=asked.operation,
            agent=asked.agent,
            run_id=asked.run_id,
            reason=asked.reason,
            policy_hash=asked.policy_hash,
            preview=view.preview,
            pre_state=view.pre_state,
        )
        entry = confirmation_entry("confirmation.invalid", asked, asker.actor)

        def renew(connection: Connection) -> int:
            self._trail.append(connection, entry)
            return self._approvals.outdate(connection, asked.number, question)

        try:
            return Parked(await self._database.run_durably(renew), stale=asked.number)
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


def _standing(asked: Approval | None, intent: Intent | None) -> Literal["none", "valid", "invalid"]:
    match asked:
        case Approval(state="approved"):
            return "valid"
        case Approval(state="used"):
            # Redeemed with an intent that could not be sent: these bytes were approved, and not yet written.
            return "valid" if intent is not None and intent.state in {"sent", "unsent"} else "invalid"
        case _:
            return "none"
