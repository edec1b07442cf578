"""Words become values: of a column as it is, conditions on columns, and text that will be written.

Text is the user's own and verbatim, and only where it is plain where it begins and ends.
"""

import re

from lakelight.agent.planners.offline.grammar import Grammar, Match
from lakelight.agent.planners.offline.index import IndexedColumn, IndexedSource
from lakelight.agent.planners.offline.lookup import Lookup, fold
from lakelight.agent.planners.offline.masking import Masked
from lakelight.agent.planners.offline.scene import Halt, ask
from lakelight.agent.planners.offline.slots import slot_lists
from lakelight.agent.planning import AskUser, NeedsModel
from lakelight.tools import Candidate

CHOICES = frozenset({"select", "status", "multi_select"})

_WORDS = frozenset({"rich_text", "title", "url", "email", "phone_number"})
_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?")
_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?")
_PUNCTUATED = re.compile(r"[,;:。，；：、()（）]|\.\s")


class Valuing:
    """Reads the values that one masked request gives."""

    def __init__(self, masked: Masked, lookup: Lookup, grammar: Grammar) -> None:
        self._masked = masked
        self._lookup = lookup
        self._grammar = grammar

    def no_column(self, column: str, source: IndexedSource) -> AskUser:
        """The question that names the columns there are."""
        near = [Candidate(id=name, title=name, type="column") for name in source.columns]
        return ask("no_such_column", near, column=column, name=source.title)

    def column_for(self, given: str, source: IndexedSource | None, title: str) -> str | AskUser:
        """The one column whose options have this value."""
        if source is None:
            return ask("no_columns", name=title)
        wanted = fold(self._masked.shown(given))
        fitting = [
            name
            for name, column in source.columns.items()
            if column.type in CHOICES and wanted in map(fold, column.options)
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            near = [Candidate(id=name, title=name, type="column") for name in fitting]
            return ask("which_column", near, value=self._masked.shown(given))
        options = [
            Candidate(id=option, title=option, type="option")
            for column in source.columns.values()
            if column.type in CHOICES
            for option in column.options
        ]
        shown = self._masked.shown(given)
        return ask("no_such_value", options, value=shown, name=source.title)

    def value(
        self, given: str, name: str, column: IndexedColumn | None, sentence: str
    ) -> str | float | bool | AskUser | NeedsModel:
        """A value as a column takes it."""
        shown = self._masked.shown(given)
        if column is None or column.type in _WORDS:
            text = self.text(given, sentence)
            return text if text is not None else ask("missing.update_page_property.value", title="")
        if column.type in CHOICES:
            if (option := option_of(column, shown)) is not None:
                return option
            near = [Candidate(id=each, title=each, type="option") for each in column.options]
            return ask("which_option", near, value=shown, column=name)
        if column.type == "checkbox" and (known := self._yes_or_no(shown)) is not None:
            return known
        if column.type == "number" and _NUMBER.fullmatch(shown):
            return float(shown) if "." in shown else int(shown)
        if column.type == "date" and (date := _DATE.fullmatch(shown)):
            return f"{int(date[1]):04d}-{int(date[2]):02d}-{int(date[3]):02d}"
        return ask("bad_value", value=shown, column=name, type=column.type)

    def _yes_or_no(self, text: str) -> bool | None:
        for name, value in (("yes", True), ("no", False)):
            if fold(text) in self._grammar.words(name):
                return value
        return None

    def filters(
        self, conditions: str | None, source: IndexedSource
    ) -> list[dict[str, object]] | AskUser | None:
        """The conditions as filters; None when they are none."""
        if conditions is None:
            return []
        filters: list[dict[str, object]] = []
        lists = slot_lists(self._masked, self._lookup, self._grammar, source=source)
        for one in self._grammar.parted(conditions):
            fits = self._grammar.matches(one, "condition", lists)
            found = next((made for match in fits if (made := self._filter(match, source)) is not None), None)
            if not isinstance(found, dict):
                return found
            filters.append(found)
        return filters

    def _filter(self, match: Match, source: IndexedSource) -> dict[str, object] | AskUser | None:
        column, option, given = match.text("column"), match.text("option"), match.text("value")
        if column is None and option is not None:
            found = self._column_of_option(option, source)
            if not isinstance(found, str):
                return found
            column = found
        if column is None or column not in source.columns:
            return None
        if unary := match.text("unary"):
            return {"column": column, "op": unary}
        operator = match.text("op") or "equals"
        kind = source.columns[column]
        if given is not None and kind.type in _WORDS:
            return {"column": column, "op": operator, "value": self._masked.shown(given)}
        value = self.value(given or option or "", column, kind, "")
        if isinstance(value, NeedsModel):
            return None
        if isinstance(value, AskUser):
            return value
        if kind.type == "multi_select" and operator == "equals":
            operator = "contains"
        if kind.type in {"select", "status"} and operator == "contains":
            operator = "equals"
        return {"column": column, "op": operator, "value": value}

    @staticmethod
    def _column_of_option(option: str, source: IndexedSource) -> str | AskUser | None:
        fitting = [name for name, column in source.columns.items() if option in column.options]
        if len(fitting) > 1:
            near = [Candidate(id=name, title=name, type="column") for name in fitting]
            return ask("which_column", near, value=option)
        return fitting[0] if fitting else None

    def properties(self, conditions: str, source: IndexedSource | None) -> dict[str, object] | AskUser | None:
        """Conditions as the properties of a new row; None when they are none."""
        filters = self.filters(conditions, source) if source else None
        if not isinstance(filters, list) or any(each["op"] not in {"equals", "contains"} for each in filters):
            return filters if isinstance(filters, AskUser) else None
        return {str(each["column"]): each["value"] for each in filters}

    # Text that will be written

    def text(self, given: str | None, sentence: str) -> str | Halt | None:
        """The user's own words, verbatim; a question unless it is plain where they begin and end."""
        if given is None:
            return None
        mark = self._masked.mark(given)
        if mark and mark.kind == "payload" and self._grammar.goes_on(mark.text):
            return ask("quote_text", text=mark.text)
        if mark and mark.kind != "title":
            return mark.text
        shown = self._masked.shown(given)
        if self._grammar.has("derived", given) or self._grammar.has("prose", given):
            return NeedsModel(why="prose")
        if self._grammar.starts("derived_starts", given) or not self._plain(given, sentence):
            return ask("quote_text", text=shown)
        return shown

    def name(self, given: str | None, sentence: str) -> str | AskUser | None:
        """A title: the user's own words, verbatim."""
        if given is None:
            return None
        mark = self._masked.mark(given)
        if mark and mark.kind != "title":
            return mark.text
        shown = self._masked.shown(given)
        return shown if self._plain(given, sentence) else ask("quote_text", text=shown)

    def _plain(self, given: str, sentence: str) -> bool:
        unsure = any(
            self._grammar.has(name, given) for name in ("negations", "conditions", "joints", "asking")
        )
        return not (unsure or self._masked.emoji or _PUNCTUATED.search(sentence))


def option_of(column: IndexedColumn, name: str) -> str | None:
    """The option of a column that is called `name`."""
    return next((option for option in column.options if fold(option) == fold(name)), None)
