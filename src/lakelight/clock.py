"""The one place that asks the system for the time and waits."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the rest of the house knows of time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...

    async def sleep(self, wait: timedelta) -> None:
        """Return after `wait`."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, wait: timedelta) -> None:
        """Return after `wait`."""
        await asyncio.sleep(max(0.0, wait.total_seconds()))


def iso(moment: datetime) -> str:
    """`2026-11-30T08:00:00.000Z`: how a moment stands in rows, events and self-checks."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def parse_iso(text: str) -> datetime:
    """The moment that `text` (ISO 8601, any offset) names; without an offset it is UTC.

    Raises:
        ValueError: `text` is no ISO 8601 time.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
