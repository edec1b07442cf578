"""A plain, read-only view of the workspace for its owner's browser. It writes nothing and runs no script."""

from notion_embedded.viewer.site import routes

__all__ = ["routes"]
