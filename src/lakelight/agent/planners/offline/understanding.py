"""From a request to a program: sentence by sentence, all of it or nothing.

A request is carried out only when every part of it is understood. What takes a language model is
said to; what is nearly understood becomes a question. Pure: the same request and index, the same answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from lakelight.agent.planners.offline.grammar import Grammar, Match, grammar
from lakelight.agent.planners.offline.lookup import Lookup
from lakelight.agent.planners.offline.masking import Masked, mask, titles_in, with_payload, with_titles
from lakelight.agent.planners.offline.program import Program
from lakelight.agent.planners.offline.resolving import Resolved, Resolver
from lakelight.agent.planners.offline.scene import Scene, ask
from lakelight.agent.planners.offline.slots import slot_lists
from lakelight.agent.planning import AskUser, NeedsModel
from lakelight.messages import Language, languages

if TYPE_CHECKING:
    from hassil.intents import SlotList

LONGEST = 20_000
"""A request that is longer is not read at all."""

_SENTENCES = re.compile(r"([。！!?？；;\n]+|\.(?=\s|$))")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)、])[ \t]+", re.MULTILINE)
_ASKED_AT_THE_END = re.compile(r"(?:吗|呢|(?<![什怎那这多])么|了没有|了没)$")
_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_MOST_JOINTS = 4
_MOST_TITLES = 6
_MOST_SENTENCES = 12
_LONGEST_COMMAND = 1500
_LONGEST_GUESS = 60

_NO_TEXT = "ask.missing.append_content.markdown"

Answer = Program | AskUser | NeedsModel
UNKNOWN = NeedsModel(why="unknown")


@dataclass(frozen=True, slots=True)
class _Forbidding:
    """A sentence that says what not to do."""

    tools: frozenset[str]
    """Empty: it may be anything."""


@dataclass(frozen=True, slots=True)
class _Firm:
    """An answer to a sentence that was understood; no other reading of the request is tried."""

    answer: AskUser | NeedsModel


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    asked: bool


_Read = list["Resolved | _Forbidding"]


def understand(request: str, lookup: Lookup, scene: Scene) -> Answer:
    """What `request` comes to, with `scene` saying what `it` and `here` mean at its beginning."""
    if len(request) > LONGEST:
        return NeedsModel(why="prose")
    answers: list[Answer] = []
    for masked in _readings(mask(request), lookup):
        if len(masked.text) > _LONGEST_COMMAND:
            answers.append(NeedsModel(why="prose"))
            continue
        language: Language = "zh" if _IDEOGRAPH.search(masked.text) else "en"
        # An English sentence may name a Chinese page that is not there.
        for spoken in ("zh", "en") if language == "zh" else ("en",):
            read = _Reading(masked, lookup, grammar(spoken)).answer(
                scene, thorough=all(answer == UNKNOWN for answer in answers)
            )
            if isinstance(read, _Firm):
                return read.answer
            if isinstance(read, tuple):
                return read
            answers.append(read)
    return next((answer for answer in answers if answer != UNKNOWN), UNKNOWN)


def _readings(masked: Masked, lookup: Lookup) -> Iterator[Masked]:
    """The ways to tell the user's own words from what they are about, the likeliest first."""
    payload = with_payload(masked)
    for text in (payload, masked) if payload else (masked,):
        # A page may be called `It`; who means it puts it in quotation marks.
        spans = [span for span in titles_in(text, lookup) if not _is_pronoun(span.title)]
        yield with_titles(text, spans)
        if len(spans) > _MOST_TITLES:
            continue
        for left_out in spans if len(spans) > 1 else ():
            yield with_titles(text, [span for span in spans if span is not left_out])
        if spans:
            yield text


def _is_pronoun(title: str) -> bool:
    lists = ("pronouns", "database_pronouns")
    return any(title in grammar(language).words(name) for language in languages for name in lists)


class _Reading:
    """One masked request, read in one language."""

    def __init__(self, masked: Masked, lookup: Lookup, words: Grammar) -> None:
        self._masked = masked
        self._lookup = lookup
        self._grammar = words
        self._resolver = Resolver(masked, lookup, words)
        self._lists = slot_lists(masked, lookup, words)
        self._matched: dict[str, list[Match]] = {}

    def answer(self, scene: Scene, *, thorough: bool) -> "Program | AskUser | NeedsModel | _Firm":
        """The program, or why there is none.

        Args:
            thorough: Look for what was nearly understood, too.
        """
        sentences = self._sentences()
        if not sentences or len(sentences) > _MOST_SENTENCES:
            return UNKNOWN if not sentences else NeedsModel(why="prose")
        parts: _Read = []
        asked = False
        for sentence in sentences:
            read = self._sentence(sentence, scene)
            if isinstance(read, _Firm):
                return read
            if read is None:
                return self._why_not(sentences, scene) if thorough else UNKNOWN
            asked = asked or sentence.asked
            parts += read
            scene = next((part.scene for part in reversed(read) if isinstance(part, Resolved)), scene)
        return _checked(parts, asked=asked)

    def _sentences(self) -> list[_Sentence]:
        pieces = _SENTENCES.split(_BULLET.sub("", self._masked.text))
        found: list[_Sentence] = []
        for at in range(0, len(pieces), 2):
            end = pieces[at + 1] if at + 1 < len(pieces) else ""
            text = self._grammar.without_fillers(pieces[at])
            plain, polite = self._grammar.without_politeness(text)
            if polite:
                text = self._grammar.without_fillers(plain)
            asked = polite or "?" in end or "？" in end or _ASKED_AT_THE_END.search(text) is not None
            text = self._grammar.without_fillers(_ASKED_AT_THE_END.sub("", text))
            if text:
                found.append(_Sentence(text, asked))
        return found

    def _sentence(self, sentence: _Sentence, scene: Scene) -> "_Read | _Firm | None":
        """What every part of a sentence means; None when some part is not understood."""
        halted: _Firm | None = None
        # `where A is not B` is a condition before it is something not to be done.
        for forbidding in (False, True):
            for parts in self._partings(sentence.text):
                if any(map(self._forbids, parts)) is not forbidding:
                    continue
                read = self._parts(parts, scene)
                if isinstance(read, list):
                    return read
                halted = halted or read
        return halted

    def _partings(self, text: str) -> Iterator[list[str]]:
        """The sentence cut at its joints: at all of them first, at none last."""
        joints = self._grammar.joints(text)
        if len(joints) > _MOST_JOINTS:
            yield self._cut(text, joints)
            yield [text]
            return
        for count in range(len(joints), -1, -1):
            for chosen in combinations(joints, count):
                yield self._cut(text, chosen)

    def _cut(self, text: str, joints: Sequence[tuple[int, int]]) -> list[str]:
        parts, at = [], 0
        for start, end in joints:
            parts.append(text[at:start])
            at = max(at, end)
        parts.append(text[at:])
        return [part for each in parts if (part := self._grammar.without_fillers(each))]

    def _parts(self, parts: Sequence[str], scene: Scene) -> "_Read | _Firm | None":
        found: _Read = []
        for part in parts:
            if self._forbids(part):
                found.append(_Forbidding(self._grammar.forbidden(part)))
                continue
            read = self._part(part, scene)
            if not isinstance(read, Resolved):
                return None if read is None else _Firm(read)
            if _writes(read) and any(isinstance(each, _Forbidding) for each in found):
                # `Do not A and B` may mean neither.
                return _Firm(ask("negated"))
            found.append(read)
            scene = read.scene
        return found or None

    def _part(self, part: str, scene: Scene) -> "Resolved | AskUser | NeedsModel | None":
        """What one command means, by the templates that name all it needs."""
        best: Match | None = None
        chosen: Resolved | AskUser | NeedsModel | None = None
        for match in self._full(part):
            if best is not None and match.rank != best.rank:
                break
            read = self._resolver.resolve(match, replace(scene, sentence=part))
            if read is None:
                continue
            if chosen is None:
                best, chosen = match, read
            elif isinstance(read, Resolved) and isinstance(chosen, Resolved) and _differ(read, chosen):
                return UNKNOWN
        return chosen

    def _full(self, part: str) -> list[Match]:
        if part not in self._matched:
            self._matched[part] = self._grammar.matches(part, "full", self._lists)
        return self._matched[part]

    def _forbids(self, part: str) -> bool:
        return self._grammar.has("negations", part) and not self._full(part)

    # Why not

    def _why_not(self, sentences: Sequence[_Sentence], scene: Scene) -> "Program | AskUser | NeedsModel":
        wide = slot_lists(self._masked, self._lookup, self._grammar, closed=False)
        answers: list[AskUser | NeedsModel] = []
        for sentence in sentences:
            whole = self._nearly(sentence.text, scene, wide)
            if isinstance(whole, Resolved) and len(sentences) == 1:
                return whole.program
            parts = self._cut(sentence.text, self._grammar.joints(sentence.text)[:_MOST_JOINTS])
            each = [self._nearly(part, scene, wide) for part in parts] if len(parts) > 1 else [whole]
            if UNKNOWN in each:
                each = [whole]
            answers += [answer for answer in each if isinstance(answer, AskUser | NeedsModel)]
        # A question would lead nowhere when something else takes a model anyway.
        for answer in answers:
            if isinstance(answer, NeedsModel) and answer != UNKNOWN:
                return answer
        questions = [answer for answer in answers if isinstance(answer, AskUser)]
        return questions[0] if questions and UNKNOWN not in answers else UNKNOWN

    def _nearly(
        self, part: str, scene: Scene, wide: "Mapping[str, SlotList]"
    ) -> Resolved | AskUser | NeedsModel | None:
        """What `part` nearly means: a read by a part of a title, or why it is not understood."""
        read = self._part(part, scene)
        if read is not None or self._forbids(part):
            return read
        words = self._grammar
        if words.has("asking", part) or words.starts("reasoning", part) or words.has("conditions", part):
            return NeedsModel(why="reasoning")
        stages = [("part", self._lists), ("full", wide), ("part", wide)]
        for stage, lists in stages if len(part) <= _LONGEST_GUESS else stages[:1]:
            near = [
                self._resolver.resolve(match, replace(scene, sentence=part))
                for match in words.matches(part, stage, lists)
            ]
            # Only a template that fits in every slot may write.
            likely = sorted(
                (each for each in near if each is not None and not _writes(each)), key=_unlikeliness
            )
            if likely:
                missing = isinstance(likely[0], AskUser) and likely[0].question.key == _NO_TEXT
                made_up = missing and words.has("prose", self._masked.text)
                return NeedsModel(why="prose") if made_up else likely[0]
        return NeedsModel(why="prose") if words.has("prose", part) else UNKNOWN


def _writes(read: Resolved | AskUser | NeedsModel) -> bool:
    return isinstance(read, Resolved) and not all(instruction.reads for instruction in read.program)


def _unlikeliness(read: Resolved | AskUser | NeedsModel) -> int:
    """A question that has something to offer comes before one that has not."""
    if not isinstance(read, AskUser):
        return 0
    return 0 if read.question.candidates else 2 if read.question.key == "ask.no_such_database" else 1


def _differ(one: Resolved, other: Resolved) -> bool:
    writes = any(not instruction.reads for instruction in (*one.program, *other.program))
    return writes and one.program != other.program


def _checked(parts: _Read, *, asked: bool) -> "Program | _Firm":
    """The program of `parts`, unless one of them speaks against another."""
    program: Program = tuple(
        instruction for part in parts if isinstance(part, Resolved) for instruction in part.program
    )
    writing = {instruction.tool for instruction in program if not instruction.reads}
    for part in parts:
        if isinstance(part, _Forbidding) and (not program or not part.tools or writing & part.tools):
            if program and not writing:
                continue
            return _Firm(ask("negated"))
    if writing and any(isinstance(part, Resolved) and part.summary for part in parts):
        return _Firm(NeedsModel(why="prose"))
    if asked and writing - {"ask_user"}:
        return _Firm(ask("is_it_a_command", guess=", ".join(sorted(writing))))
    return program
