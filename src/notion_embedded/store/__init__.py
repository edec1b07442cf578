"""The workspace on disk: one SQLite file, one writer, many readers."""

from notion_embedded.store.errors import StoreError, WorkspaceInUse
from notion_embedded.store.nodes import Kind, Node
from notion_embedded.store.tokens import Token, User
from notion_embedded.store.workspace import Clock, Workspace, open_workspace, system_clock

__all__ = [
    "Clock",
    "Kind",
    "Node",
    "StoreError",
    "Token",
    "User",
    "Workspace",
    "WorkspaceInUse",
    "open_workspace",
    "system_clock",
]
