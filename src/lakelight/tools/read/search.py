"""search_workspace: pages and databases by words in their titles."""

from typing import Annotated, Any

from pydantic import StringConstraints

from lakelight.tools.arguments import Arguments
from lakelight.tools.defined import define
from lakelight.tools.port import Found, Tool, ToolContext, ToolResult
from lakelight.tools.targets import candidate
from lakelight.tools.telling import bullets, extent, quoted

MOST_SHOWN = 20
_MOST_ASKED = 100


class _Query(Arguments):
    query: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


def search_workspace() -> Tool:
    """The tool."""
    return define(
        "search_workspace",
        "read",
        "Find pages and databases by words in their TITLE (not their text). Gives titles, ids and links.",
        _Query,
        _search,
    )


async def _search(arguments: _Query, context: ToolContext) -> ToolResult:
    hits = await context.reader.search(arguments.query, limit=_MOST_ASKED)
    found = [candidate(hit) for hit in hits]
    shown = found[:MOST_SHOWN]
    more = len(hits) >= _MOST_ASKED
    results: list[dict[str, Any]] = [
        {
            "id": one.id,
            "type": "database" if one.type == "data_source" else "page",
            "title": one.title,
            "url": one.url,
            "edited": hit.get("last_edited_time"),
        }
        for one, hit in zip(shown, hits, strict=False)
    ]
    head = f"{extent(len(shown), len(found), more=more)} with {quoted(arguments.query)} in the title"
    lines = [f"{one['type']} {quoted(one['title'])} id={one['id']} edited={one['edited']}" for one in results]
    note = "Search sees titles only, and may miss what was made in the last minutes."
    return Found(
        text="\n".join([head, *([bullets(lines)] if lines else []), note]),
        data={
            "query": arguments.query,
            "results": results,
            "shown": len(shown),
            "total": len(found),
            "total_is_exact": not more,
        },
        sources=tuple(shown),
    )
