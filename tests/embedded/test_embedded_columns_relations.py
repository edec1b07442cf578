"""Two-way relations: whatever is written from whichever side, both sides say the same."""

from contextlib import AbstractContextManager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from notion_embedded.http import databases, moves, pages, query, sources
from notion_embedded.http.call import NEWEST, Call
from notion_embedded.http.desk import Desk
from notion_embedded.server import open_workspace
from notion_embedded.store import tokens
from notion_embedded.store.workspace import Workspace

Json = dict[str, Any]


class Office:
    """A caller inside one transaction: the handlers without HTTP around them."""

    def __init__(self, workspace: Workspace, connection: Any) -> None:
        self._workspace = workspace
        self._connection = connection
        token = tokens.find_token(connection, workspace.token)
        assert token is not None
        self._token = token

    def ask(self, handler: Any, body: Json | None = None, **path: str) -> Json:
        call = Call(version=NEWEST, path=path, query={}, body=body or {})
        return dict(handler(Desk(self._workspace, self._connection, self._token), call))

    def source(self, name: str, columns: Json) -> str:
        text = [{"text": {"content": name}}]
        body = {
            "parent": {"page_id": self._workspace.root_page_id}, "title": text,
            "initial_data_source": {"properties": {"Name": {"title": {}}, **columns}},
        }  # fmt: skip
        return str(self.ask(databases.create_database, body)["data_sources"][0]["id"])

    def columns(self, source: str) -> Json:
        return dict(self.ask(sources.get_source, data_source_id=source)["properties"])

    def edit(self, source: str, columns: Json) -> Json:
        return dict(
            self.ask(sources.update_source, {"properties": columns}, data_source_id=source)["properties"]
        )

    def row(self, source: str, **relations: list[str]) -> str:
        body = {"parent": {"data_source_id": source}, "properties": _written(relations)}
        return str(self.ask(pages.create_page, body)["id"])

    def write(self, page: str, **relations: list[str]) -> None:
        self.ask(pages.update_page, {"properties": _written(relations)}, page_id=page)

    def trash(self, page: str, *, away: bool) -> None:
        self.ask(pages.update_page, {"in_trash": away}, page_id=page)

    def links(self, page: str, column: str) -> list[str]:
        shown = self.ask(pages.get_page, page_id=page)["properties"][column]["relation"]
        return [each["id"] for each in shown]

    def found(self, source: str, column: str, page: str) -> set[str]:
        body = {"filter": {"property": column, "relation": {"contains": page}}}
        return {each["id"] for each in self.ask(query.query_source, body, data_source_id=source)["results"]}


def _written(relations: dict[str, list[str]]) -> Json:
    return {name: {"relation": [{"id": page} for page in ids]} for name, ids in relations.items()}


def dual(source: str, **named: str) -> Json:
    return {"relation": {"data_source_id": source, "dual_property": named}}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("relations")
    with open_workspace(folder / "workspace.db") as workspace:
        yield workspace


@pytest.fixture
def writing(opened: Workspace) -> AbstractContextManager[Any]:
    return opened.writing()


@pytest.fixture
def office(opened: Workspace, writing: AbstractContextManager[Any]) -> Any:
    with writing as connection:
        yield Office(opened, connection)


def test_a_two_way_relation_makes_a_column_on_the_other_side(office: Office) -> None:
    tasks, projects = office.source("Tasks", {}), office.source("Projects", {})
    column = office.edit(tasks, {"Project": dual(projects)})["Project"]
    other = office.columns(projects)["Related to Tasks (Project)"]

    assert column["relation"]["dual_property"] == {
        "synced_property_name": "Related to Tasks (Project)", "synced_property_id": other["id"],
    }  # fmt: skip
    assert other["relation"]["data_source_id"] == tasks
    assert other["relation"]["dual_property"]["synced_property_name"] == "Project"
    assert set(column["relation"]) == {"database_id", "data_source_id", "type", "dual_property"}


def test_a_two_way_relation_can_be_given_with_a_new_database(office: Office) -> None:
    projects = office.source("Projects", {})
    tasks = office.source("Tasks", {"Project": dual(projects, synced_property_name="Tasks")})
    project = office.row(projects)
    task = office.row(tasks, Project=[project])

    assert office.links(project, "Tasks") == [task]


def test_a_new_name_shows_on_the_other_side(office: Office) -> None:
    tasks, projects = office.source("Tasks", {}), office.source("Projects", {})
    office.edit(tasks, {"Project": dual(projects, synced_property_name="Tasks")})
    office.edit(projects, {"Tasks": {"name": "To do"}})
    renamed = office.columns(tasks)["Project"]["relation"]["dual_property"]["synced_property_name"]
    again = office.edit(tasks, {"Project": dual(projects, synced_property_name="Work")})

    assert renamed == "To do"
    assert again["Project"]["relation"]["dual_property"]["synced_property_name"] == "Work"
    assert "Work" in office.columns(projects)


def test_a_taken_name_gets_a_number(office: Office) -> None:
    tasks, projects = office.source("Tasks", {}), office.source("Projects", {"Tasks": {"number": {}}})
    office.edit(tasks, {"Project": dual(projects, synced_property_name="Tasks")})

    assert set(office.columns(projects)) == {"Name", "Tasks", "Tasks (1)"}


DROPS = [
    pytest.param(None, id="dropped"),
    pytest.param({"rich_text": {}}, id="retyped"),
]


@pytest.mark.parametrize("change", DROPS)
@pytest.mark.parametrize("side", ["near", "far"])
def test_a_side_that_goes_takes_the_other_with_it(office: Office, change: Any, side: str) -> None:
    tasks, projects = office.source("Tasks", {}), office.source("Projects", {})
    office.edit(tasks, {"Project": dual(projects, synced_property_name="Tasks")})
    if side == "near":
        office.edit(tasks, {"Project": change})
    else:
        office.edit(projects, {"Tasks": change})
    left = {**office.columns(tasks), **office.columns(projects)}

    assert [name for name, column in left.items() if column["type"] == "relation"] == []


def test_a_one_way_relation_that_becomes_two_way_brings_its_values(office: Office) -> None:
    projects = office.source("Projects", {})
    one_way = {"relation": {"data_source_id": projects, "single_property": {}}}
    tasks = office.source("Tasks", {"Project": one_way})
    project = office.row(projects)
    first, second = office.row(tasks, Project=[project]), office.row(tasks, Project=[project])
    office.edit(tasks, {"Project": dual(projects, synced_property_name="Tasks")})
    both = office.links(project, "Tasks")
    office.edit(tasks, {"Project": one_way})

    assert both == [first, second]
    assert "Tasks" not in office.columns(projects)
    assert office.links(first, "Project") == [project]


def test_a_relation_with_another_target_starts_empty(office: Office) -> None:
    projects, areas = office.source("Projects", {}), office.source("Areas", {})
    tasks = office.source("Tasks", {"Of": dual(projects, synced_property_name="Tasks")})
    task = office.row(tasks, Of=[office.row(projects)])
    office.edit(tasks, {"Of": dual(areas, synced_property_name="Tasks")})
    area = office.row(areas, Tasks=[task])

    assert office.links(task, "Of") == [area]
    assert "Tasks" not in office.columns(projects)


def test_a_data_source_can_be_related_to_itself(office: Office) -> None:
    tasks = office.source("Tasks", {})
    office.edit(tasks, {"Parent": dual(tasks, synced_property_name="Children")})
    parent = office.row(tasks)
    child = office.row(tasks, Parent=[parent])
    office.write(parent, Parent=[parent])

    assert office.links(parent, "Children") == [child, parent]
    office.write(parent, Children=[child])
    assert office.links(parent, "Parent") == []
    office.edit(tasks, {"Parent": None})
    assert set(office.columns(tasks)) == {"Name"}


def test_a_page_in_the_trash_is_related_to_nothing_until_it_comes_back(office: Office) -> None:
    projects = office.source("Projects", {})
    tasks = office.source("Tasks", {"Project": dual(projects, synced_property_name="Tasks")})
    project = office.row(projects)
    task = office.row(tasks, Project=[project])
    office.trash(task, away=True)
    hidden = office.links(project, "Tasks"), office.found(projects, "Tasks", task)
    office.trash(task, away=False)

    assert hidden == ([], set())
    assert (office.links(project, "Tasks"), office.found(projects, "Tasks", task)) == ([task], {project})


def test_a_page_that_moves_away_is_let_go(office: Office) -> None:
    projects = office.source("Projects", {})
    tasks = office.source("Tasks", {"Project": dual(projects, synced_property_name="Tasks")})
    project = office.row(projects)
    task = office.row(tasks, Project=[project])
    elsewhere = office.source("Elsewhere", {})
    office.ask(moves.move_page, {"parent": {"data_source_id": elsewhere}}, page_id=task)

    assert office.links(project, "Tasks") == []


def test_a_file_from_before_is_found_by_its_relations_too(opened: Workspace) -> None:
    script = (files("notion_embedded.store") / "migrations" / "0002.sql").read_text("utf-8")
    with opened.writing() as connection:
        office = Office(opened, connection)
        projects = office.source("Projects", {})
        tasks = office.source("Tasks", {"Project": dual(projects, synced_property_name="Tasks")})
        office.row(tasks, Project=[office.row(projects), office.row(projects)])
        before = connection.execute("SELECT * FROM choice ORDER BY 1, 2, 3, 4").fetchall()
        connection.execute("DELETE FROM choice WHERE data_source IN (?, ?)", (tasks, projects))
        connection.execute(script)
        after = connection.execute("SELECT * FROM choice ORDER BY 1, 2, 3, 4").fetchall()

    assert [tuple(line) for line in after] == [tuple(line) for line in before]


async def test_a_long_relation_is_shown_in_part_and_paged_whole(direct: Any) -> None:
    root = direct.workspace.root_page_id

    async def call(method: str, path: str, body: Json | None = None) -> Json:
        status, answer = await direct.call(method, path, body)
        assert status == 200, answer
        return dict(answer)

    made = await call("POST", "/databases", {"parent": {"page_id": root}})
    people = made["data_sources"][0]["id"]
    column = {"relation": {"data_source_id": people, "single_property": {}}}
    made = await call(
        "POST", "/databases",
        {"parent": {"page_id": root}, "initial_data_source": {"properties": {"Who": column}}},
    )  # fmt: skip
    teams = made["data_sources"][0]["id"]
    ids = [
        (await call("POST", "/pages", {"parent": {"data_source_id": people}, "properties": {}}))["id"]
        for _ in range(27)
    ]
    relation = {"Who": {"relation": [{"id": each} for each in ids]}}
    team = await call("POST", "/pages", {"parent": {"data_source_id": teams}, "properties": relation})
    shown = team["properties"]["Who"]
    path = f"/pages/{team['id']}/properties/{shown['id']}?page_size=20"
    first = await call("GET", path)
    second = await call("GET", f"{path}&start_cursor={first['next_cursor']}")

    assert (len(shown["relation"]), shown["has_more"]) == (25, True)
    assert [each["relation"]["id"] for each in first["results"] + second["results"]] == ids
    assert second["has_more"] is False
    assert second["property_item"] == {
        "id": shown["id"], "next_url": None, "type": "relation", "relation": {},
    }  # fmt: skip


steps = st.lists(
    st.tuples(
        st.sampled_from(["A", "B", "trash A", "restore A", "trash B", "restore B"]),
        st.integers(0, 2),
        st.sets(st.integers(0, 2)),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.booleans())
def test_both_sides_agree_after_any_writes(
    opened: Workspace, does: list[tuple[str, int, set[int]]], itself: bool
) -> None:
    with opened.writing() as connection:
        office = Office(opened, connection)
        left = office.source("Left", {})
        right = left if itself else office.source("Right", {})
        office.edit(left, {"To": dual(right, synced_property_name="From")})
        ones = [office.row(left) for _ in range(3)]
        others = ones if itself else [office.row(right) for _ in range(3)]
        gone: set[str] = set()
        for what, at, to in does:
            side, far, column = (ones, others, "To") if what.endswith("A") else (others, ones, "From")
            page = side[at]
            if " " in what:
                away = what.startswith("trash")
                if away is (page not in gone):
                    office.trash(page, away=away)
                    gone.symmetric_difference_update({page})
            elif page not in gone:
                office.write(page, **{column: [far[number] for number in sorted(to)]})
        for page in gone:
            office.trash(page, away=False)
        there = {(page, other) for page in ones for other in office.links(page, "To")}
        back = {(other, page) for page in others for other in office.links(page, "From")}
        searched = {(page, other) for other in others for page in office.found(left, "To", other)}

        assert there == back == searched
