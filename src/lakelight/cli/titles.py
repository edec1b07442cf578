"""Titles in the place of an id: what `--page` and `--target` may name."""

from collections.abc import Awaitable, Callable
from typing import Any

from lakelight.bootstrap.house import House
from lakelight.cli.links import openable
from lakelight.cli.session import LONGEST_TITLE, USAGE, Session
from lakelight.operations.visible import shortened
from lakelight.tools import Question, ToolContext

Find = Callable[[str | None, ToolContext], Awaitable[dict[str, Any] | Question]]


async def titled(session: Session, house: House, title: str, find: Find) -> str:
    """The id of the one thing that is called `title`.

    Where there is none, or several, the command ends with what it may have been.

    Raises:
        NotionError: Notion could not be asked.
    """
    found = await find(title, ToolContext(reader=house.notion, language=session.messages.language))
    if not isinstance(found, Question):
        return str(found["id"])
    session.say(found.key, **found.facts)
    link = openable(session)
    for number, candidate in enumerate(found.candidates, 1):
        title, where = shortened(candidate.title, LONGEST_TITLE), link(candidate.url) or candidate.id
        session.hint(f"  {number}. {title}  {where}")
    raise SystemExit(USAGE)
