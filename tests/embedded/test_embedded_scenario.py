"""One client, written by others for the real Notion, works through every endpoint."""

from typing import Any

import pytest
from notion_client import APIResponseError, AsyncClient as Notion
from notion_client.helpers import async_collect_paginated_api


def text(words: str) -> list[dict[str, Any]]:
    return [{"text": {"content": words}}]


def paragraph(words: str) -> dict[str, Any]:
    return {"paragraph": {"rich_text": text(words)}}


TICKETS = {
    "任务标题": {"title": {}},
    "编号": {"unique_id": {"prefix": "T"}},
    "状态": {"status": {"options": [{"name": "待开发"}, {"name": "开发中"}, {"name": "已完成"}]}},
    "负责Agent": {"select": {"options": [{"name": "青鸟", "color": "blue"}]}},
    "标签": {"multi_select": {}},
    "约束": {"rich_text": {}},
    "工时": {"number": {"format": "number"}},
    "截止": {"date": {}},
    "负责人": {"people": {}},
    "附件": {"files": {}},
    "紧急": {"checkbox": {}},
    "链接": {"url": {}},
    "邮箱": {"email": {}},
    "电话": {"phone_number": {}},
    "创建时间": {"created_time": {}},
    "创建者": {"created_by": {}},
    "编辑时间": {"last_edited_time": {}},
    "编辑者": {"last_edited_by": {}},
}


@pytest.fixture
async def tickets(notion: Notion, served: Any) -> str:
    database = await notion.databases.create(
        parent={"page_id": served.workspace.root_page_id},
        title=text("工单"),
        initial_data_source={"properties": TICKETS},
    )
    return str(database["data_sources"][0]["id"])


async def test_the_caller_and_the_others_are_listed(notion: Notion, served: Any) -> None:
    me = await notion.users.me()
    everyone = await notion.users.list()
    first = await notion.users.list(page_size=1)
    rest = await notion.users.list(start_cursor=first["next_cursor"])

    assert me["id"] == served.workspace.bot_id
    assert me["type"] == "bot"
    assert [user["type"] for user in everyone["results"]] == ["person", "bot"]
    assert first["results"] + rest["results"] == everyone["results"]
    assert (await notion.users.retrieve(me["id"]))["name"] == "Lakelight"


async def test_a_page_is_made_read_edited_trashed_and_restored(notion: Notion, served: Any) -> None:
    page = await notion.pages.create(
        parent={"page_id": served.workspace.root_page_id},
        properties={"title": text("A plan for May")},
        icon={"type": "emoji", "emoji": "🌿"},
        children=[paragraph("first"), {"to_do": {"rich_text": text("second"), "checked": True}}],
    )
    assert page["url"].endswith(f"/A-plan-for-May-{page['id'].replace('-', '')}")
    assert page["parent"] == {"type": "page_id", "page_id": served.workspace.root_page_id}

    renamed = await notion.pages.update(page["id"], properties={"title": {"title": text("计划")}}, icon=None)
    assert renamed["icon"] is None
    assert (await notion.pages.retrieve(page["id"]))["properties"]["title"]["title"][0][
        "plain_text"
    ] == "计划"

    assert (await notion.pages.update(page["id"], in_trash=True))["in_trash"] is True
    children = await notion.blocks.children.list(served.workspace.root_page_id)
    assert children["results"] == []
    assert (await notion.pages.update(page["id"], in_trash=False))["in_trash"] is False
    (block,) = (await notion.blocks.children.list(served.workspace.root_page_id))["results"]
    assert (block["type"], block["child_page"], block["has_children"]) == (
        "child_page",
        {"title": "计划"},
        True,
    )

    await notion.pages.update(page["id"], erase_content=True)
    assert (await notion.blocks.children.list(page["id"]))["results"] == []


async def test_every_kind_of_value_is_written_read_and_cleared(
    notion: Notion, served: Any, tickets: str
) -> None:
    owner = (await notion.users.list())["results"][0]
    page = await notion.pages.create(
        parent={"type": "data_source_id", "data_source_id": tickets},
        properties={
            "任务标题": {"title": text("Draw the map")},
            "状态": {"status": {"name": "开发中"}},
            "负责Agent": {"select": {"name": "青鸟"}},
            "标签": {"multi_select": [{"name": "map"}, {"name": "Map"}, {"name": "draw"}]},
            "约束": {"rich_text": [*text("do "), {"text": {"content": "it"}, "annotations": {"bold": True}}]},
            "工时": {"number": 2.5},
            "截止": {"date": {"start": "2026-05-09", "end": "2026-05-10T09:30:00+08:00"}},
            "负责人": {"people": [{"id": owner["id"]}]},
            "附件": {"files": [{"name": "map.png", "external": {"url": "https://example.com/map.png"}}]},
            "紧急": {"checkbox": True},
            "链接": {"url": "https://example.com/a"},
            "邮箱": {"email": "a@example.com"},
            "电话": {"phone_number": "+49 1"},
        },
    )
    values = page["properties"]
    source = await notion.data_sources.retrieve(tickets)

    assert page["parent"]["data_source_id"] == tickets
    assert list(values) == list(TICKETS)
    assert {name: value["id"] for name, value in values.items()} == {
        name: column["id"] for name, column in source["properties"].items()
    }
    assert values["任务标题"]["id"] == "title"
    assert values["编号"]["unique_id"] == {"prefix": "T", "number": 1}
    assert values["状态"]["status"]["name"] == "开发中"
    assert values["负责Agent"]["select"]["color"] == "blue"
    assert [option["name"] for option in values["标签"]["multi_select"]] == ["map", "draw"]
    assert [run["plain_text"] for run in values["约束"]["rich_text"]] == ["do ", "it"]
    assert values["工时"]["number"] == 2.5
    assert values["截止"]["date"] == {
        "start": "2026-05-09",
        "end": "2026-05-10T09:30:00.000+08:00",
        "time_zone": None,
    }
    assert values["负责人"]["people"] == [owner]
    assert values["附件"]["files"][0]["external"]["url"] == "https://example.com/map.png"
    assert values["创建时间"]["created_time"] == page["created_time"] == "2026-05-04T10:00:00.000Z"
    assert values["创建者"]["created_by"]["id"] == served.workspace.bot_id

    cleared = await notion.pages.update(
        page["id"],
        properties={
            "状态": {"status": None},
            "负责Agent": {"select": None},
            "标签": {"multi_select": []},
            "约束": {"rich_text": []},
            "工时": {"number": None},
            "截止": {"date": None},
            "负责人": {"people": []},
            "附件": {"files": []},
            "紧急": {"checkbox": False},
            "链接": {"url": None},
            "邮箱": {"email": None},
            "电话": {"phone_number": None},
        },
    )
    empty = {name: value[value["type"]] for name, value in cleared["properties"].items()}
    assert empty["状态"]["name"] == "待开发"
    assert [empty[name] for name in ("负责Agent", "工时", "截止", "链接", "邮箱", "电话")] == [None] * 6
    assert [empty[name] for name in ("标签", "约束", "负责人", "附件")] == [[]] * 4


async def test_a_page_shows_the_properties_that_are_asked_for(
    notion: Notion, served: Any, tickets: str
) -> None:
    page = await notion.pages.create(parent={"data_source_id": tickets}, properties={})
    only = await notion.pages.retrieve(page["id"], filter_properties=["title", "工时"])

    assert list(only["properties"]) == ["任务标题", "工时"]


async def test_a_page_moves_into_a_page_and_into_a_data_source(
    notion: Notion, served: Any, tickets: str
) -> None:
    root = served.workspace.root_page_id
    page = await notion.pages.create(parent={"page_id": root}, properties={"title": text("Wanderer")})
    other = await notion.pages.create(parent={"page_id": root}, children=[paragraph("a")])
    inside = await notion.pages.move(page["id"], parent={"page_id": other["id"]})
    row = await notion.pages.move(page["id"], parent={"data_source_id": tickets})
    with pytest.raises(APIResponseError):
        await notion.pages.move(other["id"], parent={"page_id": other["id"]})

    assert inside["parent"] == {"type": "page_id", "page_id": other["id"]}
    assert row["properties"]["任务标题"]["title"][0]["plain_text"] == "Wanderer"
    assert row["properties"]["编号"]["unique_id"]["number"] == 1
    assert row["properties"]["状态"]["status"]["name"] == "待开发"
    assert [found["id"] for found in (await notion.data_sources.query(tickets))["results"]] == [page["id"]]


async def test_blocks_are_appended_in_place_edited_and_trashed(notion: Notion, served: Any) -> None:
    root = served.workspace.root_page_id
    first = await notion.blocks.children.append(root, children=[paragraph(word) for word in "ad"])
    one, two = first["results"]
    between = await notion.blocks.children.append(
        root,
        children=[paragraph("b"), paragraph("c")],
        position={"type": "after_block", "after_block": {"id": one["id"]}},
    )
    at_start = await notion.blocks.children.append(
        root, children=[paragraph("0")], position={"type": "start"}
    )
    at_end = await notion.blocks.children.append(root, children=[paragraph("e")], position={"type": "end"})

    def words(blocks: Any) -> str:
        return "".join(block["paragraph"]["rich_text"][0]["plain_text"] for block in blocks["results"])

    assert words(between) == "bcd"
    assert words(at_start) == "0abcd"
    assert words(at_end) == "e"
    assert words(await notion.blocks.children.list(root)) == "0abcde"

    changed = await notion.blocks.update(two["id"], paragraph={"rich_text": text("D"), "color": "blue"})
    assert changed["paragraph"]["color"] == "blue"
    assert (await notion.blocks.retrieve(two["id"]))["paragraph"]["rich_text"][0]["plain_text"] == "D"
    assert (await notion.blocks.delete(one["id"]))["in_trash"] is True
    assert words(await notion.blocks.children.list(root)) == "0bcDe"
    assert (await notion.blocks.retrieve(one["id"]))["in_trash"] is True
    assert (await notion.blocks.update(one["id"], in_trash=False))["in_trash"] is False
    assert words(await notion.blocks.children.list(root)) == "0abcDe"


async def test_what_is_nested_is_stored_and_only_the_first_level_is_returned(
    notion: Notion, served: Any
) -> None:
    answer = await notion.blocks.children.append(
        served.workspace.root_page_id,
        children=[
            {
                "bulleted_list_item": {
                    "rich_text": text("1"),
                    "children": [
                        {"bulleted_list_item": {"rich_text": text("2"), "children": [paragraph("3")]}},
                    ],
                }
            },
            {
                "table": {
                    "table_width": 2,
                    "has_column_header": True,
                    "children": [{"table_row": {"cells": [text("a"), []]}}],
                }
            },
        ],
    )
    assert [(block["type"], block["has_children"]) for block in answer["results"]] == [
        ("bulleted_list_item", True),
        ("table", True),
    ]
    (inner,) = (await notion.blocks.children.list(answer["results"][0]["id"]))["results"]
    (innermost,) = (await notion.blocks.children.list(inner["id"]))["results"]
    (row,) = (await notion.blocks.children.list(answer["results"][1]["id"]))["results"]

    assert innermost["parent"] == {"type": "block_id", "block_id": inner["id"]}
    assert [len(cell) for cell in row["table_row"]["cells"]] == [1, 0]


async def test_children_are_paged_by_the_next_blocks_id(notion: Notion, served: Any) -> None:
    root = served.workspace.root_page_id
    made = await notion.blocks.children.append(root, children=[paragraph(str(number)) for number in range(5)])
    page = await notion.blocks.children.list(root, page_size=2)

    assert page["has_more"] is True
    assert page["next_cursor"] == made["results"][2]["id"]
    everything = await async_collect_paginated_api(notion.blocks.children.list, block_id=root, page_size=2)
    assert everything == made["results"]


async def test_a_database_is_a_container_of_data_sources(notion: Notion, served: Any) -> None:
    root = served.workspace.root_page_id
    database = await notion.databases.create(
        parent={"type": "page_id", "page_id": root}, title=text("Projects"), is_inline=True
    )
    (first,) = database["data_sources"]
    second = await notion.data_sources.create(
        parent={"type": "database_id", "database_id": database["id"]},
        properties={
            "Task": {"title": {}},
            "Of": {"relation": {"data_source_id": first["id"], "single_property": {}}},
        },
        title=text("Tasks"),
    )
    changed = await notion.databases.update(
        database["id"], description=text("all of them"), icon={"emoji": "📚"}
    )
    project = await notion.pages.create(
        parent={"data_source_id": first["id"]}, properties={"Name": {"title": text("Bridge")}}
    )
    task = await notion.pages.create(
        parent={"data_source_id": second["id"]}, properties={"Of": {"relation": [{"id": project["id"]}]}}
    )

    assert first["name"] == "Projects"
    assert [source["name"] for source in changed["data_sources"]] == ["Projects", "Tasks"]
    assert changed["icon"] == {"type": "emoji", "emoji": "📚"}
    assert second["database_parent"] == {"type": "page_id", "page_id": root}
    assert second["properties"]["Of"]["relation"]["database_id"] == database["id"]
    assert task["properties"]["Of"] | {"id": ""} == {
        "id": "",
        "type": "relation",
        "relation": [{"id": project["id"]}],
        "has_more": False,
    }
    (block,) = (await notion.blocks.children.list(root))["results"]
    assert block["child_database"] == {"title": "Projects"}
    assert (await notion.databases.update(database["id"], in_trash=True))["in_trash"] is True


async def test_columns_are_added_renamed_retyped_and_dropped(notion: Notion, tickets: str) -> None:
    page = await notion.pages.create(
        parent={"data_source_id": tickets},
        properties={
            "工时": {"number": 3},
            "负责Agent": {"select": {"name": "青鸟"}},
            "约束": {"rich_text": text("12")},
        },
    )
    before = await notion.data_sources.retrieve(tickets)
    after = await notion.data_sources.update(
        tickets,
        properties={
            "工时": {"name": "Hours"},
            before["properties"]["约束"]["id"]: {"number": {}},
            "负责Agent": {"multi_select": {}},
            "附件": None,
            "序号": {"unique_id": {"prefix": None}},
            "阶段": {"status": {}},
        },
    )
    values = (await notion.pages.retrieve(page["id"]))["properties"]

    assert after["properties"]["Hours"]["id"] == before["properties"]["工时"]["id"]
    assert values["Hours"]["number"] == 3
    assert values["约束"]["number"] == 12
    assert [option["name"] for option in values["负责Agent"]["multi_select"]] == ["青鸟"]
    assert "附件" not in values
    assert values["序号"]["unique_id"] == {"prefix": None, "number": 1}
    assert values["阶段"]["status"]["name"] == "Not started"
    assert [group["name"] for group in after["properties"]["阶段"]["status"]["groups"]] == [
        "To-do",
        "In progress",
        "Complete",
    ]


async def test_options_left_out_of_a_schema_edit_are_gone_and_known_ones_stay(
    notion: Notion, tickets: str
) -> None:
    page = await notion.pages.create(
        parent={"data_source_id": tickets}, properties={"负责Agent": {"select": {"name": "赤狐"}}}
    )
    made = page["properties"]["负责Agent"]["select"]
    edited = await notion.data_sources.update(
        tickets,
        properties={
            "负责Agent": {"select": {"options": [{"id": made["id"], "name": "红狐"}, {"name": "白鹤"}]}}
        },
    )

    options = edited["properties"]["负责Agent"]["select"]["options"]
    assert [option["name"] for option in options] == ["赤狐", "白鹤"]
    assert options[0]["id"] == made["id"]


async def test_rows_are_found_sorted_and_paged(notion: Notion, tickets: str) -> None:
    for number in range(7):
        status = "待开发" if number % 2 else "已完成"
        await notion.pages.create(
            parent={"data_source_id": tickets},
            properties={
                "任务标题": {"title": text(f"Row {number}")},
                "工时": {"number": number},
                "状态": {"status": {"name": status}},
            },
        )

    async def hours(**query: Any) -> list[Any]:
        rows = await async_collect_paginated_api(notion.data_sources.query, data_source_id=tickets, **query)
        return [row["properties"]["工时"]["number"] for row in rows]

    ready = {"property": "状态", "status": {"equals": "待开发"}}
    assert await hours(page_size=3) == [6, 5, 4, 3, 2, 1, 0]
    assert await hours(filter=ready, sorts=[{"property": "工时", "direction": "ascending"}], page_size=2) == [
        1,
        3,
        5,
    ]
    assert await hours(
        filter={"and": [ready, {"or": [{"property": "工时", "number": {"less_than": 2}},
                                       {"property": "任务标题", "title": {"contains": "row 5"}}]}]},
        sorts=[{"timestamp": "created_time", "direction": "ascending"}],
        page_size=1,
    ) == [1, 5]  # fmt: skip
    assert await hours(
        filter={"timestamp": "last_edited_time", "last_edited_time": {"on_or_after": "2026-05-04T10:00:00Z"}},
        sorts=[{"timestamp": "last_edited_time", "direction": "descending"}],
        page_size=4,
    ) == [6, 5, 4, 3, 2, 1, 0]
    assert (
        await hours(
            filter={"timestamp": "last_edited_time", "last_edited_time": {"after": "2026-05-04T10:00:00Z"}}
        )
        == []
    )
    first = await notion.data_sources.query(tickets, page_size=1, filter_properties=["工时"])
    assert list(first["results"][0]["properties"]) == ["工时"]


async def test_search_finds_titles(notion: Notion, served: Any, tickets: str) -> None:
    await notion.pages.create(
        parent={"data_source_id": tickets}, properties={"任务标题": {"title": text("Build the 工单 page")}}
    )
    both = await notion.search(query="工单", page_size=1)
    rest = await notion.search(query="工单", start_cursor=both["next_cursor"])
    sources = await notion.search(filter={"property": "object", "value": "data_source"})
    everything = await notion.search(sort={"timestamp": "last_edited_time", "direction": "ascending"})

    assert {item["object"] for item in both["results"] + rest["results"]} == {"page", "data_source"}
    assert rest["has_more"] is False
    assert [source["id"] for source in sources["results"]] == [tickets]
    assert len(everything["results"]) == 3
    assert (await notion.search(query="nowhere"))["results"] == []


async def test_a_page_is_written_and_edited_as_markdown(notion: Notion, served: Any) -> None:
    page = await notion.pages.create(
        parent={"page_id": served.workspace.root_page_id},
        markdown="# Notes\n\nOne **bold** word.\n\n- a\n- b\n",
    )
    assert page["properties"]["title"]["title"][0]["plain_text"] == "Notes"
    kept = (await notion.blocks.children.list(page["id"]))["results"]

    edited = await notion.pages.update_markdown(
        page["id"],
        type="update_content",
        update_content={"content_updates": [{"old_str": "- a", "new_str": "- A"}]},
    )
    added = await notion.pages.update_markdown(
        page["id"], type="insert_content", insert_content={"content": "The end."}
    )
    after = (await notion.blocks.children.list(page["id"]))["results"]

    assert edited["markdown"] == "One **bold** word.\n- A\n- b"
    assert added == await notion.pages.retrieve_markdown(page["id"]) | {"request_id": added["request_id"]}
    assert added["markdown"].endswith("- b\nThe end.")
    assert [after[0]["id"], after[2]["id"]] == [kept[0]["id"], kept[2]["id"]]
    assert after[1]["id"] != kept[1]["id"]

    replaced = await notion.pages.update_markdown(
        page["id"], type="replace_content", replace_content={"new_str": "Anew."}
    )
    assert replaced["markdown"] == "Anew."


async def test_a_long_value_is_paged_as_property_items(notion: Notion, served: Any, tickets: str) -> None:
    title = [{"text": {"content": word}, "annotations": {"bold": word == "b"}} for word in "abc"]
    page = await notion.pages.create(
        parent={"data_source_id": tickets}, properties={"任务标题": {"title": title}, "工时": {"number": 4}}
    )
    hours = page["properties"]["工时"]["id"]
    first = await notion.pages.properties.retrieve(page["id"], "title", page_size=2)
    rest = await notion.pages.properties.retrieve(page["id"], "title", start_cursor=first["next_cursor"])
    number = await notion.pages.properties.retrieve(page["id"], hours)

    assert [item["title"]["plain_text"] for item in first["results"] + rest["results"]] == ["a", "b", "c"]
    assert first["property_item"]["next_url"].endswith("/properties/title?start_cursor=2")
    assert number | {"request_id": ""} == {
        "object": "property_item", "type": "number", "id": hours, "number": 4, "request_id": "",
    }  # fmt: skip


async def test_people_talk_in_comments(notion: Notion, served: Any) -> None:
    root = served.workspace.root_page_id
    first = await notion.comments.create(parent={"page_id": root}, rich_text=text("Is this right?"))
    answer = await notion.comments.create(discussion_id=first["discussion_id"], rich_text=text("Yes."))
    await notion.comments.update(answer["id"], rich_text=text("No."))
    listed = await notion.comments.list(block_id=root)

    assert [item["rich_text"][0]["plain_text"] for item in listed["results"]] == ["Is this right?", "No."]
    assert first["display_name"] == {"type": "integration", "resolved_name": "Lakelight"}
    await notion.comments.delete(first["id"])
    assert (await notion.comments.retrieve(answer["id"]))["discussion_id"] == first["discussion_id"]
    assert len((await notion.comments.list(block_id=root))["results"]) == 1
