"""What the viewer sees: the whole workspace at one moment, as the model asks for it.

It stands where the API has a caller's desk. Nothing is hidden from it but the trash, and it writes nothing.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from notion_embedded.model.checks import Json
from notion_embedded.model.columns import Column, Columns
from notion_embedded.model.computed import Outcomes
from notion_embedded.model.dates import milliseconds
from notion_embedded.model.values import Row
from notion_embedded.store import files, nodes, rows, tokens
from notion_embedded.store.nodes import Node
from notion_embedded.store.rows import columns_in, row_of

_PLACES = ("page", "database")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A file of the workspace: where it is had from for now, what it is called, and what it is."""

    path: str
    name: str
    media: str
    """The first half of its content type: `image`, `video`, `audio` …"""
    size: int


class Eyes:
    """One reading of the workspace. Everything is looked up once."""

    def __init__(self, connection: sqlite3.Connection, now: datetime) -> None:
        self.connection = connection
        self._now = now
        self._nodes: dict[str, Node | None] = {}
        self._users: dict[str, Json | None] = {}
        self._columns: dict[str, Columns] = {}
        self._outcomes = Outcomes()

    def node(self, node_id: str) -> Node | None:
        """The node with this id."""
        if node_id not in self._nodes:
            self._nodes[node_id] = nodes.find(self.connection, node_id)
        return self._nodes[node_id]

    def place(self, node_id: str) -> Node | None:
        """The page or database with this id, if it can be shown."""
        node = self.node(node_id)
        return node if node is not None and node.kind in _PLACES and not node.trashed else None

    def file(self, upload_id: str) -> Stored | None:
        """An uploaded file. Its address is the same for an hour, so that a picture is not fetched again."""
        upload = files.find(self.connection, upload_id)
        if upload is None or upload.status != "uploaded":
            return None
        expires = (milliseconds(self._now) // files.ADDRESS_LIFE + 2) * files.ADDRESS_LIFE
        return Stored(
            path=files.signed_path(self.connection, upload, expires),
            name=upload.filename or "",
            media=(upload.content_type or "").partition("/")[0],
            size=upload.content_length or 0,
        )

    # What the model asks

    @property
    def caller(self) -> str:
        """Nobody asks: the view belongs to no user."""
        return ""

    @property
    def now(self) -> datetime:
        """The moment of the visit, in UTC."""
        return self._now

    def user(self, user_id: str) -> Json | None:
        """The user, by id and name."""
        if user_id not in self._users:
            user = tokens.find_user(self.connection, user_id)
            self._users[user_id] = None if user is None else {"id": user.id, "name": user.name}
        return self._users[user_id]

    def page_title(self, page_id: str) -> str | None:
        """The title of a page or database."""
        node = self.node(page_id)
        return None if node is None or node.kind == "block" else node.title

    def is_row_of(self, page_id: str, data_source_id: str) -> bool:
        """Whether the page is a row of that data source."""
        node = self.node(page_id)
        return node is not None and node.kind == "page" and node.parent == data_source_id

    def option_id(self) -> str:
        """No option is made here."""
        return ""

    def columns(self, data_source_id: str) -> Columns:
        """The columns of a data source."""
        if data_source_id not in self._columns:
            source = self.node(data_source_id)
            self._columns[data_source_id] = () if source is None else columns_in(source)
        return self._columns[data_source_id]

    def present(self, page_ids: Sequence[str]) -> list[str]:
        """Those of the pages that are not in the trash, in the same order."""
        found = rows.present(self.connection, page_ids)
        return [page_id for page_id in page_ids if page_id in found]

    def rows(self, page_ids: Sequence[str]) -> list[Row]:
        """The pages with these ids, in the same order."""
        unknown = [page_id for page_id in page_ids if page_id not in self._nodes]
        if unknown:
            self._nodes |= nodes.find_all(self.connection, unknown)
        found = (self._nodes.get(page_id) for page_id in page_ids)
        return [row_of(page) for page in found if page is not None]

    def computed(self, column: Column, row: Row) -> Json:
        """The outcome of a formula or rollup for a row."""
        return self._outcomes.of(column, row, self)
