"""What every command starts from: the home, the language, and how an error ends a command."""

import json
import sys
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from lakelight.errors import ConfigurationError, LakelightError, StorageError
from lakelight.messages import Messages, language_for
from lakelight.redaction import Secrets

T = TypeVar("T")

OK, FAILED, USAGE, CONFIGURATION, DENIED, WAITING, UNREACHABLE = range(7)
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Session:
    """One call of the command line."""

    home: Path
    environment: Mapping[str, str]
    messages: Messages

    def say(self, key: str, /, **facts: object) -> None:
        """A sentence to the person, on stderr."""
        print(self.messages.say(key, **facts), file=sys.stderr, flush=True)

    def data(self, value: object) -> None:
        """One object of data, on stdout."""
        print(json.dumps(value, ensure_ascii=False, default=str), flush=True)

    def explain(self, error: LakelightError) -> str:
        """The sentence for `error`, without any secret of the environment in it."""
        return secrets_of(self.environment).clean(self.messages.explain(error))


def open_session(language: str | None, environment: Mapping[str, str]) -> Session:
    """The session of this call."""
    from lakelight.settings import home

    return Session(home(environment), environment, Messages(language_for(language, environment)))


def secrets_of(environment: Mapping[str, str]) -> Secrets:
    """The secrets that stand in the environment."""
    names = ("GH_NOTION_TOKEN", "GH_LLM_API_KEY", "LAKELIGHT_NOTION__TOKEN", "LAKELIGHT_MODEL__API_KEY")
    return Secrets(environment.get(name) for name in names)


def exit_code(error: LakelightError) -> int:
    """The code with which an error ends a command."""
    from lakelight.guard.approvals import NoSuchApproval
    from lakelight.jobs import AlreadyRunning
    from lakelight.llm import ModelError
    from lakelight.notion import BadReference, NotionError, NotionRefused
    from lakelight.tickets.source import SourceError

    match error:
        case BadReference() | NoSuchApproval():
            return USAGE
        case ConfigurationError() | SourceError():
            return CONFIGURATION
        case NotionRefused(notion_code="unauthorized"):
            return CONFIGURATION
        case NotionError() | ModelError():
            return UNREACHABLE
        case StorageError() | AlreadyRunning():
            return FAILED
        case _:
            return FAILED


def end(session: Session, error: LakelightError) -> NoReturn:
    """Tell `error` and end the command."""
    print(session.explain(error), file=sys.stderr)
    raise SystemExit(exit_code(error))


def carry_out(session: Session, work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns; an error of ours ends the command with its sentence."""
    import asyncio

    try:
        return asyncio.run(work)
    except LakelightError as error:
        end(session, error)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
