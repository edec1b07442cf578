"""What a tool is: it reads, or it builds an operation. None of them can write.

A tool that would write returns the operation as a value; the loop hands it to the door. A target
that does not resolve, or resolves twice, comes back as a question with the candidates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lakelight.messages import Language
from lakelight.notion import NotionReader
from lakelight.operations import Kind, Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a planner is told about a tool, and what the executor holds it to."""

    name: str
    effect: Literal["read", "write", "ask"]
    description: str
    """For a model: what it does, when to use it, in English, short."""
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""
    kinds: frozenset[Kind] = frozenset()
    """The kinds of operation that it may build; anything else is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that a name may have meant."""

    id: str
    title: str
    type: Literal["page", "data_source", "option", "column", "user"]
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a read brought."""

    text: str
    """For a model, as data; shortened where it is long, and saying so."""
    data: Mapping[str, Any]
    """The same as values, for the reply and for `--json`."""
    sources: tuple[Candidate, ...] = ()
    """The pages and data sources that it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The operation that a write tool wants carried out."""

    operation: Operation
    title: str
    """The title of what it falls on, for people."""
    before: Mapping[str, Any] | None = None
    """The page as it was read, for telling an update that arrived from one that did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that only the user can say."""

    key: str
    """The key of the question in the message catalogue: `ask.<what>`."""
    facts: Mapping[str, object] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The call cannot be carried out as it stands; told to the planner."""

    key: str
    """The key of the sentence in the message catalogue: `tool.<what>` or an error's own."""
    facts: Mapping[str, object] = field(default_factory=dict)


ToolResult = Found | Built | Question | Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What every call of a turn shares."""

    reader: NotionReader
    language: Language
    page: str | None = None
    """The page that the user is on, if he said so."""
    target: str | None = None
    """The database or page that new things go to, if he said so."""


class Tool(Protocol):
    """One capability that a planner can call."""

    @property
    def spec(self) -> ToolSpec:
        """What it is."""
        ...

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Read, or build an operation.

        Raises:
            NotionError: Notion could not be asked.
        """
        ...
