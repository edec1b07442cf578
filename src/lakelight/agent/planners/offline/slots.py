"""What the slots of the templates can hold for one request: only what stands in it and is there."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lakelight.agent.planners.offline.grammar import Grammar
from lakelight.agent.planners.offline.index import IndexedSource
from lakelight.agent.planners.offline.lookup import Lookup, fold, named_in
from lakelight.agent.planners.offline.masking import Masked
from lakelight.agent.planners.offline.scene import PRONOUN

if TYPE_CHECKING:
    from hassil.intents import SlotList


def slot_lists(
    masked: Masked,
    lookup: Lookup,
    grammar: Grammar,
    *,
    closed: bool = True,
    source: IndexedSource | None = None,
) -> "Mapping[str, SlotList]":
    """What the slots of a request can hold.

    Args:
        closed: Unless so, a page and a database are whatever stands there, and a column where none is known.
        source: The only one whose columns and options count.
    """
    from hassil.intents import TextSlotList, WildcardSlotList

    pronouns = [(word, PRONOUN) for word in grammar.words("pronouns")]
    pages: list[tuple[str, str]] = []
    databases = [(word, PRONOUN) for word in grammar.words("database_pronouns")]
    all_columns, all_options = named_in(source) if source else (lookup.columns, lookup.options)
    columns, options = _standing_in(masked.text, all_columns), _standing_in(masked.text, all_options)
    for number, mark in enumerate(masked.marks):
        token = f"qx{number}x"
        if mark.kind == "link" or lookup.pages(mark.text):
            pages.append((token, token))
        if mark.kind == "link" or lookup.sources(mark.text):
            databases.append((token, token))
        if name := all_columns.get(fold(mark.text)):
            columns.append((token, name))
        if name := all_options.get(fold(mark.text)):
            options.append((token, name))

    def listed(name: str, values: list[tuple[str, str]]) -> "SlotList":
        return TextSlotList.from_tuples(values, allow_template=False, name=name)

    known: dict[str, SlotList] = {
        "known_page": listed("known_page", [*pronouns, *pages]),
        "known_database": listed("known_database", databases),
        "column": listed("column", columns),
        "option": listed("option", options),
    }
    if closed:
        return {**known, "page": known["known_page"], "database": known["known_database"]}
    column = {} if columns else {"column": WildcardSlotList(name="column")}
    return {
        **known,
        **column,
        "page": WildcardSlotList(name="page"),
        "database": WildcardSlotList(name="database"),
    }


def _standing_in(text: str, names: Mapping[str, str]) -> list[tuple[str, str]]:
    folded = fold(text)
    return [(key, name) for key, name in names.items() if key in folded]
