"""Takes note of the pages that a poll brings, and starts, wakes, skips or drops their runs.

Everything about one page happens in one transaction, together with the job that carries its run:
either all of it is there after a crash, or none.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from lakelight.agent import Progress, Run, Runs
from lakelight.agent.journal import write_step
from lakelight.audit import Entry as TrailEntry, Trail
from lakelight.clock import Clock, iso, parse_iso
from lakelight.storage import Connection, Database
from lakelight.tickets import ledger
from lakelight.tickets.assignment import Assigned, Skipped, assign
from lakelight.tickets.news import is_news, see
from lakelight.tickets.roster import Roster
from lakelight.tickets.source import Source
from lakelight.tickets.ticket import Ticket, parse_ticket

OPENED = "ledger.opened_at"
_FIRST_LOOK = "ledger.first_look"
ASKED = "asked_again"
_ECHOES = 3
"""As many runs of one ticket within an hour, each set off by nothing but our own writes, are an echo."""

Taken = Literal["nothing", "started", "woken", "skipped", "backlog", "dropped", "left"]


class Dispatcher:
    """Decides for each page what it means for the ledger."""

    def __init__(
        self,
        *,
        database: Database,
        runs: Runs,
        roster: Roster,
        trail: Trail,
        clock: Clock,
        progress: Progress,
        bot_id: str,
    ) -> None:
        self._database = database
        self._runs = runs
        self._roster = roster
        self._trail = trail
        self._clock = clock
        self._progress = progress
        self._bot_id = bot_id

    async def take(self, source: Source, page: Mapping[str, Any], *, asked: bool = False) -> Taken:
        """Take note of `page`; what that came to.

        Args:
            asked: A person asked for it to be worked on, whatever its status and whether it is news.
        """
        ticket = parse_ticket(page, source.mapped)
        taken, facts = await self._database.run(
            lambda connection: self._take(connection, source, page, ticket, asked=asked)
        )
        if taken in {"started", "skipped", "backlog", "dropped", "woken"}:
            self._progress.tell(
                f"ticket.{taken}", ticket=ticket.number or ticket.title, title=ticket.title, **facts
            )
        return taken

    async def end_first_look(self) -> None:
        """From now on a ready ticket that was not there before is new."""
        await self._database.run(
            lambda connection: ledger.know(connection, _FIRST_LOOK, iso(self._clock.now()))
        )

    async def take_backlog(self, count: int) -> int:
        """Take up to `count` tickets that were ready before the first start, oldest first; how many."""

        def forget(connection: Connection) -> int:
            waiting = ledger.entries(connection, "backlog")[:count]
            for entry in waiting:
                ledger.set_state(connection, entry.page_id, "ignored", self._clock.now())
                ledger.forget_look(connection, entry.page_id)
            return len(waiting)

        return await self._database.run(forget)

    async def asked_again(self) -> list[str]:
        """The pages that a person wants worked on again."""
        return await self._database.run(
            lambda connection: [
                entry.page_id for entry in ledger.entries(connection, "queued") if entry.reason == ASKED
            ]
        )

    def _take(
        self,
        connection: Connection,
        source: Source,
        page: Mapping[str, Any],
        ticket: Ticket,
        *,
        asked: bool,
    ) -> tuple[Taken, dict[str, object]]:
        now = self._clock.now()
        known = ledger.find(connection, ticket.page_id)
        if known is not None and not asked and not is_news(known.seen, page):
            return "nothing", {}
        live = next(
            (
                run
                for run in self._runs.unfinished(connection, "queued", "working", "waiting")
                if run.page_id == ticket.page_id
            ),
            None,
        )
        if live is not None and live.state != "waiting":
            # Our own marks are among what it sees; the end of the run tells them from news.
            return "left", {}
        ledger.keep(connection, ticket, see(page), now)
        if asked and live is None and not ticket.in_trash:
            return self._assign(connection, page, ticket)
        if ticket.in_trash or not (
            source.is_ready(ticket.status) or (live and source.is_ours(ticket.status))
        ):
            return self._leave(connection, ticket, page, live is not None)
        if live is not None:
            return self._wake(connection, page, ticket, live)
        if known is None and self._is_backlog(connection, ticket):
            ledger.set_state(connection, ticket.page_id, "backlog", now)
            return "backlog", {}
        if known is not None and known.state == "backlog":
            ledger.mark_seen(connection, ticket.page_id, see(page))
            return "nothing", {}
        if known is not None and self._was_undone(connection, known.run_id, ticket):
            ledger.mark_seen(connection, ticket.page_id, see(page))
            ledger.set_state(connection, ticket.page_id, "ignored", now, reason="undone")
            return "nothing", {}
        return self._assign(connection, page, ticket)

    def _was_undone(self, connection: Connection, run_id: str | None, ticket: Ticket) -> bool:
        """True when all that is news is our own hand, taking back what the ticket's run had written.

        That makes the ticket ready again, and whoever had it taken back does not want it done once more.
        """
        if run_id is None or ticket.last_edited_by != self._bot_id:
            return False
        undo = connection.exec_driver_sql(
            "SELECT 1 FROM runs JOIN steps ON steps.run_id = runs.id AND steps.name = 'request'"
            " WHERE runs.kind = 'undo' AND steps.content ->> 'undo' = ?",
            (run_id,),
        ).first()
        return undo is not None

    def _leave(
        self, connection: Connection, ticket: Ticket, page: Mapping[str, Any], has_run: bool
    ) -> tuple[Taken, dict[str, object]]:
        ledger.mark_seen(connection, ticket.page_id, see(page))
        entry = ledger.find(connection, ticket.page_id)
        if entry and entry.reason == ASKED:
            ledger.set_state(connection, ticket.page_id, "ignored", self._clock.now(), reason="in_trash")
        if has_run and entry and entry.run_id:
            reason = "in_trash" if ticket.in_trash else "status_changed"
            self._runs.finish(connection, entry.run_id, "dropped", reason)
            ledger.set_state(connection, ticket.page_id, "ignored", self._clock.now(), reason=reason)
            return "dropped", {"reason": reason}
        if entry and entry.state in {"backlog", "skipped"}:
            ledger.set_state(connection, ticket.page_id, "ignored", self._clock.now())
        return "nothing", {}

    def _wake(
        self, connection: Connection, page: Mapping[str, Any], ticket: Ticket, live: Run
    ) -> tuple[Taken, dict[str, object]]:
        if self._committed(connection, live):
            # It goes on as it was claimed. What changed since is seen as news when it ends.
            ledger.mark_seen(connection, ticket.page_id, see(page))
            self._runs.again(connection, live.id)
            return "woken", {}
        self._runs.finish(connection, live.id, "dropped", "ticket_changed")
        return self._assign(connection, page, ticket)

    def _committed(self, connection: Connection, live: Run) -> bool:
        """True when the run has an answer already, or a write of it is still open."""
        drafted = connection.exec_driver_sql(
            "SELECT 1 FROM steps WHERE run_id = ? AND name IN ('draft', 'plan.1')", (live.id,)
        ).first()
        return bool(drafted) or live.reason in {"unsettled", "approval"}

    def _assign(
        self, connection: Connection, page: Mapping[str, Any], ticket: Ticket
    ) -> tuple[Taken, dict[str, object]]:
        now = self._clock.now()
        ledger.mark_seen(connection, ticket.page_id, see(page))
        match assign(ticket, self._roster):
            case Skipped(reason, facts):
                ledger.set_state(connection, ticket.page_id, "skipped", now, reason=reason, facts=facts)
                return "skipped", {"reason": reason, **facts}
            case Assigned(agent, by):
                if self._echoes(connection, ticket, now):
                    ledger.set_state(connection, ticket.page_id, "skipped", now, reason="echo")
                    return "skipped", {"reason": "echo"}
                run_id = self._runs.start(connection, ticket.page_id, agent.key)
                write_step(connection, run_id, "claimed", dict(page), iso(now))
                ledger.set_state(connection, ticket.page_id, "queued", now, agent=agent.key, run_id=run_id)
                fields = {"agent": agent.key, "run": run_id, "ticket.ref": ticket.page_id}
                self._trail.append(
                    connection,
                    TrailEntry(event="ticket.claimed", actor="system", source="tickets", fields=fields),
                )
                return "started", {"agent": agent.key, "by": by}

    def _is_backlog(self, connection: Connection, ticket: Ticket) -> bool:
        if ledger.fact(connection, _FIRST_LOOK):
            return False
        opened = ledger.fact(connection, OPENED)
        # Notion cuts to the minute: who was made in the minute of the start counts as new.
        return opened is not None and ticket.created < parse_iso(opened).replace(second=0, microsecond=0)

    def _echoes(self, connection: Connection, ticket: Ticket, now: datetime) -> bool:
        if ticket.last_edited_by != self._bot_id:
            return False
        row = connection.exec_driver_sql(
            "SELECT count(*) FROM runs WHERE page_id = ? AND created_at > ?",
            (ticket.page_id, iso(now - timedelta(hours=1))),
        ).one()
        return int(row[0]) >= _ECHOES


def ask_again(connection: Connection, page_id: str, now: datetime) -> bool:
    """Have a ticket worked on again: a waiting run at once, a finished or skipped one as if it were new."""
    row = connection.exec_driver_sql(
        "UPDATE runs SET due_at = ? WHERE page_id = ? AND state = 'waiting'", (iso(now), page_id)
    )
    if row.rowcount:
        return True
    changed = connection.exec_driver_sql(
        "UPDATE tickets SET state = 'queued', reason = ?, updated_at = ?"
        " WHERE page_id = ? AND state IN ('done', 'failed', 'skipped', 'backlog', 'ignored')",
        (ASKED, iso(now), page_id),
    )
    return bool(changed.rowcount)


def open_ledger(connection: Connection, now: datetime) -> None:
    """Note the moment from which tickets are new, the first time only."""
    if ledger.fact(connection, OPENED) is None:
        ledger.know(connection, OPENED, iso(now))
