"""Which fields a response has: those that recorded responses of the real API have, and no others."""

from typing import Any

import pytest

Json = dict[str, Any]


def keys(words: str) -> set[str]:
    return set(words.split())


PAGE = keys(
    "object id created_time last_edited_time created_by last_edited_by cover icon parent in_trash is_archived"
    " is_locked properties url public_url"
)
BLOCK = keys(
    "object id parent created_time last_edited_time created_by last_edited_by has_children in_trash type"
)
DATABASE = keys(
    "object id title description parent is_inline in_trash is_locked created_time last_edited_time data_sources"
    " icon cover url public_url"
)
SOURCE = keys(
    "object id cover icon created_time created_by last_edited_by last_edited_time title description is_inline"
    " properties parent database_parent url public_url in_trash"
)
LIST = keys("object results next_cursor has_more type")
RUN = keys("type text annotations plain_text href")
ANNOTATIONS = keys("bold italic strikethrough underline code color")
COMMENT = keys(
    "object id parent discussion_id created_time last_edited_time created_by rich_text display_name"
)

PAYLOADS = [
    ("paragraph", {"rich_text": []}, "rich_text icon color"),
    ("heading_1", {"rich_text": []}, "rich_text is_toggleable color"),
    ("heading_4", {"rich_text": []}, "rich_text is_toggleable color"),
    ("bulleted_list_item", {"rich_text": []}, "rich_text color"),
    ("numbered_list_item", {"rich_text": []}, "rich_text color"),
    ("numbered_list_item", {"rich_text": [], "list_start_index": 3}, "rich_text color list_start_index"),
    ("to_do", {"rich_text": []}, "rich_text checked color"),
    ("toggle", {"rich_text": []}, "rich_text color"),
    ("quote", {"rich_text": []}, "rich_text color"),
    ("callout", {"rich_text": [], "icon": {"emoji": "💡"}}, "rich_text icon color"),
    ("code", {"rich_text": [], "language": "python"}, "caption rich_text language"),
    ("equation", {"expression": "x"}, "expression"),
    ("divider", {}, ""),
    ("breadcrumb", {}, ""),
    ("table_of_contents", {}, "color"),
    (
        "table",
        {"table_width": 1, "children": [{"table_row": {"cells": [[]]}}]},
        "table_width has_column_header has_row_header",
    ),
    ("column_list", {"children": [{"column": {}}, {"column": {}}]}, ""),
    ("synced_block", {"synced_from": None}, "synced_from"),
    ("link_to_page", {"page_id": "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"}, "type page_id"),
    ("bookmark", {"url": "https://example.com"}, "caption url"),
    ("embed", {"url": "https://example.com"}, "caption url"),
    ("image", {"external": {"url": "https://example.com/a.png"}}, "caption type external"),
    ("file", {"external": {"url": "https://example.com/a.zip"}, "name": "a"}, "caption type external name"),
]


@pytest.fixture(params=["2025-09-03", "2026-03-11"])
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_objects_have_the_fields_of_their_version(direct: Any, version: str) -> None:
    also = {"archived"} if version == "2025-09-03" else set()
    root = direct.workspace.root_page_id
    headers = {"notion-version": version}

    async def call(method: str, path: str, body: Json | None = None) -> Json:
        status, answer = await direct.call(method, path, body, **headers)
        assert status == 200, answer
        assert answer.pop("request_id")
        return dict(answer)

    text = [{"text": {"content": "a"}}]
    page = await call("POST", "/pages", {"parent": {"page_id": root}, "properties": {"title": text}})
    database = await call("POST", "/databases", {"parent": {"page_id": root}, "title": text})
    source = await call("GET", f"/data_sources/{database['data_sources'][0]['id']}")
    row = await call("POST", "/pages", {"parent": {"data_source_id": source["id"]}})
    block = await call("GET", f"/blocks/{page['id']}")
    children = await call("GET", f"/blocks/{root}/children")
    found = await call("POST", f"/data_sources/{source['id']}/query", {})
    comment = await call("POST", "/comments", {"parent": {"page_id": root}, "rich_text": text})
    users = await call("GET", "/users")
    markdown = await call("GET", f"/pages/{page['id']}/markdown")

    assert set(page) == set(row) == PAGE | also
    assert set(page["properties"]["title"]) == keys("id type title")
    assert set(page["properties"]["title"]["title"][0]) == RUN
    assert set(page["properties"]["title"]["title"][0]["annotations"]) == ANNOTATIONS
    assert set(database) == DATABASE | also
    assert set(source) == SOURCE | also
    assert source["properties"]["Name"] == {
        "id": "title", "name": "Name", "description": None, "type": "title", "title": {},
    }  # fmt: skip
    assert set(block) == BLOCK | also | {"child_page"}
    assert [set(child) for child in children["results"]] == [
        BLOCK | also | {"child_page"},
        BLOCK | also | {"child_database"},
    ]
    assert set(children) == LIST | {"block"}
    assert set(found) == LIST | {"page_or_data_source"}
    assert set(found["results"][0]) == PAGE | also
    assert set(comment) == COMMENT
    assert set(users) == LIST | {"user"}
    assert [set(user) for user in users["results"]] == [
        keys("object id name avatar_url type person"),
        keys("object id name avatar_url type bot"),
    ]
    assert set(users["results"][1]["bot"]) == keys("owner workspace_name workspace_id workspace_limits")
    assert set(markdown) == keys("object id markdown truncated unknown_block_ids")


@pytest.mark.parametrize(("kind", "given", "shown"), PAYLOADS)
async def test_a_block_has_the_fields_of_its_type(direct: Any, kind: str, given: Json, shown: str) -> None:
    path = f"/blocks/{direct.workspace.root_page_id}/children"
    status, answer = await direct.call("PATCH", path, {"children": [{kind: given}]})

    assert status == 200, answer
    (block,) = answer["results"]
    assert set(block) == BLOCK | {kind}
    assert set(block[kind]) == keys(shown)


async def test_an_older_version_trashes_by_archived_and_appends_by_after(direct: Any) -> None:
    older = {"notion-version": "2025-09-03"}
    root = direct.workspace.root_page_id
    two = {"children": [{"divider": {}}, {"breadcrumb": {}}]}
    _, made = await direct.call("PATCH", f"/blocks/{root}/children", two, **older)
    first = made["results"][0]["id"]
    after = {"children": [{"table_of_contents": {}}], "after": first}
    await direct.call("PATCH", f"/blocks/{root}/children", after, **older)
    _, children = await direct.call("GET", f"/blocks/{root}/children", None, **older)
    _, gone = await direct.call("PATCH", f"/blocks/{first}", {"archived": True}, **older)
    _, back = await direct.call("PATCH", f"/blocks/{first}", {"archived": False}, **older)

    assert [block["type"] for block in children["results"]] == ["divider", "table_of_contents", "breadcrumb"]
    assert (gone["archived"], gone["in_trash"]) == (True, True)
    assert (back["archived"], back["in_trash"]) == (False, False)


async def test_texts_are_completed_and_equal_neighbours_joined(direct: Any) -> None:
    given = [
        {"text": {"content": "one "}},
        {"type": "text", "text": {"content": "two", "link": None}},
        {"text": {"content": ""}},
        {"text": {"content": "here", "link": {"url": "https://example.com"}}},
        {"equation": {"expression": "E = mc^2"}},
        {"mention": {"date": {"start": "2026-05-04"}}},
        {"mention": {"page": {"id": direct.workspace.root_page_id}}},
        {"mention": {"user": {"id": direct.workspace.bot_id}}},
    ]
    body = {"children": [{"paragraph": {"rich_text": given}}]}
    _, answer = await direct.call("PATCH", f"/blocks/{direct.workspace.root_page_id}/children", body)
    runs = answer["results"][0]["paragraph"]["rich_text"]

    assert [(run["type"], run["plain_text"], run["href"]) for run in runs] == [
        ("text", "one two", None),
        ("text", "here", "https://example.com/"),
        ("equation", "E = mc^2", None),
        ("mention", "2026-05-04", None),
        ("mention", "Home", f"https://app.notion.com/p/{direct.workspace.root_page_id.replace('-', '')}"),
        ("mention", "@Lakelight", None),
    ]
    assert runs[3]["mention"]["date"] == {"start": "2026-05-04", "end": None, "time_zone": None}
    assert all("text" not in run for run in runs[2:])


async def test_ids_are_taken_in_any_form_and_given_in_one(direct: Any) -> None:
    root = direct.workspace.root_page_id
    for form in (root, root.upper(), root.replace("-", ""), root.replace("-", "").upper()):
        status, page = await direct.call("GET", f"/pages/{form}")
        assert (status, page["id"]) == (200, root)
