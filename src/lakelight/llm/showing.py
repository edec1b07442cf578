"""What of an answer may be shown while it is still coming: no reasoning, and nothing that may be a call."""

import re
from collections.abc import Callable

_THOUGHT_TAGS = ("<think>", "<thinking>", "<thought>")
_THOUGHT = re.compile(r"<(think|thinking|thought)>", re.IGNORECASE)
_CALL_MARKS = ("```", "<tool_call>", "<function=", "<|", "[TOOL_CALLS]", "\n{", "\n[")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Showing:
    """Passes the text of one answer on, in pieces, to whoever shows it."""

    def __init__(self, show: Callable[[str], None], *, tools: bool) -> None:
        """Begin with an answer.

        Args:
            tools: The model was given tools and may write a call into the text; what may be one is
                kept back until the answer is whole.
        """
        self._show = show
        self._marks = _CALL_MARKS if tools else ()
        self._stage = self._opening
        self._kept = ""
        self.shown = ""
        """What was passed on so far."""

    def feed(self, piece: str) -> None:
        """Take in the next piece of the answer as it came."""
        self._kept += _UNSTORABLE.sub("\ufffd", piece)
        self._stage()

    def finish(self, text: str) -> None:
        """Show what is left of `text`, the whole answer without reasoning and calls."""
        if text.startswith(self.shown):
            self._pass(text[len(self.shown) :])

    def _opening(self) -> None:
        text = self._kept.lstrip()
        opened = _THOUGHT.match(text)
        if opened is not None:
            end = re.search(f"</{opened[1]}>", text, re.IGNORECASE)
            if end is not None:
                self._kept = text[end.end() :]
                self._opening()
            return
        if not text or any(tag.startswith(text.lower()) for tag in _THOUGHT_TAGS):
            return
        self._kept = f"\n{text}"  # so that a mark which begins a line is found in the first one too
        self._stage = self._answering
        self._answering()

    def _answering(self) -> None:
        text = self._kept
        marks = [place for mark in self._marks if (place := text.find(mark)) >= 0]
        if marks:
            self._release(text[: min(marks)].rstrip())
            self._stage = self._holding
            return
        # A mark may be only half here, and white space at the end of an answer is cut off.
        safe = len(text)
        for mark in self._marks:
            for length in range(len(mark) - 1, 0, -1):
                if text.endswith(mark[:length]):
                    safe = min(safe, len(text) - length)
                    break
        safe = len(text[:safe].rstrip())
        self._release(text[:safe])
        self._kept = text[safe:]

    def _holding(self) -> None:
        self._kept = ""

    def _release(self, text: str) -> None:
        self._pass(text if self.shown else text.lstrip())

    def _pass(self, text: str) -> None:
        if text:
            self.shown += text
            self._show(text)
