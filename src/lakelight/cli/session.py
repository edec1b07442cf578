"""What every command starts from: the home, the language, and how an error ends a command."""

import json
import sys
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from lakelight.cli.calling import NAME, called_as
from lakelight.errors import ConfigurationError, LakelightError, StorageError
from lakelight.messages import Messages, language_for
from lakelight.operations.visible import one_line, shortened, visible
from lakelight.redaction import Secrets

T = TypeVar("T")

OK, FAILED, USAGE, CONFIGURATION, DENIED, WAITING, UNREACHABLE = range(7)
INTERRUPTED = 130
LONGEST_LINE = 2_000
LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class Session:
    """One call of the command line.

    What it prints for a person goes through here: titles, pages and messages are other people's words,
    and must neither steer the terminal nor pass for lines of ours.
    """

    home: Path
    environment: Mapping[str, str]
    messages: Messages

    def say(self, key: str, /, **facts: object) -> None:
        """A sentence to the person, on stderr."""
        self.hint(self.messages.say(key, **facts))

    def hint(self, line: str) -> None:
        """One line to the person, on stderr."""
        print(on_a_line(line), file=sys.stderr, flush=True)

    def line(self, line: str = "") -> None:
        """One line of the answer, on stdout."""
        print(on_a_line(line))

    def text(self, text: str) -> None:
        """Several lines of the answer, whole, on stdout."""
        print(visible(text))

    def data(self, value: object) -> None:
        """One object of data, on stdout."""
        print(json.dumps(value, ensure_ascii=False, default=str), flush=True)

    def explain(self, error: LakelightError) -> str:
        """The sentence for `error`, without any secret of the environment in it."""
        return secrets_of(self.environment).clean(self.messages.explain(error))


def on_a_line(text: str) -> str:
    """`text` as one line of a terminal: nothing in it hides, ends the line or fills the screen."""
    return one_line(shortened(text, LONGEST_LINE))


def open_session(language: str | None, environment: Mapping[str, str]) -> Session:
    """The session of this call."""
    from lakelight.settings import home

    messages = Messages(language_for(language, environment), _command(environment))
    return Session(home(environment), environment, messages)


def _command(environment: Mapping[str, str]) -> str:
    try:
        return called_as(sys.argv[0], environment, Path.cwd())
    except OSError:
        # The folder that this was called from may be gone.
        return NAME


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
    session.hint(session.explain(error))
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
