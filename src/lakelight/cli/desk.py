"""A house for one command: beside a serving process or alone, and without carrying its jobs."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from lakelight.bootstrap.embedded import embedded_place
from lakelight.bootstrap.home import Place, running_server
from lakelight.bootstrap.house import House, build_house, notion_place, open_state, settle_place
from lakelight.bootstrap.seed import is_seeded, seed
from lakelight.cli.pausing import Pauses
from lakelight.cli.running import prepare, terminal
from lakelight.cli.session import Session
from lakelight.clock import SystemClock
from lakelight.errors import LakelightError
from lakelight.settings import Loaded


@asynccontextmanager
async def desk(
    session: Session,
    *,
    quiet: bool = False,
    on_text: Callable[[str], None] | None = None,
    on_restart: Callable[[LakelightError], None] | None = None,
) -> AsyncIterator[House]:
    """The house of the workspace in use; an embedded one is served for the moment when nobody serves it.

    Raises:
        LakelightError: A setting, the workspace or our own state cannot be used.
    """
    loaded = prepare(session)
    clock, pauses = SystemClock(), Pauses(session)
    async with AsyncExitStack() as stack:
        place = await _place(session, loaded, clock, stack, pauses, quiet=quiet)
        house = await build_house(
            home=session.home,
            loaded=loaded,
            place=place,
            clock=clock,
            progress=terminal(session, loaded, quiet=quiet),
            serving=False,
            on_text=on_text,
            on_restart=on_restart,
            on_wait=pauses,
        )
        try:
            yield house
        finally:
            await house.close()


async def _place(
    session: Session,
    loaded: Loaded,
    clock: SystemClock,
    stack: AsyncExitStack,
    pauses: Pauses,
    *,
    quiet: bool,
) -> Place:
    settings = loaded.settings
    if settings.notion.token is not None:
        place = notion_place(settings, session.home)
        return await settle_place(place, settings, session.home, clock, pauses)
    running = running_server(session.home)
    if running is not None:
        return running
    place, workspace = await stack.enter_async_context(embedded_place(session.home, settings.embedded_port))
    database = open_state(place, clock)
    try:
        if not is_seeded(database):
            if not quiet:
                session.say("cli.up.embedded", url=f"{place.base_url}/")
            await seed(place, workspace, database, clock)
    finally:
        database.close()
    return place
