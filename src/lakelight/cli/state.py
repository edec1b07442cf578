"""Opens the state of the workspace in use, for commands that need no Notion."""

from pathlib import Path

from lakelight.bootstrap.home import STATE_FILE, embedded_folder, known_folder
from lakelight.cli.session import CONFIGURATION, Session
from lakelight.settings import load
from lakelight.storage import Database, migrate


def state_folder(session: Session) -> Path | None:
    """The folder of the workspace that the settings name, as far as it was ever used here."""
    token = load(session.home, session.environment).settings.notion.token
    if token is not None:
        return known_folder(session.home, token.get_secret_value())
    return embedded_folder(session.home)


def open_existing(session: Session) -> Database:
    """The state database; the command ends with a hint when there is none yet.

    Raises:
        ConfigurationError, StorageError: A setting or the file cannot be used.
    """
    folder = state_folder(session)
    if folder is None or not (folder / STATE_FILE).exists():
        session.say("cli.state.none", home=session.home)
        raise SystemExit(CONFIGURATION)
    database = Database(folder / STATE_FILE)
    migrate(database)
    return database
