"""Carries out operations: says it before, sends it once, says it after.

The executor holds the only `NotionWriter` in the process. An intent is committed before a
request goes out; when no answer comes that can be trusted, Notion is looked at before anything is
sent again, and "not there" counts only a settle time after the send, because Notion may still
be working on it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from lakelight.audit import Entry, Trail
from lakelight.clock import Clock, iso
from lakelight.errors import LakelightError, StorageError, TrailError
from lakelight.execution import sightings, traces
from lakelight.execution.intents import Anchor, Intent, State, close_intent, find_intent, open_intent
from lakelight.guard import Asker, Permit, Review
from lakelight.notion import (
    Answer,
    NotionConflict,
    NotionError,
    NotionLimited,
    NotionReader,
    NotionRefused,
    NotionTooLarge,
    NotionUnreachable,
)
from lakelight.notion.canonical import properties_content
from lakelight.notion.writing import NotionWriter
from lakelight.operations import (
    Kind,
    Operation,
    Outcome,
    Overtaken,
    Refused,
    Stopped,
    Unsettled,
    Written,
)
from lakelight.storage import Connection, Database

_PERHAPS_LATER = frozenset({"unauthorized", "restricted_resource", "object_not_found"})
"""Notion's noes that a person can turn into a yes: the token, a capability, a share."""

_MOST_DELAY = timedelta(seconds=10)
"""A machine that slept between intent and send does not send any more."""

_APPENDS = frozenset({Kind.BLOCK_APPEND})
_FULL_SETS = frozenset({Kind.TICKET_MARK, Kind.PAGE_PROPERTIES_UPDATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """A send whose intent is committed."""

    anchor: Anchor
    """The anchor in force, which may be that of an earlier send."""
    sent_at: datetime
    after_silence: bool
    """True when an earlier send of the same bytes was never heard of."""


class Executor:
    """The one door to the writing side of a workspace."""

    def __init__(
        self,
        *,
        writer: NotionWriter,
        reader: NotionReader,
        database: Database,
        trail: Trail,
        clock: Clock,
        settle: timedelta,
        bot_id: str,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._database = database
        self._trail = trail
        self._clock = clock
        self._settle = settle
        self._bot_id = bot_id

    async def perform(
        self,
        operation: Operation,
        permit: Permit,
        review: Review,
        asker: Asker,
        before: Mapping[str, Any] | None = None,
        *,
        also: Callable[[Connection], None] | None = None,
    ) -> Outcome:
        """Carry out `operation` once and say what came of it.

        Args:
            also: Done in the transaction of the intent; an approval is redeemed there.
            before: The page as it was last seen, for telling an update that arrived from one that
                did not.

        Raises:
            PermitError: `permit` is spent or was made for other bytes.
            NotionError: It could not be sent, and certainly was not; later is another chance.
        """
        permit.spend(operation)
        anchor = await self._anchor(operation, before)
        return await _to_its_end(self._perform(operation, anchor, review, asker, also))

    async def _perform(
        self,
        operation: Operation,
        anchor: Anchor,
        review: Review,
        asker: Asker,
        also: Callable[[Connection], None] | None,
    ) -> Outcome:
        sent_at = self._clock.now()
        try:
            start = await self._database.run_durably(
                lambda connection: self._say_before(
                    connection, operation, anchor, review, asker, sent_at, also
                )
            )
        except (StorageError, TrailError):
            return Stopped(decision="deny", reason="trail", facts={})
        if not isinstance(start, _Start):
            return start
        if self._clock.now() - sent_at > _MOST_DELAY:
            await self._say_after(operation, asker, "unsent", {}, result("failed", code="not_sent"))
            raise NotionUnreachable("the machine slept between the intent and the send")
        return await self._send(operation, asker, start)

    async def settle(self, intent: Intent, asker: Asker) -> Outcome | None:
        """What came of a send that nobody heard of; None when it may be sent again.

        Raises:
            NotionError: Notion could not be looked at.
        """
        known = intent.settled()
        if known is not None or intent.state == "unsent":
            return known
        outcome = await self._look(intent.operation, intent.anchor, asker)
        if outcome is not None:
            return outcome
        until = intent.sent_at + self._settle
        return Unsettled(until=until) if self._clock.now() < until else None

    async def _send(self, operation: Operation, asker: Asker, start: _Start) -> Outcome:
        request = operation.request
        try:
            answer = await self._writer.send(request.method, request.path, request.content)
        except NotionConflict as error:
            # A definite answer: it was not saved. But an earlier send of the same bytes may have been.
            found = await self._look(operation, start.anchor, asker) if start.after_silence else None
            if found is None:
                await self._unsent(operation, asker, error)
                raise
            return found
        except NotionRefused as error:
            return await self._refused(operation, asker, error)
        except NotionTooLarge as error:
            refusal = Refused(code=error.code, status=0, message=str(error))
            return await self._close(
                operation, asker, "refused", refusal, result("failed", code="validation_error")
            )
        except NotionLimited as error:
            await self._unsent(operation, asker, error)
            raise
        except NotionUnreachable as error:
            if not error.maybe_written:
                await self._unsent(operation, asker, error)
                raise
            return await self._unknown(operation, asker, start, error)
        return await self._written(operation, asker, answer)

    async def _anchor(self, operation: Operation, before: Mapping[str, Any] | None) -> Anchor:
        if operation.kind in _APPENDS:
            children = await self._reader.children(operation.target)
            # Our own clock will not do in its place: if it is ahead, our own blocks look too old.
            date = children.date
            return Anchor(
                last_child=str(children.blocks[-1]["id"]) if children.blocks else None,
                notion_minute=iso(date.replace(second=0, microsecond=0)) if date else None,
            )
        if operation.kind in _FULL_SETS and before:
            touched = operation.request.content["properties"]
            known = {name: value for name, value in before["properties"].items() if name in touched}
            return Anchor(before=properties_content(known))
        if operation.kind is Kind.PAGE_CREATE:
            return await sightings.before_creation(operation, self._reader, self._bot_id)
        return Anchor()

    def _say_before(
        self,
        connection: Connection,
        operation: Operation,
        anchor: Anchor,
        review: Review,
        asker: Asker,
        sent_at: datetime,
        also: Callable[[Connection], None] | None,
    ) -> _Start | Outcome:
        # Somebody else may have submitted the same operation since it was looked up.
        earlier = find_intent(connection, operation.id)
        if earlier is not None and (known := earlier.settled()) is not None:
            return known
        after_silence = earlier is not None and earlier.state == "sent"
        if earlier is not None and after_silence and sent_at < earlier.sent_at + self._settle:
            return Unsettled(until=earlier.sent_at + self._settle)
        if also is not None:
            also(connection)
        intent = open_intent(connection, operation, anchor, asker.run_id, sent_at)
        self._trail.append(connection, decision_entry(operation, review, asker, sends=intent.sends))
        return _Start(anchor=intent.anchor, sent_at=sent_at, after_silence=after_silence)

    async def _written(self, operation: Operation, asker: Asker, answer: Answer) -> Outcome:
        ids: tuple[str, ...] = (operation.target,)
        differences: tuple[str, ...] = ()
        page: dict[str, Any] | None = None
        if operation.kind in _APPENDS:
            ids, differences = traces.answered(operation, answer.body.get("results", []))
        elif answer.body.get("object") == "page":
            page = answer.body
            ids = (str(page["id"]),)
            if operation.kind in _FULL_SETS or "properties" in operation.request.content:
                differences = traces.differing_properties(operation, page)
        outcome = Written(ids=ids, differences=differences, page=page)
        told = result("success", http=answer.status, request=answer.request_id, differences=len(differences))
        return await self._close(operation, asker, "written", outcome, told)

    async def _refused(self, operation: Operation, asker: Asker, error: NotionRefused) -> Outcome:
        told = result("failed", http=error.status, code=error.notion_code, request=error.request_id)
        if error.notion_code in _PERHAPS_LATER:
            await self._say_after(operation, asker, "unsent", {}, told)
            raise error
        refusal = Refused(code=error.notion_code, status=error.status, message=error.message)
        return await self._close(operation, asker, "refused", refusal, told)

    async def _unsent(self, operation: Operation, asker: Asker, error: LakelightError) -> None:
        status = getattr(error, "status", None)
        await self._say_after(operation, asker, "unsent", {}, result("failed", http=status, code="not_sent"))

    async def _unknown(
        self, operation: Operation, asker: Asker, start: _Start, error: NotionUnreachable
    ) -> Outcome:
        until = Unsettled(until=start.sent_at + self._settle, cause=error.cause)
        try:
            entry = result_entry("write.unknown", operation, asker, result("unknown", code="unreachable"))
            await self._trail.record(entry)
            return await self._look(operation, start.anchor, asker, _said_stored(error, operation)) or until
        except (NotionError, TrailError):
            return until

    async def _look(
        self, operation: Operation, anchor: Anchor, asker: Asker, committed: Sequence[str] = ()
    ) -> Outcome | None:
        if operation.kind in _APPENDS:
            children = await self._reader.children(operation.target)
            ids = traces.appended(operation, anchor, children.blocks, self._bot_id, committed)
            if ids is None:
                return None
            found = Written(ids=ids, found=True)
            return await self._close(operation, asker, "written", found, result("success"))
        if operation.kind not in _FULL_SETS:
            match await sightings.look_up(operation, anchor, self._reader, self._bot_id, committed):
                case Written() as found:
                    return await self._close(operation, asker, "written", found, result("success"))
                case "absent":
                    return None
                case "unclear":
                    # What can't be looked up is never sent again by itself.
                    return Unsettled(until=self._clock.now() + self._settle)
        page = await self._reader.page(operation.target)
        match traces.properties_state(operation, anchor, page, self._bot_id):
            case "ours":
                found = Written(ids=(operation.target,), found=True, page=page)
                return await self._close(operation, asker, "written", found, result("success"))
            case "other":
                return await self._close(operation, asker, "overtaken", Overtaken(), result("cancelled"))
            case "before":
                return None

    async def _close(
        self,
        operation: Operation,
        asker: Asker,
        state: State,
        outcome: Written | Refused | Overtaken,
        told: dict[str, object],
    ) -> Outcome:
        recorded = await self._say_after(
            operation, asker, state, _row(outcome), told, found=_was_found(outcome)
        )
        if isinstance(outcome, Written) and not recorded:
            return replace(outcome, on_trail=False)
        return outcome

    async def _say_after(
        self,
        operation: Operation,
        asker: Asker,
        state: State,
        row: Mapping[str, object],
        told: dict[str, object],
        *,
        found: bool = False,
    ) -> bool:
        # By now Notion has been asked, and must not be asked again: a trail that fails here is
        # kept in the spool and told to the caller, never raised.
        entry = result_entry("write.found" if found else _event(state, operation), operation, asker, told)

        def both(connection: Connection) -> None:
            close_intent(connection, operation.id, state, row)
            self._trail.append(connection, entry)

        try:
            await self._database.run_durably(both)
        except (StorageError, TrailError):
            try:
                await self._trail.spool(entry)
            except TrailError:
                return False
            return False
        return True


async def _to_its_end(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """What `work` comes to; whoever is cancelled meanwhile ends only after it.

    Between the intent and the result there is no good place to stop. Who is cancelled a second time stops
    at once, and what became of the write is looked up the next time.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with suppress(LakelightError):
            await task
        raise


def decision_entry(operation: Operation, review: Review, asker: Asker, *, sends: int = 0) -> Entry:
    """The event that says what the guard decided about an operation."""
    decision, facts = review.decision, review.facts
    confirmation = {"confirm_required": "required"}.get(decision.word, "not_required")
    fields: dict[str, object] = {
        **_common(operation, asker),
        "guard.decision": decision.word,
        "guard.permissionLevel": facts.level.name.lower(),
        "guard.requiredLevel": facts.needs.name.lower(),
        "guard.confirmation": "granted" if facts.approval == "valid" else confirmation,
        "guard.policyHash": review.policy_hash,
        "operation.risk": facts.risk.name.lower(),
        "operation.effect": "write",
    }
    if decision.reason:
        fields["guard.reason"] = decision.reason.value
    if sends:
        fields["sends"] = sends
    return Entry(
        event="guard.denied" if decision.word == "deny" else "guard.decision",
        actor=asker.actor,
        source="tickets" if asker.ticket else "chat",
        fields=fields,
    )


def result_entry(event: str, operation: Operation, asker: Asker, told: dict[str, object]) -> Entry:
    """The event that says what came of an operation."""
    return Entry(
        event=event, actor=asker.actor, source="executor", fields={**_common(operation, asker), **told}
    )


def result(
    status: str,
    *,
    http: int | None = None,
    code: str | None = None,
    request: str | None = None,
    differences: int | None = None,
) -> dict[str, object]:
    """The `result.` fields of an event; `http` is the status code of the answer."""
    fields = {
        "result.status": status,
        "result.statusCode": http or None,
        "result.code": code,
        "result.request": request,
        "result.differences": differences,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _common(operation: Operation, asker: Asker) -> dict[str, object]:
    try:
        content = operation.request.content
    except (ValueError, RecursionError):
        # The guard denies what it cannot read, and that must stand in the trail too.
        content = {}
    fields: dict[str, object] = {
        "agent": asker.agent,
        "run": asker.run_id,
        "operation.id": operation.id,
        "operation.name": operation.kind.value,
        "target.type": "notion_page",
        "target.ref": operation.target,
        "payload.hash": operation.payload_hash,
    }
    if isinstance(content.get("children"), list):
        fields["payload.blocks"] = len(content["children"])
    if isinstance(content.get("properties"), dict):
        fields["payload.properties"] = len(content["properties"])
    return fields


def _said_stored(error: NotionUnreachable, operation: Operation) -> Sequence[str]:
    """The blocks or the page that Notion says it had stored, though it could not answer in time."""
    if operation.kind is Kind.PAGE_CREATE and error.committed_id:
        return (error.committed_id,)
    return error.committed_child_ids


def _row(outcome: Written | Refused | Overtaken) -> dict[str, object]:
    match outcome:
        case Written():
            return {"ids": outcome.ids, "differences": outcome.differences, "found": outcome.found}
        case Refused():
            return {"code": outcome.code, "status": outcome.status, "message": outcome.message}
        case Overtaken():
            return {}


def _was_found(outcome: Written | Refused | Overtaken) -> bool:
    return isinstance(outcome, Written) and outcome.found


def _written_event(operation: Operation) -> str:
    match operation.kind:
        case Kind.BLOCK_APPEND:
            return "write.block.inserted"
        case Kind.TICKET_MARK | Kind.PAGE_PROPERTIES_UPDATE:
            return "write.property.updated"
        case Kind.PAGE_CREATE:
            return "write.page.created"
        case _:
            return "write.done"


def _event(state: State, operation: Operation) -> str:
    return _written_event(operation) if state == "written" else f"write.{state}"


__all__ = ["Executor", "decision_entry", "find_intent", "result_entry"]
