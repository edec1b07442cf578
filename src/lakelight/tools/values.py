"""Values for columns: people and pages by their names, options from the schema, all else by type."""

import json
from collections.abc import Mapping
from typing import Any

from lakelight.notion import (
    BadProperty,
    BadReference,
    NotionTooLarge,
    ReadOnlyColumn,
    UnknownColumn,
    UnknownOption,
)
from lakelight.notion.links import page_id_from
from lakelight.notion.schema import Column, assign, find
from lakelight.tools.port import Candidate, Fault, Question, ToolContext
from lakelight.tools.targets import find_page, folded

_SEVERAL = frozenset({"multi_select", "people", "relation", "files"})
_TITLE = frozenset({"title", "name", "标题", "名称"})


def column_of(among: Mapping[str, Column], name: str) -> Column | Question:
    """The column of this name or id; a page's title also by what people call it."""
    try:
        return find(among, name)
    except UnknownColumn:
        titles = [column for column in among.values() if column.type == "title"]
        if titles and folded(name) in _TITLE:
            return titles[0]
    return Question(
        key="ask.no_such_column",
        facts={"column": name},
        candidates=tuple(
            Candidate(id=column.id, title=column.name, type="column") for column in among.values()
        ),
    )


async def assigned(column: Column, value: object, context: ToolContext) -> dict[str, Any] | Question | Fault:
    """What a request sends to make `column` hold `value`.

    Raises:
        NotionError: Notion could not be asked for a person or a page.
    """
    known = await identified(column, value, context)
    if isinstance(known, Question):
        return known
    try:
        return assign(column, known)
    except (BadProperty, NotionTooLarge) as error:
        return refusal(error, column)


async def identified(column: Column, value: object, context: ToolContext) -> object | Question:
    """`value` with the names of people and pages as ids.

    Raises:
        NotionError: Notion could not be asked for a person or a page.
    """
    if column.type in _SEVERAL and isinstance(value, str) and value.lstrip().startswith("["):
        value = _list(value)
    if column.type not in {"people", "relation"} or not value:
        return value
    ids: list[str] = []
    for name in value if isinstance(value, list) else [value]:
        found = await _id(column, str(name), context)
        if isinstance(found, Question):
            return found
        ids.append(found)
    return ids


def refusal(error: BadProperty | NotionTooLarge, column: Column) -> Question | Fault:
    """What is said of a value that cannot be written: a question where the user can choose."""
    match error:
        case UnknownOption():
            return Question(
                key="ask.which_option",
                facts={"column": column.name, "value": error.option},
                candidates=tuple(Candidate(id=name, title=name, type="option") for name in error.options),
            )
        case NotionTooLarge() | ReadOnlyColumn():
            return Fault(key=error.message_key, facts=error.facts)
        case _:
            return Fault(
                key="tool.bad_value",
                facts={
                    "column": column.name,
                    "type": column.type,
                    "value": str(error.facts.get("value"))[:200],
                },
            )


async def _id(column: Column, name: str, context: ToolContext) -> str | Question:
    try:
        return page_id_from(name)
    except BadReference:
        pass
    if column.type == "relation":
        page = await find_page(name, context)
        return page if isinstance(page, Question) else str(page["id"])
    users = await context.reader.users()
    named = [user for user in users if folded(str(user.get("name") or "")) == folded(name)]
    if len(named) == 1:
        return str(named[0]["id"])
    return Question(
        key="ask.which_user",
        facts={"column": column.name, "name": name},
        candidates=tuple(
            Candidate(id=str(user["id"]), title=str(user.get("name") or ""), type="user")
            for user in named or users
        ),
    )


def _list(text: str) -> object:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, list) else text
