"""What the server is given to work with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from lakelight.agent import Runs
from lakelight.agent.chats import Chats
from lakelight.agent.undos import Undos
from lakelight.clock import Clock
from lakelight.execution.confirmations import Confirmations
from lakelight.guard import Approvals
from lakelight.notion import NotionReader
from lakelight.operations import Level
from lakelight.storage import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The collaborators of one open house. It can run turns and take decisions down, and cannot write."""

    workspace: str
    """Its name."""
    kind: Literal["notion", "embedded"]
    level: Level
    """What the installation is allowed at most."""
    mode: str
    """The policy's: `normal`, `preview` or `frozen`."""
    model: bool
    """True when a language model is set up."""
    database: Database
    clock: Clock
    reader: NotionReader
    runs: Runs
    chats: Chats
    undos: Undos
    approvals: Approvals
    confirmations: Confirmations
    advance: Callable[[str], Awaitable[None]]
    """Brings a run of any kind as far as it can go now, by us or by a process that was quicker."""
    abandoned: Callable[[], Awaitable[list[str]]]
    """The runs in whose middle a process died."""
    console: Callable[[], str | None]
    """The address of the console, while one is served."""
