"""What model calls cost: one row a call, also for the calls that failed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One call to a model."""

    at: datetime
    """When the call was made."""
    agent: str
    model: str
    """The model that was asked for; it is what the provider bills."""
    ticket: str | None
    run: str | None
    input_tokens: int
    """0 when the endpoint did not say, as for a call that brought no answer; likewise `output_tokens`."""
    output_tokens: int
    seconds: float
    ok: bool
    """Whether the call brought an answer that can be used."""


class UsageLog(Protocol):
    """Keeps what calls cost."""

    async def record(self, usage: Usage) -> None:
        """Add one call.

        Raises:
            StorageError: It could not be written.
        """
        ...


class NoUsage:
    """Keeps nothing."""

    async def record(self, usage: Usage) -> None:
        """Forget `usage`."""
