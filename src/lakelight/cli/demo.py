"""`lakelight demo`: a workspace of our own making, and agents that work its tickets before your eyes."""

import asyncio
import shutil
from contextlib import AsyncExitStack
from time import monotonic

from lakelight import __version__
from lakelight.bootstrap.embedded import EmbeddedInUse, Workspace, embedded_place
from lakelight.bootstrap.home import Place, embedded_folder, real_workspaces, running_server
from lakelight.bootstrap.house import House, build_house, open_state
from lakelight.bootstrap.seed import is_seeded, seed
from lakelight.cli.running import prepare, serve, stop_on_signals, summary, tell_summary, terminal
from lakelight.cli.session import FAILED, Session, carry_out, end
from lakelight.clock import SystemClock
from lakelight.errors import LakelightError
from lakelight.settings import Loaded, ModelSettings, NotionSettings
from lakelight.storage import Database

_CREDENTIALS = (
    "GH_NOTION_TOKEN",
    "GH_NOTION_TICKET_DB_ID",
    "GH_LLM_API_KEY",
    "GH_LLM_BASE_URL",
    "LAKELIGHT_NOTION__TOKEN",
    "LAKELIGHT_NOTION__BASE_URL",
    "LAKELIGHT_NOTION__TICKET_DATABASE",
    "LAKELIGHT_MODEL__API_KEY",
    "LAKELIGHT_MODEL__BASE_URL",
    "LAKELIGHT_MODEL__NAME",
)


def demo(session: Session, *, once: bool, as_json: bool, reset: bool) -> None:
    """Seed the embedded workspace where that has not been done, and work its tickets."""
    started = monotonic()
    try:
        loaded = _without_credentials(
            prepare(session, {k: v for k, v in session.environment.items() if k not in _CREDENTIALS})
        )
        if reset:
            _reset(session)
    except LakelightError as error:
        end(session, error)
    carry_out(session, _demo(session, loaded, started, once=once, as_json=as_json))


def _without_credentials(loaded: Loaded) -> Loaded:
    # Also those of the file: the demo never talks to anybody's workspace or model.
    notion = loaded.settings.notion.model_copy(
        update={
            "token": None,
            "ticket_database": None,
            "base_url": NotionSettings().base_url,
        }
    )
    settings = loaded.settings.model_copy(update={"notion": notion, "model": ModelSettings()})
    return Loaded(settings, loaded.origins)


def _reset(session: Session) -> None:
    if real_workspaces(session.home):
        session.say("cli.demo.reset_refused", home=session.home)
        raise SystemExit(FAILED)
    folder = embedded_folder(session.home)
    if running_server(session.home) is not None and folder is not None:
        raise EmbeddedInUse(file=folder)
    if folder is not None:
        shutil.rmtree(folder)
    session.say("cli.demo.reset_done")


async def _demo(session: Session, loaded: Loaded, started: float, *, once: bool, as_json: bool) -> None:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        place, workspace = await stack.enter_async_context(
            embedded_place(session.home, loaded.settings.embedded_port)
        )
        database = open_state(place, clock)
        session.say("cli.demo.title", version=__version__, home=session.home)
        await _furnish(session, place, workspace, database, clock)
        database.close()
        if not once:
            session.say("cli.demo.look", url=f"{place.base_url}/?live=1")
        await _work(session, loaded, place, clock, started, once=once, as_json=as_json)


async def _furnish(
    session: Session, place: Place, workspace: Workspace, database: Database, clock: SystemClock
) -> None:
    if is_seeded(database):
        session.say("cli.demo.resumed")
        return
    seeded = await seed(place, workspace, database, clock)
    session.say("cli.demo.seeded", agents=seeded.agents, tickets=seeded.tickets, pages=seeded.pages)


async def _work(
    session: Session,
    loaded: Loaded,
    place: Place,
    clock: SystemClock,
    started: float,
    *,
    once: bool,
    as_json: bool,
) -> None:
    house: House | None = None

    def when_idle() -> None:
        if house is not None:
            tell_summary(session, house.database)
            session.say("cli.demo.stop")

    progress = terminal(session, loaded, when_idle)
    house = await build_house(
        home=session.home, loaded=_quick(loaded), place=place, clock=clock, progress=progress
    )
    try:
        stop = stop_on_signals()
        if once:
            await house.service.run_once(stop)
            tell_summary(session, house.database)
        else:
            await serve(session, house, loaded, stop)
        if as_json:
            session.data(summary(house.database, monotonic() - started))
    except asyncio.CancelledError:
        session.say("cli.up.stopped")
        raise
    finally:
        await house.close()


def _quick(loaded: Loaded) -> Loaded:
    # Somebody watches: a ticket that is added should be picked up before he looks away.
    if "tickets.poll_seconds" in loaded.origins:
        return loaded
    tickets = loaded.settings.tickets.model_copy(update={"poll_seconds": 3.0})
    return Loaded(loaded.settings.model_copy(update={"tickets": tickets}), loaded.origins)
