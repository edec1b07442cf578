"""Chooses what plans a turn: the model that is set up, or the templates where none is."""

from collections.abc import Callable
from datetime import datetime, timedelta

from lakelight.agent.planners.offline import OfflinePlanner, WorkspaceIndex, build_index, understands
from lakelight.agent.planning import Planner
from lakelight.clock import Clock
from lakelight.llm import ChatModel, ModelError, Purpose, TaskKind
from lakelight.notion import NotionReader

_REMEMBERED = timedelta(minutes=2)


class CachedIndex:
    """The workspace's titles, columns and options, read again when they are old."""

    def __init__(self, reader: NotionReader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._known: tuple[datetime, WorkspaceIndex] | None = None

    async def __call__(self) -> WorkspaceIndex:
        """The index.

        Raises:
            NotionError: Notion could not be asked.
        """
        now = self._clock.now()
        if self._known is None or now - self._known[0] > _REMEMBERED:
            self._known = (now, await build_index(self._reader))
        return self._known[1]

    async def found_in(self, text: str) -> list[str]:
        """The titles of pages and databases that stand in `text`.

        Raises:
            NotionError: Notion could not be asked.
        """
        index, words = await self(), text.casefold()
        titles = [page.title for page in index.pages] + [source.title for source in index.sources]
        return [title for title in dict.fromkeys(titles) if title and title.casefold() in words]


def build_planners(
    model: ChatModel | None,
    index: CachedIndex,
    on_text: Callable[[str], None] | None,
    on_restart: Callable[[ModelError], None] | None,
) -> Callable[[str], Planner]:
    """Gives the planner of a run. Templates never stand in for a model that is set up."""
    if model is None:
        templates = OfflinePlanner(index)
        return lambda _run_id: templates
    from lakelight.agent.planners.model import ModelPlanner

    planner = ModelPlanner(model, purpose=Purpose(agent=""), names=index)
    return lambda run_id: planner.for_run(
        Purpose(agent="", run=run_id), on_text=on_text, on_restart=on_restart
    )


def build_ticket_planner(
    model: ChatModel | None, index: CachedIndex
) -> Callable[[Purpose, TaskKind], Planner] | None:
    """Gives the planner of a ticket; nothing where no model is set up."""
    if model is None:
        return None
    from lakelight.agent.planners.model import ModelPlanner

    planner = ModelPlanner(model, purpose=Purpose(agent=""), names=index)
    return lambda purpose, task: planner.for_run(purpose, task=task)


class TemplateBriefs:
    """Knows which briefs the templates carry out."""

    def __init__(self, index: CachedIndex) -> None:
        self._index = index

    async def cover(self, brief: str, page_id: str) -> bool:
        """True when `brief` is a command that is understood as a whole.

        Raises:
            NotionError: Notion could not be asked.
        """
        return understands(brief, await self._index(), page_id)
