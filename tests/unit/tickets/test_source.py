"""The ticket database is found from an id or a link, of a database or of a data source."""

from typing import Any

import pytest

from lakelight.notion import NotionRefused
from lakelight.tickets.columns import ColumnNames
from lakelight.tickets.source import SourceError, StatusWords, open_source

DATABASE = "0a1b2c3d-0000-4000-8000-000000000001"
SOURCE = "0a1b2c3d-0000-4000-8000-000000000002"
OTHER = "0a1b2c3d-0000-4000-8000-000000000003"
SCHEMA = {
    "任务标题": {"id": "title", "name": "任务标题", "type": "title", "title": {}},
    "状态": {
        "id": "stat",
        "name": "状态",
        "type": "select",
        "select": {"options": [{"id": "1", "name": "待开发", "color": "red"}]},
    },
}
WORDS = StatusWords(ready="待开发")


class Workspace:
    """One database with its data sources."""

    def __init__(self, *sources: str) -> None:
        self.sources = sources or (SOURCE,)

    async def database(self, identifier: str) -> dict[str, Any]:
        if identifier != DATABASE:
            raise not_found()
        named = [{"id": source, "name": f"第 {at} 份"} for at, source in enumerate(self.sources, 1)]
        return {"id": DATABASE, "title": [{"plain_text": "工单"}], "data_sources": named}

    async def data_source(self, identifier: str) -> dict[str, Any]:
        if identifier not in self.sources:
            raise not_found()
        return {"id": identifier, "title": [{"plain_text": "工单"}], "properties": SCHEMA}


def not_found() -> NotionRefused:
    return NotionRefused(status=404, notion_code="object_not_found", message="no", request_id="r")


async def opened(given: str | None, *sources: str) -> str:
    # The workspace answers what is asked of it here, and no more of the reading port.
    reader: Any = Workspace(*sources)
    return (await open_source(reader, given, ColumnNames(), WORDS)).data_source_id


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(DATABASE, id="the id of a database"),
        pytest.param(DATABASE.replace("-", ""), id="without dashes"),
        pytest.param(SOURCE, id="the id of a data source"),
        pytest.param(f"https://www.notion.so/{DATABASE.replace('-', '')}?v={OTHER.replace('-', '')}", id="a link"),
        pytest.param(f"https://www.notion.so/team/Tickets-{DATABASE.replace('-', '')}", id="a link with a name"),
    ],
)  # fmt: skip
async def test_a_database_is_given_by_its_id_its_link_or_its_source(given: str) -> None:
    assert await opened(given) == SOURCE


async def test_a_database_of_several_sources_is_refused_with_all_of_them() -> None:
    with pytest.raises(SourceError) as caught:
        await opened(DATABASE, SOURCE, OTHER)

    assert caught.value.message_key == "tickets.several_sources"
    assert caught.value.facts["sources"] == f"第 1 份 ({SOURCE}); 第 2 份 ({OTHER})"
    assert await opened(OTHER, SOURCE, OTHER) == OTHER


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (None, "tickets.database_unset"),
        ("", "tickets.database_unset"),
        (OTHER, "tickets.database_not_shared"),
    ],
)
async def test_what_is_no_database_of_ours_is_said(given: str | None, key: str) -> None:
    with pytest.raises(SourceError) as caught:
        await opened(given)

    assert caught.value.message_key == key
