"""What a line typed into a chat means, beside a request: a command of the chat, or a candidate's number."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lakelight.agent.reply import Reply
from lakelight.messages import Messages, languages

Command = Literal["exit", "help", "undo"]

_NUMBER = re.compile(r"[#(（]?(\d{1,2})[.)）。、]?")
_OPENING, _CLOSING = "[“\"'‘`「『《]?", "[”\"'’`」』》]?"
_NAMED_BY: Mapping[str, str] = {"option": "value", "column": "column"}
"""Which fact of a question holds the words that a candidate may stand for; `name` for all others."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something to be done."""

    words: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page was chosen, and no words stand for it: from now on `this page` means it."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class NoChoice:
    """A number that is no candidate's."""

    number: int
    most: int


class Sitting:
    """One sitting of a chat: the question that is open, and the runs that can be taken back."""

    def __init__(self) -> None:
        self._words = ""
        self._question: Mapping[str, Any] | None = None
        self.written: list[str] = []
        """The runs that wrote and were not taken back yet, the newest last."""
        self.taken_back = False
        """True once one of them was."""

    def meaning(self, line: str) -> Command | Request | Page | NoChoice:
        """What `line` means now."""
        said = unicodedata.normalize("NFKC", line).strip().rstrip(".!。！").strip()
        command = command_in(said)
        if command is not None:
            return command
        number = _NUMBER.fullmatch(said)
        candidates = self._question["candidates"] if self._question else ()
        if number is None or not candidates:
            return Request(line)
        return self._chosen(candidates, int(number[1]))

    def heard(self, words: str, reply: Reply) -> None:
        """Note what came of a request."""
        self._words, self._question = words, reply.question
        if reply.done:
            self.written.append(reply.run_id)

    def _chosen(self, candidates: Sequence[Mapping[str, Any]], number: int) -> Request | Page | NoChoice:
        if not 1 <= number <= len(candidates):
            return NoChoice(number, len(candidates))
        candidate = candidates[number - 1]
        facts = self._question["facts"] if self._question else {}
        name = str(facts.get(_NAMED_BY.get(candidate["type"], "name")) or "")
        thing = candidate["type"] not in _NAMED_BY
        words = put_in(self._words, name, str(candidate["id"]) if thing else f"“{candidate['title']}”")
        if words is not None:
            return Request(words)
        return Page(str(candidate["id"]), str(candidate["title"])) if thing else Request(str(number))


def command_in(said: str) -> Command | None:
    """The chat's own command that `said` is, in either language."""
    for language in languages:
        messages = Messages(language)
        commands: Mapping[Command, str] = {
            "exit": messages.say("cli.chat.words.exit"),
            "help": messages.say("cli.chat.words.help"),
            "undo": messages.say("cli.chat.words.undo"),
        }
        for command, words in commands.items():
            if said.casefold().removeprefix("/") in words.split():
                return command
    return None


def put_in(words: str, name: str, choice: str) -> str | None:
    """`words` with `choice` where `name` stands, quoted or not; None unless that is in one place."""
    pattern = r"\s+".join(map(re.escape, name.split()))
    places = list(re.finditer(f"{_OPENING}{pattern}{_CLOSING}", words, re.IGNORECASE)) if pattern else []
    if len(places) != 1:
        return None
    start, end = places[0].span()
    return f"{words[:start]} {choice} {words[end:]}".strip()
