"""Moving a page: into another page, or into a data source as a row."""

from dataclasses import replace

from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.pages import read_parent
from notion_embedded.http.relations import leave_relations
from notion_embedded.http.row_values import first_values, index_row, number_row
from notion_embedded.http.shapes import show_page
from notion_embedded.http.writing import edited, touch_around
from notion_embedded.model.checks import Json, an_object, only_keys
from notion_embedded.model.columns import Columns, title_column
from notion_embedded.model.errors import guessed
from notion_embedded.store import nodes
from notion_embedded.store.nodes import Node


def move_page(desk: Desk, call: Call) -> Json:
    """Give a page another parent. Of its values only the title goes along, as the columns are others."""
    call.only("parent")
    page = desk.find(call.id("page_id"), "page", ("page",))
    desk.check_editable(page)
    only_keys(
        an_object(call.given("parent"), "body.parent"), "body.parent", ("type", "page_id", "data_source_id")
    )
    parent = read_parent(desk, call.given("parent"), "body.parent")
    if parent is None or any(found == page.id for found, _, _ in nodes.ancestors(desk.connection, parent.id)):
        raise guessed("A page cannot be moved into itself.")
    desk.check_editable(parent)
    before = desk.columns_of(page)
    rank = nodes.make_room(desk.connection, parent.id, 1, nodes.END)[0]
    moved = replace(edited(desk, page), parent=parent.id, parent_kind=parent.kind, rank=rank)
    after = desk.columns_of(moved)
    moved = replace(moved, body={**page.body, "values": _carried(page, before, after)})
    if parent.kind == "data_source":
        moved = number_row(desk, moved, after)
    nodes.save(desk.connection, moved)
    leave_relations(desk, page, before)
    moved = index_row(desk, moved, after if parent.kind == "data_source" else ())
    for around in (page.parent if page.parent_kind != "data_source" else None, parent.id):
        touch_around(desk, around)
    return show_page(moved, desk)


def _carried(page: Node, before: Columns, after: Columns) -> Json:
    title = page.body["values"].get(title_column(before).id) or []
    return first_values(after) | {title_column(after).id: title}
