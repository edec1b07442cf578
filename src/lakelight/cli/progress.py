"""Progress on a terminal: one line an event."""

import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from lakelight.cli.reasons import reason_text
from lakelight.cli.session import LONGEST_TITLE, on_a_line
from lakelight.errors import LakelightError
from lakelight.messages import Messages
from lakelight.operations.visible import shortened

_QUIET = frozenset({"poll.done", "idle"})


class Terminal:
    """A `Progress` that prints."""

    def __init__(
        self,
        messages: Messages,
        *,
        clean: Callable[[str], str],
        when_idle: Callable[[], None] | None = None,
        stream: TextIO | None = None,
    ) -> None:
        self._messages = messages
        self._clean = clean
        self._when_idle = when_idle
        self._stream = stream or sys.stderr
        self._last_fault = ""

    def tell(self, event: str, **facts: object) -> None:
        """Print the event, unless it says nothing new."""
        if event == "idle" and self._when_idle:
            self._when_idle()
        if event in _QUIET:
            self._last_fault = "" if event == "poll.done" else self._last_fault
            return
        error = facts.get("error")
        if isinstance(error, LakelightError):
            self._fault(error, facts)
            return
        state = event.rpartition(".")[2]
        line = self._messages.say(f"progress.{event}", **self._worded(state, facts))
        self._print(f"{facts['who']} · {line}" if facts.get("who") else line)

    def _fault(self, error: LakelightError, facts: Mapping[str, object]) -> None:
        # The same trouble at every poll is told once.
        cause = self._messages.explain(error)
        if cause != self._last_fault:
            self._last_fault = cause
            self._print(self._messages.say("cli.up.retrying", cause=cause, seconds=facts.get("seconds", "?")))

    def _worded(self, state: str, facts: Mapping[str, object]) -> dict[str, object]:
        inner = facts.get("facts")
        about = {**facts, **inner} if isinstance(inner, Mapping) else dict(facts)
        title = about.get("title")
        if isinstance(title, str):
            about["title"] = shortened(title, LONGEST_TITLE)
        reason = about.get("reason")
        if isinstance(reason, str):
            about["reason"] = reason_text(self._messages, state, reason, about)
        return about

    def _print(self, line: str) -> None:
        print(on_a_line(self._clean(line)), file=self._stream, flush=True)
