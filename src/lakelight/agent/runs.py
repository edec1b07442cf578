"""Runs: rows that say how far a piece of work is, and the jobs that carry it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Literal

from lakelight import ids
from lakelight.clock import Clock, iso, parse_iso
from lakelight.guard import Approvals
from lakelight.jobs import Jobs, Owners
from lakelight.storage import Connection

_GLANCE = timedelta(seconds=0.05)

RunKind = Literal["ticket", "chat", "undo"]
RunState = Literal["queued", "working", "waiting", "done", "failed", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One ticket being worked on."""

    id: str
    kind: RunKind
    page_id: str
    """The ticket's page; empty for what is no ticket."""
    session_id: str
    agent: str
    owner: str
    """The process that works on it, or did."""
    state: RunState
    reason: str
    facts: Mapping[str, Any]
    job_id: str
    tries: int
    """How often it has had to wait so far."""
    due_at: datetime | None

    @property
    def over(self) -> bool:
        """True when there is nothing left to do in it."""
        return self.state in {"done", "failed", "dropped"}


class Runs:
    """The table of runs. Every method that takes a connection works within the caller's transaction."""

    def __init__(self, jobs: Jobs, clock: Clock, owners: Owners | None = None) -> None:
        self._jobs = jobs
        self._clock = clock
        self._owners = owners
        self._approvals = Approvals(clock)
        self._worked_on: set[str] = set()
        self._turn = Lock()

    @asynccontextmanager
    async def alone(self, run_id: str) -> AsyncIterator[None]:
        """Be the only task of this process that works on a run; others wait until it is through.

        Between processes the row decides. Within one, the page of an approval, a job and a
        client's call may come for the same run at the same moment.
        """
        while not self._take_turn(run_id):
            await self._clock.sleep(_GLANCE)
        try:
            yield
        finally:
            self._worked_on.discard(run_id)

    def _take_turn(self, run_id: str) -> bool:
        with self._turn:
            if run_id in self._worked_on:
                return False
            self._worked_on.add(run_id)
            return True

    def start(self, connection: Connection, page_id: str, agent: str) -> str:
        """A new run with its first job; its id."""
        run_id, now = ids.fresh("run"), iso(self._clock.now())
        job_id = f"{run_id}.1"
        connection.exec_driver_sql(
            "INSERT INTO runs (id, page_id, agent, state, job_id, created_at, updated_at)"
            " VALUES (?, ?, ?, 'queued', ?, ?, ?)",
            (run_id, page_id, agent, job_id, now, now),
        )
        self._jobs.enqueue(connection, job_id, run_id)
        return run_id

    def begin(
        self, connection: Connection, kind: RunKind, *, agent: str = "", session_id: str | None = None
    ) -> str:
        """A new run that this process works on itself, without a job; its id."""
        run_id, now = ids.fresh("run"), iso(self._clock.now())
        connection.exec_driver_sql(
            "INSERT INTO runs (id, kind, session_id, agent, owner, state, job_id, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, 'working', '', ?, ?)",
            (run_id, kind, session_id, agent, self._me, now, now),
        )
        return run_id

    def again(self, connection: Connection, run_id: str) -> None:
        """A further job for a run that is not over."""
        connection.exec_driver_sql(
            "UPDATE runs SET state = 'queued', jobs = jobs + 1, job_id = id || '.' || (jobs + 1),"
            " due_at = NULL, updated_at = ? WHERE id = ? AND state IN ('queued', 'working', 'waiting')",
            (iso(self._clock.now()), run_id),
        )
        run = self.get(connection, run_id)
        if run is not None and run.state == "queued":
            self._jobs.enqueue(connection, run.job_id, run_id)

    def work(self, connection: Connection, run_id: str) -> Run | None:
        """Become the one who works on a run; None when it is over, or a living process works on it."""
        run = self.get(connection, run_id)
        if run is None or run.over or self.is_taken(run):
            return None
        connection.exec_driver_sql(
            "UPDATE runs SET state = 'working', owner = ?, updated_at = ? WHERE id = ?",
            (self._me, iso(self._clock.now()), run_id),
        )
        return self.get(connection, run_id)

    def is_taken(self, run: Run) -> bool:
        """True while another process that lives works on `run`."""
        if run.state != "working" or run.owner in {"", self._me} or self._owners is None:
            return False
        return self._owners.alive(run.owner)

    @property
    def _me(self) -> str:
        return self._owners.me if self._owners else ""

    def wait(
        self,
        connection: Connection,
        run_id: str,
        reason: str,
        facts: Mapping[str, object],
        due_at: datetime | None,
    ) -> None:
        """Let a run wait, until `due_at` or for as long as it takes."""
        connection.exec_driver_sql(
            "UPDATE runs SET state = 'waiting', reason = ?, reason_facts = ?, tries = tries + 1,"
            " due_at = ?, updated_at = ? WHERE id = ? AND state IN ('queued', 'working', 'waiting')",
            (reason, _facts(facts), iso(due_at) if due_at else None, iso(self._clock.now()), run_id),
        )

    def finish(
        self,
        connection: Connection,
        run_id: str,
        state: Literal["done", "failed", "dropped"],
        reason: str = "",
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """End a run; what it still asks of people needs no answer any more."""
        self._approvals.withdraw_for(connection, run_id)
        connection.exec_driver_sql(
            "UPDATE runs SET state = ?, reason = ?, reason_facts = ?, due_at = NULL, updated_at = ?"
            " WHERE id = ? AND state IN ('queued', 'working', 'waiting')",
            (state, reason, _facts(facts or {}), iso(self._clock.now()), run_id),
        )

    def get(self, connection: Connection, run_id: str) -> Run | None:
        """The run with this id."""
        rows = self._select(connection, "id = ?", (run_id,))
        return rows[0] if rows else None

    def due(self, connection: Connection) -> list[Run]:
        """The waiting runs whose time has come, or whose question a person has answered."""
        return self._select(
            connection,
            "state = 'waiting' AND (due_at <= ? OR reason = 'approval'"
            " AND EXISTS (SELECT 1 FROM approvals WHERE run_id = runs.id)"
            " AND NOT EXISTS (SELECT 1 FROM approvals WHERE run_id = runs.id AND state = 'pending'))",
            (iso(self._clock.now()),),
        )

    def unfinished(self, connection: Connection, *states: RunState) -> list[Run]:
        """The runs in one of `states`, oldest first."""
        marks = ", ".join("?" for _ in states)
        return self._select(connection, f"state IN ({marks})", states)

    @staticmethod
    def _select(connection: Connection, where: str, values: tuple[str, ...]) -> list[Run]:
        rows = connection.exec_driver_sql(
            # `where` is one of the texts above, never anybody's input.
            "SELECT id, kind, page_id, session_id, agent, owner, state, reason, reason_facts, job_id, tries,"  # noqa: S608
            f" due_at FROM runs WHERE {where} ORDER BY id",
            values,
        )
        return [
            Run(
                id=row["id"],
                kind=row["kind"],
                page_id=row["page_id"] or "",
                session_id=row["session_id"] or "",
                agent=row["agent"],
                owner=row["owner"],
                state=row["state"],
                reason=row["reason"],
                facts=json.loads(row["reason_facts"]),
                job_id=row["job_id"],
                tries=row["tries"],
                due_at=parse_iso(row["due_at"]) if row["due_at"] else None,
            )
            for row in rows.mappings()
        ]


def _facts(facts: Mapping[str, object]) -> str:
    return json.dumps(dict(facts), ensure_ascii=False, default=str)
