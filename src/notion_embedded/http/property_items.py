"""One value of a page, whole: what a page shows shortened is paged here."""

from urllib.parse import quote

from notion_embedded.http.call import Call, listing, page_size, start_cursor, wrong_cursor
from notion_embedded.http.desk import Desk
from notion_embedded.http.shapes import row_of
from notion_embedded.model.checks import Json
from notion_embedded.model.columns import find_column
from notion_embedded.model.errors import guessed
from notion_embedded.model.ids import encoded
from notion_embedded.model.values import show_value, shown_user

_LISTS = ("title", "rich_text", "people", "relation")


def get_property(desk: Desk, call: Call) -> Json:
    """A value; of texts, people and relations a list with one element in each result."""
    page = desk.find(call.id("page_id"), "page", ("page",))
    key = call.path["property_id"]
    column = find_column(desk.columns_of(page), key)
    if column is None:
        raise guessed(f"Could not find property with name or id: {key}")
    row = row_of(page)
    item = {"object": "property_item", "type": column.type, "id": encoded(column.id)}
    if column.type not in _LISTS:
        value = show_value(column, row, desk)
        return {**item, column.type: value[column.type]}
    stored = row.value(column.id) or []
    size, cursor = page_size(call, in_body=False), start_cursor(call, in_body=False)
    first = 0
    if cursor is not None:
        if not cursor.isascii() or not cursor.isdecimal() or int(cursor) > len(stored):
            raise wrong_cursor(cursor)
        first = int(cursor)
    elements = stored[first : first + size]
    if column.type == "people":
        elements = [shown_user(user_id, desk) for user_id in elements]
    elif column.type == "relation":
        elements = [{"id": page_id} for page_id in elements]
    following = str(first + size) if first + size < len(stored) and size else None
    next_url = None
    if following is not None:
        path = f"pages/{page.id}/properties/{quote(column.id, safe='')}"
        next_url = f"https://api.notion.com/v1/{path}?start_cursor={following}"
    results = [{**item, column.type: element} for element in elements]
    about: Json = {"id": encoded(column.id), "next_url": next_url, "type": column.type, column.type: {}}
    return listing("property_item", results, following) | {"property_item": about}
