"""New ids and secrets, in the forms that Notion's have."""

import secrets
from uuid import uuid4

from notion_embedded.model.ids import dashed

_ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:;<=>?@[\\]^_`{|}~"
_MADE_BY_PERSON, _MADE_BY_BOT = "80", "81"


def new_uuid() -> str:
    """An id of a database, user, token or workspace: wholly random."""
    return str(uuid4())


def node_id(prefix: str, *, by_person: bool) -> str:
    """An id of a page, block or data source: the workspace's digits, who made it, then chance."""
    made_by = _MADE_BY_PERSON if by_person else _MADE_BY_BOT
    variant = secrets.choice("89ab")
    return dashed(f"{prefix}{made_by}{secrets.token_hex(1)}{variant}{secrets.token_hex(8)[:15]}")


def id_prefix() -> str:
    """The twelve digits that a workspace's ids begin with."""
    return secrets.token_hex(6)


def column_id() -> str:
    """The short id of a column: four characters, some of which a URL must encode."""
    return "".join(secrets.choice(_ID_CHARACTERS) for _ in range(4))


def token_secret() -> str:
    """What a client sends as its bearer token."""
    return f"ntn_{secrets.token_hex(23)}"
