"""A clock that can be set, moved on and stopped, around one that goes by itself."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta


class ControlledClock:
    """Goes like the clock below it until it is told otherwise."""

    def __init__(self, below: Callable[[], datetime]) -> None:
        self._below = below
        self._lock = threading.Lock()
        self._offset = timedelta()
        self._stopped: datetime | None = None

    def __call__(self) -> datetime:
        """The present moment."""
        with self._lock:
            return self._now()

    def set(self, moment: datetime) -> None:
        """Let it be that moment now."""
        with self._lock:
            self._offset = moment - self._below()
            if self._stopped is not None:
                self._stopped = moment

    def advance(self, seconds: float) -> None:
        """Move on, or back."""
        with self._lock:
            step = timedelta(seconds=seconds)
            self._offset += step
            if self._stopped is not None:
                self._stopped += step

    def freeze(self) -> None:
        """Stand still."""
        with self._lock:
            self._stopped = self._now()

    def thaw(self) -> None:
        """Go on from where it stood."""
        with self._lock:
            if self._stopped is not None:
                self._offset = self._stopped - self._below()
                self._stopped = None

    def clear(self) -> None:
        """Go like the clock below again."""
        with self._lock:
            self._offset, self._stopped = timedelta(), None

    @property
    def frozen(self) -> bool:
        """Whether it stands still."""
        return self._stopped is not None

    def _now(self) -> datetime:
        return self._stopped if self._stopped is not None else self._below() + self._offset
