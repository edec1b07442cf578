"""archive_page: a page to the trash, from where it can be restored."""

from lakelight.ids import fresh
from lakelight.operations import Kind, Operation, request
from lakelight.tools.arguments import Arguments
from lakelight.tools.defined import define
from lakelight.tools.port import Built, Found, Question, Tool, ToolContext, ToolResult
from lakelight.tools.targets import candidate, find_page
from lakelight.tools.telling import quoted


class _Page(Arguments):
    page: str | None = None


def archive_page() -> Tool:
    """The tool."""
    return define(
        "archive_page",
        "write",
        "Move one page, with all in it, to the trash; the user is asked first. `page`: id, link or exact"
        " title; left out: the page the user is on.",
        _Page,
        _archive,
        kinds=frozenset({Kind.PAGE_ARCHIVE}),
    )


async def _archive(arguments: _Page, context: ToolContext) -> ToolResult:
    page = await find_page(arguments.page, context)
    if isinstance(page, Question):
        return page
    found = candidate(page)
    if page.get("in_trash"):
        return Found(
            text=f"{quoted(found.title)} is in the trash already; nothing to write",
            data={"id": found.id, "title": found.title, "unchanged": True},
            sources=(found,),
        )
    operation = Operation(
        id=fresh("op"),
        kind=Kind.PAGE_ARCHIVE,
        target=found.id,
        request=request("PATCH", f"/pages/{found.id}", {"in_trash": True}),
    )
    return Built(operation=operation, title=found.title, before=page)
