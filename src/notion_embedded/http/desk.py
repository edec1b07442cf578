"""What a handler works at: one transaction, one caller, one moment.

The desk knows what the caller may see, finds it or refuses it in Notion's words, and answers
what the model asks about users, pages and columns.
"""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus

from notion_embedded.model.checks import Json
from notion_embedded.model.columns import Column, Columns, Minting
from notion_embedded.model.computed import Outcomes
from notion_embedded.model.dates import milliseconds, minute
from notion_embedded.model.errors import NOT_FOUND, ApiError, guessed, invalid
from notion_embedded.model.filters import Asker
from notion_embedded.model.values import Row
from notion_embedded.store import files, minting, nodes, rows, settings, tokens
from notion_embedded.store.nodes import Kind, Node
from notion_embedded.store.rows import columns_in, row_of
from notion_embedded.store.tokens import Token, User
from notion_embedded.store.workspace import Workspace

_TITLE_ONLY = (Column(id="title", name="title", type="title", config={}),)


class Desk:
    """A transaction with the caller's eyes."""

    def __init__(self, workspace: Workspace, connection: sqlite3.Connection, token: Token) -> None:
        self.connection = connection
        self.token = token
        self._workspace = workspace
        now = workspace.now()
        self.now: datetime = now
        self.caller: str = token.user.id
        self.asker = Asker(now=now, user_id=token.user.id, columns_of=self.columns)
        self.exact = milliseconds(now)
        self.minute = minute(self.exact)
        self._shares = frozenset(tokens.shares(connection, token.id))
        self._seen: dict[str, bool] = {}
        self._users: dict[str, Json | None] = {}
        self._columns: dict[str, Columns] = {}
        self._databases: dict[str, str | None] = {}
        self._outcomes = Outcomes()
        self._rows: dict[str, Row] = {}

    # What may be seen

    def sees(self, node_id: str) -> bool:
        """Whether the node, or something it stands in, is shared with the caller."""
        if node_id not in self._seen:
            above = nodes.ancestors(self.connection, node_id)
            self._seen[node_id] = any(found in self._shares for found, _, _ in above)
        return self._seen[node_id]

    def find(self, node_id: str, noun: str, kinds: Sequence[Kind]) -> Node:
        """The node, if it is of these kinds and the caller may see it."""
        node = nodes.find(self.connection, node_id)
        if node is None or not self.sees(node_id):
            raise self.missing(noun, node_id)
        if node.kind not in kinds:
            raise _of_another_kind(node, noun) or self.missing(noun, node_id)
        return node

    def missing(self, noun: str, node_id: str) -> ApiError:
        """There is no such thing, or it is not shared: Notion does not say which."""
        if self.token.user.type == "bot":
            hint = (
                "Make sure the relevant pages and databases are shared with your integration "
                f'"{self.token.user.name}".'
            )
        else:
            hint = "Check that you have access and that you're authenticated to the correct workspace."
        return ApiError(
            HTTPStatus.NOT_FOUND,
            NOT_FOUND,
            f"Could not find {noun} with ID: {node_id}. {hint}",
            additional_data={"integration_id": self.token.user.id},
        )

    def check_editable(self, node: Node) -> None:
        """Refuse to edit what is in the trash, by itself or with something it stands in."""
        if node.trashed:
            raise invalid("Can't edit block that is archived. You must unarchive the block before editing.")
        if any(trashed for _, _, trashed in nodes.ancestors(self.connection, node.id)):
            raise guessed(
                "Can't edit page on block with an archived ancestor. "
                "You must unarchive the ancestor before editing page."
            )

    # What the model asks

    def user(self, user_id: str) -> Json | None:
        """The user as responses show it."""
        if user_id not in self._users:
            user = tokens.find_user(self.connection, user_id)
            self._users[user_id] = None if user is None else self.show_user(user)
        return self._users[user_id]

    def show_user(self, user: User) -> Json:
        """A user, whole."""
        shown: Json = {
            "object": "user",
            "id": user.id,
            "name": user.name,
            "avatar_url": None,
            "type": user.type,
        }
        if user.type == "person":
            shown["person"] = {"email": user.email, "email_verified": True} if user.email else {}
        else:
            shown["bot"] = {
                "owner": {"type": "workspace", "workspace": True},
                "workspace_name": self._workspace.name,
                "workspace_id": self._workspace.workspace_id,
                "workspace_limits": {
                    "max_file_upload_size_in_bytes": settings.max_file_bytes(self.connection)
                },
            }
        return shown

    def page_title(self, page_id: str) -> str | None:
        """The title of a page or database that the caller may see."""
        node = nodes.find(self.connection, page_id)
        return None if node is None or node.kind == "block" or not self.sees(page_id) else node.title

    def is_row_of(self, page_id: str, data_source_id: str) -> bool:
        """Whether the page is a row of that data source that the caller may see."""
        node = nodes.find(self.connection, page_id)
        return (
            node is not None and node.parent == data_source_id and node.kind == "page" and self.sees(page_id)
        )

    def upload(self, upload_id: str) -> Json:
        """An uploaded file, attached from now on, in the form in which it is stored.

        Raises:
            ApiError: The caller has uploaded no such file, not all of it, or too long ago.
        """
        return {"type": "file_upload", "file_upload": {"id": self._attached(upload_id).id}}

    def attachment(self, upload_id: str) -> Json:
        """The same for a comment, which says what sort of file it is."""
        upload = self._attached(upload_id)
        return {"category": files.category(upload), "file_upload": {"id": upload.id}}

    def _attached(self, upload_id: str) -> files.Upload:
        upload = files.find(self.connection, upload_id)
        if upload is None or upload.created_by != self.token.user.id:
            raise self.missing("file upload", upload_id)
        upload = upload.at(self.exact)
        if upload.status != "uploaded":
            raise guessed(
                f"File upload {upload_id} has status {upload.status}; only an uploaded file can be attached."
            )
        files.attach(self.connection, upload)
        return upload

    def present(self, page_ids: Sequence[str]) -> list[str]:
        """Those of the pages that are not in the trash, in the same order."""
        found = rows.present(self.connection, page_ids)
        return [page_id for page_id in page_ids if page_id in found]

    def rows(self, page_ids: Sequence[str]) -> list[Row]:
        """The pages with these ids, in the same order."""
        unknown = [page_id for page_id in page_ids if page_id not in self._rows]
        if unknown:
            for page in nodes.find_all(self.connection, unknown).values():
                self._rows[page.id] = row_of(page)
        return [self._rows[page_id] for page_id in page_ids if page_id in self._rows]

    def computed(self, column: Column, row: Row) -> Json:
        """The outcome of a formula or rollup for a row, worked out once in a request."""
        return self._outcomes.of(column, row, self)

    def option_id(self) -> str:
        """A new id for an option."""
        return minting.new_uuid()

    @property
    def minting(self) -> Minting:
        """Where new ids of columns and options come from."""
        return Minting(column_id=minting.column_id, option_id=minting.new_uuid)

    # What stands around a node

    def new_id(self) -> str:
        """An id for a page, a block or a data source."""
        return minting.node_id(self._workspace.id_prefix, by_person=self.token.user.type == "person")

    def columns_of(self, page: Node) -> Columns:
        """The columns that a page's values stand in; a page that is no row has its title alone."""
        if page.parent_kind != "data_source" or page.parent is None:
            return _TITLE_ONLY
        return self.columns(page.parent)

    def columns(self, data_source_id: str) -> Columns:
        """The columns of a data source."""
        if data_source_id not in self._columns:
            source = nodes.find(self.connection, data_source_id)
            self._columns[data_source_id] = () if source is None else columns_in(source)
        return self._columns[data_source_id]

    def database_of(self, data_source_id: str) -> str | None:
        """The database that a data source stands in."""
        if data_source_id not in self._databases:
            source = nodes.find(self.connection, data_source_id)
            self._databases[data_source_id] = None if source is None else source.parent
        return self._databases[data_source_id]

    def forget_columns(self, data_source_id: str) -> None:
        """The columns have changed; read them anew when they are next asked for."""
        self._columns.pop(data_source_id, None)
        self._outcomes.forget_formulas()
        self.forget_rows()

    def forget_rows(self) -> None:
        """Some row has changed; nothing that was read or worked out before may be shown."""
        self._rows.clear()
        self._outcomes.forget()


def _of_another_kind(node: Node, noun: str) -> ApiError | None:
    """The refusal where Notion tells a caller who sees the thing what it is."""
    match noun, node.kind:
        case "page", "database":
            hint = f"Provided ID {node.id} is a database, not a page. Use the retrieve database API instead."
        case "page", "block":
            hint = f"Provided ID {node.id} is a block, not a page. Use the retrieve block API instead."
        case "database", "page":
            hint = (
                f"Provided database_id {node.id} is a page, not a database. "
                "Use the pages API instead, or pass the ID of the database itself."
            )
        case _:
            return None
    return invalid(hint)
