"""Who sees what: tokens, shares, and people beside bots."""

from typing import Any

import pytest
from notion_client import APIResponseError


def text(words: str) -> list[dict[str, Any]]:
    return [{"text": {"content": words}}]


@pytest.fixture
async def two_pages(served: Any, notion: Any) -> tuple[str, str]:
    """A page with a page in it, and one beside it."""
    root = served.workspace.root_page_id
    project = await notion.pages.create(parent={"page_id": root}, properties={"title": text("Project")})
    await notion.pages.create(parent={"page_id": root}, properties={"title": text("Private")})
    inner = await notion.pages.create(parent={"page_id": project["id"]}, properties={"title": text("Inside")})
    return project["id"], inner["id"]


async def test_a_token_sees_what_is_shared_and_all_that_is_in_it(
    served: Any, two_pages: tuple[str, str]
) -> None:
    project, inner = two_pages
    token = served.new_token("bot", project, name="Reader")
    async with served.client(token["token"]) as notion:
        await notion.pages.retrieve(project)
        await notion.pages.retrieve(inner)
        found = (await notion.search())["results"]
        with pytest.raises(APIResponseError) as refused:
            await notion.pages.retrieve(served.workspace.root_page_id)

    assert {page["id"] for page in found} == {project, inner}
    assert (refused.value.status, refused.value.code) == (404, "object_not_found")
    assert 'shared with your integration "Reader"' in str(refused.value)
    assert refused.value.additional_data == {"integration_id": token["user_id"]}


async def test_what_is_not_shared_can_be_neither_written_nor_named(
    served: Any, two_pages: tuple[str, str]
) -> None:
    project, _ = two_pages
    token = served.new_token("bot", project)
    root = served.workspace.root_page_id
    async with served.client(token["token"]) as notion:
        for attempt in (
            notion.pages.update(root, properties={}),
            notion.blocks.children.append(root, children=[]),
            notion.blocks.delete(root),
            notion.pages.create(parent={"page_id": root}),
            notion.databases.create(parent={"page_id": root}),
            notion.comments.create(parent={"page_id": root}, rich_text=text("x")),
        ):
            with pytest.raises(APIResponseError) as refused:
                await attempt
            assert refused.value.code == "object_not_found"


async def test_a_token_that_may_only_read_is_refused_every_write(served: Any) -> None:
    root = served.workspace.root_page_id
    token = served.new_token("bot", root, read_only=True)
    async with served.client(token["token"]) as notion:
        await notion.pages.retrieve(root)
        await notion.search()
        for attempt in (
            notion.pages.update(root, icon=None),
            notion.blocks.children.append(root, children=[]),
            notion.pages.create(parent={"page_id": root}),
            notion.pages.update_markdown(root, type="insert_content", insert_content={"content": "a"}),
        ):
            with pytest.raises(APIResponseError) as refused:
                await attempt
            assert (refused.value.status, refused.value.code) == (403, "restricted_resource")


async def test_a_person_acts_as_a_person_and_may_make_pages_of_their_own(served: Any) -> None:
    token = served.new_token("person", name="Mei")
    async with served.client(token["token"]) as notion:
        me = await notion.users.me()
        page = await notion.pages.create(parent={"workspace": True}, properties={"title": text("Mine")})
        found = (await notion.search())["results"]

    assert (me["type"], me["name"], me["id"]) == ("person", "Mei", token["user_id"])
    assert page["parent"] == {"type": "workspace", "workspace": True}
    assert page["created_by"] == page["last_edited_by"] == {"object": "user", "id": token["user_id"]}
    assert [item["id"] for item in found] == [page["id"]]
    with pytest.raises(APIResponseError):
        async with served.client() as bot:
            await bot.pages.retrieve(page["id"])


async def test_a_filter_by_me_means_the_caller(served: Any) -> None:
    root = served.workspace.root_page_id
    person = served.new_token("person", root, name="Mei")
    async with served.client() as bot, served.client(person["token"]) as mei:
        database = await bot.databases.create(
            parent={"page_id": root}, initial_data_source={"properties": {"By": {"created_by": {}}}}
        )
        source = database["data_sources"][0]["id"]
        by_bot = await bot.pages.create(parent={"data_source_id": source})
        by_mei = await mei.pages.create(parent={"database_id": database["id"]})
        mine = {"property": "By", "created_by": {"contains": "me"}}
        found = [
            [row["id"] for row in (await client.data_sources.query(source, filter=mine))["results"]]
            for client in (bot, mei)
        ]

    assert found == [[by_bot["id"]], [by_mei["id"]]]


async def test_something_in_the_trash_hides_what_is_in_it_from_search(
    served: Any, notion: Any, two_pages: tuple[str, str]
) -> None:
    project, inner = two_pages
    await notion.pages.update(project, in_trash=True)
    found = {page["id"] for page in (await notion.search())["results"]}
    trashed = (await notion.search(filter={"property": "object", "value": "page", "in_trash": True}))[
        "results"
    ]

    assert not {project, inner} & found
    assert [page["id"] for page in trashed] == [project]
    assert (await notion.pages.retrieve(inner))["in_trash"] is False
    await notion.pages.update(project, in_trash=False)
    assert inner in {page["id"] for page in (await notion.search())["results"]}
