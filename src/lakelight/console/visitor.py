"""One visit: its language, and times as people say them. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from lakelight.clock import parse_iso
from lakelight.messages import Language, Messages

_PREFERENCE = re.compile(r"\s*([a-zA-Z]{1,8})(?:-[\w-]+)?\s*(?:;\s*q=([01](?:\.\d{1,3})?))?\s*")
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """What every part of a page needs to know about who reads it, and when."""

    messages: Messages
    now: datetime
    link: Callable[[str], str] = str
    """The link of a page as this visitor can open it; empty where nothing opens it."""

    @property
    def say(self) -> Callable[..., str]:
        """The sentence of a key, in the visitor's language."""
        return self.messages.say

    def ago(self, stamp: str) -> str:
        """How long ago a stored time was."""
        passed = self.now - parse_iso(stamp)
        if passed < _MINUTE:
            return self.say("console.ago.now")
        if passed < _HOUR:
            return self.say("console.ago.minutes", count=passed // _MINUTE)
        if passed < _DAY:
            return self.say("console.ago.hours", count=passed // _HOUR)
        return self.say("console.ago.days", count=passed // _DAY)

    def block(self, kind: str) -> str:
        """What a type of block is called; the type itself where it has no name."""
        key = f"console.block.{kind}"
        return self.say(key) if self.messages.has(key) else kind

    def at(self, stamp: str | None) -> str:
        """A stored time, to the minute."""
        return f"{parse_iso(stamp):%Y-%m-%d %H:%M} UTC" if stamp else "-"


def choose_language(asked: str | None, kept: str | None, accepted: str, default: Language) -> Language:
    """The language asked for in the address, else the one kept, else the browser's favourite of ours."""
    for wanted in (asked, kept):
        if wanted == "zh":
            return "zh"
        if wanted == "en":
            return "en"
    best = 0.0
    chosen = default
    for part in accepted.split(","):
        match = _PREFERENCE.fullmatch(part)
        if match is None:
            continue
        language: Language = "zh" if match[1].lower() == "zh" else "en"
        weight = float(match[2] or 1)
        if match[1].lower() in {"zh", "en"} and weight > best:
            best, chosen = weight, language
    return chosen
