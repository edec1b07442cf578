"""The end of a command that met a fault of ours: a sentence for the person, the traceback for the log."""

import logging
from collections.abc import Mapping
from contextlib import suppress

from lakelight.cli.logs import start_log
from lakelight.cli.session import open_session, secrets_of

log = logging.getLogger(__name__)


def tell_fault(error: Exception, language: str | None, environment: Mapping[str, str]) -> None:
    """Say that `error` ended the command, and where its traceback is kept."""
    session = open_session(language, environment)
    file = session.home / "lakelight.log"
    if not logging.getLogger().handlers:
        # The command had not come as far as its settings.
        with suppress(OSError):
            start_log(file, "info", secrets_of(environment))
    if logging.getLogger().handlers:
        log.error("command.fault", exc_info=error)
    cause = secrets_of(environment).clean(f"{type(error).__name__}: {error}"[:300])
    session.say("cli.fault", cause=cause, file=file)
