"""Every type of column: what is written, what is shown, how it is cleared, and what cannot be written."""

from typing import Any

import pytest

Json = dict[str, Any]

SCHEMA: Json = {
    "Name": {"title": {}},
    "Note": {"rich_text": {}},
    "Count": {"number": {"format": "percent"}},
    "Kind": {"select": {"options": [{"name": "bug", "color": "red"}]}},
    "Tags": {"multi_select": {"options": [{"name": "x"}, {"name": "y"}]}},
    "Stage": {"status": {}},
    "Due": {"date": {}},
    "Who": {"people": {}},
    "Files": {"files": {}},
    "Done": {"checkbox": {}},
    "Link": {"url": {}},
    "Mail": {"email": {}},
    "Phone": {"phone_number": {}},
    "Where": {"place": {}},
    "Checked": {"verification": {}},
    "Press": {"button": {}},
    "No": {"unique_id": {"prefix": "T"}},
    "Sum": {"formula": {"expression": "1 + 1"}},
    "Made": {"created_time": {}},
    "Maker": {"created_by": {}},
    "Edited": {"last_edited_time": {}},
    "Editor": {"last_edited_by": {}},
}
READ_ONLY = ["Press", "No", "Sum", "Made", "Maker", "Edited", "Editor"]
UNVERIFIED: Json = {"state": "unverified", "date": None, "verified_by": None}


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def date(start: str, end: str | None = None) -> Json:
    return {"start": start, "end": end, "time_zone": None}


def place(**given: Any) -> Json:
    return {"name": None, "address": None, "aws_place_id": None, "google_place_id": None, **given}


class Table:
    """A data source with a column of every type, and one row."""

    def __init__(self, direct: Any) -> None:
        self.direct = direct
        self.source = self.page = ""

    async def make(self) -> None:
        parent = {"page_id": self.direct.workspace.root_page_id}
        body = {"parent": parent, "initial_data_source": {"properties": SCHEMA}}
        status, made = await self.direct.call("POST", "/databases", body)
        assert status == 200, made
        self.source = made["data_sources"][0]["id"]
        row = {"parent": {"data_source_id": self.source}, "properties": {}}
        self.page = (await self.direct.call("POST", "/pages", row))[1]["id"]

    async def write(self, name: str, value: Any) -> Any:
        return await self.direct.call("PATCH", f"/pages/{self.page}", {"properties": {name: value}})

    async def read(self, name: str) -> Any:
        shown = (await self.direct.call("GET", f"/pages/{self.page}"))[1]["properties"][name]
        return shown[shown["type"]]


@pytest.fixture
async def table(direct: Any) -> Table:
    made = Table(direct)
    await made.make()
    return made


def names(options: Any) -> Any:
    """Options by name and colour, or rich text by its words; everything else as it is."""
    match options:
        case {"name": name, "color": colour}:
            return [name, colour]
        case [{"plain_text": _}, *_]:
            return "".join(run["plain_text"] for run in options)
        case [{"color": _}, *_]:
            return [option["name"] for option in options]
        case [{"object": "user"}, *_]:
            return [user["id"] for user in options]
        case _:
            return options


WRITTEN: list[tuple[str, str, Any, Any, Any]] = [
    ("Name", "title", text("a"), "a", []),
    ("Note", "rich_text", text("b"), "b", []),
    ("Count", "number", 0.25, 0.25, None),
    ("Kind", "select", {"name": "BUG"}, ["bug", "red"], None),
    ("Kind", "select", {"name": "new one"}, ["new one", "gray"], None),
    ("Tags", "multi_select", [{"name": "y"}, {"name": "z"}, {"name": "Y"}], ["y", "z"], []),
    ("Stage", "status", {"name": "in PROGRESS"}, ["In progress", "blue"], ["Not started", "default"]),
    ("Due", "date", {"start": "2026-05-04"}, date("2026-05-04"), None),
    (
        "Due",
        "date",
        {"start": "2026-05-04T09:00:00Z", "end": "2026-05-05T09:00:00Z"},
        date("2026-05-04T09:00:00.000+00:00", "2026-05-05T09:00:00.000+00:00"),
        None,
    ),
    (
        "Due",
        "date",
        {"start": "2026-05-04T09:00:00", "time_zone": "Asia/Shanghai"},
        date("2026-05-04T09:00:00.000+08:00"),
        None,
    ),
    (
        "Files",
        "files",
        [{"name": "a", "external": {"url": "https://example.com/a.png"}}],
        [{"name": "a", "type": "external", "external": {"url": "https://example.com/a.png"}}],
        [],
    ),
    ("Link", "url", "https://example.com", "https://example.com", None),
    ("Mail", "email", "a@example.com", "a@example.com", None),
    ("Phone", "phone_number", "+86 10 5555", "+86 10 5555", None),
    ("Where", "place", {"lat": 30.2, "lon": 120}, place(lat=30.2, lon=120), None),
    (
        "Where",
        "place",
        {"lat": -1, "lon": 2.5, "name": "West Lake", "address": "Hangzhou"},
        place(lat=-1, lon=2.5, name="West Lake", address="Hangzhou"),
        None,
    ),
]


@pytest.mark.parametrize(("name", "kind", "given", "shown", "cleared"), WRITTEN)
async def test_a_value_is_written_shown_and_cleared(
    table: Table, name: str, kind: str, given: Any, shown: Any, cleared: Any
) -> None:
    assert (await table.write(name, {kind: given}))[0] == 200
    assert names(await table.read(name)) == shown
    assert (await table.write(name, {kind: [] if cleared == [] else None}))[0] == 200
    assert names(await table.read(name)) == cleared


async def test_a_checkbox_and_a_person_are_written_and_cleared(table: Table) -> None:
    bot = table.direct.workspace.bot_id
    await table.write("Done", {"checkbox": True})
    await table.write("Who", {"people": [{"object": "user", "id": bot}, {"id": bot}]})

    assert (await table.read("Done"), names(await table.read("Who"))) == (True, [bot])
    await table.write("Done", {"checkbox": False})
    await table.write("Who", {"people": []})
    assert (await table.read("Done"), await table.read("Who")) == (False, [])


async def test_a_verification_names_who_made_it_and_runs_out(table: Table) -> None:
    bot = table.direct.workspace.bot_id
    span = {"start": "2026-05-01", "end": "2026-05-05"}
    await table.write("Checked", {"verification": {"state": "verified", "date": span}})
    now = await table.read("Checked")
    table.direct.clock.pass_seconds(2 * 86_400)
    later = await table.read("Checked")
    await table.write("Checked", {"verification": {"state": "unverified"}})

    assert now == {
        "state": "verified", "date": date("2026-05-01", "2026-05-05"),
        "verified_by": {"object": "user", "id": bot},
    }  # fmt: skip
    assert later == {**now, "state": "expired"}
    assert await table.read("Checked") == UNVERIFIED


async def test_a_new_row_shows_every_column_empty(table: Table) -> None:
    values = {name: await table.read(name) for name in SCHEMA}

    assert {name: names(value) for name, value in values.items() if name not in READ_ONLY} == {
        "Name": [], "Note": [], "Count": None, "Kind": None, "Tags": [], "Stage": ["Not started", "default"],
        "Due": None, "Who": [], "Files": [], "Done": False, "Link": None, "Mail": None, "Phone": None,
        "Where": None, "Checked": UNVERIFIED,
    }  # fmt: skip
    assert values["Press"] == {}
    assert values["No"] == {"prefix": "T", "number": 1}
    assert values["Sum"] == {"type": "number", "number": 2}
    assert values["Made"] == values["Edited"] == "2026-05-04T10:00:00.000Z"
    assert values["Maker"]["id"] == values["Editor"]["id"] == table.direct.workspace.bot_id


@pytest.mark.parametrize("name", READ_ONLY)
async def test_a_computed_column_cannot_be_written(table: Table, name: str) -> None:
    kind = next(iter(SCHEMA[name]))
    before = await table.read(name)
    status, answer = await table.write(name, {kind: before})
    other, refused = await table.write(name, {"number": 1})

    assert (status, answer["code"], other) == (400, "validation_error", 400)
    assert answer["message"].startswith(
        f"body failed validation. Fix one:\nbody.properties.{name}.title should be defined, instead was `undefined`.\n"
    )
    assert refused["message"] == f"{name} is expected to be {kind}."


WRONG: list[tuple[str, Any]] = [
    ("Where", {"place": {"lat": 1}}),
    ("Where", {"place": {"lat": "1", "lon": 2}}),
    ("Where", {"place": {"lat": 1, "lon": 2, "city": "x"}}),
    ("Where", {"place": "here"}),
    ("Checked", {"verification": {"state": "expired"}}),
    ("Checked", {"verification": {}}),
    ("Checked", {"verification": {"state": "unverified", "date": {"start": "2026-05-04"}}}),
    ("Link", {"url": ""}),
    ("Mail", {"email": ""}),
    ("Phone", {"phone_number": ""}),
    ("Phone", {"phone_number": "1" * 201}),
    ("Link", {"url": "x" * 2001}),
    ("Kind", {"select": {"name": "a, b"}}),
    ("Kind", {"select": {"id": "unknown"}}),
    ("Kind", {"select": {"name": ""}}),
    ("Kind", {"select": []}),
    ("Tags", {"multi_select": None}),
    ("Tags", {"multi_select": [{"name": str(n)} for n in range(101)]}),
    ("Stage", {"status": {"name": "Elsewhere"}}),
    ("Due", {"date": {"end": "2026-05-04"}}),
    ("Due", {"date": {"start": "2026-05-04", "end": "2026-05-03"}}),
    ("Due", {"date": {"start": "2026-05-04", "time_zone": "Nowhere"}}),
    ("Who", {"people": [{"id": "nobody"}]}),
    ("Who", {"people": [{}]}),
    ("Files", {"files": [{"name": "a"}]}),
    ("Done", {"checkbox": None}),
    ("Done", {"checkbox": "yes"}),
    ("Count", {"number": "1"}),
    ("Count", {"number": True}),
    ("Count", 5),
    ("Count", "5"),
    ("Count", {}),
    ("Count", {"number": 1, "select": None}),
    ("Note", {"rich_text": "plain"}),
    ("Name", {"title": [{"text": {"content": "x" * 2001}}]}),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=[f"{n} {str(v)[:40]}" for n, v in WRONG])
async def test_a_value_of_the_wrong_shape_is_refused_and_nothing_changes(
    table: Table, name: str, value: Any
) -> None:
    before = await table.read(name)
    status, answer = await table.write(name, value)

    assert (status, answer["code"]) == (400, "validation_error")
    assert await table.read(name) == before


async def test_all_wrong_columns_are_named_in_one_answer(table: Table) -> None:
    body = {
        "properties": {
            "Nope": {"number": 1},
            "Count": {"url": "x"},
            "Not": {"url": "x"},
            "Done": {"checkbox": True},
        }
    }
    status, answer = await table.direct.call("PATCH", f"/pages/{table.page}", body)

    assert (status, answer["message"]) == (
        400,
        "Nope is not a property that exists. Count is expected to be number. Not is not a property that exists.",
    )
    assert await table.read("Done") is False


async def test_a_property_alone_is_an_item_or_a_list(table: Table) -> None:
    lists = {"title", "rich_text", "people"}
    schema = (await table.direct.call("GET", f"/data_sources/{table.source}"))[1]["properties"]
    for name, column in schema.items():
        status, item = await table.direct.call("GET", f"/pages/{table.page}/properties/{column['id']}")
        assert status == 200
        if column["type"] in lists:
            assert item["property_item"] == {
                "id": column["id"], "next_url": None, "type": column["type"], column["type"]: {},
            }  # fmt: skip
        else:
            assert (item["object"], item["id"], item["type"]) == (
                "property_item",
                column["id"],
                column["type"],
            )
            assert item[column["type"]] == await table.read(name)


FOUND: list[tuple[str, Json, bool]] = [
    ("Checked", {"verification": {"status": "none"}}, True),
    ("Checked", {"verification": {"status": "verified"}}, False),
    ("Checked", {"verification": {"does_not_equal": "verified"}}, True),
    ("Maker", {"created_by": {"contains": "me"}}, True),
    ("Editor", {"last_edited_by": {"does_not_contain": "me"}}, False),
    ("Who", {"people": {"contains": "me"}}, False),
    ("Who", {"people": {"is_empty": True}}, True),
    ("No", {"unique_id": {"equals": 1}}, True),
    ("No", {"unique_id": {"equals": 1.0}}, True),
    ("No", {"unique_id": {"greater_than": 1}}, False),
    ("Files", {"files": {"is_not_empty": True}}, False),
    ("Made", {"created_time": {"equals": "today"}}, True),
    ("Edited", {"date": {"before": "2026-05-04"}}, False),
    ("Stage", {"status": {"equals": ["Done", "Not started"]}}, True),
    ("Stage", {"status": {"does_not_equal": ["Done", "Not started"]}}, False),
]


@pytest.mark.parametrize(("name", "condition", "found"), FOUND)
async def test_rows_are_found_by_every_other_type(
    table: Table, name: str, condition: Json, found: bool
) -> None:
    body = {"filter": {"property": name, **condition}}
    status, answer = await table.direct.call("POST", f"/data_sources/{table.source}/query", body)

    assert (status, len(answer["results"])) == (200, int(found))


NO_FILTER = ["Where", "Press"]


@pytest.mark.parametrize("name", NO_FILTER)
async def test_what_has_no_filter_can_still_be_sorted_by(table: Table, name: str) -> None:
    path = f"/data_sources/{table.source}/query"
    kind = next(iter(SCHEMA[name]))
    body = {"filter": {"property": name, kind: {"is_empty": True}}}
    refused, _ = await table.direct.call("POST", path, body)
    sorts = {"sorts": [{"property": name, "direction": "descending"}]}

    assert refused == 400
    assert (await table.direct.call("POST", path, sorts))[0] == 200
