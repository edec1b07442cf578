"""`lakelight up`: polls the ticket database and works its tickets, until it is stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from time import monotonic

from lakelight import __version__
from lakelight.bootstrap.embedded import embedded_place
from lakelight.bootstrap.home import Place, embedded_folder, owner_file
from lakelight.bootstrap.house import (
    House,
    build_house,
    connect,
    notion_place,
    open_state,
    read_roster,
    settle_place,
    status_words,
)
from lakelight.bootstrap.seed import is_seeded, seed
from lakelight.cli.pausing import Pauses, tell_what_waits
from lakelight.cli.running import prepare, serve, stop_on_signals, summary, tell_summary, terminal
from lakelight.cli.session import CONFIGURATION, UNREACHABLE, Session, carry_out, end
from lakelight.clock import SystemClock
from lakelight.daemon.checks import strangers
from lakelight.errors import LakelightError
from lakelight.guard import Guard, Scopes, load_policy
from lakelight.notion import NotionError, NotionLimited, NotionRefused
from lakelight.settings import Loaded
from lakelight.tickets import ledger
from lakelight.tickets.assignment import Assigned
from lakelight.tickets.columns import ColumnNames
from lakelight.tickets.personas import Personas
from lakelight.tickets.plan import Planned, plan
from lakelight.tickets.source import Source, open_source


def up(session: Session, *, once: bool, dry_run: bool, backlog: int, as_json: bool) -> None:
    """Work the tickets of the workspace that the settings name, or of the embedded one."""
    started = monotonic()
    try:
        loaded = prepare(session)
    except LakelightError as error:
        end(session, error)
    if dry_run:
        carry_out(session, _plan(session, loaded, as_json=as_json))
    else:
        carry_out(session, _up(session, loaded, started, once=once, backlog=backlog, as_json=as_json))


async def _up(
    session: Session, loaded: Loaded, started: float, *, once: bool, backlog: int, as_json: bool
) -> None:
    clock = SystemClock()
    stop = stop_on_signals()
    async with place_of(session, loaded, clock, stop if not once else None) as place:
        house = await build_house(
            home=session.home,
            loaded=loaded,
            place=place,
            clock=clock,
            progress=terminal(session, loaded),
            on_wait=Pauses(session),
        )
        try:
            source = await _source(house, needed=once)
            session.say(
                "cli.up.title",
                version=__version__,
                workspace=house.workspace_name,
                database=source.title if source else "?",
                poll=f"{loaded.settings.tickets.poll_seconds:g}",
            )
            for name in strangers(house.policy, house.roster):
                file = owner_file(session.home, house.place.folder, "policy.toml")
                session.say("cli.up.stranger", name=name, file=file)
            if backlog:
                await house.dispatcher.take_backlog(backlog)
            if once:
                await house.service.run_once(stop)
                tell_summary(session, house.database)
            else:
                await serve(session, house, loaded, stop)
                session.say("cli.up.stopped")
            with house.database.transaction() as connection:
                older = len(ledger.entries(connection, "backlog"))
            if older:
                session.say("cli.up.backlog", count=older)
            if as_json:
                session.data(summary(house.database, monotonic() - started))
            if once and tell_what_waits(session, house.database):
                raise SystemExit(UNREACHABLE)
        finally:
            await house.close()


async def _source(house: House, *, needed: bool) -> Source | None:
    """The ticket database; a server goes on without an answer, and asks again at each poll."""
    try:
        return await house.sources.source()
    except LakelightError:
        if needed:
            raise
        return None


@asynccontextmanager
async def place_of(
    session: Session, loaded: Loaded, clock: SystemClock, patience: asyncio.Event | None = None
) -> AsyncIterator[Place]:
    """The workspace to work on: the one of the token, else the embedded one, furnished and served.

    Args:
        patience: Wait for Notion until this is set, instead of giving up when it can't be reached.
    """
    if loaded.settings.notion.token is not None:
        yield await _reach(session, loaded, clock, patience)
        return
    async with embedded_place(session.home, loaded.settings.embedded_port) as (place, workspace):
        session.say("cli.up.embedded", url=f"{place.base_url}/")
        database = open_state(place, clock)
        try:
            if not is_seeded(database):
                await seed(place, workspace, database, clock, tickets=False)
        finally:
            database.close()
        yield place


async def _reach(
    session: Session, loaded: Loaded, clock: SystemClock, patience: asyncio.Event | None
) -> Place:
    place = notion_place(loaded.settings, session.home)
    wait = min(loaded.settings.tickets.poll_seconds, 30.0)
    while True:
        try:
            return await settle_place(place, loaded.settings, session.home, clock, Pauses(session))
        except NotionRefused:
            raise
        except NotionError as error:
            if patience is None or patience.is_set():
                raise
            # Nobody gets through before that.
            pause = max(wait, error.retry_after) if isinstance(error, NotionLimited) else wait
            session.say("cli.up.retrying", cause=session.explain(error), seconds=f"{pause:.0f}")
            with suppress(TimeoutError):
                await asyncio.wait_for(patience.wait(), pause)


async def _plan(session: Session, loaded: Loaded, *, as_json: bool) -> None:
    clock = SystemClock()
    if loaded.settings.notion.token is None and embedded_folder(session.home) is None:
        # To make a workspace would be to write.
        session.say("cli.state.none", home=session.home)
        raise SystemExit(CONFIGURATION)
    async with place_of(session, loaded, clock) as place:
        notion = connect(place, loaded.settings, session.home, clock)
        try:
            settings = loaded.settings
            given = settings.notion.ticket_database or _noted_database(place, clock)
            source = await open_source(
                notion,
                given,
                ColumnNames(**settings.tickets.columns.model_dump()),
                status_words(loaded, place),
            )
            policy = load_policy(owner_file(session.home, place.folder, "policy.toml"))
            planned = await plan(
                notion,
                source,
                read_roster(session.home, place.folder),
                Personas(notion, clock, timedelta(minutes=10)),
                Guard(policy, Scopes(notion, clock)),
            )
        finally:
            await notion.aclose()
    _tell_plan(session, planned, as_json=as_json)


def _noted_database(place: Place, clock: SystemClock) -> str | None:
    from lakelight.daemon.sources import GIVEN

    if place.kind != "embedded":
        return None
    database = open_state(place, clock)
    try:
        with database.transaction() as connection:
            return ledger.fact(connection, GIVEN)
    finally:
        database.close()


def _tell_plan(session: Session, planned: list[Planned], *, as_json: bool) -> None:
    if as_json:
        session.data({"tickets": [_row(each) for each in planned]})
        return
    for each in planned:
        label = each.ticket.number or each.ticket.title
        match each.assignment:
            case Assigned(agent) if each.persona == "ok":
                line = session.messages.say(
                    "cli.up.dry_run.line",
                    ticket=label,
                    title=each.ticket.title,
                    agent=agent.key,
                    decision=each.decision,
                    writes=", ".join(each.writes),
                )
                session.line(line)
            case Assigned(agent):
                facts = {"name": agent.key, "page": agent.instruction_page_id}
                reason = session.messages.say(f"wait.persona_{each.persona}", **facts)
                session.line(f"{label} · {each.ticket.title} → {agent.key}: {reason}")
            case skipped:
                reason = session.messages.say(f"skip.{skipped.reason}", **skipped.facts)
                session.line(session.messages.say("cli.up.dry_run.skipped", ticket=label, reason=reason))
    ready = sum(isinstance(each.assignment, Assigned) and each.persona == "ok" for each in planned)
    asks = sum(each.decision == "confirm_required" for each in planned)
    session.say("cli.up.dry_run.total", tickets=len(planned), ready=ready, asks=asks)


def _row(each: Planned) -> dict[str, object]:
    assignment = each.assignment
    about: dict[str, object] = {
        "page_id": each.ticket.page_id,
        "number": each.ticket.number,
        "title": each.ticket.title,
    }
    if isinstance(assignment, Assigned):
        return about | {
            "agent": assignment.agent.key,
            "by": assignment.by,
            "persona": each.persona,
            "decision": each.decision,
            "writes": list(each.writes),
        }
    return about | {"skipped": assignment.reason, "facts": dict(assignment.facts)}
