"""Finds what a workspace calls something: by its exact title, inside a sentence, or nearest to a name."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from lakelight.agent.planners.offline.index import IndexedPage, IndexedSource, WorkspaceIndex
from lakelight.tools import Candidate

EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+")

_NUMBERED = re.compile(
    r"""
      (?<![0-9a-z_./-])
      (?: (?:ticket|task|issue)(?:\ no\.?|\ number)?\ ?\#?\ ?(?P<en>\d{1,6})
        | (?P<key>[a-z][0-9a-z]{0,9}-\d{1,6})
      )
      (?![0-9a-z_/-])
    | (?:工单|任务)(?:编号|号)?\ ?\#?\ ?(?P<zh>\d{1,6})(?![0-9])号?
    """,
    re.VERBOSE,
)
"""How a ticket is named by its number."""
_BLANKS = re.compile(r"\s+")
_LEAST_NAME = 2
_LEAST_LIKE = 0.3

Sort = Literal["page", "data_source"]
_Entry = TypeVar("_Entry", IndexedPage, IndexedSource)


def fold(text: str) -> str:
    """`text` without what does not tell titles apart: width, case, emoji, blanks around and doubled."""
    plain = EMOJI.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _BLANKS.sub(" ", plain).strip()


@dataclass(frozen=True, slots=True)
class Span:
    """A title that stands in a text."""

    start: int
    end: int
    title: str
    """Folded."""


class Lookup:
    """An index, prepared for being asked."""

    def __init__(self, index: WorkspaceIndex) -> None:
        self._pages = _by_title(index.pages)
        self._sources = _by_title(index.sources)
        self._numbers = _by_number(index.pages)
        self._by_id: dict[str, IndexedPage | IndexedSource] = {page.id: page for page in index.pages}
        self._source_by_id = {source.id: source for source in index.sources}
        self._by_id |= self._source_by_id
        self._by_database = {source.database: source for source in index.sources if source.database}
        self._titles = sorted({*self._pages, *self._sources} - {""}, key=lambda title: (-len(title), title))
        self._pairs = {title: _pairs(title) for title in self._titles}
        self.columns, self.options = named_in(*index.sources)

    def pages(self, title: str) -> tuple[IndexedPage, ...]:
        """The pages with this very title, else the tickets with this number."""
        folded = fold(title)
        if folded in self._pages or not (found := _NUMBERED.fullmatch(folded)):
            return self._pages.get(folded, ())
        return self._numbers.get(_number_in(found), ())

    def sources(self, title: str) -> tuple[IndexedSource, ...]:
        """The data sources with this very title."""
        return self._sources.get(fold(title), ())

    def titled(self, title: str) -> tuple[IndexedPage | IndexedSource, ...]:
        """Everything with this very title."""
        return (*self.pages(title), *self.sources(title))

    def page(self, page_id: str) -> IndexedPage | None:
        """The page with this id."""
        found = self._by_id.get(page_id)
        return found if isinstance(found, IndexedPage) else None

    def source(self, source_id: str | None) -> IndexedSource | None:
        """The data source with this id, or of the database with this id."""
        if source_id is None:
            return None
        return self._source_by_id.get(source_id) or self._by_database.get(source_id)

    def spans(self, text: str) -> list[Span]:
        """Every title in `text`, which is folded, and every ticket's number.

        Where titles overlap the longest wins.
        """
        found: list[Span] = []
        for title in self._titles:
            start = text.find(title) if len(title) >= _LEAST_NAME else -1
            while start >= 0:
                span = Span(start, start + len(title), title)
                if _stands_alone(text, span) and not any(_overlap(span, other) for other in found):
                    found.append(span)
                start = text.find(title, start + 1)
        for numbered in _NUMBERED.finditer(text) if self._numbers else ():
            span = Span(*numbered.span(), numbered[0])
            if _number_in(numbered) in self._numbers and not any(_overlap(span, other) for other in found):
                found.append(span)
        return sorted(found, key=lambda span: span.start)

    def nearest(self, name: str, sort: Sort, most: int = 5) -> tuple[Candidate, ...]:
        """What the user may have meant by `name`, the likeliest first."""
        wanted = fold(name)
        pairs = _pairs(wanted)
        among: Mapping[str, tuple[IndexedPage | IndexedSource, ...]]
        among = self._pages if sort == "page" else self._sources
        scored = [(_likeness(wanted, pairs, title, self._pairs[title]), title) for title in among if title]
        best = sorted(
            (score for score in scored if score[0] >= _LEAST_LIKE), key=lambda one: (-one[0], one[1])
        )
        return tuple(candidate(each) for _, title in best for each in among[title])[:most]

    def holding(self, name: str) -> tuple[IndexedPage | IndexedSource, ...]:
        """What has `name` within its title."""
        wanted = fold(name)
        if len(wanted) < _LEAST_NAME:
            return ()
        titles = [title for title in self._titles if wanted in title]
        return tuple(each for title in titles for each in self.titled(title))


def candidate(found: IndexedPage | IndexedSource) -> Candidate:
    """`found` as it is shown beside a question."""
    sort: Sort = "page" if isinstance(found, IndexedPage) else "data_source"
    return Candidate(id=found.id, title=found.title, type=sort, url=found.url)


def named_in(*sources: IndexedSource) -> tuple[dict[str, str], dict[str, str]]:
    """The names of the columns and of the options, by how they are folded."""
    columns = [(name, column) for source in sources for name, column in source.columns.items()]
    return (
        _named(name for name, _ in columns),
        _named(option for _, column in columns for option in column.options),
    )


def _by_title(entries: Iterable[_Entry]) -> dict[str, tuple[_Entry, ...]]:
    found: dict[str, list[_Entry]] = {}
    for entry in entries:
        found.setdefault(fold(entry.title), []).append(entry)
    return {title: tuple(titled) for title, titled in found.items()}


def _by_number(pages: Iterable[IndexedPage]) -> dict[str, tuple[IndexedPage, ...]]:
    """The numbered pages, by `t-12` and by `12`."""
    found: dict[str, list[IndexedPage]] = {}
    for page in pages:
        for name in {fold(page.number), page.number.rpartition("-")[2]} - {""}:
            found.setdefault(name, []).append(page)
    return {number: tuple(numbered) for number, numbered in found.items()}


def _number_in(found: re.Match[str]) -> str:
    return found["key"] or (found["en"] or found["zh"]).lstrip("0")


def _named(names: Iterable[str]) -> dict[str, str]:
    return {fold(name): name for name in names if fold(name)}


def _stands_alone(text: str, span: Span) -> bool:
    before = text[span.start - 1 : span.start]
    after = text[span.end : span.end + 1]
    return not (_joined(before, text[span.start]) or _joined(text[span.end - 1], after))


def _joined(left: str, right: str) -> bool:
    """True within a word of a script that puts blanks between words."""
    return bool(left and right) and all(each.isascii() and each.isalnum() for each in (left, right))


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _pairs(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 2] for at in range(len(text) - 1)) or frozenset({text})


def _likeness(name: str, pairs: frozenset[str], title: str, others: frozenset[str]) -> float:
    if not name:
        return 0.0
    if name in title or title in name:
        return 1.0 + min(len(name), len(title)) / max(len(name), len(title))
    return 2 * len(pairs & others) / (len(pairs) + len(others))
