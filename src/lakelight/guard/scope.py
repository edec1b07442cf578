"""Whether a target lies within what an agent may write.

Ancestors are read from Notion and remembered for a while; what can't be resolved is not
in scope.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from lakelight.clock import Clock
from lakelight.notion import NotionError, NotionReader

_REMEMBERED = timedelta(minutes=5)
_DEEPEST = 32

Answer = Literal["in", "out", "unresolved"]


class Scopes:
    """Answers about ancestry, with a memory."""

    def __init__(self, reader: NotionReader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._parents: dict[str, tuple[datetime, tuple[str, ...]]] = {}

    async def covers(self, target: str, roots: frozenset[str]) -> Answer:
        """`in` when `target` is one of `roots` or lies below one."""
        if target in roots:
            return "in"
        if not roots:
            return "out"
        place = target
        for _ in range(_DEEPEST):
            try:
                above = await self._above(place)
            except NotionError:
                return "unresolved"
            if not above:
                return "out"
            if roots.intersection(above):
                return "in"
            place = above[-1]
        return "unresolved"

    async def _above(self, place: str) -> tuple[str, ...]:
        now = self._clock.now()
        known = self._parents.get(place)
        if known and now - known[0] < _REMEMBERED:
            return known[1]
        block = await self._reader.block(place)
        above = _ids(block.get("parent"))
        self._parents[place] = (now, above)
        return above


def _ids(parent: object) -> tuple[str, ...]:
    # A row's parent names its data source and that one's database; the outermost comes last.
    if not isinstance(parent, Mapping):
        return ()
    found: dict[str, Any] = dict(parent)
    keys = ("block_id", "page_id", "data_source_id", "database_id")
    return tuple(str(found[key]) for key in keys if isinstance(found.get(key), str))
