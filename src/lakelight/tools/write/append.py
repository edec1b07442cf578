"""append_content: Markdown at the end of a page."""

from lakelight.ids import fresh
from lakelight.operations import Kind, Operation, request
from lakelight.operations.surroundings import title_of
from lakelight.tools.arguments import Arguments
from lakelight.tools.defined import define
from lakelight.tools.port import Built, Fault, Question, Tool, ToolContext, ToolResult
from lakelight.tools.targets import find_page
from lakelight.tools.write.parts import blocks_of


class _Content(Arguments):
    page: str | None = None
    markdown: str


def append_content() -> Tool:
    """The tool."""
    return define(
        "append_content",
        "write",
        "Add Markdown at the END of a page; nothing there is changed. `page`: id, link or exact title;"
        " left out: the page the user is on. At most 100 blocks a call.",
        _Content,
        _append,
        kinds=frozenset({Kind.BLOCK_APPEND}),
    )


async def _append(arguments: _Content, context: ToolContext) -> ToolResult:
    blocks = blocks_of(arguments.markdown)
    if isinstance(blocks, Fault):
        return blocks
    if not blocks:
        return Fault(key="tool.empty", facts={"field": "markdown"})
    page = await find_page(arguments.page, context)
    if isinstance(page, Question):
        return page
    if page.get("in_trash"):
        return Fault(key="tool.in_trash", facts={"title": title_of(page)})
    target = str(page["id"])
    operation = Operation(
        id=fresh("op"),
        kind=Kind.BLOCK_APPEND,
        target=target,
        request=request("PATCH", f"/blocks/{target}/children", {"children": blocks}),
    )
    return Built(operation=operation, title=title_of(page), before=page)
