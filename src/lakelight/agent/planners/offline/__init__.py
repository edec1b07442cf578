"""Planning without a language model."""

from lakelight.agent.planners.offline.index import (
    IndexedColumn,
    IndexedPage,
    IndexedSource,
    WorkspaceIndex,
)
from lakelight.agent.planners.offline.indexing import build_index
from lakelight.agent.planners.offline.planner import IndexSource, OfflinePlanner, understands

__all__ = [
    "IndexSource",
    "IndexedColumn",
    "IndexedPage",
    "IndexedSource",
    "OfflinePlanner",
    "WorkspaceIndex",
    "build_index",
    "understands",
]
