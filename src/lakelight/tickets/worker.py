"""Works one ticket from claim to receipt, a step of the journal at a time.

Whatever it is in the middle of when the process dies, the next job reads the journal and goes on
behind the last step that was taken. Operations are frozen in the journal before they are
submitted, and the executor sees each of them through once, so that a repeat sends the same bytes or
nothing.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from lakelight import ids
from lakelight.agent import Journal, Progress, Run, Runs
from lakelight.agent.turns import Suspended
from lakelight.audit import Entry as TrailEntry, Trail
from lakelight.clock import Clock, iso, parse_iso
from lakelight.errors import LakelightError, StorageError
from lakelight.execution import Door
from lakelight.guard import Asker
from lakelight.llm import ModelError, ModelTimeout
from lakelight.notion import NotionError, NotionLimited, NotionReader, NotionRefused
from lakelight.notion.markdown import chunks, to_blocks
from lakelight.operations import (
    Kind,
    Operation,
    Outcome,
    Overtaken,
    Parked,
    Refused,
    Stopped,
    Unsettled,
    Written,
    request,
)
from lakelight.storage import Connection, Database
from lakelight.tickets import ledger, mark
from lakelight.tickets.drafts import Draft, Drafts
from lakelight.tickets.language import language_of
from lakelight.tickets.news import Seen, expected_hash
from lakelight.tickets.persona import Persona
from lakelight.tickets.personas import NoPersona, Personas
from lakelight.tickets.plan import own_ticket
from lakelight.tickets.receipt import Maker, compose
from lakelight.tickets.roster import Roster
from lakelight.tickets.source import Source
from lakelight.tickets.ticket import parse_ticket
from lakelight.tickets.work import Work

log = logging.getLogger(__name__)

_LONGEST_WAIT = timedelta(minutes=30)
_MOST_FAULTS = 5
_MOST_ROUNDS = 5
"""After so many sends without an answer the next one takes its time."""


class Sources(Protocol):
    """Knows the ticket database as it is now."""

    async def source(self) -> Source:
        """The source, read again when it is old.

        Raises:
            SourceError, NotionError: It cannot be used or reached.
        """
        ...


@dataclass(kw_only=True, eq=False)
class _Wait(Exception):
    """The run has to wait; raised within the worker only, to leave whatever it is in."""

    reason: str
    facts: Mapping[str, object]
    until: datetime | None
    """None: until something happens."""


@dataclass(kw_only=True, eq=False)
class _Fail(Exception):
    """The run has failed for good; likewise."""

    reason: str
    facts: Mapping[str, object]
    failure: mark.Failure


@dataclass(kw_only=True, eq=False)
class _Drop(Exception):
    """There is nothing to work on any more; likewise."""

    reason: str


class Worker:
    """Advances runs."""

    def __init__(
        self,
        *,
        database: Database,
        runs: Runs,
        roster: Roster,
        sources: Sources,
        personas: Personas,
        reader: NotionReader,
        door: Door,
        drafts: Drafts,
        trail: Trail,
        clock: Clock,
        progress: Progress,
        retry: timedelta,
    ) -> None:
        self._database = database
        self._runs = runs
        self._roster = roster
        self._sources = sources
        self._personas = personas
        self._reader = reader
        self._door = door
        self._drafts = drafts
        self._trail = trail
        self._clock = clock
        self._progress = progress
        self._retry = retry

    async def advance(self, run_id: str) -> None:
        """Bring the run as far as it can go now; when it has to wait, its row says for what and how long."""
        async with self._runs.alone(run_id):
            await self._advance(run_id)

    async def _advance(self, run_id: str) -> None:
        run = await self._database.run(lambda connection: self._runs.work(connection, run_id))
        if run is None:
            return
        work: Work | None = None
        try:
            work = await self._begin(run)
            await self._work(work)
        except _Wait as wait:
            await self._wait(run, work, wait)
        except _Fail as fail:
            await self._fail(run, work, fail)
        except _Drop as drop:
            await self._drop(run, drop)
        except (NotionError, ModelError, LakelightError) as error:
            if isinstance(error, StorageError):
                raise
            await self._wait(run, work, self._later(run, error))
        except Exception as error:
            # The next ticket must not suffer from this one; the traceback is in the log.
            log.exception("ticket.fault", extra={"run": run_id})
            facts = {"cause": type(error).__name__}
            if run.tries >= _MOST_FAULTS:
                await self._fail(run, work, _Fail(reason="fault", facts=facts, failure="error"))
            else:
                await self._wait(run, work, _Wait(reason="fault", facts=facts, until=self._after(run)))

    async def _begin(self, run: Run) -> Work:
        source = await self._sources.source()
        journal = await Journal.open(self._database, self._clock, run.id)
        page: Mapping[str, Any] = journal.get("claimed") or {}
        ticket = parse_ticket(page, source.mapped)
        agent = next((agent for agent in self._roster if agent.key == run.agent), None)
        if agent is None or agent.off_reason:
            raise _Wait(reason="agent_off", facts={"name": run.agent}, until=self._after(run))
        if run.tries:
            # A page in the trash is in no answer to a query, so no poll tells of it.
            await self._refuse_trash(run.page_id)
        own = own_ticket(ticket, source)
        return Work(
            run=run,
            journal=journal,
            source=source,
            page=page,
            ticket=ticket,
            agent=agent,
            asker=Asker(actor="ai", agent=agent.key, run_id=run.id, ticket=own),
            language=language_of(ticket.title, ticket.brief),
        )

    async def _refuse_trash(self, page_id: str) -> None:
        if (await self._reader.page(page_id)).get("in_trash"):
            raise _Drop(reason="in_trash")

    async def _work(self, work: Work) -> None:
        persona = await self._persona(work)
        await self._pick_up(work)
        draft = await self._draft(work, persona)
        number = int(await work.journal.once("number", lambda connection: _number(connection, work.run.id)))
        await self._write_receipt(work, number, draft)
        await self._finish(work, number)

    async def _persona(self, work: Work) -> Persona:
        persona = await self._personas.load(work.agent)
        if isinstance(persona, NoPersona):
            facts = {"name": work.agent.key, "page": work.agent.instruction_page_id or ""}
            raise _Wait(reason=f"persona_{persona.why}", facts=facts, until=self._after(work.run))
        await work.journal.once("persona", {"sha256": persona.sha256})
        return persona

    async def _pick_up(self, work: Work) -> None:
        if work.journal.get("picked_up") is None:
            text = mark.picked_up(work.agent.name, iso(self._clock.now()))
            await self._mark(work, "picked_up", text, work.source.words.working)
            self._progress.tell("ticket.picked_up", ticket=work.label, agent=work.agent.key)

    async def _draft(self, work: Work, persona: Persona) -> Draft:
        try:
            draft = await self._drafts.make(work, persona)
        except ModelTimeout:
            await self._mark(work, "timed_out", mark.timed_out(iso(self._clock.now()), work.language), None)
            raise
        match draft:
            case Suspended(reason="approval", reply=reply):
                asked = next((effect.approval for effect in reply.waiting if effect.approval), "")
                await self._mark(
                    work, "needs_you", mark.needs_you("approval", work.language), work.source.words.needs_you
                )
                raise _Wait(reason="approval", facts={"approval": asked}, until=None)
            case Suspended(reason=reason, until=until):
                raise _Wait(reason=reason, facts={}, until=until)
            case _:
                return draft

    async def _write_receipt(self, work: Work, number: int, draft: Mapping[str, Any]) -> None:
        def freeze(_connection: Connection) -> list[str]:
            maker = Maker(agent_name=work.agent.name, at_iso=draft["at"], model=draft["model"])
            markdown = compose(number, maker, str(draft["text"]), work.language)
            return [self._append(work, part).dump() for part in chunks(to_blocks(markdown))]

        for index, frozen in enumerate(await work.journal.once("receipt", freeze)):
            step = f"receipt.{index}"
            if work.journal.get(step) is None:
                outcome = await self._submit(work, Operation.load(frozen), None)
                await work.journal.once(step, _told(outcome))
                self._progress.tell("ticket.written", ticket=work.label, receipt=number, part=index + 1)

    async def _finish(self, work: Work, number: int) -> None:
        if work.journal.get("finished") is None:
            text = mark.finished(number, iso(self._clock.now()), work.language)
            await self._mark(work, "finished", text, work.source.words.done)
        seen = await self._seen(work)
        await self._end(work.run, "done", seen, receipt=number, agent=work.agent.key)
        self._progress.tell("ticket.done", ticket=work.label, agent=work.agent.key, receipt=number)

    async def _mark(self, work: Work, step: str, text: str, word: str | None) -> None:
        """Set the self-check and, where a word is set for it, the status; once."""
        properties = {**work.source.self_check_write(text), **work.source.status_write(word)}
        if not properties:
            await work.journal.once(step, {"properties": {}})
            return
        operation = Operation(
            id=ids.fresh("op"),
            kind=Kind.TICKET_MARK,
            target=work.ticket.page_id,
            request=request("PATCH", f"/pages/{work.ticket.page_id}", {"properties": properties}),
        )
        frozen = Operation.load(await work.journal.once(f"{step}.operation", operation.dump()))
        before = {"properties": {**work.page["properties"], **_marked(work)}}
        outcome = await self._submit(work, frozen, before, must=False)
        stamp = _stamp(outcome)
        await work.journal.once(
            step,
            {
                **_told(outcome),
                "properties": frozen.request.content["properties"] if isinstance(outcome, Written) else {},
                "stamp": stamp,
            },
        )

    async def _submit(
        self, work: Work, operation: Operation, before: Mapping[str, Any] | None, *, must: bool = True
    ) -> Outcome:
        """The outcome when it lets the run go on.

        Args:
            must: The run fails when Notion refuses; without it, it goes on.
        """
        outcome = await self._door.submit(operation, work.asker, before)
        match outcome:
            case Written():
                if outcome.found:
                    self._progress.tell("write.found", ticket=work.label, kind=operation.kind.value)
                if outcome.differences:
                    log.warning("write.differs", extra={"differences": outcome.differences})
                    self._progress.tell(
                        "write.differs", ticket=work.label, where=", ".join(outcome.differences)
                    )
                if not outcome.on_trail:
                    self._progress.tell("trail.degraded", ticket=work.label)
            case Unsettled(until=until, cause=cause):
                if work.run.tries >= _MOST_ROUNDS:
                    until = max(until, self._after(work.run))
                raise _Wait(
                    reason="unsettled", facts={"kind": operation.kind.value, "cause": cause}, until=until
                )
            case Parked(approval=number):
                if operation.kind is not Kind.TICKET_MARK:
                    words = work.source.words
                    await self._mark(
                        work, "needs_you", mark.needs_you("approval", work.language), words.needs_you
                    )
                raise _Wait(reason="approval", facts={"approval": f"A-{number}"}, until=None)
            case Stopped():
                facts = {**outcome.facts, "decision": outcome.decision, "rule": outcome.reason}
                raise _Wait(reason=f"guard_{outcome.decision}", facts=facts, until=self._after(work.run))
            case Refused() if must:
                await self._refuse_trash(work.ticket.page_id)
                raise _Fail(
                    reason="refused",
                    facts={"code": outcome.code, "status": outcome.status, "message": outcome.message},
                    failure="too_large" if outcome.code == "notion.too_large" else "refused",
                )
            case Refused() | Overtaken():
                log.warning("mark.left_out", extra={"ticket": work.label})
        return outcome

    def _append(self, work: Work, blocks: Sequence[Mapping[str, Any]]) -> Operation:
        page_id = work.ticket.page_id
        return Operation(
            id=ids.fresh("op"),
            kind=Kind.BLOCK_APPEND,
            target=page_id,
            request=request("PATCH", f"/blocks/{page_id}/children", {"children": list(blocks)}),
        )

    async def _seen(self, work: Work) -> Seen:
        """How the page looks when nothing but our own writes happened to it."""
        steps = [
            work.journal.get(step) for step in ("picked_up", "timed_out", "needs_you", "failed", "finished")
        ]
        stamps = [parse_iso(step["stamp"]) for step in steps if step and step.get("stamp")]
        last = work.journal.get("finished") or {}
        if not last.get("stamp") and work.journal.get("receipt.0"):
            page = await self._reader.page(work.ticket.page_id)
            stamps.append(parse_iso(page["last_edited_time"]))
        return Seen(
            last_edited=max([work.ticket.last_edited, *stamps]),
            content_hash=expected_hash(work.page, _marked(work)),
        )

    async def _wait(self, run: Run, work: Work | None, wait: _Wait) -> None:
        seen = await self._seen_or_none(work)

        def park(connection: Connection) -> None:
            self._runs.wait(connection, run.id, wait.reason, wait.facts, wait.until)
            ledger.set_state(
                connection, run.page_id, "waiting", self._clock.now(), reason=wait.reason, facts=wait.facts
            )
            if seen is not None:
                ledger.mark_seen(connection, run.page_id, seen)

        await self._database.run(park)
        label = work.label if work else run.page_id[:8]
        self._progress.tell(
            "ticket.waiting",
            ticket=label,
            agent=run.agent,
            reason=wait.reason,
            until=wait.until,
            facts=wait.facts,
        )

    async def _fail(self, run: Run, work: Work | None, fail: _Fail) -> None:
        if work is not None:
            try:
                text = mark.failed(fail.failure, iso(self._clock.now()), work.language)
                await self._mark(work, "failed", text, work.source.words.needs_you)
            except (_Wait, _Fail, LakelightError):
                log.info("mark.left_out", extra={"ticket": work.label})
        seen = await self._seen_or_none(work)
        await self._end(run, "failed", seen, reason=fail.reason, facts=fail.facts)
        label = work.label if work else run.page_id[:8]
        self._progress.tell(
            "ticket.failed", ticket=label, agent=run.agent, reason=fail.reason, facts=fail.facts
        )

    async def _drop(self, run: Run, drop: _Drop) -> None:
        def forget(connection: Connection) -> None:
            self._runs.finish(connection, run.id, "dropped", drop.reason)
            ledger.set_state(connection, run.page_id, "ignored", self._clock.now(), reason=drop.reason)
            ledger.forget_look(connection, run.page_id)

        await self._database.run(forget)
        self._progress.tell("ticket.dropped", ticket=run.page_id[:8], title="", reason=drop.reason)

    async def _end(
        self,
        run: Run,
        state: Any,
        seen: Seen | None,
        *,
        reason: str = "",
        facts: Mapping[str, object] | None = None,
        receipt: int | None = None,
        agent: str | None = None,
    ) -> None:
        def end(connection: Connection) -> None:
            self._runs.finish(connection, run.id, state, reason, facts)
            ledger.set_state(
                connection,
                run.page_id,
                state,
                self._clock.now(),
                reason=reason,
                facts=facts,
                receipt=receipt,
                agent=agent,
            )
            if seen is not None:
                ledger.mark_seen(connection, run.page_id, seen)
            fields = {
                "agent": run.agent,
                "run": run.id,
                "ticket.ref": run.page_id,
                "ticket.state": state,
                "ticket.receipt": receipt,
            }
            told = {name: value for name, value in fields.items() if value is not None}
            self._trail.append(
                connection, TrailEntry(event="ticket.finished", actor="system", source="tickets", fields=told)
            )

        await self._database.run(end)

    async def _seen_or_none(self, work: Work | None) -> Seen | None:
        if work is None:
            return None
        try:
            return await self._seen(work)
        except NotionError:
            return None

    def _later(self, run: Run, error: LakelightError) -> _Wait:
        facts = {name: value for name, value in error.facts.items() if value is not None}
        if isinstance(error, NotionLimited):
            until = self._clock.now() + max(self._retry, timedelta(seconds=error.retry_after))
            return _Wait(reason=error.message_key, facts=facts, until=until)
        if isinstance(error, NotionRefused):
            facts["message"] = error.message
        return _Wait(reason=error.message_key, facts=facts, until=self._after(run))

    def _after(self, run: Run) -> datetime:
        return self._clock.now() + min(self._retry * (1 << min(run.tries, 10)), _LONGEST_WAIT)


def _marked(work: Work) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for step in ("picked_up", "timed_out", "needs_you", "failed", "finished"):
        properties.update((work.journal.get(step) or {}).get("properties", {}))
    return properties


def _number(connection: Connection, run_id: str) -> int:
    connection.exec_driver_sql(
        "INSERT INTO receipts (run_id) VALUES (?) ON CONFLICT (run_id) DO NOTHING", (run_id,)
    )
    row = connection.exec_driver_sql("SELECT number FROM receipts WHERE run_id = ?", (run_id,)).one()
    return int(row[0])


def _told(outcome: Outcome) -> dict[str, object]:
    match outcome:
        case Written():
            return {"outcome": "written", "ids": list(outcome.ids), "differences": list(outcome.differences)}
        case _:
            return {"outcome": type(outcome).__name__.lower()}


def _stamp(outcome: Outcome) -> str | None:
    if isinstance(outcome, Written) and outcome.page:
        return str(outcome.page.get("last_edited_time"))
    return None
