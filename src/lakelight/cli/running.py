"""What `up` and `demo` share: signals, progress, and the summary of what was done."""

import asyncio
import signal
from collections.abc import Callable

from lakelight.agent import Progress, Silent
from lakelight.bootstrap.console import served_console
from lakelight.bootstrap.home import make_home
from lakelight.bootstrap.house import House
from lakelight.cli.logs import start_log
from lakelight.cli.progress import Terminal
from lakelight.cli.session import Session, secrets_of
from lakelight.redaction import Secrets
from lakelight.settings import Loaded, load
from lakelight.storage import Connection, Database
from lakelight.tickets import ledger


def prepare(session: Session, environment: dict[str, str] | None = None) -> Loaded:
    """The settings, with the home made and the log started.

    Raises:
        ConfigurationError: The home or a setting cannot be used.
    """
    make_home(session.home)
    loaded = load(session.home, session.environment if environment is None else environment)
    start_log(session.home / "lakelight.log", loaded.settings.log_level, known_secrets(session, loaded))
    return loaded


def terminal(
    session: Session, loaded: Loaded, when_idle: Callable[[], None] | None = None, *, quiet: bool = False
) -> Progress:
    """Progress for the person at the terminal; nobody is told with `quiet`."""
    if quiet:
        return Silent()
    return Terminal(session.messages, clean=known_secrets(session, loaded).clean, when_idle=when_idle)


def stop_on_signals() -> asyncio.Event:
    """An event that SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


async def serve(session: Session, house: House, loaded: Loaded, stop: asyncio.Event) -> None:
    """Work tickets and show the console until `stop` is set."""
    language, command = session.messages.language, session.messages.command
    async with served_console(house, session.home, loaded.settings.console_port, language, command) as link:
        session.say("cli.up.console", link=link)
        await house.service.run(stop)


def summary(database: Database, seconds: float) -> dict[str, object]:
    """What was done so far, as `--json` prints it."""

    def count(connection: Connection) -> dict[str, object]:
        states = ledger.counts(connection)
        written = connection.exec_driver_sql(
            "SELECT count(*) FROM intents WHERE state = 'written'"
        ).scalar_one()
        pending = connection.exec_driver_sql(
            "SELECT count(*) FROM approvals WHERE state = 'pending'"
        ).scalar_one()
        return {
            "tickets": {state: states.get(state, 0) for state in ("done", "waiting", "skipped", "failed")},
            "writes": int(written),
            "approvals_waiting": int(pending),
            "seconds": round(seconds, 1),
        }

    with database.transaction() as connection:
        return count(connection)


def tell_summary(session: Session, database: Database) -> None:
    """The summary as a sentence."""
    tickets = summary(database, 0)["tickets"]
    if isinstance(tickets, dict):
        session.say("cli.demo.summary", **tickets)


def known_secrets(session: Session, loaded: Loaded) -> Secrets:
    """The secrets of the environment and of the settings."""
    settings = loaded.settings
    found = [
        secret.get_secret_value() for secret in (settings.notion.token, settings.model.api_key) if secret
    ]
    known = secrets_of(session.environment)
    return Secrets([*known.plain, *found])
