"""Users: who is in the workspace, and who the caller is."""

from http import HTTPStatus

from notion_embedded.http.call import Call, listing, page_size, start_cursor, wrong_cursor
from notion_embedded.http.desk import Desk
from notion_embedded.model.checks import Json
from notion_embedded.model.errors import NOT_FOUND, ApiError
from notion_embedded.store import tokens


def me(desk: Desk, _call: Call) -> Json:
    """The user that the token acts as."""
    return desk.show_user(desk.token.user)


def list_users(desk: Desk, call: Call) -> Json:
    """Everyone, a page at a time; the cursor is the next user's id."""
    everyone = tokens.all_users(desk.connection)
    size, cursor = page_size(call, in_body=False), start_cursor(call, in_body=False)
    first = 0
    if cursor is not None:
        ids = [user.id for user in everyone]
        if cursor not in ids:
            raise wrong_cursor(cursor)
        first = ids.index(cursor)
    shown = [desk.show_user(user) for user in everyone[first : first + size]]
    rest = everyone[first + size :]
    return listing("user", shown, rest[0].id if rest else None)


def get_user(desk: Desk, call: Call) -> Json:
    """One user."""
    user = tokens.find_user(desk.connection, call.id("user_id"))
    if user is None:
        raise ApiError(
            HTTPStatus.NOT_FOUND,
            NOT_FOUND,
            f"Could not find user with ID: {call.path['user_id']}. Make sure your integration has "
            "capabilities to read user information. Integration capabilities can be edited in the "
            "integration settings page.",
        )
    return desk.show_user(user)
