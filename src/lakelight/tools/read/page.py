"""fetch_page_markdown: a page's properties and content, in parts where it is long."""

from typing import Annotated

from pydantic import Field

from lakelight.tools.arguments import Arguments
from lakelight.tools.defined import define
from lakelight.tools.port import Found, Question, Tool, ToolContext, ToolResult
from lakelight.tools.targets import candidate, find_page
from lakelight.tools.telling import bullets, quoted, said, values

MOST_CHARACTERS = 16_000


class _Page(Arguments):
    page: str | None = None
    part: Annotated[int, Field(ge=1)] = 1


def fetch_page_markdown() -> Tool:
    """The tool."""
    return define(
        "fetch_page_markdown",
        "read",
        "Read one page: its properties and its text as Markdown. `page`: id, link or exact title;"
        " left out: the page the user is on. A long page comes in parts.",
        _Page,
        _fetch,
    )


async def _fetch(arguments: _Page, context: ToolContext) -> ToolResult:
    page = await find_page(arguments.page, context)
    if isinstance(page, Question):
        return page
    content = await context.reader.page_markdown(str(page["id"]))
    whole = content.markdown
    parts = max(1, -(-len(whole) // MOST_CHARACTERS))
    part = min(arguments.part, parts)
    markdown = whole[(part - 1) * MOST_CHARACTERS : part * MOST_CHARACTERS]
    source = candidate(page)
    properties = values(page)
    told = {name: said(value) for name, value in properties.items()}
    head = [
        f"page {quoted(source.title)} id={source.id}" + (" (in the trash)" if page.get("in_trash") else ""),
        bullets([f"{quoted(name)}: {text}" for name, text in told.items() if text]),
    ]
    if parts > 1:
        head.append(f"part {part} of {parts}, {len(whole)} characters in all")
    if content.truncated:
        head.append("Notion left out a part of this page.")
    return Found(
        text="\n".join([*head, "content:", markdown]),
        data={
            "id": source.id,
            "title": source.title,
            "url": source.url,
            "in_trash": bool(page.get("in_trash")),
            "edited": page.get("last_edited_time"),
            "properties": properties,
            "markdown": markdown,
            "part": part,
            "parts": parts,
            "characters": len(whole),
            "truncated": content.truncated,
        },
        sources=(source,),
    )
