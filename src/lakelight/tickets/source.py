"""The ticket database: found from whatever the owner gave, its columns always read from its schema."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakelight.errors import LakelightError
from lakelight.notion import NotionReader, NotionRefused, UnknownOption
from lakelight.notion.links import page_id_from
from lakelight.notion.schema import Column, assign, columns
from lakelight.operations.surroundings import title_of
from lakelight.tickets.columns import (
    ColumnNames,
    Mapped,
    MissingColumn,
    Problem,
    Role,
    TwoColumns,
    Unmapped,
    WrongType,
    resolve,
)
from lakelight.tickets.matching import fold


class SourceError(LakelightError):
    """The ticket database cannot be used as it stands."""

    code = "tickets.source"

    def __init__(self, key: str, /, **facts: object) -> None:
        super().__init__("", **facts)
        self._key = key

    @property
    def message_key(self) -> str:
        """`tickets.<what>`: not set, not shared, several sources, a column missing or of a wrong type."""
        return self._key


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusWords:
    """The owner's words for where a ticket is; only those that are set are ever written."""

    ready: str
    working: str | None = None
    needs_you: str | None = None
    done: str | None = None

    def every(self) -> frozenset[str]:
        """All that are set."""
        return frozenset(filter(None, (self.ready, self.working, self.needs_you, self.done)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The data source that holds the tickets, and which of its columns plays which role."""

    data_source_id: str
    title: str
    mapped: Mapped
    words: StatusWords

    def is_ready(self, status: str) -> bool:
        """True when `status` is the word for a ticket that may be worked on."""
        return fold(status) == fold(self.words.ready)

    def is_ours(self, status: str) -> bool:
        """True when `status` is one that a ticket has while it is with us."""
        return fold(status) in {fold(word) for word in self.words.every() - {self.words.done or ""}}

    def ready_filter(self) -> dict[str, Any]:
        """The filter for tickets that may be worked on, by the status column's own type."""
        column = self.mapped["status"]
        return {"property": column.id, column.type: {"equals": self._option(self.words.ready)}}

    def status_write(self, word: str | None) -> dict[str, Any]:
        """The property that sets the status; empty when the word is unset or no option has it."""
        if word is None:
            return {}
        column = self.mapped["status"]
        try:
            return {column.name: assign(column, self._option(word))}
        except UnknownOption:
            return {}

    def self_check_write(self, text: str) -> dict[str, Any]:
        """The property that sets the self-check; empty when there is no such column."""
        if "self_check" not in self.mapped:
            return {}
        return {self.mapped["self_check"].name: {"rich_text": [{"text": {"content": text}}]}}

    def _option(self, word: str) -> str:
        for option in self.mapped["status"].options:
            name = option if isinstance(option, str) else option.name
            if fold(name) == fold(word):
                return name
        return word


async def open_source(
    reader: NotionReader,
    given: str | None,
    names: ColumnNames,
    words: StatusWords,
    remembered: Mapping[str, Mapping[Role, str]] | None = None,
) -> Source:
    """The ticket database that `given` names: id or URL of a database or of a data source.

    Args:
        remembered: Property ids of an earlier look, by the id of the data source they belong to.

    Raises:
        SourceError: It cannot be used, and why.
        NotionError: Notion could not be asked.
    """
    if not given:
        raise SourceError("tickets.database_unset")
    data_source = await _data_source(reader, page_id_from(given))
    schema: Mapping[str, Column] = columns(data_source)
    mapped = resolve(names, schema, (remembered or {}).get(str(data_source["id"])))
    if isinstance(mapped, Unmapped):
        raise _misfit(mapped.problems)
    return Source(
        data_source_id=str(data_source["id"]), title=title_of(data_source), mapped=mapped, words=words
    )


async def _data_source(reader: NotionReader, identifier: str) -> dict[str, Any]:
    try:
        database = await reader.database(identifier)
    except NotionRefused as error:
        if not error.nothing_there:
            raise
        return await _source_itself(reader, identifier)
    sources = database.get("data_sources") or []
    if len(sources) > 1:
        listed = "; ".join(f"{source['name']} ({source['id']})" for source in sources)
        raise SourceError("tickets.several_sources", title=title_of(database), sources=listed)
    if not sources:
        raise SourceError("tickets.database_not_shared", id=identifier)
    return await _source_itself(reader, str(sources[0]["id"]))


async def _source_itself(reader: NotionReader, identifier: str) -> dict[str, Any]:
    try:
        return await reader.data_source(identifier)
    except NotionRefused as error:
        if not error.nothing_there:
            raise
        raise SourceError("tickets.database_not_shared", id=identifier) from error


def _misfit(problems: Sequence[Problem]) -> SourceError:
    """What is wrong with the columns: one problem with all that is known about it, several by their names."""
    if len(problems) > 1:
        return SourceError(
            "tickets.column.several",
            missing=_listed(each.wanted for each in problems if isinstance(each, MissingColumn)),
            wrong=_listed(f"{each.column} ({each.type})" for each in problems if isinstance(each, WrongType)),
            two=_listed(each.wanted for each in problems if isinstance(each, TwoColumns)),
        )
    (problem,) = problems
    facts = {name: getattr(problem, name) for name in problem.__slots__}
    return SourceError(f"tickets.{problem.message_key}", **_worded(facts))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "–"


def _worded(facts: Mapping[str, object]) -> dict[str, object]:
    return {
        name: ", ".join(map(str, value)) if isinstance(value, tuple) else value
        for name, value in facts.items()
    }
