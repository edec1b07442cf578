"""Search: titles in part, filters and order, and titles that take a while to be found."""

from contextlib import closing
from typing import Any

import pytest

from notion_embedded.store.admin import Admin

Json = dict[str, Any]


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


async def make(served: Any, title: str, parent: str | None = None) -> str:
    body = {
        "parent": {"page_id": parent or served.workspace.root_page_id},
        "properties": {"title": text(title)},
    }
    _, page = await served.call("POST", "/pages", body)
    return str(page["id"])


async def titles(served: Any, **asked: Any) -> list[str]:
    status, answer = await served.call("POST", "/search", asked)
    assert status == 200, answer
    return [_title(found) for found in answer["results"]]


def _title(found: Json) -> str:
    runs = found["title"] if found["object"] == "data_source" else found["properties"]["title"]["title"]
    return "".join(run["plain_text"] for run in runs)


async def test_a_part_of_a_title_finds_it_whatever_the_case(direct: Any) -> None:
    await make(direct, "Draw the Map")
    await make(direct, "画地图")

    assert await titles(direct, query="the map") == ["Draw the Map"]
    assert await titles(direct, query="地") == ["画地图"]
    assert await titles(direct, query="nothing like it") == []


async def test_kind_trash_and_order_can_be_asked_for(direct: Any) -> None:
    kept = await make(direct, "kept")
    direct.clock.pass_seconds(60)
    gone = await make(direct, "gone")
    direct.clock.pass_seconds(60)
    await direct.call(
        "POST", "/databases", {"parent": {"page_id": direct.workspace.root_page_id}, "title": text("table")}
    )
    await direct.call("DELETE", f"/blocks/{gone}")
    await make(direct, "inner, of what is kept", kept)
    pages = {"property": "object", "value": "page"}
    sources = {"property": "object", "value": "data_source"}
    oldest = {"timestamp": "last_edited_time", "direction": "ascending"}

    assert await titles(direct, filter=sources) == ["table"]
    assert await titles(direct, query="e", filter={**pages, "in_trash": True}) == ["gone"]
    assert await titles(direct, filter={"in_trash": True}) == ["gone"]
    assert await titles(direct, query="e", sort=oldest) == ["Home", "kept", "table", "inner, of what is kept"]
    assert len(await titles(direct, sort={"property": "relevance"})) == 4


async def test_results_are_paged_without_loss(direct: Any) -> None:
    made = {await make(direct, f"page {number}") for number in range(7)}
    found: list[str] = []
    cursor = None
    while True:
        body = {"query": "page", "page_size": 3, **({"start_cursor": cursor} if cursor else {})}
        _, answer = await direct.call("POST", "/search", body)
        found += [page["id"] for page in answer["results"]]
        cursor = answer["next_cursor"]
        if not answer["has_more"]:
            break

    assert len(found) == 7
    assert set(found) == made


async def test_a_new_title_is_found_after_the_lag_and_an_old_one_until_then(direct: Any) -> None:
    known = await make(direct, "Known")
    with closing(Admin(direct.workspace.file)) as admin:
        admin.set_search_lag(120)
    await make(direct, "Fresh")
    await direct.call("PATCH", f"/pages/{known}", {"properties": {"title": text("Renamed")}})

    assert await titles(direct, query="fresh") == []
    # It is found by what it was called, and shown as it is called.
    assert await titles(direct, query="known") == ["Renamed"]
    assert await titles(direct, query="renamed") == []

    direct.clock.pass_seconds(121)

    assert await titles(direct, query="fresh") == ["Fresh"]
    assert await titles(direct, query="known") == []
    assert await titles(direct, query="renamed") == ["Renamed"]


async def test_each_of_several_titles_is_found_in_its_turn(direct: Any) -> None:
    with closing(Admin(direct.workspace.file)) as admin:
        admin.set_search_lag(100)
    page = await make(direct, "first")
    for title in ("second", "third"):
        direct.clock.pass_seconds(60)
        await direct.call("PATCH", f"/pages/{page}", {"properties": {"title": text(title)}})
    found = []
    for _ in range(4):
        found.append([word for word in ("first", "second", "third") if await titles(direct, query=word)])
        direct.clock.pass_seconds(50)

    assert found == [["first"], ["second"], ["third"], ["third"]]


async def test_without_a_lag_everything_is_found_at_once_again(direct: Any) -> None:
    with closing(Admin(direct.workspace.file)) as admin:
        admin.set_search_lag(3600)
        await make(direct, "Hidden")
        before = await titles(direct, query="hidden")
        admin.set_search_lag(0)

    assert before == []
    assert await titles(direct, query="hidden") == ["Hidden"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            {"filter": {"property": "object", "value": "database"}}, id="a kind of an older version"
        ),
        pytest.param({"filter": {"property": "title", "value": "page"}}, id="another property"),
        pytest.param({"sort": {"timestamp": "created_time", "direction": "ascending"}}, id="another time"),
        pytest.param({"query": 1}, id="a number for words"),
        pytest.param({"start_cursor": "no cursor"}, id="no cursor"),
    ],
)
async def test_what_search_does_not_know_is_refused(direct: Any, body: Json) -> None:
    status, answer = await direct.call("POST", "/search", body)

    assert (status, answer["code"]) == (400, "validation_error")
