"""Notion's API: ports to read and to write, one HTTP adapter, and the shapes of its values.

The writing port is not named here: only `lakelight.execution` may hold it.
"""

from lakelight.notion.answer import Answer
from lakelight.notion.errors import (
    BadProperty,
    BadReference,
    NotionConflict,
    NotionError,
    NotionIncomplete,
    NotionLimited,
    NotionRefused,
    NotionTooLarge,
    NotionUnreachable,
    ReadOnlyColumn,
    UnknownColumn,
    UnknownOption,
)
from lakelight.notion.reading import Children, NotionReader, PageMarkdown

__all__ = [
    "Answer",
    "BadProperty",
    "BadReference",
    "Children",
    "NotionConflict",
    "NotionError",
    "NotionIncomplete",
    "NotionLimited",
    "NotionReader",
    "NotionRefused",
    "NotionTooLarge",
    "NotionUnreachable",
    "PageMarkdown",
    "ReadOnlyColumn",
    "UnknownColumn",
    "UnknownOption",
]
