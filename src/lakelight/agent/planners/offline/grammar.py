"""The templates of a language, compiled on first use, and its lists of words."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from lakelight.messages import Language

if TYPE_CHECKING:
    from hassil.intents import Intents, SlotList

SEARCH = "search_workspace"
LONGEST = 160
"""No sentence with its titles and quoted text taken out is longer; matching takes the square of it."""

MOST_REPEATED = 8
_FIRST_WORDS = 60

_IDEOGRAPHS = r"\u3400-\u4dbf\u4e00-\u9fff"
_IDEOGRAPH = re.compile(rf"[{_IDEOGRAPHS}]")
_BESIDE_IDEOGRAPHS = re.compile(rf"(?<=[{_IDEOGRAPHS}])\s+|\s+(?=[{_IDEOGRAPHS}])|(?<=x) +(?=qx)")
_PUNCTUATION = re.compile(r"[,;:!?()\[\]{}<>|…~*#\"“”，。；：！？、（）【】]|\.(?!\d)|(?<![\w])-|-(?![\w])")
_LISTED = re.compile(r"(?<=x)\s*[,，]\s*(?=qx)")
_POSSESSIVE = re.compile(r"(?<=\w)'s?\b(?=\s|$)|(?<=x) 's\b")
_ENDS = re.compile(r"[。！!?？;；\n]|\.\s")
_EDGES = " \n\t,.;:!?，。；：！？、~-*"


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of a sentence that a template left open."""

    name: str
    text: str
    free: bool
    """It took whatever stood there; the others are from a closed list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A template that a sentence fits."""

    intent: str
    slots: tuple[Slot, ...]
    literal: int
    """How many letters of the sentence are the template's own."""

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The lower, the more of the sentence was expected; a search takes anything and so comes last."""
        free = [slot for slot in self.slots if slot.free]
        return (self.intent == SEARCH, sum(len(slot.text) for slot in free), len(free))

    def text(self, name: str) -> str | None:
        """What stands in a slot."""
        return next((slot.text for slot in self.slots if slot.name == name), None)

    def texts(self, name: str) -> list[str]:
        """What stands in every slot of a name."""
        return [slot.text for slot in self.slots if slot.name == name]


class Grammar:
    """What can be said in one language."""

    def __init__(self, language: Language, content: Mapping[str, Any]) -> None:
        self.language = language
        self._content = content
        self._words: dict[str, tuple[str, ...]] = {
            name: tuple(words) for name, words in content["words"].items()
        }
        self._forbids = {name: self._any(words) for name, words in content["forbids"].items()}
        self._compiled: dict[str, Intents] = {}
        self._patterns = {name: self._any(words) for name, words in self._words.items()}
        self._starts = {
            name: self._any(self._words[name], before="^")
            for name in ("reasoning", "derived_starts", "polite")
        }
        self._condition_joints = re.compile(
            rf"{self._patterns['condition_joints'].pattern}|[,，、]", re.IGNORECASE
        )
        fillers = self._words["fillers"]
        self._first = self._any(fillers, before=r"^\s*")
        self._last = self._any(fillers, after=r"\s*$")

    def words(self, name: str) -> tuple[str, ...]:
        """A list of words."""
        return self._words[name]

    def has(self, name: str, text: str) -> bool:
        """True when a word of a list stands in `text`."""
        return self._patterns[name].search(text) is not None

    def starts(self, name: str, text: str) -> bool:
        """True when `text` starts with a word of a list."""
        return self._starts[name].search(text) is not None

    def forbidden(self, text: str) -> frozenset[str]:
        """The tools whose verbs stand in `text`; `nothing` for a verb that is none of a tool's."""
        return frozenset(tool for tool, pattern in self._forbids.items() if pattern.search(text))

    def goes_on(self, text: str) -> bool:
        """True when something that may be a command follows in `text` after its first part."""
        cuts = [end for _, end in self.joints(text)] + [found.end() for found in _ENDS.finditer(text)]
        rests = [self.without_fillers(text[cut : cut + _FIRST_WORDS]) for cut in cuts]
        verbs = [pattern for tool, pattern in self._forbids.items() if tool != "nothing"]
        verbs.append(self._patterns["negations"])
        return any(verb.match(rest) for verb in verbs for rest in rests)

    def joints(self, text: str) -> list[tuple[int, int]]:
        """Where `text` may be two sentences."""
        found = [match.span() for match in self._patterns["joints"].finditer(text)]
        found += [match.span() for match in re.finditer(r"[,，]", text)]
        return sorted(found)

    def parted(self, conditions: str) -> list[str]:
        """Conditions one by one."""
        parts = self._condition_joints.split(conditions)
        return [part.strip() for part in parts if part.strip()]

    def without_fillers(self, text: str) -> str:
        """`text` without the words at its ends that change nothing."""
        while True:
            rest = text.strip(_EDGES)
            rest = self._last.sub("", self._first.sub("", rest)).strip(_EDGES)
            if rest == text:
                return rest
            text = rest

    def without_politeness(self, text: str) -> tuple[str, bool]:
        """`text` without a leading `can you`, and whether it had one."""
        found = self._starts["polite"].search(text)
        return (text[found.end() :].strip(), True) if found else (text, False)

    def _spoken(self, text: str) -> str:
        """`text` as the templates have it: without punctuation, in Chinese without blanks."""
        if self.language == "zh":
            plain = _PUNCTUATION.sub(" ", _LISTED.sub("和", text.replace("、", "和"))).strip()
            return _BESIDE_IDEOGRAPHS.sub("", re.sub(r"\s+", " ", plain))
        plain = _POSSESSIVE.sub(" 's", _LISTED.sub(" and ", text))
        return re.sub(r"\s+", " ", _PUNCTUATION.sub(" ", plain)).strip()

    def matches(self, text: str, part: str, lists: Mapping[str, "SlotList"]) -> list[Match]:
        """Every template of a `part` (`full`, `part`, `condition`) that `text` fits, the best first.

        What stands in a free slot comes as it was written, blanks and all.
        """
        from hassil.recognize import recognize_all

        spoken = self._spoken(text)
        if len(spoken) > LONGEST or self._repeats(spoken):
            return []
        found = []
        for result in recognize_all(spoken, self._intents(part), slot_lists=dict(lists)):
            slots = tuple(
                Slot(entity.name, _written(str(entity.value), text), free=True)
                if entity.is_wildcard
                else Slot(entity.name, str(entity.value), free=False)
                for entity in result.entities_list
            )
            found.append(Match(intent=result.intent.name, slots=slots, literal=result.text_chunks_matched))
        unique = {(match.intent, match.slots): match for match in found}
        return sorted(unique.values(), key=lambda match: (match.rank, -match.literal, match.intent))

    def _repeats(self, spoken: str) -> bool:
        """True for what no one says, and what would be matched in very many ways."""
        said = _IDEOGRAPH.findall(spoken) if self.language == "zh" else spoken.lower().split()
        return any(count > MOST_REPEATED for count in Counter(said).values())

    def _intents(self, part: str) -> "Intents":
        from hassil.intents import Intents

        if part not in self._compiled:
            self._compiled[part] = Intents.from_dict(
                {
                    "language": self.language,
                    "settings": {"ignore_whitespace": self.language == "zh"},
                    "lists": self._content["lists"],
                    "expansion_rules": self._content["rules"],
                    "intents": {
                        name: {"data": [{"sentences": sentences}]}
                        for name, sentences in self._sentences(part).items()
                    },
                }
            )
        return self._compiled[part]

    def _sentences(self, part: str) -> dict[str, list[str]]:
        intents: Mapping[str, Mapping[str, list[str]]] = self._content["intents"]
        if part == "condition":
            return {"condition": intents["condition"]["full"]}
        return {name: said[part] for name, said in intents.items() if part in said and name != "condition"}

    def _any(self, words: Iterable[str], before: str = "", after: str = "") -> re.Pattern[str]:
        edge = r"\b" if self.language == "en" else ""
        longest_first = sorted(words, key=len, reverse=True)
        return re.compile(f"{before}{edge}(?:{'|'.join(longest_first)}){edge}{after}", re.IGNORECASE)


def _written(spoken: str, text: str) -> str:
    """The stretch of `text` that was `spoken` once its blanks and punctuation were dropped."""
    letters = [re.escape(letter) for letter in spoken if not letter.isspace()]
    found = re.search(rf"(?:\s|{_PUNCTUATION.pattern})*?".join(letters), text, re.IGNORECASE)
    return found[0] if letters and found else spoken.strip()


@cache
def grammar(language: Language) -> Grammar:
    """The grammar of a language."""
    file = resources.files("lakelight.agent.planners.offline.templates") / f"{language}.toml"
    return Grammar(language, tomllib.loads(file.read_text(encoding="utf-8")))
