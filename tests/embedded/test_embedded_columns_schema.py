"""Changes of a schema and what becomes of the rows; databases with several data sources."""

from typing import Any

import pytest

Json = dict[str, Any]


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


class Desk:
    """Requests that must succeed, and those that must not."""

    def __init__(self, direct: Any) -> None:
        self._direct = direct
        self.root = direct.workspace.root_page_id

    async def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        status, answer = await self._direct.call(method, path, body)
        assert status == 200, answer
        return dict(answer)

    async def refused(self, method: str, path: str, body: Json | None = None) -> Json:
        status, answer = await self._direct.call(method, path, body)
        assert status == 400, answer
        return dict(answer)

    async def database(self, **more: Any) -> Json:
        return await self.ask("POST", "/databases", {"parent": {"page_id": self.root}, **more})

    async def source(self, columns: Json) -> str:
        made = await self.database(initial_data_source={"properties": columns})
        return str(made["data_sources"][0]["id"])

    async def edit(self, source: str, columns: Json) -> Json:
        answer = await self.ask("PATCH", f"/data_sources/{source}", {"properties": columns})
        return dict(answer["properties"])

    async def row(self, source: str, **values: Json) -> str:
        body = {"parent": {"data_source_id": source}, "properties": values}
        return str((await self.ask("POST", "/pages", body))["id"])

    async def value(self, page: str, name: str) -> Any:
        shown = (await self.ask("GET", f"/pages/{page}"))["properties"][name]
        return shown[shown["type"]]


@pytest.fixture
def desk(direct: Any) -> Desk:
    return Desk(direct)


async def test_an_option_that_is_left_out_goes_and_takes_its_values(desk: Desk) -> None:
    options = [{"name": "a"}, {"name": "b", "color": "red"}]
    source = await desk.source(
        {"K": {"select": {"options": options}}, "T": {"multi_select": {"options": options}}}
    )
    page = await desk.row(source, K={"select": {"name": "b"}}, T={"multi_select": options})
    schema = await desk.edit(
        source,
        {
            "K": {"select": {"options": [{"name": "a"}, {"name": "c"}]}},
            "T": {"multi_select": {"options": [{"name": "b"}]}},
        },
    )
    found = await desk.ask(
        "POST", f"/data_sources/{source}/query", {"filter": {"property": "K", "select": {"is_empty": True}}}
    )

    assert [option["name"] for option in schema["K"]["select"]["options"]] == ["a", "c"]
    assert await desk.value(page, "K") is None
    assert [option["name"] for option in await desk.value(page, "T")] == ["b"]
    assert [each["id"] for each in found["results"]] == [page]


async def test_an_option_keeps_its_name_and_colour(desk: Desk) -> None:
    source = await desk.source({"K": {"select": {"options": [{"name": "a", "color": "red"}]}}})
    schema = (await desk.ask("GET", f"/data_sources/{source}"))["properties"]
    option = schema["K"]["select"]["options"][0]
    changed = {"id": option["id"], "name": "z", "color": "blue"}
    after = await desk.edit(source, {"K": {"select": {"options": [changed]}}})

    assert after["K"]["select"]["options"] == [option]


async def test_a_row_whose_status_goes_falls_back_to_the_first(desk: Desk) -> None:
    source = await desk.source({"S": {"status": {}}})
    page = await desk.row(source, S={"status": {"name": "Done"}})
    options = {"S": {"status": {"options": [{"name": "Not started"}, {"name": "New"}]}}}
    status = (await desk.edit(source, options))["S"]["status"]

    assert (await desk.value(page, "S"))["name"] == "Not started"
    assert [(group["name"], len(group["option_ids"])) for group in status["groups"]] == [
        ("To-do", 2),
        ("In progress", 0),
        ("Complete", 0),
    ]


async def test_a_column_is_renamed_retyped_added_and_dropped_at_once(desk: Desk) -> None:
    source = await desk.source({"Count": {"rich_text": {}}, "Old": {"number": {}}, "Gone": {"number": {}}})
    page = await desk.row(source, Count={"rich_text": text("12.5")}, Old={"number": 7})
    before = (await desk.ask("GET", f"/data_sources/{source}"))["properties"]
    edit = {
        "Count": {"number": {"format": "euro"}}, before["Old"]["id"]: {"name": "New"}, "Gone": None,
        "Added": {"checkbox": {}},
    }  # fmt: skip
    after = await desk.edit(source, edit)

    assert set(after) == {"Name", "Count", "New", "Added"}
    assert after["New"]["id"] == before["Old"]["id"]
    assert (await desk.value(page, "Count"), await desk.value(page, "New")) == (12.5, 7)
    assert await desk.value(page, "Added") is False


async def test_a_unique_id_counts_old_rows_and_never_gives_a_number_twice(desk: Desk) -> None:
    source = await desk.source({})
    old = [await desk.row(source) for _ in range(2)]
    await desk.edit(source, {"No": {"unique_id": {"prefix": "TASK"}}})
    new = await desk.row(source)
    await desk.ask("PATCH", f"/pages/{new}", {"in_trash": True})
    newest = await desk.row(source)
    numbers = [await desk.value(page, "No") for page in (*old, newest)]
    prefix = (await desk.edit(source, {"No": {"unique_id": {"prefix": "T"}}}))["No"]["unique_id"]

    assert numbers == [{"prefix": "TASK", "number": number} for number in (1, 2, 4)]
    assert prefix == {"prefix": "T"}
    assert (await desk.value(newest, "No"))["prefix"] == "T"


MANY = [{"name": f"o{n}"} for n in range(101)]
REFUSED: list[tuple[str, Json]] = [
    ("more than 100 options", {"K": {"select": {"options": MANY}}}),
    ("more than 100 status options", {"S": {"status": {"options": MANY}}}),
    ("no status option", {"S": {"status": {"options": []}}}),
    ("two options of one name", {"K": {"select": {"options": [{"name": "a"}, {"name": "A"}]}}}),
    ("a comma", {"K": {"select": {"options": [{"name": "a, b"}]}}}),
    ("no colour", {"K": {"select": {"options": [{"name": "a", "color": "mauve"}]}}}),
    ("the title dropped", {"Name": None}),
    ("the title retyped", {"Name": {"number": {}}}),
    ("a second title", {"Other": {"title": {}}}),
    ("an unknown column dropped", {"Nope": None}),
    ("an unknown column renamed", {"Nope": {"name": "Else"}}),
    ("a name that is taken", {"K": {"name": "S"}}),
    ("an empty name", {"K": {"name": " "}}),
    ("no type", {"New": {}}),
    ("an unknown type", {"New": {"colour": {}}}),
    ("two types", {"New": {"number": {}, "type": "select"}}),
    ("an unknown format", {"New": {"number": {"format": "gold"}}}),
    ("a key that is not there", {"New": {"checkbox": {"on": True}}}),
    ("a relation to nothing", {"New": {"relation": {"single_property": {}}}}),
    (
        "a relation to an unknown data source",
        {
            "New": {
                "relation": {"data_source_id": "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e", "single_property": {}}
            }
        },
    ),
    ("a formula that is no text", {"New": {"formula": {"expression": 1}}}),
]


@pytest.mark.parametrize("edit", [edit for _, edit in REFUSED], ids=[name for name, _ in REFUSED])
async def test_an_impossible_schema_is_refused_and_nothing_changes(desk: Desk, edit: Json) -> None:
    source = await desk.source({"K": {"select": {}}, "S": {"status": {}}})
    before = (await desk.ask("GET", f"/data_sources/{source}"))["properties"]
    answer = await desk.refused("PATCH", f"/data_sources/{source}", {"properties": edit})

    assert answer["code"] == "validation_error"
    assert (await desk.ask("GET", f"/data_sources/{source}"))["properties"] == before


async def test_a_database_holds_several_data_sources(desk: Desk) -> None:
    made = await desk.database(title=text("Plans"))
    first = made["data_sources"][0]["id"]
    parent = {"database_id": made["id"]}
    body = {"parent": parent, "properties": {"Year": {"number": {}}}, "title": text("2027")}
    second = await desk.ask("POST", "/data_sources", body)
    both = await desk.ask("GET", f"/databases/{made['id']}")
    refused = await desk.refused("POST", "/pages", {"parent": parent, "properties": {}})
    await desk.ask("PATCH", f"/data_sources/{second['id']}", {"in_trash": True})
    one = await desk.ask("GET", f"/databases/{made['id']}")
    row = await desk.ask("POST", "/pages", {"parent": parent, "properties": {}})

    assert [each["name"] for each in both["data_sources"]] == ["Plans", "2027"]
    assert second["parent"] == {"type": "database_id", "database_id": made["id"]}
    assert set(second["properties"]) == {"Name", "Year"}
    assert refused["additional_data"]["child_data_source_ids"] == [first, second["id"]]
    assert [each["id"] for each in one["data_sources"]] == [first]
    assert row["parent"]["data_source_id"] == first


async def test_a_data_source_moves_to_another_database(desk: Desk) -> None:
    home, away = await desk.database(title=text("Home")), await desk.database(title=text("Away"))
    source = home["data_sources"][0]["id"]
    row = await desk.row(source)
    moved = await desk.ask("PATCH", f"/data_sources/{source}", {"parent": {"database_id": away["id"]}})

    assert moved["parent"]["database_id"] == away["id"]
    assert (await desk.ask("GET", f"/databases/{home['id']}"))["data_sources"] == []
    assert len((await desk.ask("GET", f"/databases/{away['id']}"))["data_sources"]) == 2
    assert (await desk.ask("GET", f"/pages/{row}"))["parent"]["database_id"] == away["id"]
    await desk.refused("PATCH", f"/data_sources/{source}", {"parent": {"page_id": desk.root}})


async def test_a_database_is_edited_moved_trashed_and_restored(desk: Desk) -> None:
    made = await desk.database(title=text("Plans"), is_inline=True, description=text("about"))
    page = await desk.ask(
        "POST", "/pages", {"parent": {"page_id": desk.root}, "properties": {"title": text("p")}}
    )
    edit = {
        "title": text("Goals"), "description": [], "is_inline": False, "icon": {"emoji": "🎯"},
        "cover": {"external": {"url": "https://example.com/c.png"}}, "parent": {"page_id": page["id"]},
        "is_locked": True,
    }  # fmt: skip
    after = await desk.ask("PATCH", f"/databases/{made['id']}", edit)
    gone = await desk.ask("PATCH", f"/databases/{made['id']}", {"in_trash": True})
    children = await desk.ask("GET", f"/blocks/{page['id']}/children")
    back = await desk.ask("PATCH", f"/databases/{made['id']}", {"in_trash": False})

    assert (made["is_inline"], made["description"][0]["plain_text"]) == (True, "about")
    assert after["title"][0]["plain_text"] == "Goals"
    assert (after["description"], after["is_inline"], after["is_locked"]) == ([], False, True)
    assert (after["icon"], after["cover"]["type"]) == ({"type": "emoji", "emoji": "🎯"}, "external")
    assert after["parent"] == {"type": "page_id", "page_id": page["id"]}
    assert (gone["in_trash"], children["results"], back["in_trash"]) == (True, [], False)


async def test_a_query_keeps_archived_rows_apart_and_knows_what_it_is_asked_for(desk: Desk) -> None:
    source = await desk.source({})
    kept, archived, trashed = [await desk.row(source) for _ in range(3)]
    await desk.ask("PATCH", f"/pages/{archived}", {"is_archived": True})
    await desk.ask("PATCH", f"/pages/{trashed}", {"in_trash": True})
    path = f"/data_sources/{source}/query"

    async def found(body: Json) -> list[str]:
        return [each["id"] for each in (await desk.ask("POST", path, body))["results"]]

    assert await found({}) == await found({"is_archived": False, "result_type": "page"}) == [kept]
    assert await found({"is_archived": True}) == [archived]
    assert await found({"result_type": "data_source"}) == []
    for body in ({"result_type": "block"}, {"is_archived": "yes"}, {"in_trash": 1}):
        await desk.refused("POST", path, body)
