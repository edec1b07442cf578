"""create_page: a row of a database, or a page in a page."""

from typing import Annotated, Any

from pydantic import StringConstraints

from lakelight.ids import fresh
from lakelight.notion.schema import Column, columns, title_column
from lakelight.operations import Kind, Operation, request
from lakelight.operations.surroundings import title_of
from lakelight.tools.arguments import Arguments, Value
from lakelight.tools.defined import define
from lakelight.tools.port import Built, Fault, Question, Tool, ToolContext, ToolResult
from lakelight.tools.targets import find_place
from lakelight.tools.values import assigned, column_of
from lakelight.tools.write.parts import blocks_of


class _New(Arguments):
    parent: str | None = None
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    markdown: str | None = None
    properties: dict[str, Value] | None = None


def create_page() -> Tool:
    """The tool."""
    return define(
        "create_page",
        "write",
        "Create a page in a database or under a page. `parent`: id, link or exact title of either;"
        " left out: the user's target. `properties`: column name to value, for a database only.",
        _New,
        _create,
        kinds=frozenset({Kind.PAGE_CREATE}),
    )


async def _create(arguments: _New, context: ToolContext) -> ToolResult:
    blocks = blocks_of(arguments.markdown or "")
    if isinstance(blocks, Fault):
        return blocks
    parent = await find_place(arguments.parent, context)
    if isinstance(parent, Question):
        return parent
    if parent.get("in_trash"):
        return Fault(key="tool.in_trash", facts={"title": title_of(parent)})
    properties = await _properties(arguments, parent, context)
    if isinstance(properties, Question | Fault):
        return properties
    target = str(parent["id"])
    place = "data_source_id" if parent.get("object") == "data_source" else "page_id"
    body: dict[str, Any] = {"parent": {"type": place, place: target}, "properties": properties}
    operation = Operation(
        id=fresh("op"),
        kind=Kind.PAGE_CREATE,
        target=target,
        request=request("POST", "/pages", {**body, **({"children": blocks} if blocks else {})}),
    )
    return Built(operation=operation, title=arguments.title)


async def _properties(
    arguments: _New, parent: dict[str, Any], context: ToolContext
) -> dict[str, Any] | Question | Fault:
    if parent.get("object") == "data_source":
        among = columns(parent)
    elif arguments.properties:
        return Fault(key="tool.no_columns", facts={"title": title_of(parent)})
    else:
        among = {"title": Column(id="title", name="title", type="title")}
    title = title_column(among)
    wanted: dict[str, tuple[Column, object]] = {title.name: (title, arguments.title)}
    for name, value in (arguments.properties or {}).items():
        column = column_of(among, name)
        if isinstance(column, Question):
            return column
        # The title has an argument of its own, which wins; nothing sent is nothing set.
        if column.type != "title" and value is not None:
            wanted[column.name] = (column, value)
    found: dict[str, Any] = {}
    for name, (column, given) in wanted.items():
        made = await assigned(column, given, context)
        if isinstance(made, Question | Fault):
            return made
        found[name] = made
    return found
