"""What users of Notion's tools run into: a client can be tried against such faults only where they are.

Sizes, nesting, times, schemas: each test sends what went wrong for somebody and expects what Notion answers.
"""

from typing import Any
from urllib.parse import quote

import pytest

from notion_embedded.control import Control
from notion_embedded.server import serve

Json = dict[str, Any]


def text(content: str, **more: Any) -> list[Json]:
    return [{"text": {"content": content, **more}}]


def paragraph(content: str, **more: Any) -> Json:
    return {"paragraph": {"rich_text": text(content), **more}}


def bullet(content: str, *children: Json) -> Json:
    item: Json = {"rich_text": text(content)}
    if children:
        item["children"] = list(children)
    return {"bulleted_list_item": item}


class Workspace:
    """A database with a row, and the ways to write to them."""

    def __init__(self, direct: Any) -> None:
        self.direct = direct
        self.root = direct.workspace.root_page_id
        self.source = ""

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        status, answer = await self.direct.call(method, path, body, **headers)
        assert status == 200, answer
        return answer

    async def refused(self, method: str, path: str, body: Any = None, **headers: str) -> str:
        status, answer = await self.direct.call(method, path, body, **headers)
        assert (status, answer["code"]) == (400, "validation_error"), answer
        return str(answer["message"])

    async def furnish(self, **columns: Json) -> None:
        made = await self.ask(
            "POST",
            "/databases",
            {
                "parent": {"page_id": self.root},
                "title": text("Tasks"),
                "initial_data_source": {"properties": {"Name": {"title": {}}, **columns}},
            },
        )
        self.database = made["id"]
        self.source = made["data_sources"][0]["id"]

    async def row(self, **values: Json) -> Json:
        body = {
            "parent": {"data_source_id": self.source},
            "properties": {"Name": {"title": text("a")}, **values},
        }
        made: Json = await self.ask("POST", "/pages", body)
        return made

    async def page(self, *blocks: Json) -> str:
        body = {"parent": {"page_id": self.root}, "properties": {"title": {"title": text("p")}}}
        made = await self.ask("POST", "/pages", {**body, "children": list(blocks)})
        return str(made["id"])

    async def children(self, block: str) -> list[Json]:
        found: list[Json] = (await self.ask("GET", f"/blocks/{block}/children"))["results"]
        return found

    async def edited_since(self, moment: str) -> list[Json]:
        condition = {"timestamp": "last_edited_time", "last_edited_time": {"on_or_after": moment}}
        found: list[Json] = (
            await self.ask("POST", f"/data_sources/{self.source}/query", {"filter": condition})
        )["results"]
        return found


@pytest.fixture
def space(direct: Any) -> Workspace:
    return Workspace(direct)


# Times


async def test_two_edits_in_one_minute_bear_one_stamp_and_a_later_poll_finds_both(space: Workspace) -> None:
    await space.furnish()
    page = (await space.row())["id"]
    space.direct.clock.pass_seconds(10)
    before = (await space.ask("GET", f"/pages/{page}"))["last_edited_time"]
    space.direct.clock.pass_seconds(20)
    await space.ask("PATCH", f"/pages/{page}", {"properties": {"Name": {"title": text("b")}}})
    after = await space.ask("GET", f"/pages/{page}")

    assert before == after["last_edited_time"] == "2026-05-04T10:00:00.000Z"
    # The moment of the last poll finds nothing, its minute does: whoever asks by the second misses edits.
    assert await space.edited_since("2026-05-04T10:00:30.000Z") == []
    assert [row["id"] for row in await space.edited_since(before)] == [page]


async def test_content_edited_in_the_minute_of_its_page_leaves_the_pages_stamp_as_it_was(
    space: Workspace,
) -> None:
    page = await space.page(paragraph("old"))
    before = (await space.ask("GET", f"/pages/{page}"))["last_edited_time"]
    (block,) = await space.children(page)
    space.direct.clock.pass_seconds(20)
    await space.ask("PATCH", f"/blocks/{block['id']}", paragraph("new"))

    assert (await space.ask("GET", f"/pages/{page}"))["last_edited_time"] == before
    (block,) = await space.children(page)
    assert block["paragraph"]["rich_text"][0]["plain_text"] == "new"


async def test_the_same_request_twice_makes_two_pages(space: Workspace) -> None:
    await space.furnish()
    first, second = await space.row(), await space.row()

    assert first["id"] != second["id"]
    assert len(await space.edited_since("2026-05-04")) == 2


async def test_polls_without_edits_find_nothing_new(space: Workspace) -> None:
    await space.furnish()
    for _ in range(3):
        await space.row()
    space.direct.clock.pass_seconds(120)

    assert await space.edited_since("2026-05-04T10:02:00.000Z") == []


async def test_a_date_without_a_time_stays_one(space: Workspace) -> None:
    await space.furnish(Due={"date": {}})
    row = await space.row(Due={"date": {"start": "2026-03-01"}})

    assert row["properties"]["Due"]["date"] == {"start": "2026-03-01", "end": None, "time_zone": None}


# Sizes

RUN = "should be ≤ `2000`, instead was"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        pytest.param(paragraph("é" * 4218), f"{RUN} `4218`.", id="a long text"),
        pytest.param(paragraph("x" * 1999 + "🌿"), f"{RUN} `2001`.", id="a tree counts twice"),
        pytest.param(
            {"code": {"language": "python", "rich_text": text("x") * 101}},
            "`100`, instead was `101`.",
            id="runs",
        ),
        pytest.param({"bookmark": {"url": "https://e.org/" + "x" * 2000}}, f"{RUN} `2014`.", id="an address"),
        pytest.param({"code": {"rich_text": text("x"), "language": "zig"}}, "language", id="a language"),
        pytest.param(paragraph("a", color="nocolour"), "color", id="a colour"),
        pytest.param(
            {"paragraph": {"rich_text": text("x", link={"url": "./x.md"})}}, "Invalid URL", id="relative"
        ),
        pytest.param({"paragraph": {"rich_text": text("x", link={"url": "#y"})}}, "Invalid URL", id="anchor"),
        pytest.param(
            {"table": {"table_width": 2, "children": [{"table_row": {"cells": [text("a")]}}]}},
            "cell",
            id="ragged",
        ),
        pytest.param(
            bullet("1", bullet("2", bullet("3", bullet("4")))), "children", id="more than two levels below"
        ),
    ],
)
async def test_what_converters_send_too_large_or_wrong_is_refused(
    space: Workspace, block: Json, message: str
) -> None:
    assert message in await space.refused("PATCH", f"/blocks/{space.root}/children", {"children": [block]})
    assert await space.children(space.root) == []


async def test_more_than_a_hundred_children_are_refused_and_a_hundred_are_kept_in_order(
    space: Workspace,
) -> None:
    path, many = f"/blocks/{space.root}/children", [bullet(str(number)) for number in range(250)]

    assert "`100`, instead was `250`" in await space.refused("PATCH", path, {"children": many})
    for start in (0, 100, 200):
        await space.ask("PATCH", path, {"children": many[start : start + 100]})
    found: list[Json] = []
    cursor = ""
    while True:
        page = await space.ask("GET", path + (f"?start_cursor={cursor}" if cursor else ""))
        found += page["results"]
        cursor = page["next_cursor"]
        if not cursor:
            break
    numbers = [block["bulleted_list_item"]["rich_text"][0]["plain_text"] for block in found]
    assert numbers == [str(number) for number in range(250)]


async def test_a_property_takes_no_more_than_a_run_of_a_block_does(space: Workspace) -> None:
    await space.furnish(Note={"rich_text": {}})
    page = (await space.row())["id"]
    body = {"properties": {"Note": {"rich_text": text("x" * 2001)}}}

    assert f"{RUN} `2001`." in await space.refused("PATCH", f"/pages/{page}", body)


# Order and collisions


async def test_a_block_put_after_another_stands_there_and_one_appended_at_the_end(space: Workspace) -> None:
    page = await space.page(*(paragraph(str(number)) for number in range(1, 6)))
    second = (await space.children(page))[1]["id"]
    place = {"type": "after_block", "after_block": {"id": second}}
    await space.ask("DELETE", f"/blocks/{(await space.children(page))[2]['id']}")
    await space.ask("PATCH", f"/blocks/{page}/children", {"children": [paragraph("new")], "position": place})

    words = [block["paragraph"]["rich_text"][0]["plain_text"] for block in await space.children(page)]
    assert words == ["1", "2", "new", "4", "5"]


async def test_a_write_that_collides_is_not_stored_and_goes_through_again(served: Any) -> None:
    control = Control(served.workspace, served.clock)
    async with serve(served.workspace, control=control) as url:
        own = {"authorization": f"Bearer {control.token}"}
        fault = {"method": "PATCH", "path": "/v1/blocks/*/children", "count": 1, "status": 409}
        made = await served.http.post(f"{url}/control/faults", json=fault, headers=own)
        assert made.status_code < 300, made.text
        path = f"{url}/v1/blocks/{served.workspace.root_page_id}/children"
        headers = {"authorization": f"Bearer {served.workspace.token}", "notion-version": "2026-03-11"}
        body = {"children": [paragraph("a")]}
        first = await served.http.patch(path, json=body, headers=headers)
        second = await served.http.patch(path, json=body, headers=headers)
        found = (await served.http.get(path, headers=headers)).json()

    assert (first.status_code, first.json()["code"]) == (409, "conflict_error")
    assert second.status_code == 200
    assert len(found["results"]) == 1


# What readers trip over


async def test_a_cell_may_have_several_runs_or_none(space: Workspace) -> None:
    bold = {"text": {"content": "b"}, "annotations": {"bold": True}}
    row = {"table_row": {"cells": [[*text("a"), bold], []]}}
    page = await space.page({"table": {"table_width": 2, "children": [row]}})
    (table,) = await space.children(page)
    (shown,) = await space.children(table["id"])

    assert [[run["plain_text"] for run in cell] for cell in shown["table_row"]["cells"]] == [["a", "b"], []]


async def test_a_copy_of_a_synced_block_shows_its_originals_children_even_inside_it(space: Workspace) -> None:
    page = await space.page({"synced_block": {"synced_from": None, "children": [paragraph("once")]}})
    (original,) = await space.children(page)
    copy = {"synced_block": {"synced_from": {"type": "block_id", "block_id": original["id"]}}}
    await space.ask("PATCH", f"/blocks/{page}/children", {"children": [copy]})
    _, shown = await space.children(page)

    assert shown["synced_block"]["synced_from"]["block_id"] == original["id"]
    assert [
        block["paragraph"]["rich_text"][0]["plain_text"] for block in await space.children(shown["id"])
    ] == ["once"]


async def test_empty_values_are_null_or_empty_lists_and_never_left_out(space: Workspace) -> None:
    columns = {
        "Kind": "select",
        "State": "status",
        "Due": "date",
        "Who": "people",
        "Size": "number",
        "At": "url",
    }
    await space.furnish(**{name: {type_: {}} for name, type_ in columns.items()})
    properties = (await space.row())["properties"]

    assert {name: properties[name][type_] for name, type_ in columns.items() if name != "State"} == {
        "Kind": None,
        "Due": None,
        "Who": [],
        "Size": None,
        "At": None,
    }


async def test_a_formula_that_is_not_worked_out_is_unsupported_and_not_zero(space: Workspace) -> None:
    await space.furnish(Lines={"formula": {"expression": 'split("a,b", ",")'}})

    assert (await space.row())["properties"]["Lines"]["formula"] == {"type": "unsupported", "unsupported": {}}


async def test_a_page_sent_back_as_it_was_read_is_refused_for_its_computed_columns(space: Workspace) -> None:
    await space.furnish(Made={"created_time": {}}, Size={"number": {}})
    page = await space.row()
    body = {"properties": page["properties"]}

    assert await space.refused("PATCH", f"/pages/{page['id']}", body)


async def test_a_mention_with_a_text_is_refused_and_one_without_comes_back(space: Workspace) -> None:
    mention = {"type": "mention", "mention": {"page": {"id": space.root}}}
    path = f"/blocks/{space.root}/children"

    await space.refused(
        "PATCH", path, {"children": [{"paragraph": {"rich_text": [{**mention, **text("x")[0]}]}}]}
    )
    answer = await space.ask("PATCH", path, {"children": [{"paragraph": {"rich_text": [mention]}}]})
    (run,) = answer["results"][0]["paragraph"]["rich_text"]
    assert (run["type"], run["mention"]["page"]["id"]) == ("mention", space.root)


# Columns


async def test_a_comma_in_an_option_is_refused(space: Workspace) -> None:
    await space.furnish(Tags={"multi_select": {}})
    page = (await space.row())["id"]
    body = {"properties": {"Tags": {"multi_select": [{"name": "Data Analysis, Stats"}]}}}

    assert "commas not allowed" in await space.refused("PATCH", f"/pages/{page}", body)


async def test_a_status_is_no_select(space: Workspace) -> None:
    await space.furnish(State={"status": {"options": [{"name": "待开发"}]}})
    page = (await space.row())["id"]
    condition = {"filter": {"property": "State", "select": {"equals": "待开发"}}}

    await space.refused("POST", f"/data_sources/{space.source}/query", condition)
    await space.refused("PATCH", f"/pages/{page}", {"properties": {"State": {"select": {"name": "待开发"}}}})
    await space.refused("PATCH", f"/pages/{page}", {"properties": {"State": {"status": {"name": "没有"}}}})


async def test_a_renamed_column_keeps_its_id_and_its_values(space: Workspace) -> None:
    await space.furnish(Status={"select": {"options": [{"name": "a"}]}})
    page = await space.row(Status={"select": {"name": "a"}})
    id_ = page["properties"]["Status"]["id"]
    await space.ask("PATCH", f"/data_sources/{space.source}", {"properties": {id_: {"name": "状态"}}})
    now = (await space.ask("GET", f"/pages/{page['id']}"))["properties"]

    assert "Status" not in now
    assert (now["状态"]["id"], now["状态"]["select"]["name"]) == (id_, "a")
    body = {"properties": {"Status": {"select": None}}}
    assert "Status is not a property that exists." in await space.refused(
        "PATCH", f"/pages/{page['id']}", body
    )


@pytest.mark.parametrize("type_", ["url", "email", "phone_number"])
async def test_an_empty_address_is_refused_and_null_clears(space: Workspace, type_: str) -> None:
    await space.furnish(At={type_: {}})
    page = (await space.row())["id"]

    await space.refused("PATCH", f"/pages/{page}", {"properties": {"At": {type_: ""}}})
    cleared = await space.ask("PATCH", f"/pages/{page}", {"properties": {"At": {type_: None}}})
    assert cleared["properties"]["At"][type_] is None


async def test_a_columns_id_is_known_when_it_was_encoded_once(space: Workspace) -> None:
    await space.furnish(**{f"c{number}": {"number": {}} for number in range(40)})
    page = await space.row()
    # Ids stand URL-encoded in JSON: as they are they go into a query, encoded again they name nothing.
    encoded = next(value["id"] for value in page["properties"].values() if "%" in value["id"])
    path = f"/pages/{page['id']}?filter_properties="

    assert len((await space.ask("GET", path + encoded))["properties"]) == 1
    status, answer = await space.direct.call("GET", path + quote(encoded, safe=""))
    assert (status, answer["code"]) == (400, "validation_error")


async def test_an_old_client_is_told_that_a_database_has_several_tables(space: Workspace) -> None:
    await space.furnish()
    more = {
        "parent": {"database_id": space.database},
        "properties": {"Name": {"title": {}}},
        "title": text("2026"),
    }
    await space.ask("POST", "/data_sources", more)
    path = f"/databases/{space.database}"

    assert len((await space.ask("GET", path))["data_sources"]) == 2
    told = await space.refused("POST", f"{path}/query", {}, **{"notion-version": "2022-06-28"})
    assert "multiple data sources are not supported" in told
    body = {"parent": {"database_id": space.database}, "properties": {}}
    await space.refused("POST", "/pages", body)
