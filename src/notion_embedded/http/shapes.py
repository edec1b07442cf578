"""Responses: nodes as Notion shows them. Key order follows recorded responses."""

from collections.abc import Collection, Sequence

from notion_embedded.http.call import NEWEST, SINGLE_SOURCE
from notion_embedded.http.desk import Desk
from notion_embedded.http.synced import content_of
from notion_embedded.model.checks import Json
from notion_embedded.model.columns import Column, find_column, show_column
from notion_embedded.model.dates import exact_stamp, minute, stamp
from notion_embedded.model.errors import invalid
from notion_embedded.model.ids import SITE, page_url
from notion_embedded.model.values import show_value
from notion_embedded.store import nodes
from notion_embedded.store.nodes import Node
from notion_embedded.store.rows import columns_in, row_of

_TRASHABLE = ("page", "block", "database", "data_source", "file_upload")


def partial_user(user_id: str) -> Json:
    """A user by id alone, as objects name who made them."""
    return {"object": "user", "id": user_id}


def show_parent(node: Node, desk: Desk) -> Json:
    """What the node stands in."""
    match node.parent_kind:
        case "page":
            return {"type": "page_id", "page_id": node.parent}
        case "block":
            return {"type": "block_id", "block_id": node.parent}
        case "database":
            return {"type": "database_id", "database_id": node.parent}
        case "data_source":
            database = desk.database_of(node.parent or "")
            return {"type": "data_source_id", "data_source_id": node.parent, "database_id": database}
        case _:
            return {"type": "workspace", "workspace": True}


def show_page(page: Node, desk: Desk, wanted: Collection[str] | None = None) -> Json:
    """A page; of its values only those of the `wanted` columns, where that is said."""
    row = row_of(page)
    columns = [column for column in desk.columns_of(page) if wanted is None or column.id in wanted]
    return {
        "object": "page",
        "id": page.id,
        "created_time": stamp(page.created_time),
        "last_edited_time": stamp(page.edited_time),
        "created_by": partial_user(page.created_by),
        "last_edited_by": partial_user(page.edited_by),
        "cover": page.body["cover"],
        "icon": page.body["icon"],
        "parent": show_parent(page, desk),
        "in_trash": page.trashed,
        "is_archived": page.archived,
        "is_locked": page.locked,
        "properties": {column.name: show_value(column, row, desk) for column in columns},
        "url": page_url(page.id, page.title),
        "public_url": None,
    }


def wanted_columns(columns: Sequence[Column], keys: Sequence[str]) -> set[str] | None:
    """The ids of the columns that `filter_properties` names; nothing said means all."""
    if not keys:
        return None
    wanted: set[str] = set()
    for key in keys:
        column = find_column(columns, key, decode=False)
        if column is None:
            raise invalid(f"Could not find property with name or id: {key}")
        wanted.add(column.id)
    return wanted


def show_block(node: Node, desk: Desk, *, has_children: bool | None = None) -> Json:
    """A block; a page or database as the block that stands for it in its parent."""
    if has_children is None:
        has_children = bool(nodes.with_children(desk.connection, [content_of(desk, node).id]))
    inner = node.body if node.kind == "block" else {"title": node.title}
    return {
        "object": "block",
        "id": node.id,
        "parent": show_parent(node, desk),
        "created_time": stamp(minute(node.created_time)),
        "last_edited_time": stamp(minute(node.edited_time)),
        "created_by": partial_user(node.created_by),
        "last_edited_by": partial_user(node.edited_by),
        "has_children": has_children,
        "in_trash": node.trashed,
        "type": node.type,
        node.type: inner,
    }


def show_blocks(blocks: Sequence[Node], desk: Desk) -> list[Json]:
    """Several blocks."""
    holders = [content_of(desk, block).id for block in blocks]
    parents = nodes.with_children(desk.connection, holders)
    return [
        show_block(block, desk, has_children=holder in parents)
        for block, holder in zip(blocks, holders, strict=True)
    ]


def show_database(database: Node, desk: Desk) -> Json:
    """A database: the container, with the names of its data sources."""
    sources = nodes.children(desk.connection, database.id)
    return {
        "object": "database",
        "id": database.id,
        "title": database.body["title"],
        "description": database.body["description"],
        "parent": show_parent(database, desk),
        "is_inline": database.body["is_inline"],
        "in_trash": database.trashed,
        "is_locked": database.locked,
        "created_time": exact_stamp(database.created_time),
        "last_edited_time": exact_stamp(database.edited_time),
        "data_sources": [{"id": source.id, "name": source.title} for source in sources],
        "icon": database.body["icon"],
        "cover": database.body["cover"],
        "url": _plain_url(database.id),
        "public_url": None,
    }


def show_data_source(source: Node, desk: Desk) -> Json:
    """A data source with its schema."""
    database = nodes.find(desk.connection, source.parent or "")
    return {
        "object": "data_source",
        "id": source.id,
        "cover": None,
        "icon": source.body["icon"],
        "created_time": stamp(source.created_time),
        "created_by": partial_user(source.created_by),
        "last_edited_by": partial_user(source.edited_by),
        "last_edited_time": stamp(source.edited_time),
        "title": source.body["title"],
        "description": source.body["description"],
        "is_inline": database.body["is_inline"] if database else False,
        "properties": _show_schema(source, desk),
        "parent": show_parent(source, desk),
        "database_parent": show_parent(database, desk) if database else None,
        "url": _plain_url(source.parent or ""),
        "public_url": None,
        "in_trash": source.trashed,
    }


def show_single_source(database: Node, source: Node, desk: Desk) -> Json:
    """A database as version 2022-06-28 knows it: the container and its one table are the same."""
    return {
        "object": "database",
        "id": database.id,
        "cover": database.body["cover"],
        "icon": database.body["icon"],
        "created_time": stamp(minute(database.created_time)),
        "created_by": partial_user(database.created_by),
        "last_edited_by": partial_user(database.edited_by),
        "last_edited_time": stamp(minute(max(database.edited_time, source.edited_time))),
        "title": database.body["title"],
        "description": database.body["description"],
        "is_inline": database.body["is_inline"],
        "properties": {name: _without_source(column) for name, column in _show_schema(source, desk).items()},
        "parent": show_parent(database, desk),
        "url": _plain_url(database.id),
        "public_url": None,
        "in_trash": database.trashed,
    }


def _show_schema(source: Node, desk: Desk) -> Json:
    columns = columns_in(source)
    return {column.name: show_column(column, columns, desk) for column in columns}


def _without_source(column: Json) -> Json:
    if column.get("type") != "relation":
        return column
    relation = {key: value for key, value in column["relation"].items() if key != "data_source_id"}
    return {**column, "relation": relation}


def in_version(answer: Json, version: str) -> Json:
    """The answer as that version of the API words it.

    The newest says `in_trash` and `meeting_notes`, those before it `archived` as well and
    `transcription`; in 2022-06-28 there is no data source, only the database.
    """
    if version != NEWEST:
        for item in (answer, *(answer.get("results") or ())):
            _say_archived(item)
            if version == SINGLE_SOURCE:
                _say_database(item)
    return answer


def _say_archived(item: Json) -> None:
    if item.get("object") in _TRASHABLE:
        item["archived"] = item["in_trash"]
    if item.get("object") == "block" and item["type"] == "meeting_notes":
        item["type"] = "transcription"
        item["transcription"] = item.pop("meeting_notes")


def _say_database(item: Json) -> None:
    parent = item.get("parent")
    if parent is not None and parent["type"] == "data_source_id":
        item["parent"] = {"type": "database_id", "database_id": parent["database_id"]}
    if item.get("type") == "page_or_data_source":
        item["type"] = "page_or_database"
        item["page_or_database"] = item.pop("page_or_data_source")


def _plain_url(node_id: str) -> str:
    return f"{SITE}{node_id.replace('-', '')}"
