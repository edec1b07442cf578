"""The index of a workspace, made from what a search for nothing brings."""

from typing import Any, cast

import pytest

from lakelight.agent.planners.offline import IndexedColumn, IndexedPage, IndexedSource, build_index
from lakelight.notion import NotionReader

Json = dict[str, Any]


class Searched:
    """Answers a search for nothing with what it holds."""

    def __init__(self, pages: list[Json], sources: list[Json]) -> None:
        self._held = {"page": pages, "data_source": sources}
        self.asked: list[tuple[str, str, int]] = []

    async def search(self, text: str, kind: str, limit: int) -> list[Json]:
        self.asked.append((text, kind, limit))
        return self._held[kind][:limit]


def a_page(id_: str, title: str, **more: Any) -> Json:
    titled = {"Name": {"type": "title", "title": [{"plain_text": title, "text": {"content": title}}]}}
    return {"object": "page", "id": id_, "url": f"https://n/{id_}", "properties": titled, **more}


A_SOURCE = {
    "object": "data_source",
    "id": "source-1",
    "url": "https://n/source-1",
    "title": [{"plain_text": "Reading list", "text": {"content": "Reading list"}}],
    "parent": {"type": "database_id", "database_id": "database-1"},
    "properties": {
        "Name": {"id": "title", "type": "title", "title": {}},
        "Area": {"id": "a", "type": "select", "select": {"options": [{"name": "Infra"}, {"name": "People"}]}},
    },
}


async def test_the_index_has_titles_sources_and_options_and_nothing_from_the_trash() -> None:
    row = a_page("row-1", " Clean Code ", parent={"type": "data_source_id", "data_source_id": "source-1"})
    held = Searched(
        [row, a_page("page-1", "Notes"), a_page("page-2", ""), a_page("page-3", "Old", in_trash=True)],
        [A_SOURCE],
    )

    index = await build_index(cast(NotionReader, held))

    assert index.pages == (
        IndexedPage(id="row-1", title="Clean Code", url="https://n/row-1", source="source-1"),
        IndexedPage(id="page-1", title="Notes", url="https://n/page-1"),
    )
    assert index.sources == (
        IndexedSource(
            id="source-1",
            title="Reading list",
            url="https://n/source-1",
            database="database-1",
            columns={
                "Name": IndexedColumn(type="title"),
                "Area": IndexedColumn(type="select", options=("Infra", "People")),
            },
        ),
    )


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ({"prefix": "T", "number": 12}, "T-12"),
        ({"prefix": None, "number": 12}, "12"),
        ({"prefix": "T", "number": None}, ""),
        (None, ""),
    ],
)
async def test_a_ticket_is_indexed_with_the_number_that_notion_gave_it(given: Any, number: str) -> None:
    row = a_page("row-1", "Clean Code")
    row["properties"]["编号"] = {"id": "n", "type": "unique_id", "unique_id": given}

    index = await build_index(cast(NotionReader, Searched([row], [])))

    assert [page.number for page in index.pages] == [number]


async def test_no_more_titles_are_asked_for_than_the_index_may_hold() -> None:
    held = Searched([a_page(str(number), f"Page {number}") for number in range(9)], [])

    index = await build_index(cast(NotionReader, held), 4)

    assert len(index.pages) == 4
    assert held.asked == [("", "data_source", 4), ("", "page", 4)]
