"""What the console is given to work with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta

from lakelight.clock import Clock
from lakelight.execution.confirmations import Confirmations
from lakelight.execution.door import View
from lakelight.guard import Approvals
from lakelight.messages import Language
from lakelight.operations import Operation
from lakelight.storage import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The collaborators of the console. It can decide about a write and cannot make one."""

    database: Database
    approvals: Approvals
    confirmations: Confirmations
    look: Callable[[Operation, str], Awaitable[View]]
    """What an operation, with the title of what it falls on, would change as things stand now."""
    advance: Callable[[str], Awaitable[None]]
    """Sees the run with this id through as far as it can go now."""
    clock: Clock
    secret: str = field(repr=False)
    """What the sign-in link bears. Who has it decides."""
    language: Language = "en"
    """For a browser that asks for neither of ours."""
    link: Callable[[str], str] = str
    """Turns the link of a page into one that opens in a browser on this machine."""
    command: str = "lakelight"
    """How the command line is called here."""
    who: str = "console"
    """The name under which decisions are recorded."""
    patience: timedelta = timedelta(seconds=8)
    """How long a page waits for a run before it says that the run goes on."""
