"""A budget of requests per minute and token, as Notion gives one: a fixed window, then 429 until it ends."""

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta

WINDOW = timedelta(seconds=60)


@dataclass(slots=True)
class Budget:
    """How many requests each token has had in its window."""

    per_minute: int
    _windows: dict[str, tuple[datetime, int]] = field(default_factory=dict)

    def wait(self, token: str, now: datetime) -> int | None:
        """Count a request; where it is one too many, how many seconds are left of the window."""
        start, count = self._windows.get(token, (now, 0))
        if not start <= now < start + WINDOW:
            start, count = now, 0
        self._windows[token] = (start, count + 1)
        if count < self.per_minute:
            return None
        return max(1, math.ceil((start + WINDOW - now).total_seconds()))
