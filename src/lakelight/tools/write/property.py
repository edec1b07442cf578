"""update_page_property: one column of one page."""

from typing import Any

from lakelight.ids import fresh
from lakelight.notion.canonical import property_content
from lakelight.notion.schema import Column, columns
from lakelight.operations import Kind, Operation, request
from lakelight.operations.lines import value_text
from lakelight.operations.surroundings import title_of
from lakelight.tools.arguments import Arguments, Value
from lakelight.tools.defined import define
from lakelight.tools.port import Built, Fault, Found, Question, Tool, ToolContext, ToolResult
from lakelight.tools.targets import candidate, find_page
from lakelight.tools.telling import quoted
from lakelight.tools.values import assigned, column_of


class _Change(Arguments):
    page: str | None = None
    column: str
    value: Value


def update_page_property() -> Tool:
    """The tool."""
    return define(
        "update_page_property",
        "write",
        "Set one column of one page; the new value replaces the old. Options by name (existing ones only),"
        " dates as 2026-12-31, several as a list, null clears. `page`: id, link or exact title; left out:"
        " the page the user is on.",
        _Change,
        _update,
        kinds=frozenset({Kind.PAGE_PROPERTIES_UPDATE}),
    )


async def _update(arguments: _Change, context: ToolContext) -> ToolResult:
    page = await find_page(arguments.page, context)
    if isinstance(page, Question):
        return page
    if page.get("in_trash"):
        return Fault(key="tool.in_trash", facts={"title": title_of(page)})
    column = column_of(await _columns(page, context), arguments.column)
    if isinstance(column, Question):
        return column
    value = await assigned(column, arguments.value, context)
    if isinstance(value, Question | Fault):
        return value
    before = page["properties"].get(column.name)
    if before is not None and property_content(before) == property_content(value):
        return _already(page, column, value)
    target = str(page["id"])
    operation = Operation(
        id=fresh("op"),
        kind=Kind.PAGE_PROPERTIES_UPDATE,
        target=target,
        request=request("PATCH", f"/pages/{target}", {"properties": {column.name: value}}),
    )
    return Built(operation=operation, title=title_of(page), before=page)


async def _columns(page: dict[str, Any], context: ToolContext) -> dict[str, Column]:
    """The columns of the row's data source; of a page that is no row, its title alone."""
    parent = page.get("parent") or {}
    if isinstance(parent.get("data_source_id"), str):
        return columns(await context.reader.data_source(parent["data_source_id"]))
    return columns(page)


def _already(page: dict[str, Any], column: Column, value: dict[str, Any]) -> Found:
    found = candidate(page)
    shown = value_text(value)
    return Found(
        text=f"{quoted(column.name)} of {quoted(found.title)} is {quoted(shown)} already; nothing to write",
        data={"id": found.id, "title": found.title, "unchanged": True, "column": column.name, "value": shown},
        sources=(found,),
    )
