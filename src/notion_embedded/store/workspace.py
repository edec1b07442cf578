"""A workspace: one file, opened by one server, with everything a request needs of it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from notion_embedded.model.dates import milliseconds, minute
from notion_embedded.model.rich_text import text_run
from notion_embedded.store import files, nodes, outbox, tokens
from notion_embedded.store.bell import Bell
from notion_embedded.store.database import Database, connect, migrate, transaction
from notion_embedded.store.errors import StoreError
from notion_embedded.store.lock import FileLock
from notion_embedded.store.minting import id_prefix, new_uuid, node_id

Clock = Callable[[], datetime]

ROOT_TITLE = "Home"


def system_clock() -> datetime:
    """The machine's own time."""
    return datetime.now(UTC)


class Workspace:
    """An open workspace. It holds the file's lock until it is closed."""

    def __init__(self, file: Path, lock: FileLock, clock: Clock, *, max_pages: int | None = None) -> None:
        self.file = file
        self.bell = Bell()
        """It rings when there is something to send to somebody."""
        self._lock = lock
        self._clock = clock
        self._database = Database(file, max_pages=max_pages)
        with self.reading() as connection:
            about = about_workspace(connection)
            first = tokens.find_token(connection, about["first_token"])
        self.workspace_id: str = about["id"]
        self.name: str = about["name"]
        self.id_prefix: str = about["id_prefix"]
        self.root_page_id: str = about["root_page"]
        self.token: str = about["first_token"]
        self.bot_id: str = "" if first is None else first.user.id

    def now(self) -> datetime:
        """The present moment of this workspace, in UTC."""
        return self._clock().astimezone(UTC)

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection that sees one moment of the workspace. Blocks; use it on a thread."""
        return self._database.reading()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The one writing connection, in a transaction. Blocks; use it on a thread.

        What webhooks are to be told of the writes is stored in the same transaction.
        """
        with self._database.writing() as connection:
            yield connection
            sealed = outbox.seal(connection, milliseconds(self.now()))
            news = sealed or files.next_import(connection) is not None
        if news:
            self.bell.ring()

    def close(self) -> None:
        """Close the file and let others have it."""
        self._database.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_workspace(
    file: str | Path,
    *,
    workspace_id: str | None = None,
    workspace_name: str = "Lakelight",
    clock: Clock = system_clock,
    max_pages: int | None = None,
) -> Workspace:
    """Open the workspace in `file`; where there is none, make one with a bot, a token and a root page.

    Raises:
        WorkspaceInUse: Another server holds the file.
        StoreError: The file cannot be used.
    """
    # One file has one name, whatever links lead to it: its lock stands beside it.
    path = Path(file).resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise StoreError(
                f"{path} cannot be used as a workspace file: it is no plain file; give another file"
            )
        if path.exists() and path.stat().st_nlink > 1:
            raise StoreError(
                f"{path} has a second name (a hard link), by which another server could write to it; "
                "remove that name, or give another file"
            )
        lock = FileLock(path)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        # The file holds tokens: it is nobody else's to read.
        path.touch(mode=0o600)
        with closing(connect(path)) as connection:
            migrate(connection)
            _make_once(connection, workspace_id, workspace_name, clock().astimezone(UTC))
        return Workspace(path, lock, clock, max_pages=max_pages)
    except BaseException as error:
        lock.discard()
        if isinstance(error, sqlite3.Error | OSError):
            raise _unusable(path, error) from error
        raise


def _unusable(path: Path, error: Exception) -> StoreError:
    return StoreError(f"{path} cannot be used as a workspace file: {error}; give another file")


def about_workspace(connection: sqlite3.Connection) -> sqlite3.Row:
    """The workspace's own row."""
    row: sqlite3.Row | None = connection.execute("SELECT * FROM workspace").fetchone()
    if row is None:
        raise StoreError("the file holds no workspace")
    return row


def _make_once(connection: sqlite3.Connection, workspace_id: str | None, name: str, now: datetime) -> None:
    with transaction(connection):
        if connection.execute("SELECT 1 FROM workspace").fetchone():
            return
        moment, prefix = milliseconds(now), id_prefix()
        owner = tokens.add_user(connection, "person", "Owner", "owner@example.com")
        bot = tokens.add_user(connection, "bot", name)
        token = tokens.add_token(connection, bot, name, read_only=False, moment=moment)
        root = nodes.add(
            connection,
            nodes.Node(
                seq=0,
                id=node_id(prefix, by_person=True),
                kind="page",
                type="child_page",
                parent=None,
                parent_kind=None,
                rank=nodes.GAP,
                title=ROOT_TITLE,
                body={"values": {"title": [text_run(ROOT_TITLE)]}, "icon": None, "cover": None},
                created_time=minute(moment),
                created_by=owner.id,
                edited_time=minute(moment),
                edited_by=owner.id,
                trashed=False,
                archived=False,
                locked=False,
            ),
        )
        tokens.share(connection, token.id, root.id)
        connection.execute(
            "INSERT INTO workspace (id, name, id_prefix, root_page, first_token, created_time)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (workspace_id or new_uuid(), name, prefix, root.id, token.secret, moment),
        )
