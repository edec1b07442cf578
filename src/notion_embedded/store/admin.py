"""What the owner of a workspace file does beside the server: tokens and shares.

It needs no lock: SQLite lets it write between the server's transactions, and the server reads
tokens and shares anew for each request.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from notion_embedded.model.addresses import split_address
from notion_embedded.model.dates import milliseconds
from notion_embedded.store import grants, nodes, talk, tokens
from notion_embedded.store.database import connect, migrate, transaction
from notion_embedded.store.errors import StoreError
from notion_embedded.store.lag import set_search_lag
from notion_embedded.store.tokens import CAPABILITIES, Capability, UserType

_NO_WAY_BACK = ("javascript", "data", "file", "vbscript")


class Admin:
    """A connection to a workspace file that exists."""

    def __init__(self, file: Path) -> None:
        if not file.is_file():
            raise StoreError(
                f"there is no workspace file {file}; `notion-embedded serve --db {file}` makes one"
            )
        self._connection = connect(file)
        migrate(self._connection)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add_token(
        self,
        kind: UserType,
        name: str | None,
        *,
        shares: Sequence[str],
        read_only: bool,
        now: datetime,
        capabilities: Collection[Capability] = CAPABILITIES,
    ) -> dict[str, Any]:
        """Make a user of that kind with a token that sees `shares`."""
        with transaction(self._connection):
            for node_id in shares:
                self._check(node_id)
            user = tokens.add_user(self._connection, kind, name or kind.capitalize())
            token = tokens.add_token(
                self._connection,
                user,
                user.name,
                read_only=read_only,
                moment=milliseconds(now),
                capabilities=capabilities,
            )
            for node_id in shares:
                tokens.share(self._connection, token.id, node_id)
        return {**_shown(token, shares), "token": token.secret}

    def list_tokens(self) -> list[dict[str, Any]]:
        """Every token, without its secret, with what it sees."""
        return [_shown(token, shares) for token, shares in tokens.all_tokens(self._connection)]

    def share(self, token_id: str, node_id: str) -> list[str]:
        """Let the token see the node; what it sees now is returned."""
        with transaction(self._connection):
            self._check(node_id)
            self._check_token(token_id)
            tokens.share(self._connection, token_id, node_id)
            return tokens.shares(self._connection, token_id)

    def unshare(self, token_id: str, node_id: str) -> list[str]:
        """Take that away; what it sees now is returned."""
        with transaction(self._connection):
            self._check_token(token_id)
            tokens.unshare(self._connection, token_id, node_id)
            return tokens.shares(self._connection, token_id)

    def set_search_lag(self, seconds: float) -> None:
        """Let search lag behind new titles by so much."""
        with transaction(self._connection):
            set_search_lag(self._connection, seconds)

    def resolve(self, discussion_id: str) -> None:
        """Close a discussion, as people do in Notion's own window; the API has no way to."""
        with transaction(self._connection):
            if not talk.resolve(self._connection, discussion_id):
                raise StoreError(f"there is no discussion {discussion_id} in this workspace")

    def add_client(self, name: str, redirect_uris: Sequence[str], *, now: datetime) -> dict[str, Any]:
        """Register a public connection; its secret is told here and nowhere else."""
        for uri in redirect_uris:
            parts = split_address(uri)
            if parts is None or parts.scheme in _NO_WAY_BACK or parts.fragment:
                raise StoreError(
                    f"{uri!r} is no address to come back to; give one like https://example.com/back"
                )
        with transaction(self._connection):
            client = grants.add_client(self._connection, name, redirect_uris, milliseconds(now))
        return {
            "client_id": client.id,
            "client_secret": client.secret,
            "name": client.name,
            "redirect_uris": list(client.redirect_uris),
        }

    def _check(self, node_id: str) -> None:
        if nodes.find(self._connection, node_id) is None:
            raise StoreError(f"there is no page {node_id} in this workspace")

    def _check_token(self, token_id: str) -> None:
        if all(token.id != token_id for token, _ in tokens.all_tokens(self._connection)):
            raise StoreError(f"there is no token {token_id}; `notion-embedded token list` shows them")


def _shown(token: tokens.Token, shares: Sequence[str]) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "kind": token.user.type,
        "user_id": token.user.id,
        "read_only": token.read_only,
        "capabilities": sorted(token.capabilities),
        "shares": list(shares),
    }
