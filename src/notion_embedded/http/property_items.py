"""One value of a page, whole: what a page shows shortened is paged here."""

from collections.abc import Sequence
from urllib.parse import quote

from notion_embedded.http.call import Call, listing, page_size, start_cursor, wrong_cursor
from notion_embedded.http.desk import Desk
from notion_embedded.model.checks import Json
from notion_embedded.model.columns import Column, find_column, rolled_up
from notion_embedded.model.computed import UNSUPPORTED, rollable, rolled_cells
from notion_embedded.model.errors import guessed
from notion_embedded.model.ids import encoded
from notion_embedded.model.rollups import LISTED, roll_up
from notion_embedded.model.values import Row, related, shown_user, typed_value
from notion_embedded.store.rows import row_of

_LISTS = ("title", "rich_text", "people", "relation")


def get_property(desk: Desk, call: Call) -> Json:
    """A value; of texts, people, relations and rollups a list with one element in each result."""
    page = desk.find(call.id("page_id"), "page", ("page",))
    key = call.path["property_id"]
    column = find_column(desk.columns_of(page), key)
    if column is None:
        raise guessed(f"Could not find property with name or id: {key}")
    row = row_of(page)
    if column.type == "rollup":
        return _rollup(desk, call, column, row)
    if column.type in _LISTS:
        return _paged(call, column, row, _elements(column, row, desk))
    return _item(column, typed_value(column, row, desk)[column.type])


def _item(column: Column, value: object) -> Json:
    return {"object": "property_item", "type": column.type, "id": encoded(column.id), column.type: value}


def _elements(column: Column, row: Row, desk: Desk) -> list[Json]:
    """The parts of a text or list, each as a result of its own."""
    if column.type == "relation":
        return [_item(column, {"id": page_id}) for page_id in related(column, row, desk)]
    stored = row.value(column.id) or []
    if column.type == "people":
        return [_item(column, shown_user(user_id, desk)) for user_id in stored]
    return [_item(column, run) for run in stored]


def _rollup(desk: Desk, call: Call, column: Column, row: Row) -> Json:
    """The values or pages that the rollup goes over; the outcome stands beside the last page of them."""
    function = column.config["function"]
    relation, target = rolled_up(column, desk.columns(row.data_source), desk.columns)
    if relation is None or target is None:
        return _paged(call, column, row, [], {**UNSUPPORTED, "function": function})
    if function in LISTED:
        outcome: Json = (
            {"type": "array", "array": [], "function": function}
            if function == "show_original"
            else {**UNSUPPORTED, "function": function}
        )
        return _paged(call, column, row, _values(relation, target, row, desk), outcome)
    cells = rolled_cells(column, row, desk, at_most=None)
    outcome = {**UNSUPPORTED, "function": function} if cells is None else roll_up(function, cells)
    answer = _paged(call, column, row, _elements(relation, row, desk), outcome)
    if answer["has_more"]:
        answer["property_item"]["rollup"] = {"type": "incomplete", "incomplete": {}, "function": function}
    return answer


def _values(relation: Column, target: Column, row: Row, desk: Desk) -> list[Json]:
    if not rollable(target, desk.columns(relation.config["data_source_id"])):
        return []
    results: list[Json] = []
    for there in desk.rows(related(relation, row, desk)):
        if target.type in _LISTS:
            results += _elements(target, there, desk)
        else:
            results.append(_item(target, typed_value(target, there, desk)[target.type]))
    return results


def _paged(call: Call, column: Column, row: Row, results: Sequence[Json], about: Json | None = None) -> Json:
    size, cursor = page_size(call, in_body=False), start_cursor(call, in_body=False)
    first = 0
    if cursor is not None:
        if not cursor.isascii() or not cursor.isdecimal() or int(cursor) > len(results):
            raise wrong_cursor(cursor)
        first = int(cursor)
    following = str(first + size) if first + size < len(results) and size else None
    next_url = None
    if following is not None:
        path = f"pages/{row.id}/properties/{quote(column.id, safe='')}"
        next_url = f"https://api.notion.com/v1/{path}?start_cursor={following}"
    shown = {
        "id": encoded(column.id),
        "next_url": next_url,
        "type": column.type,
        column.type: {} if about is None else about,
    }
    return listing("property_item", list(results[first : first + size]), following) | {"property_item": shown}
