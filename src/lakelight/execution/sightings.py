"""Looks in Notion for what became of a send that is neither an append nor a full set of properties.

A created page is found under its parent by creator, minute, title and content; those that stood there
before the send are remembered and never taken for it. Trashing and restoring are looked up by the state
they lead to.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from lakelight.clock import iso, parse_iso
from lakelight.execution import traces
from lakelight.execution.intents import Anchor
from lakelight.notion import NotionReader
from lakelight.operations import Kind, Operation, Written

_STATES = {
    Kind.PAGE_ARCHIVE: ("page", True),
    Kind.PAGE_RESTORE: ("page", False),
    Kind.BLOCK_DELETE: ("block", True),
    Kind.BLOCK_RESTORE: ("block", False),
}

_NEWEST_FIRST = ({"timestamp": "created_time", "direction": "descending"},)

Sighting = Written | Literal["absent", "unclear"]


async def before_creation(operation: Operation, reader: NotionReader, bot_id: str) -> Anchor:
    """The minute before a page is created, and the pages that our bot had already made in it.

    Raises:
        NotionError: Notion could not be asked.
    """
    parent = operation.request.content["parent"]
    rows: list[dict[str, Any]] = []
    if "page_id" in parent:
        rows = (await reader.children(parent["page_id"])).blocks
    elif "data_source_id" in parent:
        rows = await _of_this_minute(parent["data_source_id"], reader)
    minute = _minute(reader)
    if minute is None:
        return Anchor()
    ours = [row for row in rows if traces.is_ours(row, bot_id, minute)]
    return Anchor(notion_minute=iso(minute), known=tuple(str(row["id"]) for row in ours))


async def look_up(
    operation: Operation, anchor: Anchor, reader: NotionReader, bot_id: str, committed: Sequence[str] = ()
) -> Sighting:
    """What became of `operation`; `unclear` when that cannot be looked up.

    Args:
        committed: What Notion itself says it had stored.

    Raises:
        NotionError: Notion could not be asked.
    """
    if operation.kind is Kind.PAGE_CREATE:
        return await _created(operation, anchor, reader, bot_id, committed)
    if operation.kind not in _STATES:
        return "unclear"
    thing, trashed = _STATES[operation.kind]
    if thing == "block":
        block = await reader.block(operation.target)
        there = bool(block.get("in_trash")) is trashed
        return Written(ids=(operation.target,), found=True) if there else "absent"
    page = await reader.page(operation.target)
    there = bool(page.get("in_trash")) is trashed
    return Written(ids=(operation.target,), found=True, page=page) if there else "absent"


async def _created(
    operation: Operation, anchor: Anchor, reader: NotionReader, bot_id: str, committed: Sequence[str]
) -> Sighting:
    since = parse_iso(anchor.notion_minute) if anchor.notion_minute else None
    for page_id in committed:
        stored = await reader.page(page_id)
        if traces.is_ours(stored, bot_id, since):
            return Written(ids=(page_id,), found=True)
    content = operation.request.content
    siblings = await _siblings(content["parent"], anchor, reader)
    if siblings is None:
        return "unclear"
    for page in traces.created(operation, anchor, siblings, bot_id):
        if not content.get("children"):
            return Written(ids=(page,), found=True)
        children = await reader.children(page)
        if traces.appended(operation, Anchor(), children.blocks, bot_id) is not None:
            return Written(ids=(page,), found=True)
    return "absent"


async def _of_this_minute(data_source_id: str, reader: NotionReader) -> list[dict[str, Any]]:
    """The newest rows, in one request as a rule: Notion's clock is known once the first of them is there."""
    rows: list[dict[str, Any]] = []
    async for row in reader.query(data_source_id, sorts=_NEWEST_FIRST):
        minute = _minute(reader)
        if minute is None or parse_iso(row["created_time"]) < minute:
            break
        rows.append(row)
    return rows


def _minute(reader: NotionReader) -> datetime | None:
    date = reader.now()
    return date.replace(second=0, microsecond=0) if date else None


async def _siblings(
    parent: Mapping[str, Any], anchor: Anchor, reader: NotionReader
) -> list[dict[str, Any]] | None:
    since = anchor.notion_minute
    if since is not None and "data_source_id" in parent:
        made = {"timestamp": "created_time", "created_time": {"on_or_after": since}}
        return [row async for row in reader.query(parent["data_source_id"], made)]
    if since is not None and "page_id" in parent:
        children = await reader.children(parent["page_id"])
        return [block for block in children.blocks if block.get("type") == "child_page"]
    return None
