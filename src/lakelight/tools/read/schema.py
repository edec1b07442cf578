"""get_database_schema: the columns of a database, their types and options."""

from typing import Any

from lakelight.notion.schema import Column, columns
from lakelight.tools.arguments import Arguments
from lakelight.tools.defined import define
from lakelight.tools.port import Found, Question, Tool, ToolContext, ToolResult
from lakelight.tools.targets import candidate, find_database
from lakelight.tools.telling import bullets, quoted

_WRITABLE = frozenset(
    {
        *("title", "rich_text", "select", "status", "multi_select", "checkbox", "number", "date", "url"),
        *("email", "phone_number", "people", "relation", "files"),
    }
)
_MOST_OPTIONS = 50


class _Database(Arguments):
    database: str | None = None


def get_database_schema() -> Tool:
    """The tool."""
    return define(
        "get_database_schema",
        "read",
        "List a database's columns with type and options. `database`: id, link or exact title; left out: the"
        " user's target. Use before filtering or writing when column names are not known.",
        _Database,
        _schema,
    )


async def _schema(arguments: _Database, context: ToolContext) -> ToolResult:
    source = await find_database(arguments.database, context)
    if isinstance(source, Question):
        return source
    found = candidate(source)
    described = [_described(column) for column in columns(source).values()]
    return Found(
        text="\n".join(
            [f"database {quoted(found.title)} id={found.id}", bullets([_line(each) for each in described])]
        ),
        data={"id": found.id, "title": found.title, "url": found.url, "columns": described},
        sources=(found,),
    )


def _described(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "options": list(column.options),
        "groups": {name: list(options) for name, options in column.groups},
        "writable": column.type in _WRITABLE,
    }


def _line(column: dict[str, Any]) -> str:
    options = column["options"]
    shown = ", ".join(map(quoted, options[:_MOST_OPTIONS]))
    more = f", … ({len(options)} in all)" if len(options) > _MOST_OPTIONS else ""
    choice = f" options: {shown}{more}" if options else ""
    return f"{quoted(column['name'])} ({column['type']}{'' if column['writable'] else ', read-only'}){choice}"
