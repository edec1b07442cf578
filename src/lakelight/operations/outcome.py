"""What came of an operation."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Notion has it."""

    ids: tuple[str, ...] = ()
    """The page or the first-level blocks that were written."""
    differences: tuple[str, ...] = ()
    """Where what Notion answered is not what was sent; told, never retried."""
    found: bool = False
    """True when no answer came and the effect was found afterwards."""
    on_trail: bool = True
    """False when the result could not be recorded; the write is not repeated."""
    page: dict[str, object] | None = field(default=None, compare=False, repr=False)
    """The page as Notion answered, where it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Notion said no; nothing changed."""

    code: str
    status: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """No answer that can be trusted, and not to be sent again before `until`."""

    until: datetime
    cause: str = field(default="no answer", compare=False)
    """What came instead of one; the same silence for whatever reason is the same outcome."""


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Somebody else changed the same properties meanwhile; nothing was written over them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The guard said no; nothing was sent."""

    decision: str
    reason: str
    facts: dict[str, object]


@dataclass(frozen=True, slots=True)
class Parked:
    """A person is asked first."""

    approval: int
    stale: int | None = None
    """The approval that this one stands for, when its target had changed since it was shown."""


Outcome = Written | Refused | Unsettled | Overtaken | Stopped | Parked
