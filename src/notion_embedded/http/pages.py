"""Pages: make, read, edit, trash and restore."""

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from notion_embedded.http import page_markdown
from notion_embedded.http.call import SINGLE_SOURCE, Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.row_values import (
    first_values,
    index_row,
    number_row,
    read_values,
    save_columns,
    title_in,
)
from notion_embedded.http.shapes import show_page, wanted_columns
from notion_embedded.http.writing import edited, new_node, put_in, restore, throw_away, touch_around
from notion_embedded.model.artwork import read_cover, read_icon
from notion_embedded.model.blocks import Reading, check_inside, read_children
from notion_embedded.model.checks import (
    UNDEFINED,
    Json,
    a_boolean,
    a_string,
    a_uuid,
    an_object,
    failed,
    failed_all,
    one_of,
)
from notion_embedded.model.columns import Columns, title_column
from notion_embedded.model.errors import VALIDATION, ApiError, guessed, invalid
from notion_embedded.store import nodes, tokens
from notion_embedded.store.nodes import At, Node

_PARENTS = ("page_id", "database_id", "data_source_id", "workspace")


def get_page(desk: Desk, call: Call) -> Json:
    """One page with its values."""
    page = desk.find(call.id("page_id"), "page", ("page",))
    return show_page(page, desk, _wanted(desk, call, page))


def create_page(desk: Desk, call: Call) -> Json:
    """Make a page: a row of a data source, or a page in a page."""
    call.only(
        "parent", "properties", "icon", "cover", "children", "content", "markdown", "template", "position",
        "allow_async", "markdown_version",
    )  # fmt: skip
    _check_parent_of_version(call)
    parent = read_parent(desk, call.given("parent"), "body.parent")
    if parent is not None:
        desk.check_editable(parent)
    in_source = parent is not None and parent.kind == "data_source"
    _check_template(call)
    page = new_node(desk, "page", parent, type="child_page", body={})
    columns = desk.columns_of(page)
    values, columns = read_values(desk, call.body.get("properties") or {}, "body.properties", columns)
    trees, heading = _content(desk, call)
    title = title_column(columns)
    if heading and not values.get(title.id):
        values[title.id] = heading
        trees = trees[1:]
    values = {**first_values(columns), **values}
    icon, cover = (
        read_icon(call.body.get("icon"), "body.icon"),
        read_cover(call.body.get("cover"), "body.cover"),
    )
    page = replace(
        page,
        title=title_in(values, columns),
        body={"values": values, "icon": icon, "cover": cover},
        rank=nodes.make_room(desk.connection, page.parent, 1, _place(desk, call, parent))[0],
    )
    if parent is not None and in_source:
        save_columns(desk, parent.id, columns)
        page = number_row(desk, page, columns)
    page = nodes.add(desk.connection, page)
    if in_source:
        page = index_row(desk, page, columns)
    elif parent is None:
        tokens.share(desk.connection, desk.token.id, page.id)
    else:
        touch_around(desk, parent.id)
    put_in(desk, page, trees)
    return show_page(page, desk, _wanted(desk, call, page))


def update_page(desk: Desk, call: Call) -> Json:
    """Edit values, icon, cover or locks; trash, restore, archive or erase."""
    call.only(
        "properties", "icon", "cover", "is_locked", "in_trash", "is_archived", "template", "erase_content",
        "allow_async",
    )  # fmt: skip
    _check_template(call)
    page = desk.find(call.id("page_id"), "page", ("page",))
    trash = call.trash()
    if trash is False and page.trashed:
        page = restore(desk, page)
    edits = [key for key in _EDITS if key in call.body]
    if edits:
        desk.check_editable(page)
        for key in edits:
            page = _EDITS[key](desk, page, call.body[key])
        page = edited(desk, page)
        nodes.save(desk.connection, page)
    if trash:
        page = throw_away(desk, page)
    return show_page(page, desk, _wanted(desk, call, page))


def read_parent(desk: Desk, value: Any, path: str) -> Node | None:
    """What a new page is to stand in; nothing means the workspace itself."""
    if value is UNDEFINED and desk.token.user.type == "person":
        return None
    body = an_object(value, path)
    kinds = [kind for kind in _PARENTS if kind in body]
    if len(kinds) != 1:
        raise failed_all([(f"{path}.{kind}", "defined", UNDEFINED) for kind in _PARENTS])
    kind = kinds[0]
    if kind == "workspace":
        if body[kind] is not True:
            raise failed(f"{path}.workspace", "`true`", body[kind])
        if desk.token.user.type == "bot":
            raise invalid(
                "Provide a `parent.page_id` or `parent.database_id` parameter to create a page, or use a "
                "public integration with `insert_content` capability. Internal integrations aren't owned by "
                "a single user, so creating workspace-level private pages is not supported."
            )
        return None
    parent_id = a_uuid(body[kind], f"{path}.{kind}")
    if kind == "page_id":
        return desk.find(parent_id, "page", ("page",))
    if kind == "data_source_id":
        return desk.find(parent_id, "data_source", ("data_source",))
    return only_source(desk, desk.find(parent_id, "database", ("database",)))


def _check_parent_of_version(call: Call) -> None:
    given = call.given("parent")
    if call.version == SINGLE_SOURCE and isinstance(given, dict) and "data_source_id" in given:
        raise failed("body.parent.data_source_id", "not present", given["data_source_id"])


def only_source(desk: Desk, database: Node) -> Node:
    """The one data source of a database.

    Raises:
        ApiError: It has several, of which the caller must choose one in a newer version.
    """
    sources = nodes.children(desk.connection, database.id)
    if not sources:
        raise desk.missing("data_source", database.id)
    if len(sources) > 1:
        raise ApiError(
            HTTPStatus.BAD_REQUEST,
            VALIDATION,
            "Databases with multiple data sources are not supported in this API version.",
            additional_data={
                "error_type": "multiple_data_sources_for_database",
                "database_id": database.id,
                "child_data_source_ids": [source.id for source in sources],
            },
        )
    return sources[0]


def _check_template(call: Call) -> None:
    template = call.body.get("template")
    if template is not None and an_object(template, "body.template").get("type") != "none":
        raise guessed("Templates are not available in this workspace.")


def _content(desk: Desk, call: Call) -> tuple[list[Json], list[Json]]:
    """The page's blocks, and the text of a first heading in Markdown, which can become the title."""
    given = [key for key in ("children", "content", "markdown") if call.body.get(key) is not None]
    if call.body.get("markdown_version") is not None and "markdown" not in given:
        raise failed("body.markdown_version", "not present", call.body["markdown_version"])
    if len(given) > 1:
        raise guessed(
            f"body failed validation: body.{given[0]} and body.{given[1]} cannot be given together."
        )
    if not given:
        return [], []
    reading = Reading(desk)
    if given[0] == "markdown":
        dialect = page_markdown.read_version(call.body.get("markdown_version"), "body.markdown_version")
        trees = page_markdown.read(a_string(call.body["markdown"], "body.markdown"), reading, dialect)
        if trees and trees[0]["type"] == "heading_1" and not trees[0]["children"]:
            return trees, list(trees[0]["heading_1"]["rich_text"])
        return trees, []
    path = f"body.{given[0]}"
    trees = read_children(call.body[given[0]], path, reading)
    check_inside("child_page", {}, trees, path)
    return trees, []


def _place(desk: Desk, call: Call, parent: Node | None) -> At:
    position = call.body.get("position")
    if position is None or parent is None:
        return nodes.END
    body = an_object(position, "body.position")
    kinds = ("page_start", "page_end", "after_block")
    kind = one_of(body.get("type", UNDEFINED), "body.position.type", kinds)
    if kind == "after_block":
        return after(desk, parent, body, "body.position")
    return At("start") if kind == "page_start" else nodes.END


def after(desk: Desk, parent: Node, position: Json, path: str) -> At:
    """The place behind the block that `after_block` names, which must stand in `parent`."""
    inner = an_object(position.get("after_block", UNDEFINED), f"{path}.after_block")
    sibling_id = a_uuid(inner.get("id", UNDEFINED), f"{path}.after_block.id")
    sibling = nodes.find(desk.connection, sibling_id)
    if sibling is None or sibling.parent != parent.id or sibling.trashed:
        raise guessed(f"Block with ID {sibling_id} is not a child of {parent.id}.")
    return At("after", sibling_id)


def _wanted(desk: Desk, call: Call, page: Node) -> set[str] | None:
    return wanted_columns(desk.columns_of(page), call.query.get("filter_properties", []))


def _edit_values(desk: Desk, page: Node, value: Any) -> Node:
    before: Columns = desk.columns_of(page)
    given, columns = read_values(desk, value, "body.properties", before)
    values = {**page.body["values"], **given}
    page = replace(page, title=title_in(values, columns), body={**page.body, "values": values})
    if page.parent_kind == "data_source" and page.parent is not None:
        save_columns(desk, page.parent, columns)
        page = index_row(desk, page, columns)
    return page


def _edit_icon(_desk: Desk, page: Node, value: Any) -> Node:
    return replace(page, body={**page.body, "icon": read_icon(value, "body.icon")})


def _edit_cover(_desk: Desk, page: Node, value: Any) -> Node:
    return replace(page, body={**page.body, "cover": read_cover(value, "body.cover")})


def _lock(_desk: Desk, page: Node, value: Any) -> Node:
    return replace(page, locked=a_boolean(value, "body.is_locked"))


def _archive(_desk: Desk, page: Node, value: Any) -> Node:
    return replace(page, archived=a_boolean(value, "body.is_archived"))


def _erase(desk: Desk, page: Node, value: Any) -> Node:
    if a_boolean(value, "body.erase_content"):
        for child in nodes.children(desk.connection, page.id):
            throw_away(desk, child)
    return page


_EDITS: dict[str, Callable[[Desk, Node, Any], Node]] = {
    "properties": _edit_values,
    "icon": _edit_icon,
    "cover": _edit_cover,
    "is_locked": _lock,
    "is_archived": _archive,
    "erase_content": _erase,
}
