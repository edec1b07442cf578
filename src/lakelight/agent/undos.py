"""Takes back what a run has written, newest first. Guarded and recorded like any other write.

What somebody has changed since is left alone and told: an undo must not eat another person's work.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Literal

from lakelight.agent.journal import Journal
from lakelight.agent.runs import Run, Runs
from lakelight.clock import Clock
from lakelight.errors import LakelightError
from lakelight.execution import Door, find_intent
from lakelight.execution.intents import Anchor
from lakelight.execution.traces import properties_state, same_block
from lakelight.guard import Asker
from lakelight.ids import fresh
from lakelight.notion import NotionReader, NotionRefused
from lakelight.operations import Kind, Operation, Outcome, Stopped, Unsettled, Written, request
from lakelight.operations.inverse import CannotUndo, inverse
from lakelight.operations.surroundings import title_of
from lakelight.storage import Connection, Database

Result = Literal["undone", "changed_since", "gone", "impossible", "stopped", "failed", "undone_before"]


class UndoError(LakelightError):
    """There is nothing to undo."""

    code = "undo.nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What came of one write's undoing."""

    kind: str
    title: str
    result: Result
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Write:
    operation: Operation
    anchor: Anchor
    ids: tuple[str, ...]
    title: str
    before: Mapping[str, Any] | None


@dataclass(kw_only=True, eq=False)
class _Waiting(Exception):
    """It is not known yet whether a write was taken back; raised within `Undos` only."""

    until: datetime


class Undos:
    """Runs that take back other runs."""

    def __init__(
        self,
        *,
        database: Database,
        runs: Runs,
        door: Door,
        reader: NotionReader,
        clock: Clock,
        bot_id: str,
    ) -> None:
        self._database = database
        self._runs = runs
        self._door = door
        self._reader = reader
        self._clock = clock
        self._bot_id = bot_id

    async def begin(self, undone_run: str) -> str:
        """A run that takes back `undone_run`; its id. Nothing has happened yet.

        Raises:
            UndoError: That run has written nothing.
        """
        writes = await self._database.run(lambda connection: _writes(connection, undone_run))
        if not writes:
            raise UndoError(run=undone_run)
        run_id = await self._database.run(lambda connection: self._runs.begin(connection, "undo"))
        journal = await Journal.open(self._database, self._clock, run_id)
        await journal.once("request", {"undo": undone_run})
        return run_id

    async def preview(self, undone_run: str) -> list[Mapping[str, str]]:
        """What would be taken back, newest first, as (kind, title)."""
        writes = await self._database.run(lambda connection: _writes(connection, undone_run))
        return [{"kind": write.operation.kind.value, "title": write.title} for write in writes]

    async def advance(self, run_id: str) -> list[Undone]:
        """Take everything back that can be; what came of each write.

        Raises:
            NotionError: Notion could not be asked; the run can be taken up again.
        """
        async with self._runs.alone(run_id):
            return await self._advance(run_id)

    async def _advance(self, run_id: str) -> list[Undone]:
        run = await self._database.run(lambda connection: self._runs.work(connection, run_id))
        if run is None:
            return []
        journal = await Journal.open(self._database, self._clock, run.id)
        undone_run = (journal.get("request") or {}).get("undo", "")
        writes = await self._database.run(lambda connection: _writes(connection, undone_run))
        told: list[Undone] = []
        for write in writes:
            try:
                told.append(await self._take_back(run, journal, write, f"write.{write.operation.id}"))
            except _Waiting as waiting:
                await self._database.run(partial(self._suspend, run_id=run.id, until=waiting.until))
                facts = {"outcome": "unsettled"}
                kind = write.operation.kind.value
                return [*told, Undone(kind=kind, title=write.title, result="failed", facts=facts)]
        await self._database.run(lambda connection: self._runs.finish(connection, run.id, "done"))
        return told

    def _suspend(self, connection: Connection, run_id: str, until: datetime) -> None:
        self._runs.wait(connection, run_id, "unsettled", {}, until)

    async def cancel(self, run_id: str) -> None:
        """End a run that its user broke off; what it has taken back stays so."""
        await self._database.run(
            lambda connection: self._runs.finish(connection, run_id, "dropped", "cancelled")
        )

    async def _take_back(self, run: Run, journal: Journal, write: _Write, name: str) -> Undone:
        known = journal.get(name)
        if known is None:
            known = await journal.once(name, await self._attempt(run, journal, write, name))
        return Undone(kind=write.operation.kind.value, title=write.title, result=known[0], facts=known[1])

    async def _attempt(
        self, run: Run, journal: Journal, write: _Write, name: str
    ) -> tuple[Result, dict[str, Any]]:
        frozen = journal.get(f"{name}.operations")
        if frozen is None:
            hindrance = await self._hindrance(write)
            if hindrance is not None:
                return hindrance, {}
            back = inverse(write.operation, ids=write.ids, before=write.before, new_id=lambda: fresh("op"))
            if isinstance(back, CannotUndo):
                return "impossible", {"why": back.why}
            frozen = await journal.once(f"{name}.operations", [operation.dump() for operation in back])
        for dumped in frozen:
            operation = Operation.load(dumped)
            asker = Asker(
                actor="user",
                agent="",
                run_id=run.id,
                everywhere=True,
                undoes={operation.payload_hash: write.operation.kind},
            )
            outcome = await self._door.submit(operation, asker, title=write.title)
            if isinstance(outcome, Unsettled):
                raise _Waiting(until=outcome.until)
            if not isinstance(outcome, Written):
                return _said(outcome)
        return "undone", {}

    async def _hindrance(self, write: _Write) -> Result | None:
        """Why a write is not taken back as things stand; None when it is as we left it."""
        operation = write.operation
        try:
            if operation.kind is Kind.BLOCK_APPEND:
                return await self._block_hindrance(write)
            page_id = write.ids[0] if operation.kind is Kind.PAGE_CREATE and write.ids else operation.target
            page = await self._reader.page(page_id)
        except NotionRefused:
            return "gone"
        trashed = bool(page.get("in_trash"))
        match operation.kind:
            case Kind.PAGE_ARCHIVE:
                return None if trashed else "undone_before"
            case Kind.PAGE_CREATE:
                if trashed:
                    return "undone_before"
                ours = page.get("last_edited_by", {}).get("id") == self._bot_id
                return None if ours else "changed_since"
            case Kind.PAGE_PROPERTIES_UPDATE | Kind.TICKET_MARK:
                if trashed:
                    return "gone"
                return _STATES[properties_state(operation, write.anchor, page, self._bot_id)]
            case _:
                return None

    async def _block_hindrance(self, write: _Write) -> Result | None:
        sent = write.operation.request.content["children"]
        gone = 0
        for block_id, block in zip(write.ids, sent, strict=False):
            current = await self._reader.block(block_id)
            if current.get("in_trash"):
                gone += 1
            elif not await self._is_as_sent(block, current):
                return "changed_since"
        return "undone_before" if gone == len(write.ids) else None

    async def _is_as_sent(self, sent: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
        """True when a block is what was appended, and nobody has put anything below it."""
        if not same_block(sent, current):
            return False
        wanted = sent[current["type"]].get("children", ())
        found = (await self._reader.children(current["id"])).blocks if current.get("has_children") else ()
        if len(wanted) != len(found):
            return False
        return all([await self._is_as_sent(block, below) for block, below in zip(wanted, found, strict=True)])


_STATES: Mapping[str, Result | None] = {"ours": None, "before": "undone_before", "other": "changed_since"}


def _said(outcome: Outcome) -> tuple[Result, dict[str, Any]]:
    if isinstance(outcome, Stopped):
        return "stopped", {"rule": outcome.reason, **outcome.facts}
    return "failed", {"outcome": type(outcome).__name__.lower()}


def _writes(connection: Connection, run_id: str) -> list[_Write]:
    rows = connection.exec_driver_sql(
        "SELECT operation_id FROM intents WHERE run_id = ? AND state = 'written' ORDER BY rowid DESC",
        (run_id,),
    ).all()
    found: list[_Write] = []
    marks: dict[str, int] = {}
    for (operation_id,) in rows:
        intent = find_intent(connection, operation_id)
        if intent is None:
            continue
        operation = intent.operation
        title, before = _told_before(connection, run_id, operation)
        ids = tuple(intent.outcome.get("ids", ()))
        write = _Write(operation=operation, anchor=intent.anchor, ids=ids, title=title, before=before)
        if operation.kind is Kind.TICKET_MARK:
            place = marks.setdefault(operation.target, len(found))
            if place < len(found):
                found[place] = _joined(found[place], write)
                continue
        found.append(write)
    return found


def _joined(later: _Write, earlier: _Write) -> _Write:
    """Two marks of one ticket as one: what the later one left, over what there was before the earlier one."""
    sent = later.operation.request
    properties = earlier.operation.request.content["properties"] | sent.content["properties"]
    joined = request(sent.method, sent.path, {**sent.content, "properties": properties})
    before = {**later.anchor.before, **earlier.anchor.before}
    return replace(
        later,
        operation=replace(later.operation, request=joined),
        anchor=replace(earlier.anchor, before=before),
        before=earlier.before,
    )


def _told_before(
    connection: Connection, run_id: str, operation: Operation
) -> tuple[str, Mapping[str, Any] | None]:
    """The title and the page as it was before, from the journal of the run that wrote."""
    rows = connection.exec_driver_sql(
        "SELECT name, content FROM steps WHERE run_id = ? AND (name LIKE '%.operation' OR name = 'claimed')",
        (run_id,),
    ).all()
    submitted = _first_asked(connection, operation.id)
    claimed: Mapping[str, Any] | None = None
    for name, content in rows:
        value = json.loads(content)
        if name == "claimed":
            claimed = value
        elif isinstance(value, dict) and Operation.load(value["operation"]).id == submitted:
            return str(value.get("title", "")), value.get("before")
    return title_of(claimed) or operation.target, claimed


def _first_asked(connection: Connection, operation_id: str) -> str:
    """The operation that a person edited into this one; itself, when nobody did."""
    row = connection.exec_driver_sql(
        "WITH RECURSIVE asked (operation_id, depth) AS (VALUES (?, 0) UNION ALL"
        " SELECT old.operation_id, depth + 1 FROM asked"
        " JOIN approvals AS new ON new.operation_id = asked.operation_id"
        " JOIN approvals AS old ON old.successor = new.number AND old.operation_id <> new.operation_id)"
        " SELECT operation_id FROM asked ORDER BY depth DESC LIMIT 1",
        (operation_id,),
    ).one()
    return str(row[0])
