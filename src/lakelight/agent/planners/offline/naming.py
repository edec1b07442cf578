"""Names become ids: exactly one page or data source, or a question with what is nearest."""

from collections.abc import Sequence

from lakelight.agent.planners.offline.grammar import Match
from lakelight.agent.planners.offline.index import IndexedPage, IndexedSource
from lakelight.agent.planners.offline.lookup import Lookup, candidate
from lakelight.agent.planners.offline.masking import Masked
from lakelight.agent.planners.offline.scene import PRONOUN, Page, Scene, ask
from lakelight.agent.planning import AskUser
from lakelight.notion import BadReference
from lakelight.notion.links import page_id_from
from lakelight.tools import Candidate


class Naming:
    """Resolves the pages and data sources that one masked request names."""

    def __init__(self, masked: Masked, lookup: Lookup) -> None:
        self._masked = masked
        self._lookup = lookup

    def pages(self, match: Match, scene: Scene, tool: str) -> list[Page] | AskUser:
        """Every page in the slots of `match`, in order."""
        pages: list[Page] = []
        given: list[str | None] = [*match.texts("page")]
        for text in given or [None]:
            page = self.page(text, scene, tool)
            if isinstance(page, AskUser):
                return page
            pages.append(page)
        return pages

    def page(self, text: str | None, scene: Scene, tool: str) -> Page | AskUser:
        """The page that a slot names; in a read, a part of one title names it too."""
        if text is None or text == PRONOUN:
            implied = text is not None or tool == "fetch_page_markdown"
            return scene.page if implied and scene.page is not None else ask(f"missing.{tool}.page")
        mark = self._masked.mark(text)
        name = mark.text if mark else self._masked.shown(text)
        if mark and mark.kind == "link":
            return _id_in(name) or ask("no_such_page", name=name)
        found = self._lookup.pages(name)
        if not found and tool == "fetch_page_markdown":
            # A part of one title is enough to read by.
            held = self._lookup.holding(name)
            found = tuple(each for each in held if isinstance(each, IndexedPage)) if len(held) == 1 else ()
        if len(found) == 1:
            return found[0].id
        if found:
            return ask("which_page", _shown(found), name=name)
        return ask("no_such_page", self._lookup.nearest(name, "page"), name=name)

    def source(self, text: str | None, scene: Scene, tool: str) -> IndexedSource | AskUser | None:
        """The data source that a slot names; None where it can have meant a page alone."""
        if text is None:
            return ask(f"missing.{tool}.database")
        if text == PRONOUN:
            # `it` is a page as well: without a database in hand, some other template is meant.
            return self._lookup.source(scene.database or scene.target)
        mark = self._masked.mark(text)
        name = mark.text if mark else self._masked.shown(text)
        if mark and mark.kind == "link":
            return self._lookup.source(_id_in(name))
        found = self._lookup.sources(name)
        if not found and tool != "update_page_property":
            held = self._lookup.holding(name)
            found = tuple(each for each in held if isinstance(each, IndexedSource)) if len(held) == 1 else ()
        if len(found) == 1:
            return found[0]
        if found:
            return ask("which_database", _shown(found), name=name)
        return ask("no_such_database", self._lookup.nearest(name, "data_source"), name=name)

    def parent(self, match: Match, scene: Scene) -> Page | AskUser:
        """Where something new goes: what the sentence names, else the target in hand."""
        text = match.text("parent")
        if text is None:
            return scene.target or ask("missing.create_page.parent")
        mark = self._masked.mark(text)
        name = mark.text if mark else self._masked.shown(text)
        sources = () if text == PRONOUN else self._lookup.sources(name)
        pages = () if text == PRONOUN else self._lookup.pages(name)
        if text == PRONOUN or (mark and mark.kind == "link"):
            source = self._lookup.source(_id_in(name)) if mark else None
            return source.id if source else self.page(text, scene, "create_page")
        if len(sources) + len(pages) == 1:
            return self._lookup.titled(name)[0].id
        if sources or pages:
            return ask("which_page", _shown((*pages, *sources)), name=name)
        near = (*self._lookup.nearest(name, "page"), *self._lookup.nearest(name, "data_source"))
        return ask("no_such_page", near, name=name)

    def source_of(self, page: Page) -> IndexedSource | None:
        """The data source that a page is a row of."""
        known = self._lookup.page(page) if isinstance(page, str) else None
        return self._lookup.source(known.source) if known else None

    def title(self, page: Page) -> str:
        """What a page is called; empty where that is not known."""
        known = self._lookup.page(page) if isinstance(page, str) else None
        return known.title if known else ""


def _id_in(link: str) -> str | None:
    try:
        return page_id_from(link)
    except BadReference:
        return None


def _shown(found: Sequence[IndexedPage | IndexedSource]) -> tuple[Candidate, ...]:
    return tuple(candidate(each) for each in found)
