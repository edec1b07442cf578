"""A target is in scope when an agent's root is among its ancestors, and that could be seen."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lakelight.guard import Scopes
from lakelight.notion import NotionError, NotionLimited, NotionRefused, NotionUnreachable


class Workspace:
    """Parents by id, as Notion names them; counts what it was asked."""

    def __init__(self, **parents: Any) -> None:
        self.parents = parents
        self.asked: list[str] = []
        self.error: NotionError | None = None

    async def block(self, block_id: str) -> dict[str, Any]:
        self.asked.append(block_id)
        if self.error is not None:
            raise self.error
        return {"id": block_id, "parent": self.parents.get(block_id)}


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


def scopes(workspace: Workspace, clock: Clock | None = None) -> Scopes:
    # Only `block` is ever asked for.
    return Scopes(workspace, clock or Clock())  # type: ignore[arg-type]


def workspace() -> Workspace:
    return Workspace(
        paragraph={"type": "block_id", "block_id": "toggle"},
        toggle={"type": "page_id", "page_id": "row"},
        row={"type": "data_source_id", "data_source_id": "source", "database_id": "database"},
        database={"type": "page_id", "page_id": "project"},
        project={"type": "workspace", "workspace": True},
    )


@pytest.mark.parametrize("root", ["paragraph", "toggle", "row", "source", "database", "project"])
async def test_a_target_is_in_scope_of_itself_and_of_all_that_is_above(root: str) -> None:
    assert await scopes(workspace()).covers("paragraph", frozenset({root, "elsewhere"})) == "in"


@pytest.mark.parametrize("target", ["project", "row", "paragraph"])
async def test_a_target_is_out_of_scope_when_no_root_is_above_it(target: str) -> None:
    assert await scopes(workspace()).covers(target, frozenset({"elsewhere"})) == "out"


async def test_what_lies_below_a_root_does_not_open_what_lies_above() -> None:
    assert await scopes(workspace()).covers("project", frozenset({"row"})) == "out"


async def test_a_root_itself_is_in_scope_without_asking() -> None:
    place = workspace()

    assert await scopes(place).covers("row", frozenset({"row"})) == "in"
    assert place.asked == []


async def test_nothing_is_in_scope_of_no_roots() -> None:
    place = workspace()

    assert await scopes(place).covers("row", frozenset()) == "out"
    assert place.asked == []


@pytest.mark.parametrize(
    "error",
    [
        NotionUnreachable("reset"),
        NotionRefused(status=404, notion_code="object_not_found", message="no"),
        NotionLimited(1, until=datetime(2026, 11, 30, tzinfo=UTC)),
    ],
    ids=["unreachable", "not shared", "limited"],
)
async def test_a_place_that_cannot_be_read_is_unresolved(error: NotionError) -> None:
    place = workspace()
    place.error = error

    assert await scopes(place).covers("row", frozenset({"project"})) == "unresolved"


async def test_a_failure_is_not_remembered() -> None:
    place = workspace()
    answers = scopes(place)
    place.error = NotionUnreachable("reset")
    await answers.covers("row", frozenset({"project"}))
    place.error = None

    assert await answers.covers("row", frozenset({"project"})) == "in"


async def test_a_circle_of_parents_ends_unresolved() -> None:
    circle = Workspace(a={"page_id": "b"}, b={"page_id": "c"}, c={"page_id": "a"})

    assert await scopes(circle).covers("a", frozenset({"elsewhere"})) == "unresolved"
    assert len(circle.asked) == 3


async def test_a_page_that_is_its_own_parent_ends_unresolved() -> None:
    assert await scopes(Workspace(a={"page_id": "a"})).covers("a", frozenset({"x"})) == "unresolved"


async def test_parents_deeper_than_anyone_nests_end_unresolved() -> None:
    tower = Workspace(**{f"p{number}": {"page_id": f"p{number + 1}"} for number in range(100)})

    assert await scopes(tower).covers("p0", frozenset({"p99"})) == "unresolved"
    assert await scopes(tower).covers("p80", frozenset({"p99"})) == "in"


@pytest.mark.parametrize("parent", [None, "project", [], {}, {"page_id": 7}, {"page_id": None}])
async def test_a_parent_of_an_odd_shape_opens_nothing(parent: Any) -> None:
    assert await scopes(Workspace(row=parent)).covers("row", frozenset({"project"})) == "out"


async def test_ancestors_are_remembered_for_five_minutes() -> None:
    place, clock = workspace(), Clock()
    answers = scopes(place, clock)
    await answers.covers("row", frozenset({"project"}))
    asked = len(place.asked)

    clock.time += timedelta(minutes=4, seconds=59)
    await answers.covers("row", frozenset({"project"}))
    assert len(place.asked) == asked

    clock.time += timedelta(seconds=1)
    place.parents["row"] = {"type": "page_id", "page_id": "elsewhere"}
    assert await answers.covers("row", frozenset({"project"})) == "out"
