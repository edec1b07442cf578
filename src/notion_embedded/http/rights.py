"""What a token may do at all, whatever is shared with it: asked before a request, and of its answer.

A bot that may write but not read gets objects by their id alone; one that may not know users gets
users by their id alone, or without their e-mail address.
"""

from http import HTTPStatus
from typing import Any

from notion_embedded.model.checks import Json
from notion_embedded.model.errors import FORBIDDEN, ApiError
from notion_embedded.store.tokens import CAPABILITIES, Capability, Token

_READ_BY: dict[str, Capability] = {
    "page": "read_content",
    "block": "read_content",
    "database": "read_content",
    "data_source": "read_content",
    "comment": "read_comments",
    "user": "read_users",
}


def check_rights(token: Token, needs: Capability | None, *, writes: bool) -> None:
    """Refuse what the token may not do.

    Raises:
        ApiError: 403 `restricted_resource`.
    """
    if (writes and token.read_only) or (needs is not None and needs not in token.capabilities):
        raise ApiError(HTTPStatus.FORBIDDEN, FORBIDDEN, "Insufficient permissions for this endpoint.")


def readable(answer: Json, token: Token) -> Json:
    """The answer with what the token may not know left out."""
    if token.capabilities == CAPABILITIES:
        return answer
    shown: Json = _readable(answer, token)
    return shown


def _readable(value: Any, token: Token) -> Any:
    if isinstance(value, list):
        return [_readable(item, token) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("object")
    needed = _READ_BY.get(kind) if isinstance(kind, str) else None
    if needed is not None and needed not in token.capabilities and value["id"] != token.user.id:
        return {"object": kind, "id": value["id"]}
    shown = {key: _readable(inner, token) for key, inner in value.items()}
    if kind == "user" and "person" in shown and "read_user_emails" not in token.capabilities:
        shown["person"] = {}
    if shown.get("type") == "mention" and "read_users" not in token.capabilities and _of_user(shown):
        shown["plain_text"] = "@Anonymous"
    return shown


def _of_user(run: Json) -> bool:
    mention = run.get("mention")
    return isinstance(mention, dict) and mention.get("type") == "user"
