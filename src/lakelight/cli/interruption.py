"""What Ctrl-C stops at the terminal: the turn under way, and without one the wait for a line."""

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interruption:
    """Knows what a Ctrl-C is meant for. While nothing is, it is kept for what comes next."""

    def __init__(self) -> None:
        self.heard = False
        self._stoppable: asyncio.Future[Any] | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear Ctrl-C for as long as the context lasts."""
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, self._stop)
        try:
            yield
        finally:
            # The loop leaves Python's default behind, and whoever started it had a handler of its own.
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def stops(self, work: asyncio.Future[Any]) -> Iterator[None]:
        """Let Ctrl-C cancel `work`, also one that came just before."""
        self._stoppable = work
        try:
            if self.heard:
                work.cancel()
            yield
        finally:
            self._stoppable, self.heard = None, False

    def _stop(self) -> None:
        self.heard = True
        if self._stoppable is not None:
            self._stoppable.cancel()


class Lines:
    """Lines from the terminal, waited for without holding up the loop or its end."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self.reading = False
        """True while a thread waits for a line that nobody wants any more."""

    def next(self) -> "asyncio.Future[str | None]":
        """The next line; None at the end of the input."""
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            self.reading = True
            found = _line(self._prompt)
            self.reading = False
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, line, found)

        # Not a thread of the loop's pool: the loop would wait for it at its end.
        threading.Thread(target=read, daemon=True).start()
        return line


def _line(prompt: str) -> str | None:
    # A shell's `<&-` leaves no input at all, which ends a sitting like the end of one.
    if sys.stdin is None or sys.stdin.closed:
        return None
    try:
        return input(prompt)
    except (EOFError, OSError):
        return None


def _settle(line: "asyncio.Future[str | None]", found: str | None) -> None:
    if not line.done():
        line.set_result(found)
