"""Search by title. Linear in the number of pages; the order by time is indexed."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from notion_embedded.store.lag import SearchedTitles
from notion_embedded.store.nodes import Kind, Node, node_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """What is searched for."""

    words: str
    kinds: tuple[Kind, ...]
    trashed: bool
    newest_first: bool
    start: tuple[int, int] | None
    """The time and `seq` from which on it goes, in this order."""


_DOWN = """
    SELECT * FROM node
    WHERE kind IN ('page', 'data_source') AND (edited_time, seq) <= (?, ?) AND trashed = ? AND kind IN (?, ?)
    ORDER BY edited_time DESC, seq DESC
"""
_UP = """
    SELECT * FROM node
    WHERE kind IN ('page', 'data_source') AND (edited_time, seq) >= (?, ?) AND trashed = ? AND kind IN (?, ?)
    ORDER BY edited_time ASC, seq ASC
"""
_LAST = 2**62


def found_by_title(connection: sqlite3.Connection, hits: Hits, titles: SearchedTitles) -> Iterator[Node]:
    """The nodes whose title, as search knows it, has the words in it, whatever the case."""
    first = (_LAST, _LAST) if hits.newest_first else (-_LAST, 0)
    place = hits.start or first
    arguments = (*place, int(hits.trashed), hits.kinds[0], hits.kinds[-1])
    words = hits.words.casefold()
    for row in connection.execute(_DOWN if hits.newest_first else _UP, arguments):
        node = node_of(row)
        title = titles.of(node)
        if title is not None and words in title.casefold():
            yield node
