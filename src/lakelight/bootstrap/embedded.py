"""Serves the embedded workspace within this process."""

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from lakelight.bootstrap.home import EMBEDDED_FILE, SEEDING_FILE, Place, announced, embedded_folder
from lakelight.errors import LakelightError
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
    # Imported on use: the server takes a third of a second, and who has Notion needs none.
    from notion_embedded.server import serve

    try:
        folder, workspace = _whole_workspace(home)
    except OSError as error:
        raise EmbeddedError(file=home, cause=str(error)) from error
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


def _whole_workspace(home: Path) -> tuple[Path, Workspace]:
    folder = embedded_folder(home)
    if folder is None:
        folder = home / str(uuid4())
        folder.mkdir(mode=0o700)
        (folder / SEEDING_FILE).touch()
        return folder, _opened(folder)
    workspace = _opened(folder)
    if not (folder / SEEDING_FILE).exists():
        return folder, workspace
    # Its seeding was cut short, and nobody has seen what that left. Without its file the folder is no
    # workspace any more, should this be cut short as well.
    workspace.close()
    (folder / EMBEDDED_FILE).unlink()
    shutil.rmtree(folder)
    return _whole_workspace(home)


def _opened(folder: Path) -> Workspace:
    file = folder / EMBEDDED_FILE
    try:
        return open_workspace(file, workspace_id=folder.name, workspace_name="Lakelight demo")
    except WorkspaceInUse as error:
        raise EmbeddedInUse(file=file) from error
    # A disk that is full is told by SQLite itself.
    except (StoreError, sqlite3.Error) as error:
        raise EmbeddedError(file=file, cause=str(error)) from error
