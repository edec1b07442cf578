"""Reads from Notion what a preview shows of an operation, and what it rests on."""

import asyncio
from collections.abc import Mapping
from typing import Any

from lakelight.execution.door import View
from lakelight.notion import NotionReader, NotionRefused
from lakelight.operations import Kind, Operation
from lakelight.operations.prestate import pre_state_hash
from lakelight.operations.preview import preview
from lakelight.operations.surroundings import Surroundings, title_of

_WITH_CHILDREN = frozenset({Kind.BLOCK_APPEND, Kind.PAGE_ARCHIVE})
_OF_BLOCKS = frozenset({Kind.BLOCK_UPDATE, Kind.BLOCK_DELETE, Kind.BLOCK_RESTORE})


class NotionSurroundings:
    """Looks at what an operation will change, in two or three requests."""

    def __init__(self, reader: NotionReader) -> None:
        self._reader = reader

    async def look(self, operation: Operation, title: str) -> View:
        """How it stands now, as a preview and as a hash.

        Raises:
            NotionError: Notion could not be asked. What Notion does not find is shown as gone.
        """
        around = await self.read(operation)
        # It may have been renamed since somebody wrote its title down.
        known = "" if operation.kind is Kind.PAGE_CREATE else title_of(around.target)
        shown = preview(operation, around, known or title)
        return View(preview=shown.dump(), pre_state=pre_state_hash(operation, around))

    async def read(self, operation: Operation) -> Surroundings:
        """The state before `operation`.

        Raises:
            NotionError: Notion could not be asked.
        """
        try:
            if operation.kind is Kind.PAGE_CREATE:
                parent = await self._parent(operation)
                return Surroundings(target=parent, place=title_of(parent))
            target, children = await asyncio.gather(self._target(operation), self._children(operation))
        except NotionRefused as error:
            if error.notion_code != "object_not_found":
                raise
            return Surroundings()
        return Surroundings(target=target, children=children, place=await self._place(target))

    async def _parent(self, operation: Operation) -> dict[str, Any]:
        if "data_source_id" in operation.request.content.get("parent", {}):
            return await self._reader.data_source(operation.target)
        return await self._reader.page(operation.target)

    async def _target(self, operation: Operation) -> dict[str, Any]:
        if operation.kind in _OF_BLOCKS:
            return await self._reader.block(operation.target)
        return await self._reader.page(operation.target)

    async def _children(self, operation: Operation) -> tuple[dict[str, Any], ...]:
        if operation.kind not in _WITH_CHILDREN:
            return ()
        return tuple((await self._reader.children(operation.target)).blocks)

    async def _place(self, target: Mapping[str, Any]) -> str:
        """The title of what it stands in; it helps a person and decides nothing, so it may be missing."""
        parent = target.get("parent") or {}
        try:
            if "data_source_id" in parent:
                return title_of(await self._reader.data_source(parent["data_source_id"]))
            if "page_id" in parent:
                return title_of(await self._reader.page(parent["page_id"]))
        except NotionRefused:
            pass
        return ""
