"""OAuth: how a public connection is let in, and what it gets for it."""

from starlette.routing import Route

from notion_embedded.store.workspace import Workspace


def routes(workspace: Workspace) -> list[Route]:
    """The addresses of the OAuth flow."""
    del workspace
    return []
