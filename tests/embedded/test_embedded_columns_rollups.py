"""Rollups: each function over related rows, on a page, whole in its own endpoint, in filters and sorts."""

from typing import Any

import pytest

from notion_embedded.model.rollups import FUNCTIONS

Json = dict[str, Any]

TASKS: Json = {
    "Name": {"title": {}},
    "Points": {"number": {}},
    "Done": {"checkbox": {}},
    "Due": {"date": {}},
    "Kind": {"select": {"options": [{"name": "bug"}, {"name": "idea"}]}},
    "Tags": {"multi_select": {}},
    "Note": {"rich_text": {}},
    "Twice": {"formula": {"expression": 'prop("Points") * 2'}},
}
ROWS: list[Json] = [
    {"Points": 3, "Done": True, "Due": "2026-05-01", "Kind": "bug", "Tags": ["x", "y"]},
    {"Points": 5, "Done": False, "Due": "2026-06-15", "Kind": "bug", "Tags": ["x"]},
    {"Points": None, "Done": False, "Due": None, "Kind": None, "Tags": []},
]


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def written(row: Json, name: str) -> Json:
    return {
        "Name": {"title": text(name)},
        "Points": {"number": row["Points"]},
        "Done": {"checkbox": row["Done"]},
        "Due": {"date": row["Due"] and {"start": row["Due"]}},
        "Kind": {"select": row["Kind"] and {"name": row["Kind"]}},
        "Tags": {"multi_select": [{"name": tag} for tag in row["Tags"]]},
    }


class Projects:
    """Projects with rollups over their tasks, over HTTP."""

    def __init__(self, direct: Any) -> None:
        self._direct = direct
        self.tasks = self.source = ""

    async def call(self, method: str, path: str, body: Json | None = None) -> Json:
        status, answer = await self._direct.call(method, path, body)
        assert status == 200, answer
        return dict(answer)

    async def make(self) -> None:
        self.tasks = await self._table(TASKS)
        relation = {"relation": {"data_source_id": self.tasks, "single_property": {}}}
        self.source = await self._table({"Title": {"title": {}}, "Tasks": relation})

    async def _table(self, columns: Json) -> str:
        parent = {"page_id": self._direct.workspace.root_page_id}
        body = {"parent": parent, "initial_data_source": {"properties": columns}}
        return str((await self.call("POST", "/databases", body))["data_sources"][0]["id"])

    async def task(self, row: Json, name: str) -> str:
        body = {"parent": {"data_source_id": self.tasks}, "properties": written(row, name)}
        return str((await self.call("POST", "/pages", body))["id"])

    async def project(self, name: str, tasks: list[str]) -> Json:
        values = {"Title": {"title": text(name)}, "Tasks": {"relation": [{"id": task} for task in tasks]}}
        return await self.call(
            "POST", "/pages", {"parent": {"data_source_id": self.source}, "properties": values}
        )

    async def columns(self, columns: Json) -> Json:
        answer = await self.call("PATCH", f"/data_sources/{self.source}", {"properties": columns})
        return dict(answer["properties"])

    async def query(self, body: Json) -> list[str]:
        answer = await self.call("POST", f"/data_sources/{self.source}/query", body)
        return [page["properties"]["Title"]["title"][0]["plain_text"] for page in answer["results"]]


def rollup(function: str, over: str) -> Json:
    return {"rollup": {"function": function, "relation_property_name": "Tasks", "rollup_property_name": over}}


@pytest.fixture
async def projects(direct: Any) -> Projects:
    made = Projects(direct)
    await made.make()
    return made


def date(start: str, end: str | None = None) -> Json:
    return {"start": start, "end": end, "time_zone": None}


OUTCOMES: list[tuple[str, str, Any, Any]] = [
    ("count", "Name", 3, 0),
    ("count_values", "Tags", 3, 0),
    ("empty", "Points", 1, 0),
    ("not_empty", "Points", 2, 0),
    ("unique", "Kind", 1, 0),
    ("unique", "Tags", 2, 0),
    ("percent_empty", "Kind", 1 / 3, None),
    ("percent_not_empty", "Kind", 2 / 3, None),
    ("sum", "Points", 8, 0),
    ("average", "Points", 4, None),
    ("median", "Points", 4, None),
    ("min", "Points", 3, None),
    ("max", "Points", 5, None),
    ("range", "Points", 2, None),
    ("sum", "Twice", 16, 0),
    ("checked", "Done", 1, 0),
    ("unchecked", "Done", 2, 0),
    ("percent_checked", "Done", 1 / 3, None),
    ("percent_unchecked", "Done", 2 / 3, None),
    ("earliest_date", "Due", date("2026-05-01"), None),
    ("latest_date", "Due", date("2026-06-15"), None),
    ("date_range", "Due", date("2026-05-01", "2026-06-15"), None),
    (
        "show_original",
        "Points",
        [
            {"type": "number", "number": 3},
            {"type": "number", "number": 5},
            {"type": "number", "number": None},
        ],
        [],
    ),
    ("show_unique", "Points", [{"type": "number", "number": 3}, {"type": "number", "number": 5}], []),
    ("count_per_group", "Kind", {}, {}),
    ("percent_per_group", "Kind", {}, {}),
]


def test_every_function_stands_in_the_table() -> None:
    assert {function for function, *_ in OUTCOMES} == set(FUNCTIONS)
    assert len(FUNCTIONS) == 24


async def test_each_function_comes_to_its_outcome(projects: Projects) -> None:
    await projects.columns(
        {f"R{at}": rollup(function, over) for at, (function, over, *_) in enumerate(OUTCOMES)}
    )
    tasks = [await projects.task(row, f"task {at}") for at, row in enumerate(ROWS)]
    full, empty = await projects.project("full", tasks), await projects.project("empty", [])

    def outcome(page: Json, at: int) -> Any:
        shown = page["properties"][f"R{at}"]["rollup"]
        assert shown["function"] == OUTCOMES[at][0]
        return shown[shown["type"]]

    for at, (function, over, of_all, of_none) in enumerate(OUTCOMES):
        assert (function, over, outcome(full, at)) == (function, over, of_all)
        assert (function, over, outcome(empty, at)) == (function, over, of_none)


async def test_a_schema_shows_names_and_ids_of_what_a_rollup_reads(projects: Projects) -> None:
    shown = (await projects.columns({"Sum": rollup("sum", "Points")}))["Sum"]["rollup"]
    tasks = await projects.call("GET", f"/data_sources/{projects.tasks}")
    await projects.call(
        "PATCH", f"/data_sources/{projects.tasks}", {"properties": {"Points": {"name": "Effort"}}}
    )
    later = await projects.columns({"Tasks": {"name": "Work"}, "Sum": {"rollup": {"function": "max"}}})

    assert shown["rollup_property_id"] == tasks["properties"]["Points"]["id"]
    assert later["Sum"]["rollup"] == {
        **shown, "function": "max", "relation_property_name": "Work", "rollup_property_name": "Effort",
    }  # fmt: skip


REFUSED: list[Json] = [
    {"rollup": {"function": "sum", "relation_property_name": "Nothing", "rollup_property_name": "Points"}},
    {"rollup": {"function": "sum", "relation_property_name": "Title", "rollup_property_name": "Points"}},
    {"rollup": {"function": "sum", "relation_property_name": "Tasks", "rollup_property_name": "Nothing"}},
    {"rollup": {"function": "total", "relation_property_name": "Tasks", "rollup_property_name": "Points"}},
    {"rollup": {"function": "sum", "relation_property_name": "Tasks"}},
    {"rollup": {"relation_property_name": "Tasks", "rollup_property_name": "Points"}},
    {"rollup": {}},
]


@pytest.mark.parametrize("column", REFUSED)
async def test_a_rollup_over_nothing_is_refused(direct: Any, projects: Projects, column: Json) -> None:
    path = f"/data_sources/{projects.source}"
    status, answer = await direct.call("PATCH", path, {"properties": {"R": column}})

    assert (status, answer["code"]) == (400, "validation_error")


async def test_a_rollup_of_what_is_gone_or_rolled_up_itself_is_unsupported(projects: Projects) -> None:
    await projects.columns({"Sum": rollup("sum", "Points")})
    back = {
        "Of": {"relation": {"data_source_id": projects.source, "single_property": {}}},
        "Sums": {
            "rollup": {"function": "sum", "relation_property_name": "Of", "rollup_property_name": "Sum"}
        },
        "Plus": {"formula": {"expression": 'prop("Sums") + 1'}},
    }
    await projects.call("PATCH", f"/data_sources/{projects.tasks}", {"properties": back})
    task = await projects.task(ROWS[0], "task")
    project = await projects.project("project", [task])
    body = {"properties": {"Of": {"relation": [{"id": project["id"]}]}}}
    page = await projects.call("PATCH", f"/pages/{task}", body)
    await projects.columns({"Plus": rollup("sum", "Plus")})
    above = await projects.call("GET", f"/pages/{project['id']}")
    await projects.columns({"Tasks": {"number": {}}})
    without = await projects.call("GET", f"/pages/{project['id']}")

    assert page["properties"]["Sums"]["rollup"]["type"] == "unsupported"
    assert page["properties"]["Plus"]["formula"]["type"] == "unsupported"
    assert above["properties"]["Plus"]["rollup"]["type"] == "unsupported"
    assert without["properties"]["Sum"]["rollup"] == {
        "type": "unsupported", "unsupported": {}, "function": "sum",
    }  # fmt: skip


async def test_a_formula_reads_a_rollup(projects: Projects) -> None:
    await projects.columns({"Sum": rollup("sum", "Points"), "Last": rollup("latest_date", "Due")})
    await projects.columns(
        {
            "Half": {"formula": {"expression": 'prop("Sum") / 2'}},
            "Late": {"formula": {"expression": 'prop("Last") < now()'}},
        }
    )
    page = await projects.project("one", [await projects.task(row, "t") for row in ROWS])

    assert page["properties"]["Half"]["formula"] == {"type": "number", "number": 4}
    assert page["properties"]["Late"]["formula"] == {"type": "boolean", "boolean": False}


async def test_a_task_in_the_trash_counts_no_more(projects: Projects) -> None:
    await projects.columns({"Sum": rollup("sum", "Points")})
    tasks = [await projects.task(row, "t") for row in ROWS]
    project = await projects.project("one", tasks)
    await projects.call("PATCH", f"/pages/{tasks[0]}", {"in_trash": True})
    page = await projects.call("GET", f"/pages/{project['id']}")

    assert page["properties"]["Sum"]["rollup"]["number"] == 5


async def test_a_page_rolls_up_25_rows_and_the_property_alone_all_of_them(projects: Projects) -> None:
    columns = await projects.columns({"Sum": rollup("sum", "Points"), "All": rollup("show_original", "Name")})
    tasks = [await projects.task({**ROWS[0], "Points": 1}, f"t{at}") for at in range(30)]
    page = await projects.project("one", tasks)
    path = f"/pages/{page['id']}/properties/{columns['Sum']['id']}?page_size=20"
    first = await projects.call("GET", path)
    second = await projects.call("GET", f"{path}&start_cursor={first['next_cursor']}")
    names = await projects.call("GET", f"/pages/{page['id']}/properties/{columns['All']['id']}")

    assert page["properties"]["Sum"]["rollup"]["number"] == 25
    assert first["property_item"]["rollup"] == {"type": "incomplete", "incomplete": {}, "function": "sum"}
    assert first["property_item"]["next_url"].endswith(f"?start_cursor={first['next_cursor']}")
    assert second["property_item"] == {
        "id": columns["Sum"]["id"], "next_url": None, "type": "rollup",
        "rollup": {"type": "number", "number": 30, "function": "sum"},
    }  # fmt: skip
    assert [each["relation"]["id"] for each in first["results"] + second["results"]] == tasks
    assert [each["title"]["plain_text"] for each in names["results"]] == [f"t{at}" for at in range(30)]
    assert names["property_item"]["rollup"] == {"type": "array", "array": [], "function": "show_original"}


@pytest.mark.parametrize(
    "function", ["median", "unique", "show_unique", "count_per_group", "percent_per_group"]
)
async def test_what_the_property_alone_never_computes_is_listed(projects: Projects, function: str) -> None:
    columns = await projects.columns({"R": rollup(function, "Points")})
    page = await projects.project("one", [await projects.task(row, "t") for row in ROWS])
    answer = await projects.call("GET", f"/pages/{page['id']}/properties/{columns['R']['id']}")

    assert [each["number"] for each in answer["results"]] == [3, 5, None]
    assert answer["property_item"]["rollup"] == {
        "type": "unsupported", "unsupported": {}, "function": function,
    }  # fmt: skip


FOUND: list[tuple[str, Json, str]] = [
    ("Sum", {"number": {"equals": 8}}, "full"),
    ("Sum", {"number": {"less_than": 8}}, "empty one"),
    ("Max", {"number": {"is_empty": True}}, "empty"),
    ("Last", {"date": {"on_or_after": "2026-06-01"}}, "full"),
    ("Last", {"date": {"is_empty": True}}, "empty"),
    ("Points", {"any": {"number": {"greater_than": 4}}}, "full"),
    ("Points", {"every": {"number": {"greater_than": 2}}}, "empty one"),
    ("Points", {"none": {"number": {"greater_than": 4}}}, "empty one"),
    ("Names", {"any": {"rich_text": {"contains": "task 0"}}}, "full one"),
    ("Done", {"every": {"checkbox": {"equals": True}}}, "empty one"),
    ("Kinds", {"any": {"select": {"equals": ["bug"]}}}, "full one"),
    ("Kinds", {"any": {"select": {"is_empty": True}}}, "full"),
    ("Tags", {"none": {"multi_select": {"contains": "y"}}}, "empty"),
    ("Dues", {"any": {"date": {"before": "2026-05-02"}}}, "full one"),
    ("Twices", {"any": {"number": {"equals": 10}}}, "full"),
]
READ = {
    "Sum": ("sum", "Points"), "Max": ("max", "Points"), "Last": ("latest_date", "Due"),
    "Points": ("show_original", "Points"), "Names": ("show_original", "Name"), "Done": ("show_original", "Done"),
    "Kinds": ("show_original", "Kind"), "Tags": ("show_original", "Tags"), "Dues": ("show_original", "Due"),
    "Twices": ("show_original", "Twice"),
}  # fmt: skip


async def test_rows_are_found_and_sorted_by_rollups(direct: Any, projects: Projects) -> None:
    await projects.columns({name: rollup(*read) for name, read in READ.items()})
    tasks = [await projects.task(row, f"task {at}") for at, row in enumerate(ROWS)]
    for name, some in (("full", tasks), ("one", tasks[:1]), ("empty", [])):
        await projects.project(name, some)

    for name, condition, found in FOUND:
        body = {"filter": {"property": name, "rollup": condition}}
        assert (condition, sorted(await projects.query(body))) == (condition, sorted(found.split()))
    for name, direction, order in (
        ("Sum", "descending", "full one empty"), ("Max", "ascending", "one full empty"),
        ("Last", "descending", "full one empty"),
    ):  # fmt: skip
        sorts = [{"property": name, "direction": direction}]
        assert await projects.query({"sorts": sorts}) == order.split()
    for name, condition in (
        ("Sum", {"date": {"equals": "2026-05-01"}}),
        ("Points", {"number": {"equals": 1}}),
        ("Points", {"any": {"date": {"is_empty": True}}}),
        ("Points", {"some": {"number": {"equals": 1}}}),
        ("Points", {"any": {"formula": {"number": {"equals": 1}}}}),
        ("Points", {"any": {}}),
        ("Sum", {}),
    ):
        body = {"filter": {"property": name, "rollup": condition}}
        status, _ = await direct.call("POST", f"/data_sources/{projects.source}/query", body)
        assert (condition, status) == (condition, 400)
