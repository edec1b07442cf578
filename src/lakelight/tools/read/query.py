"""query_database: rows of a database, filtered and sorted by its columns."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from lakelight.notion import NotionIncomplete
from lakelight.notion.schema import Column, columns
from lakelight.tools.arguments import Arguments, Value
from lakelight.tools.defined import define
from lakelight.tools.port import Fault, Found, Question, Tool, ToolContext, ToolResult
from lakelight.tools.read.conditions import Op, condition
from lakelight.tools.targets import candidate, find_database
from lakelight.tools.telling import bullets, extent, quoted, said, values
from lakelight.tools.values import column_of, identified

MOST_COUNTED = 500
"""Rows that are read on to tell how many there are."""
_MOST_TOLD = 12_000
_PER_REQUEST = 100


class Filter(Arguments):
    """One condition; several all hold."""

    column: str
    op: Op
    value: Value = None


class Sort(Arguments):
    """One column to sort by."""

    column: str
    direction: Literal["ascending", "descending"] = "ascending"


class _Query(Arguments):
    database: str | None = None
    filters: list[Filter] | None = None
    sorts: list[Sort] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


def query_database() -> Tool:
    """The tool."""
    return define(
        "query_database",
        "read",
        "List rows of a database. `database`: id, link or exact title; left out: the user's target."
        " `filters` all hold; options by name, dates as 2026-12-31 or today. Says how many rows there are.",
        _Query,
        _query,
    )


async def _query(arguments: _Query, context: ToolContext) -> ToolResult:
    source = await find_database(arguments.database, context)
    if isinstance(source, Question):
        return source
    among = columns(source)
    filters = await _filters(arguments.filters or [], among, context)
    if isinstance(filters, Question | Fault):
        return filters
    sorts = _sorts(arguments.sorts or [], among)
    if isinstance(sorts, Question):
        return sorts
    rows, more = await _rows(source, filters, sorts, arguments.limit, context)
    shown = [_row(row) for row in rows[: arguments.limit]]
    found = candidate(source)
    lines, told = _lines(shown), 0
    while told < len(lines) and sum(map(len, lines[: told + 1])) <= _MOST_TOLD:
        told += 1
    return Found(
        text="\n".join(
            [
                f"database {quoted(found.title)}: {extent(told, len(rows), more=more)} rows",
                bullets(lines[:told]),
            ]
        ),
        data={
            "id": found.id,
            "title": found.title,
            "url": found.url,
            "columns": list(among),
            "rows": shown,
            "shown": len(shown),
            "total": len(rows),
            "total_is_exact": not more,
        },
        sources=(found,),
    )


async def _filters(
    wanted: list[Filter], among: Mapping[str, Column], context: ToolContext
) -> dict[str, Any] | Question | Fault | None:
    found: list[dict[str, Any]] = []
    for each in wanted:
        column = column_of(among, each.column)
        if isinstance(column, Question):
            return column
        value = await identified(_person(column), each.value, context)
        made = value if isinstance(value, Question) else condition(column, each.op, value)
        if isinstance(made, Question | Fault):
            return made
        found.append(made)
    return {"and": found} if len(found) > 1 else found[0] if found else None


def _person(column: Column) -> Column:
    if column.type not in {"created_by", "last_edited_by"}:
        return column
    return Column(id=column.id, name=column.name, type="people")


def _sorts(wanted: list[Sort], among: Mapping[str, Column]) -> list[dict[str, Any]] | Question:
    found: list[dict[str, Any]] = []
    for each in wanted:
        column = column_of(among, each.column)
        if isinstance(column, Question):
            return column
        found.append({"property": column.id, "direction": each.direction})
    return found


async def _rows(
    source: Mapping[str, Any],
    filters: dict[str, Any] | None,
    sorts: list[dict[str, Any]],
    limit: int,
    context: ToolContext,
) -> tuple[list[dict[str, Any]], bool]:
    """The rows as far as they are counted, and whether there are more."""
    rows: list[dict[str, Any]] = []
    try:
        async for row in context.reader.query(str(source["id"]), filters, sorts, _PER_REQUEST):
            if len(rows) == max(limit, MOST_COUNTED):
                return rows, True
            rows.append(row)
    except NotionIncomplete:
        return rows, True
    return rows, False


def _row(row: dict[str, Any]) -> dict[str, Any]:
    found = candidate(row)
    return {"id": found.id, "title": found.title, "url": found.url, "properties": values(row)}


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        told = {name: said(value) for name, value in row["properties"].items() if value != row["title"]}
        pairs = "; ".join(f"{name}={text}" for name, text in told.items() if text)
        lines.append(f"{quoted(row['title'])} id={row['id']} {pairs}".rstrip())
    return lines
