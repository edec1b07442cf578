"""Who may come in, and what they may see: users, tokens and shares."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from notion_embedded.store.minting import new_uuid, token_secret

UserType = Literal["person", "bot"]

Capability = Literal[
    "read_content",
    "insert_content",
    "update_content",
    "read_comments",
    "insert_comments",
    "read_users",
    "read_user_emails",
]

CAPABILITIES: frozenset[Capability] = frozenset(get_args(Capability))


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person or a bot of the workspace."""

    id: str
    type: UserType
    name: str
    email: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A way in, and the user that it acts as."""

    id: str
    secret: str
    name: str
    user: User
    read_only: bool
    capabilities: frozenset[Capability] = CAPABILITIES
    """What its bot may do at all, whatever is shared with it. E-mail addresses come with users only."""


def find_user(connection: sqlite3.Connection, user_id: str) -> User | None:
    """The user with this id."""
    row = connection.execute("SELECT id, type, name, email FROM user WHERE id = ?", (user_id,)).fetchone()
    return None if row is None else User(**dict(row))


def all_users(connection: sqlite3.Connection) -> list[User]:
    """Everyone, in the order in which they joined."""
    return [
        User(**dict(row))
        for row in connection.execute("SELECT id, type, name, email FROM user ORDER BY rowid")
    ]


_TOKENS = """
    SELECT token.id, token.secret, token.name, token.read_only, token.capabilities,
        user.id AS user_id, user.type AS user_type, user.name AS user_name, user.email AS user_email
    FROM token JOIN user ON user.id = token.user_id
"""


def find_token(connection: sqlite3.Connection, secret: str) -> Token | None:
    """The token whose secret this is."""
    row = connection.execute(_TOKENS + " WHERE token.secret = ?", (secret,)).fetchone()
    return None if row is None else _token(row)


def all_tokens(connection: sqlite3.Connection) -> list[tuple[Token, list[str]]]:
    """Every token with the ids of what is shared with it."""
    rows = connection.execute(_TOKENS + " ORDER BY token.rowid").fetchall()
    return [(_token(row), shares(connection, row["id"])) for row in rows]


def add_user(connection: sqlite3.Connection, kind: UserType, name: str, email: str | None = None) -> User:
    """Make a user."""
    user = User(id=new_uuid(), type=kind, name=name, email=email)
    connection.execute(
        "INSERT INTO user (id, type, name, email) VALUES (?, ?, ?, ?)",
        (user.id, user.type, user.name, user.email),
    )
    return user


def add_token(
    connection: sqlite3.Connection,
    user: User,
    name: str,
    *,
    read_only: bool,
    moment: int,
    capabilities: Collection[Capability] = CAPABILITIES,
) -> Token:
    """Make a token that acts as the user."""
    token = Token(
        id=new_uuid(),
        secret=token_secret(),
        name=name,
        user=user,
        read_only=read_only,
        capabilities=frozenset(capabilities),
    )
    connection.execute(
        "INSERT INTO token (id, secret, name, user_id, read_only, capabilities, created_time)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (token.id, token.secret, name, user.id, int(read_only), _written(token.capabilities), moment),
    )
    return token


def share(connection: sqlite3.Connection, token_id: str, node_id: str) -> None:
    """Let the token see the node and everything in it."""
    connection.execute("INSERT OR IGNORE INTO share (token_id, node_id) VALUES (?, ?)", (token_id, node_id))


def unshare(connection: sqlite3.Connection, token_id: str, node_id: str) -> None:
    """Take that away."""
    connection.execute("DELETE FROM share WHERE token_id = ? AND node_id = ?", (token_id, node_id))


def shares(connection: sqlite3.Connection, token_id: str) -> list[str]:
    """The ids of what is shared with the token, without what stands in it."""
    rows = connection.execute("SELECT node_id FROM share WHERE token_id = ? ORDER BY node_id", (token_id,))
    return [row["node_id"] for row in rows]


def _written(capabilities: frozenset[Capability]) -> str | None:
    return None if capabilities == CAPABILITIES else json.dumps(sorted(capabilities))


def _token(row: sqlite3.Row) -> Token:
    user = User(id=row["user_id"], type=row["user_type"], name=row["user_name"], email=row["user_email"])
    given = row["capabilities"]
    return Token(
        id=row["id"],
        secret=row["secret"],
        name=row["name"],
        user=user,
        read_only=bool(row["read_only"]),
        capabilities=CAPABILITIES if given is None else frozenset(json.loads(given)) & CAPABILITIES,
    )
