"""The planner that needs no language model: templates over what the workspace calls its own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from lakelight.agent.planners.offline.index import WorkspaceIndex
from lakelight.agent.planners.offline.lookup import Lookup
from lakelight.agent.planners.offline.masking import mask, titles_in
from lakelight.agent.planners.offline.program import dump_program, load_program, next_plan
from lakelight.agent.planners.offline.scene import Scene, ask
from lakelight.agent.planners.offline.understanding import UNKNOWN, Answer, understand
from lakelight.agent.planning import CallTools, Finish, Plan, Turn
from lakelight.notion import BadReference
from lakelight.notion.links import page_id_from
from lakelight.tools import ToolSpec


class IndexSource(Protocol):
    """Gives the index of the workspace; it may be one that was made a while ago."""

    async def __call__(self) -> WorkspaceIndex:
        """The index.

        Raises:
            NotionError: There is none yet, and Notion could not be asked.
        """
        ...


class OfflinePlanner:
    """Understands single commands, filters and fixed batches in Chinese and English; asks when unsure.

    It implements `Planner`. A request is understood once, over the index of that moment; what it came to is
    the turn's memo from then on, since each step changes what the titles of the next would stand for.
    """

    def __init__(self, index_source: IndexSource) -> None:
        self._index_source = index_source
        self._index: WorkspaceIndex | None = None
        self._lookup = Lookup(WorkspaceIndex())

    async def plan(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        """The next step.

        Raises:
            NotionError: There is no index yet, and Notion could not be asked.
        """
        index = await self._index_source()
        if index is not self._index:
            self._index, self._lookup = index, Lookup(index)
        return plan_turn(turn, self._lookup, [tool.name for tool in tools])


def plan_turn(turn: Turn, lookup: Lookup, tools: Sequence[str]) -> Plan:
    """The next step of `turn`. Pure."""
    program = load_program(turn.memo)
    if program is None:
        answer = understand(turn.request, lookup, _scene(turn, lookup))
        if not isinstance(answer, tuple):
            # A turn without a memo: what was asked for is done, or was stopped.
            return Finish() if turn.steps else answer
        program = answer
    plan = next_plan(program, turn.steps)
    if isinstance(plan, CallTools):
        missing = [call.tool for call in plan.calls if call.tool not in tools]
        if missing:
            return ask("no_such_tool", tool=missing[0])
        return replace(plan, memo=dump_program(program))
    return plan


def understands(brief: str, index: WorkspaceIndex, page: str | None = None) -> bool:
    """True when `brief` is a command, all of it, that can be carried out without a language model."""
    return covers(brief, Lookup(index), page)


def covers(brief: str, lookup: Lookup, page: str | None = None) -> bool:
    """The same, over an index that was prepared before."""
    answer = understand(brief, lookup, Scene(page=page))
    return isinstance(answer, tuple)


def _scene(turn: Turn, lookup: Lookup) -> Scene:
    target = _id(turn.target, lookup)
    return Scene(
        page=_id(turn.page, lookup) or _page_before(turn, lookup),
        database=target if lookup.source(target) else None,
        target=target,
    )


def _id(reference: str | None, lookup: Lookup) -> str | None:
    """The id that a turn's page or target stands for: an id, a link, or a title there is once."""
    if not reference:
        return None
    try:
        found = page_id_from(reference)
    except BadReference:
        titled = [each.id for each in lookup.titled(reference)]
        return titled[0] if len(titled) == 1 else None
    source = lookup.source(found)
    return source.id if source else found


def _page_before(turn: Turn, lookup: Lookup) -> str | None:
    """The one page that the user named in what he said before."""
    if not turn.history:
        return None
    masked = mask(turn.history[-1][0])
    names = {span.title for span in titles_in(masked, lookup)} | {mark.text for mark in masked.marks}
    pages = {page.id for name in names for page in lookup.pages(name)}
    links = {_id(mark.text, lookup) for mark in masked.marks if mark.kind == "link"}
    pages |= {link for link in links if link and lookup.page(link)}
    return pages.pop() if len(pages) == 1 else None


__all__ = ["UNKNOWN", "Answer", "IndexSource", "OfflinePlanner", "covers", "plan_turn", "understands"]
