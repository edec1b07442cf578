"""The port to a planner: given a request and what has been found so far, what to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lakelight.messages import Language
from lakelight.tools import Question, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool to be called. Its id is unique within the turn, whatever a model called it."""

    id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A call that was made, and what came of it."""

    call: Call
    outcome: str
    """`found`, `question`, `fault`, `written`, `refused`, `stopped`, `parked`, `rejected`, `unsettled`."""
    text: str
    """What a planner is told about it; of a read, the data."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same as values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request, and everything that has happened since."""

    request: str
    language: Language
    page: str | None = None
    target: str | None = None
    steps: tuple[Step, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    """Earlier turns of the session: (what the user said, what was replied)."""
    label: str = ""
    """What people call the work that this turn belongs to, such as a ticket's number."""
    persona: str = ""
    """Who the agent is and how it works, for a ticket; empty in a person's own chat."""
    framed: str = ""
    """The request as a model is shown it, where that is more than its words: a ticket with its material."""
    memo: Any = None
    """What the planner last asked to be reminded of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTools:
    """Call these: reads together, a write alone."""

    calls: tuple[Call, ...]
    remark: str = ""
    """What the planner said beside it; shown, labelled as its words."""
    memo: Any = None
    """What the planner wants to be reminded of from now on, as JSON has it; it is kept in the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskUser:
    """Ask, and end the turn."""

    question: Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Nothing more to do."""

    text: str = ""
    """The planner's own words; the facts of the reply do not come from here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsModel:
    """Understood as far as that it takes a language model, which is not set up."""

    why: str = "prose"
    """`prose`, `reasoning` or `unknown`: the key `needs_model.<why>`."""


Plan = CallTools | AskUser | Finish | NeedsModel


class Planner(Protocol):
    """Decides the next step of a turn; it can neither read nor write."""

    async def plan(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        """The next step.

        Raises:
            ModelError: The model that plans gave no usable answer.
        """
        ...
