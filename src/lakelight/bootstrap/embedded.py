"""Serves the embedded workspace within this process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from lakelight.bootstrap.home import EMBEDDED_FILE, Place, announced, embedded_folder
from lakelight.errors import LakelightError
from notion_embedded.server import serve
from notion_embedded.store import StoreError, Workspace, WorkspaceInUse, open_workspace

__all__ = ["EmbeddedError", "EmbeddedInUse", "Workspace", "embedded_place"]


class EmbeddedError(LakelightError):
    """The embedded workspace cannot be opened."""

    code = "embedded.failed"


class EmbeddedInUse(EmbeddedError):
    """Another process serves it."""

    code = "embedded.in_use"


@asynccontextmanager
async def embedded_place(home: Path, port: int) -> AsyncIterator[tuple[Place, Workspace]]:
    """The embedded workspace of `home`, made if there is none, served while the context lasts.

    Raises:
        EmbeddedInUse: Another process serves it.
        EmbeddedError: Its file cannot be used.
    """
    folder = embedded_folder(home)
    workspace_id = folder.name if folder else str(uuid4())
    folder = home / workspace_id
    try:
        workspace = open_workspace(
            folder / EMBEDDED_FILE, workspace_id=workspace_id, workspace_name="Lakelight demo"
        )
    except WorkspaceInUse as error:
        raise EmbeddedInUse(file=folder / EMBEDDED_FILE) from error
    except StoreError as error:
        raise EmbeddedError(file=folder / EMBEDDED_FILE, cause=str(error)) from error
    try:
        folder.chmod(0o700)
        async with serve(workspace, "127.0.0.1", port) as url:
            with announced(folder, url, workspace.token):
                yield (
                    Place(kind="embedded", folder=folder, base_url=url, token=workspace.token),
                    workspace,
                )
    except OSError as error:
        raise EmbeddedError(file=folder / EMBEDDED_FILE, cause=str(error)) from error
    finally:
        workspace.close()
