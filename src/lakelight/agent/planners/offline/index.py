"""What stands in a workspace, as far as the offline planner has to know it: titles, columns, options."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A page that can be named."""

    id: str
    title: str
    url: str = ""
    source: str | None = None
    """The data source that it is a row of."""
    number: str = ""
    """What Notion numbers it by, such as `T-12`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedColumn:
    """A column, and what its cells may hold where that is a closed list."""

    type: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedSource:
    """A data source that can be named."""

    id: str
    title: str
    url: str = ""
    database: str = ""
    """The database around it; its link leads there."""
    columns: Mapping[str, IndexedColumn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceIndex:
    """The pages and data sources that were there when it was made."""

    pages: tuple[IndexedPage, ...] = ()
    sources: tuple[IndexedSource, ...] = ()
