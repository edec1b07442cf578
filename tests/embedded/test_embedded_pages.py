"""Pages: made with content at a place, moved, dressed, locked, emptied, trashed and restored."""

from typing import Any

import pytest

Json = dict[str, Any]

NOBODY = "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"
PICTURE = {"type": "external", "external": {"url": "https://example.com/a.png"}}
CHILD = {"paragraph": {"rich_text": [{"text": {"content": "inner"}}]}}


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


@pytest.fixture
def root(direct: Any) -> str:
    return str(direct.workspace.root_page_id)


async def ok(served: Any, method: str, path: str, body: Any = None) -> Json:
    status, answer = await served.call(method, path, body)
    assert status == 200, answer
    return dict(answer)


async def make(served: Any, parent: str, title: str = "", **more: Any) -> Json:
    body = {"parent": {"page_id": parent}, "properties": {"title": text(title)}, **more}
    return await ok(served, "POST", "/pages", body)


async def inside(served: Any, block_id: str) -> list[Any]:
    """The titles of the pages in it, and the types of its blocks."""
    blocks = (await ok(served, "GET", f"/blocks/{block_id}/children"))["results"]
    return [block.get("child_page", {}).get("title", block["type"]) for block in blocks]


def title(page: Json) -> str:
    (value,) = [value for value in page["properties"].values() if value["type"] == "title"]
    return "".join(run["plain_text"] for run in value["title"])


@pytest.mark.parametrize(
    "content",
    [{"children": [CHILD]}, {"content": [CHILD]}, {"markdown": "inner"}],
    ids=["children", "content", "markdown"],
)
async def test_a_page_is_made_with_its_content(direct: Any, root: str, content: Json) -> None:
    page = await make(direct, root, "a", **content)

    assert await inside(direct, page["id"]) == ["paragraph"]


async def test_content_in_two_forms_is_refused(direct: Any, root: str) -> None:
    body = {"parent": {"page_id": root}, "children": [CHILD], "markdown": "inner"}
    status, answer = await direct.call("POST", "/pages", body)

    assert (status, answer["code"]) == (400, "validation_error")
    assert await inside(direct, root) == []


async def test_the_first_heading_of_markdown_becomes_the_title_of_a_page_without_one(
    direct: Any, root: str
) -> None:
    untitled = await ok(
        direct, "POST", "/pages", {"parent": {"page_id": root}, "markdown": "# Plan\n\ninner"}
    )
    titled = await make(direct, root, "Mine", markdown="# Plan\n\ninner")

    assert (title(untitled), title(titled)) == ("Plan", "Mine")
    assert await inside(direct, untitled["id"]) == ["paragraph"]
    assert await inside(direct, titled["id"]) == ["heading_1", "paragraph"]


async def test_a_page_stands_where_it_is_told_to(direct: Any, root: str) -> None:
    first = await make(direct, root, "1")
    await make(direct, root, "3")
    behind = {"type": "after_block", "after_block": {"id": first["id"]}}
    await make(direct, root, "2", position=behind)
    await make(direct, root, "0", position={"type": "page_start"})
    await make(direct, root, "4", position={"type": "page_end"})
    lost, _ = await direct.call(
        "POST",
        "/pages",
        {"parent": {"page_id": root}, "position": {"type": "after_block", "after_block": {"id": NOBODY}}},
    )

    assert await inside(direct, root) == ["0", "1", "2", "3", "4"]
    assert lost == 400


ICONS = [
    pytest.param({"emoji": "🌿"}, {"type": "emoji", "emoji": "🌿"}, id="an emoji"),
    pytest.param(PICTURE, PICTURE, id="a picture from outside"),
    pytest.param(
        {"type": "icon", "icon": {"name": "pizza", "color": "blue"}},
        {"type": "icon", "icon": {"name": "pizza", "color": "blue"}},
        id="one of Notion's own",
    ),
    pytest.param(None, None, id="nothing"),
]


@pytest.mark.parametrize(("given", "shown"), ICONS)
async def test_a_page_wears_its_icon(direct: Any, root: str, given: Json | None, shown: Json | None) -> None:
    made = await make(direct, root, "a", icon=given)
    other = await make(direct, root, "b", icon={"emoji": "💡"})
    changed = await ok(direct, "PATCH", f"/pages/{other['id']}", {"icon": given})

    assert (made["icon"], changed["icon"]) == (shown, shown)


async def test_a_cover_is_set_and_taken_away(direct: Any, root: str) -> None:
    page = await make(direct, root, "a", cover=PICTURE)
    bare = await ok(direct, "PATCH", f"/pages/{page['id']}", {"cover": None})
    emoji, _ = await direct.call("PATCH", f"/pages/{page['id']}", {"cover": {"emoji": "🌿"}})

    assert (page["cover"], bare["cover"], emoji) == (PICTURE, None, 400)


async def test_a_lock_and_an_archive_are_kept_and_trash_is_another_thing(direct: Any, root: str) -> None:
    page = f"/pages/{(await make(direct, root, 'a'))['id']}"
    locked = await ok(direct, "PATCH", page, {"is_locked": True})
    archived = await ok(direct, "PATCH", page, {"is_archived": True, "properties": {"title": text("b")}})
    freed = await ok(direct, "PATCH", page, {"is_locked": False, "is_archived": False})

    def flags(shown: Json) -> tuple[bool, bool, bool]:
        return shown["is_locked"], shown["is_archived"], shown["in_trash"]

    assert flags(locked) == (True, False, False)
    assert flags(archived) == (True, True, False)
    assert flags(freed) == (False, False, False)


async def test_erasing_trashes_everything_in_a_page(direct: Any, root: str) -> None:
    page = await make(direct, root, "a", children=[CHILD, {"divider": {}}])
    child = await make(direct, page["id"], "b")
    await ok(direct, "PATCH", f"/pages/{page['id']}", {"erase_content": True})
    inner = await ok(direct, "GET", f"/pages/{child['id']}")
    block = await ok(direct, "GET", f"/blocks/{page['id']}")

    assert await inside(direct, page["id"]) == []
    assert (inner["in_trash"], block["has_children"]) == (True, False)


async def test_a_page_in_the_trash_comes_back_with_its_content_and_can_be_edited_again(
    direct: Any, root: str
) -> None:
    page = await make(direct, root, "a", children=[CHILD])
    path = f"/pages/{page['id']}"
    await ok(direct, "PATCH", path, {"in_trash": True})
    refused, why = await direct.call("PATCH", path, {"properties": {"title": text("b")}})
    hidden = await inside(direct, root)
    back = await ok(direct, "PATCH", path, {"in_trash": False, "properties": {"title": text("b")}})

    assert refused == 400
    assert why["message"].startswith("Can't edit block that is archived. You must unarchive")
    assert hidden == []
    assert (title(back), back["in_trash"]) == ("b", False)
    assert (await inside(direct, root), await inside(direct, page["id"])) == (["b"], ["paragraph"])


async def test_restoring_a_child_leaves_its_parent_in_the_trash(direct: Any, root: str) -> None:
    outer = await make(direct, root, "outer")
    inner = await make(direct, outer["id"], "inner")
    for page in (inner, outer):
        await ok(direct, "PATCH", f"/pages/{page['id']}", {"in_trash": True})
    back = await ok(direct, "PATCH", f"/pages/{inner['id']}", {"in_trash": False})
    status, _ = await direct.call("PATCH", f"/blocks/{inner['id']}/children", {"children": [CHILD]})

    assert back["in_trash"] is False
    assert (await ok(direct, "GET", f"/pages/{outer['id']}"))["in_trash"] is True
    assert status == 400


async def test_a_page_moves_with_all_that_is_in_it(direct: Any, root: str) -> None:
    page = await make(direct, root, "page", children=[CHILD])
    target = await make(direct, root, "target")
    moved = await ok(direct, "POST", f"/pages/{page['id']}/move", {"parent": {"page_id": target["id"]}})

    assert moved["parent"] == {"type": "page_id", "page_id": target["id"]}
    assert (await inside(direct, root), await inside(direct, target["id"])) == (["target"], ["page"])
    assert await inside(direct, page["id"]) == ["paragraph"]


async def test_a_page_moves_into_a_table_and_out_again(direct: Any, root: str) -> None:
    database = await ok(direct, "POST", "/databases", {"parent": {"page_id": root}})
    source = database["data_sources"][0]["id"]
    page = await make(direct, root, "page")
    row = await ok(direct, "POST", f"/pages/{page['id']}/move", {"parent": {"data_source_id": source}})
    found = (await ok(direct, "POST", f"/data_sources/{source}/query", {}))["results"]
    out = await ok(direct, "POST", f"/pages/{page['id']}/move", {"parent": {"page_id": root}})
    left = (await ok(direct, "POST", f"/data_sources/{source}/query", {}))["results"]

    assert row["parent"] == {
        "type": "data_source_id",
        "data_source_id": source,
        "database_id": database["id"],
    }
    assert ([one["id"] for one in found], left) == ([page["id"]], [])
    assert (title(out), list(out["properties"])) == ("page", ["title"])


@pytest.mark.parametrize(
    ("parent", "status"),
    [
        pytest.param({"page_id": "SELF"}, 400, id="into itself"),
        pytest.param({"page_id": "INNER"}, 400, id="into what is in it"),
        pytest.param({"page_id": NOBODY}, 404, id="into nothing"),
        pytest.param({"workspace": True}, 400, id="to the top"),
        pytest.param({"page_id": "SELF", "data_source_id": NOBODY}, 400, id="to two places"),
        pytest.param({}, 400, id="nowhere"),
    ],
)
async def test_a_move_that_makes_no_sense_is_refused(
    direct: Any, root: str, parent: Json, status: int
) -> None:
    page = await make(direct, root, "page")
    inner = await make(direct, page["id"], "inner")
    places = {"SELF": page["id"], "INNER": inner["id"]}
    body = {"parent": {key: places.get(str(value), value) for key, value in parent.items()}}
    got, answer = await direct.call("POST", f"/pages/{page['id']}/move", body)

    assert got == status, answer
    assert await inside(direct, root) == ["page"]


async def test_only_a_person_makes_a_page_at_the_top(direct: Any, root: str) -> None:
    person = direct.new_token("person", name="Ada")["token"]
    refused, why = await direct.call("POST", "/pages", {"parent": {"workspace": True}})
    made = [
        await direct.call("POST", "/pages", body, authorization=f"Bearer {person}")
        for body in ({"parent": {"workspace": True}}, {})
    ]

    assert (refused, why["code"]) == (400, "validation_error")
    assert "creating workspace-level private pages is not supported" in why["message"]
    assert [(status, page["parent"]) for status, page in made] == [
        (200, {"type": "workspace", "workspace": True})
    ] * 2


async def test_a_page_shows_only_the_properties_that_are_asked_for(direct: Any, root: str) -> None:
    schema: Json = {"Name": {"title": {}}, "Count": {"number": {}}, "Tags": {"multi_select": {}}}
    database = await ok(
        direct,
        "POST",
        "/databases",
        {"parent": {"page_id": root}, "initial_data_source": {"properties": schema}},
    )
    source = database["data_sources"][0]["id"]
    made = await ok(direct, "POST", "/pages?filter_properties=title", {"parent": {"data_source_id": source}})
    page = f"/pages/{made['id']}"
    count = (await ok(direct, "GET", page))["properties"]["Count"]["id"]
    by_id = await ok(direct, "GET", f"{page}?filter_properties={count}&filter_properties[]=Tags")
    edited = await ok(
        direct, "PATCH", f"{page}?filter_properties=Count", {"properties": {"Count": {"number": 1}}}
    )
    status, answer = await direct.call("GET", f"{page}?filter_properties=Nope")

    assert list(made["properties"]) == ["Name"]
    assert list(by_id["properties"]) == ["Count", "Tags"]
    assert edited["properties"]["Count"]["number"] == 1
    assert list(edited["properties"]) == ["Count"]
    assert (status, answer["message"]) == (400, "Could not find property with name or id: Nope")


async def test_a_page_in_a_page_has_a_title_and_nothing_else(direct: Any, root: str) -> None:
    body = {"parent": {"page_id": root}, "properties": {"Count": {"number": 1}}}
    status, answer = await direct.call("POST", "/pages", body)

    assert (status, answer["message"]) == (400, "Count is not a property that exists.")
