"""From a template that fits to the calls that it means.

What does not resolve, or resolves twice, becomes a question. Nothing is guessed on the way to a write.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from lakelight.agent.planners.offline.grammar import Grammar, Match
from lakelight.agent.planners.offline.index import IndexedSource
from lakelight.agent.planners.offline.lookup import Lookup
from lakelight.agent.planners.offline.masking import Masked
from lakelight.agent.planners.offline.naming import Naming
from lakelight.agent.planners.offline.program import MOST_ROWS, Added, Earlier, Instruction, Program
from lakelight.agent.planners.offline.scene import PRONOUN, Halt, Page, Scene, ask
from lakelight.agent.planners.offline.valuing import CHOICES, Valuing, option_of
from lakelight.agent.planning import AskUser, NeedsModel

_BLOCKS = {
    "append_content": "",
    "append_todo": "- [ ] ",
    "append_bullet": "- ",
    "append_heading": "## ",
    "append_quote": "> ",
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The calls of one sentence, and the scene after them."""

    program: Program
    scene: Scene
    summary: bool = False
    """A summary was asked for: enough as an answer, nothing that could be written down."""


class Resolver:
    """Resolves the sentences of one masked request."""

    def __init__(self, masked: Masked, lookup: Lookup, grammar: Grammar) -> None:
        self._masked = masked
        self._lookup = lookup
        self._grammar = grammar
        self._names = Naming(masked, lookup)
        self._values = Valuing(masked, lookup, grammar)
        self._means: Mapping[str, Callable[[Match, Scene], Resolved | Halt | None]] = {
            "search_workspace": self._search,
            "fetch_page_markdown": self._fetch,
            "summarise": self._fetch,
            "query_database": self._query,
            "get_database_schema": self._schema,
            **dict.fromkeys(_BLOCKS, self._append),
            "update_page_property": self._update,
            "clear": self._clear,
            "rename": self._rename,
            "batch": self._batch,
            "batch_elsewhere": self._batch_elsewhere,
            "create_page": self._create,
            "archive_page": self._archive,
            "ask_user": self._ask_user,
        }

    def resolve(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        """What `match` means in `scene`; None when it cannot have been meant."""
        if match.intent == "batch_archive":
            return ask("one_page_at_a_time")
        return self._means[match.intent](match, scene)

    # Reading

    def _search(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        query = self._masked.shown(match.text("query") or "")
        if not query:
            return ask("missing.search_workspace.query")
        if self._grammar.goes_on(match.text("query") or ""):
            return ask("quote_text", text=query)
        done = self._done(scene, Instruction(tool="search_workspace", arguments={"query": query}))
        return replace(done, scene=replace(done.scene, page=Earlier(scene.made)))

    def _fetch(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        pages = self._names.pages(match, scene, "fetch_page_markdown")
        if not isinstance(pages, list):
            return pages
        reads = [Instruction(tool="fetch_page_markdown", arguments={"page": page}) for page in pages]
        done = self._done(scene, *reads, page=pages[-1])
        return replace(done, summary=match.intent == "summarise")

    def _query(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        source = self._names.source(match.text("database"), scene, "query_database")
        if not isinstance(source, IndexedSource):
            return source
        filters = self._values.filters(match.text("conditions"), source)
        if not isinstance(filters, list):
            return filters
        arguments: dict[str, object] = {"database": source.id}
        if filters:
            arguments["filters"] = filters
        if column := match.text("column"):
            if column not in source.columns:
                return self._values.no_column(column, source)
            arguments["sorts"] = [{"column": column, "direction": match.text("direction") or "ascending"}]
        if limit := match.text("limit"):
            arguments["limit"] = int(float(limit))
        done = self._done(scene, Instruction(tool="query_database", arguments=arguments), source=source.id)
        return replace(done, scene=replace(done.scene, page=Earlier(scene.made)))

    def _schema(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        source = self._names.source(match.text("database"), scene, "get_database_schema")
        if not isinstance(source, IndexedSource):
            return source
        reads = Instruction(tool="get_database_schema", arguments={"database": source.id})
        return self._done(scene, reads, source=source.id)

    # Writing

    def _append(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        given = match.text("text")
        if given and match.text("page") == PRONOUN and self._runs_on(given, scene.sentence):
            return ask("quote_text", text=self._masked.shown(given))
        text = self._values.text(given, scene.sentence)
        if isinstance(text, NeedsModel):
            return text
        page = self._names.page(match.text("page"), scene, "append_content")
        if isinstance(page, AskUser):
            return page
        if text is None:
            return ask("missing.append_content.markdown", title=self._names.title(page))
        if isinstance(text, AskUser):
            return text
        before = _BLOCKS[match.intent]
        markdown = "\n".join(before + line for line in text.split("\n")) if before else text
        write = Instruction(tool="append_content", arguments={"page": page, "markdown": markdown})
        return self._done(scene, write, page=page)

    def _runs_on(self, given: str, sentence: str) -> bool:
        """True where words follow a pronoun: `the page Plans: done` names a page, there or not."""
        said = sentence.casefold()
        words = self._grammar.words("pronouns")
        return not self._masked.mark(given) and any(
            f"{word}{blank}{given.casefold()}" in said for word in words for blank in (" ", "")
        )

    def _update(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        page = self._names.page(match.text("page"), scene, "update_page_property")
        if isinstance(page, AskUser):
            return page
        source = self._names.source_of(page)
        given = match.text("value")
        column = match.text("column")
        if given is None:
            return ask("missing.update_page_property.value", title=self._names.title(page))
        if column is None:
            found = self._values.column_for(given, source, self._names.title(page))
            if isinstance(found, AskUser):
                return found
            column = found
            if source is not None and source.columns[column].type == "multi_select":
                return self._add(scene, page, column, given, source)
        return self._set(scene, page, column, given, source)

    def _add(self, scene: Scene, page: Page, column: str, given: str, source: IndexedSource) -> Resolved:
        """A tag beside those that are there: a write replaces them all, so they are read first."""
        option = option_of(source.columns[column], self._masked.shown(given)) or ""
        added = Added(column=column, option=option, instruction=scene.made)
        return self._done(
            scene,
            Instruction(tool="fetch_page_markdown", arguments={"page": page}),
            Instruction(
                tool="update_page_property", arguments={"page": page, "column": column, "value": added}
            ),
            page=page,
        )

    def _set(
        self, scene: Scene, page: Page, column: str, given: str, source: IndexedSource | None
    ) -> Resolved | Halt:
        if isinstance(page, str) and source is None and self._lookup.page(page) is not None:
            return ask("no_columns", name=self._names.title(page))
        if source is not None and column not in source.columns:
            return self._values.no_column(column, source)
        value = self._values.value(given, column, source.columns[column] if source else None, scene.sentence)
        if isinstance(value, AskUser | NeedsModel):
            return value
        arguments = {"page": page, "column": column, "value": value}
        return self._done(scene, Instruction(tool="update_page_property", arguments=arguments), page=page)

    def _clear(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        page = self._names.page(match.text("page"), scene, "update_page_property")
        if isinstance(page, AskUser):
            return page
        source, column = self._names.source_of(page), match.text("column") or ""
        if isinstance(page, str) and source is None and self._lookup.page(page) is not None:
            return ask("no_columns", name=self._names.title(page))
        if source is not None and column not in source.columns:
            return self._values.no_column(column, source)
        arguments = {"page": page, "column": column, "value": None}
        return self._done(scene, Instruction(tool="update_page_property", arguments=arguments), page=page)

    def _rename(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        page = self._names.page(match.text("page"), scene, "update_page_property")
        if isinstance(page, AskUser):
            return page
        title = self._values.name(match.text("title"), scene.sentence)
        if not isinstance(title, str):
            return title or ask("missing.update_page_property.value", title=self._names.title(page))
        source = self._names.source_of(page)
        columns = source.columns.items() if source else ()
        column = next((name for name, column in columns if column.type == "title"), "title")
        arguments = {"page": page, "column": column, "value": title}
        return self._done(scene, Instruction(tool="update_page_property", arguments=arguments), page=page)

    def _batch(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        source = self._names.source(match.text("database"), scene, "update_page_property")
        if not isinstance(source, IndexedSource):
            return source
        filters = self._values.filters(match.text("conditions"), source)
        if not isinstance(filters, list):
            return filters
        given, column = match.text("value") or "", match.text("column")
        if column is None:
            found = self._values.column_for(given, source, source.title)
            if isinstance(found, AskUser):
                return found
            column = found
        if column not in source.columns:
            return self._values.no_column(column, source)
        value = self._values.value(given, column, source.columns[column], scene.sentence)
        if isinstance(value, AskUser | NeedsModel):
            return value
        kind = source.columns[column].type
        if kind in CHOICES and column not in {each["column"] for each in filters}:
            # A row that has the value already needs no write.
            filters.append({"column": column, "op": "not_equals", "value": value})
        tagging = kind == "multi_select" and match.text("column") is None
        written = Added(column=column, option=str(value)) if tagging else value
        arguments: dict[str, object] = {"database": source.id, "limit": MOST_ROWS}
        if filters:
            arguments["filters"] = filters
        return self._done(
            scene,
            Instruction(tool="query_database", arguments=arguments),
            Instruction(
                tool="update_page_property", arguments={"column": column, "value": written}, each=scene.made
            ),
            source=source.id,
        )

    def _batch_elsewhere(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        page = self._names.page(match.text("page"), scene, "update_page_property")
        return page if isinstance(page, AskUser) else ask("not_a_database", name=self._names.title(page))

    def _create(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        parent = self._names.parent(match, scene)
        if isinstance(parent, AskUser):
            return parent
        title = self._values.name(match.text("title"), scene.sentence)
        if not isinstance(title, str):
            return title or ask("missing.create_page.title")
        arguments: dict[str, object] = {"parent": parent, "title": title}
        if "text" in {slot.name for slot in match.slots}:
            text = self._values.text(match.text("text"), scene.sentence)
            if not isinstance(text, str):
                return text or ask("missing.create_page.title")
            arguments["markdown"] = text
        if conditions := match.text("conditions"):
            source = self._lookup.source(parent) if isinstance(parent, str) else None
            properties = self._values.properties(conditions, source)
            if not isinstance(properties, dict):
                return properties
            arguments["properties"] = properties
        write = Instruction(tool="create_page", arguments=arguments)
        return self._done(scene, write, page=Earlier(scene.made))

    def _archive(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        pages = self._names.pages(match, scene, "archive_page")
        if not isinstance(pages, list):
            return pages
        writes = [Instruction(tool="archive_page", arguments={"page": page}) for page in pages]
        return self._done(scene, *writes, page=pages[-1])

    def _ask_user(self, match: Match, scene: Scene) -> Resolved | Halt | None:
        question = self._masked.shown(match.text("text") or "")
        return self._done(scene, Instruction(tool="ask_user", arguments={"question": question}))

    @staticmethod
    def _done(
        scene: Scene, *instructions: Instruction, page: Page | None = None, source: str | None = None
    ) -> Resolved:
        after = replace(
            scene,
            made=scene.made + len(instructions),
            page=page if page is not None else scene.page,
            database=source or scene.database,
        )
        return Resolved(tuple(instructions), after)
