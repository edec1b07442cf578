"""Makes the index of a workspace by searching it for nothing. Whoever asks keeps it for a while."""

from collections.abc import Mapping
from typing import Any

from lakelight.agent.planners.offline.index import (
    IndexedColumn,
    IndexedPage,
    IndexedSource,
    WorkspaceIndex,
)
from lakelight.notion import NotionReader
from lakelight.notion.schema import columns, plain_text
from lakelight.operations.surroundings import title_of

MOST_TITLES = 500


async def build_index(reader: NotionReader, most: int = MOST_TITLES) -> WorkspaceIndex:
    """The first `most` pages and data sources that the token may see, the latest edited first.

    Raises:
        NotionError: Notion could not be asked.
    """
    sources = [_source(each) for each in await reader.search("", "data_source", most) if _is_there(each)]
    pages = [_page(each) for each in await reader.search("", "page", most) if _is_there(each)]
    return WorkspaceIndex(
        pages=tuple(page for page in pages if page.title),
        sources=tuple(each for each in sources if each.title),
    )


def _is_there(found: Mapping[str, Any]) -> bool:
    return bool(found.get("id")) and not found.get("in_trash")


def _page(found: Mapping[str, Any]) -> IndexedPage:
    parent = found.get("parent")
    source = parent.get("data_source_id") if isinstance(parent, Mapping) else None
    return IndexedPage(
        id=str(found["id"]),
        title=title_of(found).strip(),
        url=str(found.get("url") or ""),
        source=str(source) if source else None,
        number=_number(found.get("properties")),
    )


def _number(properties: object) -> str:
    values = properties.values() if isinstance(properties, Mapping) else ()
    for value in values:
        given = value.get("unique_id") if isinstance(value, Mapping) else None
        if isinstance(given, Mapping) and isinstance(given.get("number"), int):
            prefix = given.get("prefix")
            return f"{prefix}-{given['number']}" if prefix else str(given["number"])
    return ""


def _source(found: Mapping[str, Any]) -> IndexedSource:
    parent = found.get("parent")
    database = parent.get("database_id") if isinstance(parent, Mapping) else None
    schema = columns(found)
    return IndexedSource(
        id=str(found["id"]),
        title=plain_text(found.get("title")).strip(),
        url=str(found.get("url") or ""),
        database=str(database or ""),
        columns={
            name: IndexedColumn(type=column.type, options=column.options) for name, column in schema.items()
        },
    )
