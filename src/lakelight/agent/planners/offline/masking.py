"""Puts marks for what must be taken as it stands: quoted text, links, file names, titles.

What is left is the user's own words, which templates, negations and joints are looked for in.
A mark is `qx0x`: a word in any script, and nothing that anybody types.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from lakelight.agent.planners.offline.lookup import EMOJI, Lookup, Span

_AS_IT_STANDS = re.compile(
    r"""
      “(?P<curly>[^”]+)” | "(?P<straight>[^"]+)" | 「(?P<corner>[^」]+)」 | 『(?P<white>[^』]+)』
    | 《(?P<book>[^》]+)》 | `(?P<code>[^`]+)` | ‘(?P<single>[^‘’]+)’(?!\w) | (?<!\w)'(?P<tick>[^']+)'(?!\w)
    | (?P<link>https?://[^\s<>"”」》，。；、！？）)\]]+)
    | (?<![0-9A-Za-z])
      (?P<id>[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})
      (?![0-9A-Za-z])
    | (?<![0-9A-Za-z_./-])
      (?P<file>(?:[0-9A-Za-z_-]+[/\\])*[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*\.[A-Za-z]{1,5})
      (?![0-9A-Za-z_])
    | (?P<mark>qx\d+x)
    """,
    re.VERBOSE,
)
_MARK = re.compile(r"qx(\d+)x", re.IGNORECASE)
_COLON = re.compile(r"(?<!\d)[:：](?!/)|[:：](?![\d/])")
_MOST_DIGITS = 5
_BLANKS = re.compile(r"[^\S\n]+")
_CONTRACTIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"\bwon't\b", "will not"),
        (r"\bcan't\b", "cannot"),
        (r"\b(\w+)n't\b", r"\1 not"),
        (r"\b(what|where|that|it|who|there)'s\b", r"\1 is"),
        (r"\b(what|where)re\b", r"\1 are"),
        (r"\bi'd\b", "i would"),
        (r"\blet's\b", "let us"),
    )
)


@dataclass(frozen=True, slots=True)
class Mark:
    """What one mark stands for."""

    kind: Literal["quote", "link", "file", "payload", "title"]
    text: str
    """As the user wrote it, without the quotes around it."""
    raw: str
    """The same with its quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A request with marks in it."""

    text: str
    marks: tuple[Mark, ...] = ()
    emoji: bool = False
    """Emoji outside of quotes were left out."""
    marked: str = ""
    """The request with its marks, and otherwise as it was."""

    def mark(self, text: str) -> Mark | None:
        """The one thing that `text` stands for, if it is a mark and nothing else."""
        found = _MARK.fullmatch(text.strip())
        return self._at(found) if found else None

    def shown(self, text: str) -> str:
        """`text` with everything in its place again; what is one mark comes without its quotes."""
        if mark := self.mark(text):
            return mark.text
        return _MARK.sub(self._raw, _BLANKS.sub(" ", text)).strip()

    def whole(self, text: str) -> str:
        """`text` with everything in its place again, verbatim."""
        return _MARK.sub(self._raw, text)

    def _raw(self, found: re.Match[str]) -> str:
        mark = self._at(found)
        return mark.raw if mark else found[0]

    def _at(self, found: re.Match[str]) -> Mark | None:
        number = found[1]
        # Longer numbers are not ours, and Python refuses to read the very long ones.
        known = len(number) <= _MOST_DIGITS and int(number) < len(self.marks)
        return self.marks[int(number)] if known else None


def mask(request: str) -> Masked:
    """`request` with quoted text, links and file names marked, and the rest in one spelling."""
    marks: list[Mark] = []

    def put(found: re.Match[str]) -> str:
        group = str(found.lastgroup)
        kind: Literal["quote", "link", "file"] = "quote"
        if group in {"link", "id"}:
            kind = "link"
        elif group in {"file", "mark"}:
            kind = "file"
        marks.append(Mark(kind, found[group].strip(), found[0]))
        return f"qx{len(marks) - 1}x"

    marked = _AS_IT_STANDS.sub(put, request)
    return _masked(marked, tuple(marks), marked)


def with_payload(masked: Masked) -> Masked | None:
    """`masked` with everything after its first colon as one text; None where nothing follows a colon."""
    colon = _COLON.search(masked.marked)
    payload = masked.marked[colon.end() :].strip() if colon else ""
    if colon is None or not payload or masked.mark(payload):
        return None
    shown = masked.whole(payload)
    text = f"{masked.marked[: colon.start()]} qx{len(masked.marks)}x"
    return _masked(text, (*masked.marks, Mark("payload", shown, shown)), masked.marked)


def with_titles(masked: Masked, spans: list[Span]) -> Masked:
    """`masked` with the titles at `spans` of its folded text marked."""
    _, places = _folded(masked.text)
    text: list[str] = []
    marks, at = list(masked.marks), 0
    for span in spans:
        start, end = places[span.start], places[span.end - 1] + 1
        text.append(f"{masked.text[at:start]} qx{len(marks)}x ")
        marks.append(Mark("title", masked.text[start:end], masked.text[start:end]))
        at = end
    text.append(masked.text[at:])
    return Masked(text="".join(text), marks=tuple(marks), emoji=masked.emoji, marked=masked.marked)


def titles_in(masked: Masked, lookup: Lookup) -> list[Span]:
    """Where the titles of a workspace stand in `masked`."""
    return lookup.spans(_folded(masked.text)[0])


def _masked(text: str, marks: tuple[Mark, ...], marked: str) -> Masked:
    plain = EMOJI.sub(" ", text)
    spaced = _MARK.sub(lambda found: f" {found[0]} ", plain)
    return Masked(text=_spelt(spaced), marks=marks, emoji=plain != text, marked=marked)


def _spelt(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    for pattern, long in _CONTRACTIONS:
        plain = pattern.sub(long, plain)
    return _BLANKS.sub(" ", plain)


def _folded(text: str) -> tuple[str, list[int]]:
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        lowered = character.casefold()
        folded.append(lowered)
        places.extend([place] * len(lowered))
    return "".join(folded), places
