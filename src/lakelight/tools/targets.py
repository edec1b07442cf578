"""What a name means: exactly one page or database, or a question.

An id or a link counts as it stands, a title only when it is the whole title; width, case, spaces and
quotation marks aside. Nothing is ever guessed: what is nearest is offered, not taken.
"""

import difflib
import unicodedata
from collections.abc import Awaitable
from typing import Any, Literal

from lakelight.notion import BadReference, NotionReader, NotionRefused
from lakelight.notion.links import page_id_from
from lakelight.notion.schema import columns, title_column
from lakelight.operations.surroundings import title_of
from lakelight.tools.port import Candidate, Question, ToolContext

Json = dict[str, Any]
Thing = Literal["page", "database", "place"]
"""`place`: either, to put something new into."""

_KINDS: dict[Thing, tuple[Literal["page", "data_source"], ...]] = {
    "page": ("page",),
    "database": ("data_source",),
    "place": ("page", "data_source"),
}
_MARKS = "\"'`“”‘’「」『』《》〈〉【】"
_MOST_CANDIDATES = 8
_LIKE = 0.4


async def find_page(name: str | None, context: ToolContext) -> Json | Question:
    """The page that `name` means; without a name, the one that the user is on.

    Raises:
        NotionError: Notion could not be asked.
    """
    wanted = _given(name) or context.page
    return await _find(wanted, "page", context) if wanted else Question(key="ask.page_missing")


async def find_database(name: str | None, context: ToolContext) -> Json | Question:
    """The data source that `name` means; without a name, the one that the user named as target.

    Raises:
        NotionError: Notion could not be asked.
    """
    wanted = _given(name) or context.target
    return await _find(wanted, "database", context) if wanted else Question(key="ask.database_missing")


async def find_place(name: str | None, context: ToolContext) -> Json | Question:
    """The page or data source to put something into; without a name the user's target, else his page.

    Raises:
        NotionError: Notion could not be asked.
    """
    wanted = _given(name) or context.target or context.page
    return await _find(wanted, "place", context) if wanted else Question(key="ask.place_missing")


def candidate(thing: Json) -> Candidate:
    """A page or data source as something that a name may mean."""
    return Candidate(
        id=str(thing["id"]),
        title=title_of(thing),
        type="data_source" if thing.get("object") == "data_source" else "page",
        url=str(thing.get("url") or ""),
    )


def folded(title: str) -> str:
    """`title` as titles are compared."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().strip(f" {_MARKS}").split())


def _given(name: str | None) -> str | None:
    return name.strip() if name and name.strip() else None


async def _find(wanted: str, thing: Thing, context: ToolContext) -> Json | Question:
    try:
        found = await _by_id(page_id_from(wanted), thing, context.reader)
    except BadReference:
        return await _by_title(wanted, thing, context)
    match found:
        case []:
            return _missing(wanted, thing, [])
        case [only]:
            return only
        case _:
            return _which(wanted, thing, found)


async def _by_id(id_: str, thing: Thing, reader: NotionReader) -> list[Json]:
    """What has this id; of a database that is a container of several, each of them."""
    if "page" in _KINDS[thing] and (page := await _or_none(reader.page(id_))):
        return [page]
    if "data_source" not in _KINDS[thing]:
        return []
    if source := await _or_none(reader.data_source(id_)):
        return [source]
    database = await _or_none(reader.database(id_))
    inside = database.get("data_sources") or [] if database else []
    return [await reader.data_source(str(source["id"])) for source in inside]


async def _by_title(wanted: str, thing: Thing, context: ToolContext) -> Json | Question:
    hits = await _search(wanted.strip(f" {_MARKS}"), thing, context.reader)
    named = _called(wanted, hits)
    known: list[Json] = []
    if not named and "page" in _KINDS[thing]:
        # The search lags behind, so what was made a moment ago is looked for where the user is.
        named = _called(wanted, await _near(wanted, context))
    if not named:
        # Notion searches for the words as they are spelt; all that it lists at all may hold another spelling.
        known = await _search("", thing, context.reader)
        named = _called(wanted, known)
    match named:
        case []:
            return _missing(wanted, thing, hits or _alike(wanted, known))
        case [only]:
            kind: Thing = "database" if only.get("object") == "data_source" else "page"
            found = await _by_id(str(only["id"]), kind, context.reader)
            return found[0] if found else _missing(wanted, thing, [])
        case _:
            return _which(wanted, thing, named)


async def _search(words: str, thing: Thing, reader: NotionReader) -> list[Json]:
    kinds = _KINDS[thing]
    return await reader.search(words, kinds[0] if len(kinds) == 1 else None)


def _called(name: str, things: list[Json]) -> list[Json]:
    """Those with this title, each once."""
    return list({thing["id"]: thing for thing in things if _is_called(thing, name)}.values())


async def _near(wanted: str, context: ToolContext) -> list[Json]:
    """The pages of this title in the places that the user named by id."""
    found: list[Json] = []
    for place in (context.target, context.page):
        try:
            inside = await _by_id(page_id_from(place or ""), "place", context.reader)
        except BadReference:
            continue
        for thing in inside:
            found += await _inside(thing, wanted, context.reader)
    return found


async def _inside(thing: Json, wanted: str, reader: NotionReader) -> list[Json]:
    if thing.get("object") == "data_source":
        column = title_column(columns(thing))
        rows = reader.query(
            thing["id"], {"property": column.id, "title": {"contains": wanted.strip(f" {_MARKS}")}}
        )
        return [row async for row in rows if _is_called(row, wanted)]
    blocks = (await reader.children(thing["id"])).blocks
    return [block for block in blocks if block["type"] == "child_page" and _is_called(block, wanted)]


def _is_called(thing: Json, name: str) -> bool:
    return folded(name) != "" and folded(title_of(thing)) == folded(name)


def _alike(wanted: str, known: list[Json]) -> list[Json]:
    titles = {folded(title_of(thing)): thing for thing in known}
    inside = [title for title in titles if title and (title in folded(wanted) or folded(wanted) in title)]
    near = difflib.get_close_matches(folded(wanted), titles, n=_MOST_CANDIDATES, cutoff=_LIKE)
    return [titles[title] for title in dict.fromkeys([*inside, *near])]


async def _or_none(asked: Awaitable[Json]) -> Json | None:
    try:
        return await asked
    except NotionRefused as error:
        if not error.nothing_there:
            raise
        return None


def _which(wanted: str, thing: Thing, among: list[Json]) -> Question:
    return Question(
        key="ask.which_database" if thing == "database" else "ask.which_page",
        facts={"name": wanted},
        candidates=tuple(map(candidate, among[:_MOST_CANDIDATES])),
    )


def _missing(wanted: str, thing: Thing, near: list[Json]) -> Question:
    return Question(
        key="ask.no_such_database" if thing == "database" else "ask.no_such_page",
        facts={"name": wanted},
        candidates=tuple(map(candidate, near[:_MOST_CANDIDATES])),
    )
