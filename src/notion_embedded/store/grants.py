"""Public connections: clients, the codes they are given, and the tokens that they got for them."""

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from notion_embedded.store import tokens
from notion_embedded.store.minting import new_uuid, token_secret
from notion_embedded.store.tokens import Token, User

CODE_LIFE = 600_000
"""Milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A public connection, registered by the owner of the workspace."""

    id: str
    secret: str
    name: str
    redirect_uris: tuple[str, ...]
    bot: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a client got: a token, a way to a further one, and who let it in."""

    token: Token
    refresh: str
    owner: User


def add_client(
    connection: sqlite3.Connection, name: str, redirect_uris: Sequence[str], moment: int
) -> Client:
    """Register a client."""
    client = Client(
        id=new_uuid(),
        secret=f"secret_{secrets.token_urlsafe(32)}",
        name=name,
        redirect_uris=tuple(redirect_uris),
        bot=None,
    )
    connection.execute(
        "INSERT INTO oauth_client (id, secret, name, redirect_uris, created_time) VALUES (?, ?, ?, ?, ?)",
        (client.id, client.secret, name, json.dumps(client.redirect_uris), moment),
    )
    return client


def find_client(connection: sqlite3.Connection, client_id: str) -> Client | None:
    """The client with this id."""
    row = connection.execute(
        "SELECT id, secret, name, redirect_uris, bot FROM oauth_client WHERE id = ?", (client_id,)
    ).fetchone()
    if row is None:
        return None
    return Client(**{**dict(row), "redirect_uris": tuple(json.loads(row["redirect_uris"]))})


def add_code(
    connection: sqlite3.Connection,
    client: Client,
    redirect_uri: str | None,
    owner: User,
    shares: Sequence[str],
    moment: int,
) -> str:
    """A code that the client can redeem once, soon, for a token that sees `shares`.

    A `redirect_uri` that was asked for has to be given again; nothing stands for the client's first.
    """
    code = secrets.token_urlsafe(24)
    connection.execute(
        "INSERT INTO oauth_code (code, client, redirect_uri, owner, shares, expires)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (code, client.id, redirect_uri or "", owner.id, json.dumps(list(shares)), moment + CODE_LIFE),
    )
    return code


def redeem(
    connection: sqlite3.Connection, client: Client, code: str, redirect_uri: str | None, moment: int
) -> Granted | None:
    """The token for a code. A code that comes twice was stolen: its token is taken back."""
    row = connection.execute(
        "SELECT * FROM oauth_code WHERE code = ? AND client = ?", (code, client.id)
    ).fetchone()
    if row is None:
        return None
    if row["token_id"] is not None:
        revoke(connection, row["token_id"])
        return None
    owner = tokens.find_user(connection, row["owner"])
    expected = (row["redirect_uri"],) if row["redirect_uri"] else (None, client.redirect_uris[0])
    if owner is None or row["expires"] <= moment or redirect_uri not in expected:
        return None
    token = tokens.add_token(
        connection, _bot(connection, client), client.name, read_only=False, moment=moment
    )
    for node_id in json.loads(row["shares"]):
        tokens.share(connection, token.id, node_id)
    connection.execute("UPDATE oauth_code SET token_id = ? WHERE code = ?", (token.id, code))
    refresh = _refresh_token()
    connection.execute(
        "INSERT INTO oauth_grant (token_id, client, owner, refresh) VALUES (?, ?, ?, ?)",
        (token.id, client.id, owner.id, refresh),
    )
    return Granted(token=token, refresh=refresh, owner=owner)


def renew(connection: sqlite3.Connection, client: Client, refresh: str) -> Granted | None:
    """A new secret for a token and a new way to the next; the old ones are worth nothing any more."""
    row = connection.execute(
        "SELECT token_id FROM oauth_grant WHERE refresh = ? AND client = ?", (refresh, client.id)
    ).fetchone()
    if row is None:
        return None
    secret = token_secret()
    connection.execute("UPDATE token SET secret = ? WHERE id = ?", (secret, row["token_id"]))
    connection.execute(
        "UPDATE oauth_grant SET refresh = ? WHERE token_id = ?", (_refresh_token(), row["token_id"])
    )
    return find(connection, client, secret)


def find(connection: sqlite3.Connection, client: Client, secret: str) -> Granted | None:
    """What the client got under this access token or refresh token."""
    row = connection.execute(
        "SELECT token.secret, refresh, owner FROM oauth_grant JOIN token ON token.id = token_id"
        " WHERE client = ? AND (token.secret = ? OR refresh = ?)",
        (client.id, secret, secret),
    ).fetchone()
    if row is None:
        return None
    token, owner = tokens.find_token(connection, row["secret"]), tokens.find_user(connection, row["owner"])
    return (
        None if token is None or owner is None else Granted(token=token, refresh=row["refresh"], owner=owner)
    )


def made_at(connection: sqlite3.Connection, token_id: str) -> int:
    """When the token was made."""
    (moment,) = connection.execute("SELECT created_time FROM token WHERE id = ?", (token_id,)).fetchone()
    return int(moment)


def revoke(connection: sqlite3.Connection, token_id: str) -> None:
    """Take a client's token away, and who was told by it."""
    for webhook in connection.execute("SELECT id FROM webhook WHERE token_id = ?", (token_id,)).fetchall():
        connection.execute("DELETE FROM event WHERE webhook = ?", (webhook["id"],))
    connection.execute("DELETE FROM webhook WHERE token_id = ?", (token_id,))
    connection.execute("DELETE FROM oauth_grant WHERE token_id = ?", (token_id,))
    connection.execute("DELETE FROM share WHERE token_id = ?", (token_id,))
    connection.execute("DELETE FROM token WHERE id = ?", (token_id,))


def _bot(connection: sqlite3.Connection, client: Client) -> User:
    """The user that the client acts as: the same each time it is let in."""
    known = tokens.find_user(connection, client.bot or "")
    if known is not None:
        return known
    bot = tokens.add_user(connection, "bot", client.name)
    connection.execute("UPDATE oauth_client SET bot = ? WHERE id = ?", (bot.id, client.id))
    return bot


def _refresh_token() -> str:
    return f"nrt_{secrets.token_hex(23)}"
