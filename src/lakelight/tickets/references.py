"""Which words to search the workspace for, to find the pages that a ticket is about.

Notion's search matches a piece of a title and nothing else, so pieces of the ticket's own title are
what there is to try. Chinese has no gaps between words: it is cut at the small words and the verbs
that tickets start with.
"""

import re
from dataclasses import dataclass

from lakelight.tickets.matching import fold

_LATIN = re.compile(r"[a-z0-9][a-z0-9_.'-]*", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]+")
_CUTS = re.compile(
    r"的|了|和|与|及|并|或|在|把|将|对|为|从|到|给|请|按|让|里|中|新增|增加|添加|修复|修改|编写|撰写|整理|更新|"
    r"完善|优化|实现|设计|开发|检查|梳理|补充|制作|创建|建立|生成|处理|支持|关于|一个|这个|所有|全部"
)
_STOP = re.compile(
    r"the|an?|and|or|of|to|for|in|on|at|by|with|from|into|as|is|are|be|its?|this|that|these|those|all|"
    r"add|fix|write|update|make|create|draft|prepare|review|check|implement|improve|clean|set|new|"
    r"our|my|your|please|should|can|how|what|why|when"
)
_SHORTEST = 3
"""Latin words below this are in too many titles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedPage:
    """A page of the workspace that the ticket seems to be about."""

    title: str
    url: str
    text: str = ""
    """What of it is shown to a model; a receipt without a model names the title only."""


def search_words(title: str, limit: int = 3) -> tuple[str, ...]:
    """At most `limit` texts to search for, the most telling first; none for an empty title."""
    # Latin words and Chinese runs are told apart first, so that a mixed title gives both.
    folded = fold(title)
    latin = [word.strip(".'-") for word in _LATIN.findall(folded)]
    pieces = [
        word for word in latin if len(word) >= _SHORTEST and not _STOP.fullmatch(word) and not word.isdigit()
    ]
    for run in _HAN.findall(folded):
        pieces += [piece for piece in _CUTS.split(run) if len(piece) > 1]
    # A Chinese character says about as much as two and a half letters.
    telling = sorted(dict.fromkeys(pieces), key=lambda piece: -_weight(piece))
    return tuple(telling[:limit]) if telling else tuple(filter(None, [folded[:80]]))[:limit]


def _weight(piece: str) -> float:
    return len(piece) * (2.5 if _HAN.match(piece) else 1)
