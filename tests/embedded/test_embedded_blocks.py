"""Blocks: what each type takes, what may stand in what, and what goes along when a block goes."""

import json
from typing import Any

import pytest

Json = dict[str, Any]

NOBODY = "e8f21a04-1a15-80eb-87e8-ae2e9fbf7d9e"
PICTURE = {"external": {"url": "https://example.com/a.png"}}
CHILD = {"paragraph": {"rich_text": [{"text": {"content": "inner"}}]}}


def text(words: str) -> list[Json]:
    return [{"text": {"content": words}}]


def row(*cells: str) -> Json:
    return {"table_row": {"cells": [text(cell) for cell in cells]}}


def columns(*widths: float | None) -> Json:
    made = [{"column": {"children": [CHILD], **({"width_ratio": w} if w else {})}} for w in widths]
    return {"column_list": {"children": made}}


class Page:
    """A page, and what is asked of its blocks."""

    def __init__(self, served: Any) -> None:
        self.served = served
        self.id: str = served.workspace.root_page_id

    async def append(self, *blocks: Json, to: str | None = None, **more: Any) -> tuple[int, Json]:
        body = {"children": list(blocks), **more}
        status, answer = await self.served.call("PATCH", f"/blocks/{to or self.id}/children", body)
        return status, answer

    async def add(self, *blocks: Json, to: str | None = None, **more: Any) -> list[Json]:
        status, answer = await self.append(*blocks, to=to, **more)
        assert status == 200, answer
        return list(answer["results"])

    async def children(self, of: str | None = None) -> list[Json]:
        status, answer = await self.served.call("GET", f"/blocks/{of or self.id}/children")
        assert status == 200, answer
        return list(answer["results"])

    async def block(self, block_id: str) -> Json:
        _, answer = await self.served.call("GET", f"/blocks/{block_id}")
        return dict(answer)

    async def edit(self, block_id: str, body: Json) -> tuple[int, Json]:
        status, answer = await self.served.call("PATCH", f"/blocks/{block_id}", body)
        return status, answer

    async def delete(self, block_id: str) -> Json:
        status, answer = await self.served.call("DELETE", f"/blocks/{block_id}")
        assert status == 200, answer
        return dict(answer)


@pytest.fixture
def page(direct: Any) -> Page:
    return Page(direct)


EDITS: list[tuple[str, Json, Json]] = [
    ("paragraph", {"rich_text": text("a")}, {"rich_text": text("b"), "color": "red"}),
    ("heading_1", {"rich_text": text("a")}, {"is_toggleable": True}),
    ("heading_2", {"rich_text": text("a")}, {"rich_text": text("b")}),
    ("heading_3", {"rich_text": text("a")}, {"color": "blue_background"}),
    ("heading_4", {"rich_text": text("a"), "is_toggleable": True}, {"is_toggleable": False}),
    ("bulleted_list_item", {"rich_text": text("a")}, {"rich_text": []}),
    ("numbered_list_item", {"rich_text": text("a")}, {"list_format": "roman"}),
    ("to_do", {"rich_text": text("a")}, {"checked": True}),
    ("toggle", {"rich_text": text("a"), "children": [CHILD]}, {"rich_text": text("b")}),
    ("quote", {"rich_text": text("a")}, {"color": "gray"}),
    ("callout", {"rich_text": text("a"), "icon": {"emoji": "💡"}}, {"icon": None}),
    ("code", {"rich_text": text("a"), "language": "go"}, {"language": "rust", "caption": text("c")}),
    ("equation", {"expression": "x"}, {"expression": "y"}),
    ("table_of_contents", {}, {"color": "brown"}),
    ("template", {"rich_text": text("a"), "children": [CHILD]}, {"rich_text": text("b")}),
    ("bookmark", {"url": "https://example.com/a"}, {"url": "https://example.com/b", "caption": text("c")}),
    ("embed", {"url": "https://example.com/a"}, {"url": "https://example.com/b"}),
    ("image", PICTURE, {"caption": text("c")}),
    ("video", PICTURE, {"external": {"url": "https://example.com/b.mp4"}}),
    ("audio", PICTURE, {"caption": text("c")}),
    ("pdf", PICTURE, {"caption": text("c")}),
    ("file", {**PICTURE, "name": "a.zip"}, {"name": "b.zip"}),
    ("table", {"table_width": 1, "children": [row("a")]}, {"has_column_header": True}),
    ("link_to_page", {"page_id": NOBODY}, {"database_id": NOBODY}),
]


async def test_every_type_is_made_read_and_edited_and_keeps_its_type(page: Page) -> None:
    wrong: list[Any] = []
    for kind, made, change in EDITS:
        (block,) = await page.add({"type": kind, kind: made})
        status, edited = await page.edit(block["id"], {kind: change})
        if status != 200 or edited["type"] != kind:
            wrong.append((kind, edited))
            continue
        if edited[kind] != (await page.block(block["id"]))[kind] or edited[kind] == block[kind]:
            wrong.append((kind, edited[kind]))
        other = "divider" if kind != "divider" else "breadcrumb"
        if (await page.edit(block["id"], {other: {}}))[0] != 400:
            wrong.append((kind, "became a divider"))
        if (await page.edit(block["id"], {kind: {**change, "children": []}}))[0] != 400:
            wrong.append((kind, "took children"))

    assert wrong == []


@pytest.mark.parametrize(
    "kind", ["child_page", "child_database", "link_preview", "meeting_notes", "unsupported"]
)
async def test_what_only_notion_makes_is_refused(page: Page, kind: str) -> None:
    status, answer = await page.append({"type": kind, kind: {}})

    assert (status, answer["code"]) == (400, "validation_error")
    assert answer["message"].startswith("body failed validation. Fix one:\nbody.children[0].paragraph")


MISPLACED = [
    pytest.param(columns(None), id="one column"),
    pytest.param(columns(0.5, 1.5), id="a column wider than the page"),
    pytest.param({"column_list": {"children": [CHILD, CHILD]}}, id="columns that are paragraphs"),
    pytest.param({"column": {"children": [CHILD]}}, id="a column by itself"),
    pytest.param({"tab": {"children": [{"divider": {}}]}}, id="a tab of dividers"),
    pytest.param({"table": {"table_width": 1, "children": []}}, id="a table without rows"),
    pytest.param({"table": {"table_width": 0, "children": [row()]}}, id="a table without columns"),
    pytest.param({"table": {"table_width": 1, "children": [CHILD]}}, id="a table of paragraphs"),
    pytest.param({"divider": {"children": [CHILD]}}, id="a divider with children"),
    pytest.param({"synced_block": {"synced_from": {"block_id": NOBODY}}}, id="a copy of nothing"),
    pytest.param({"synced_block": {}}, id="neither copy nor original"),
    pytest.param({"link_to_page": {"page_id": NOBODY, "database_id": NOBODY}}, id="two links in one"),
    pytest.param({"link_to_page": {}}, id="a link to nothing"),
    pytest.param({"image": {}}, id="no picture"),
    pytest.param({"callout": {"rich_text": [], "icon": {"emoji": "x"}}}, id="a letter for an emoji"),
    pytest.param({"callout": {"rich_text": [], "icon": {"custom_emoji": {"id": NOBODY}}}}, id="an unknown emoji"),
    pytest.param({"paragraph": {"rich_text": [{"mention": {"link_preview": {}}}]}}, id="a preview in a text"),
    pytest.param({"numbered_list_item": {"rich_text": [], "list_format": "greek"}}, id="an unknown numbering"),
    pytest.param({"paragraph": {}, "divider": {}}, id="two types in one"),
]  # fmt: skip


@pytest.mark.parametrize("block", MISPLACED)
async def test_what_cannot_stand_there_is_refused_and_nothing_is_written(page: Page, block: Json) -> None:
    status, answer = await page.append({"divider": {}}, block)

    assert (status, answer["code"]) == (400, "validation_error")
    assert await page.children() == []


async def test_columns_keep_their_widths_and_take_more_columns(page: Page) -> None:
    (made,) = await page.add(columns(0.25, 0.75))
    first, second = await page.children(made["id"])
    await page.add({"column": {"children": [CHILD]}}, to=made["id"])
    status, _ = await page.append(CHILD, to=made["id"])
    _, edited = await page.edit(first["id"], {"column": {"width_ratio": 0.4}})

    assert (first["column"], second["column"]) == ({"width_ratio": 0.25}, {"width_ratio": 0.75})
    assert [block["type"] for block in await page.children(made["id"])] == ["column"] * 3
    assert status == 400
    assert edited["column"] == {"width_ratio": 0.4}


async def test_a_table_takes_rows_of_its_width_only(page: Page) -> None:
    (table,) = await page.add({"table": {"table_width": 2, "children": [row("a", "b")]}})
    status, refusal = await page.append(row("c"), to=table["id"])
    (added,) = await page.add(row("c", "d"), to=table["id"])
    narrow, _ = await page.edit(added["id"], {"table_row": {"cells": [[]]}})
    widened, _ = await page.edit(table["id"], {"table": {"table_width": 3}})

    assert status == 400
    assert refusal["message"] == "Number of cells in table row must match the table width of the parent table"
    assert (narrow, widened) == (400, 400)
    assert len(await page.children(table["id"])) == 2


async def test_a_copy_of_a_synced_block_shows_and_takes_what_its_original_has(page: Page) -> None:
    (original,) = await page.add({"synced_block": {"synced_from": None, "children": [CHILD]}})
    source = {"type": "block_id", "block_id": original["id"]}
    (copy,) = await page.add({"synced_block": {"synced_from": source}})
    await page.add({"divider": {}}, to=copy["id"])
    inside = await page.children(copy["id"])
    again, _ = await page.append({"synced_block": {"synced_from": {"block_id": copy["id"]}}})
    full, _ = await page.append({"synced_block": {"synced_from": source, "children": [CHILD]}})

    assert copy["synced_block"] == {"synced_from": source}
    assert copy["has_children"] is True
    assert inside == await page.children(original["id"])
    assert [block["type"] for block in inside] == ["paragraph", "divider"]
    assert {block["parent"]["block_id"] for block in inside} == {original["id"]}
    assert (again, full) == (400, 400)


async def test_a_copy_whose_original_is_gone_is_empty(page: Page) -> None:
    (original,) = await page.add({"synced_block": {"synced_from": None, "children": [CHILD]}})
    (copy,) = await page.add({"synced_block": {"synced_from": {"block_id": original["id"]}}})
    await page.delete(original["id"])

    assert (await page.block(copy["id"]))["has_children"] is False
    assert await page.children(copy["id"]) == []


async def test_a_heading_holds_blocks_when_it_has_a_toggle_and_keeps_it_as_long(page: Page) -> None:
    (heading,) = await page.add({"heading_2": {"rich_text": text("a")}})
    closed, _ = await page.append(CHILD, to=heading["id"])
    await page.edit(heading["id"], {"heading_2": {"is_toggleable": True}})
    (inner,) = await page.add(CHILD, to=heading["id"])
    kept, _ = await page.edit(heading["id"], {"heading_2": {"is_toggleable": False}})
    await page.delete(inner["id"])
    emptied, _ = await page.edit(heading["id"], {"heading_2": {"is_toggleable": False}})
    (full,) = await page.add({"heading_3": {"rich_text": text("b"), "children": [CHILD]}})

    assert (closed, kept, emptied) == (400, 400, 200)
    assert (full["heading_3"]["is_toggleable"], full["has_children"]) == (True, True)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("unsupported", {"block_type": "button"}),
        ("link_preview", {"url": "https://example.com/pull/1"}),
        ("meeting_notes", {"title": []}),
    ],
)
async def test_what_requests_cannot_make_is_read_and_trashed_but_not_edited(
    page: Page, kind: str, body: Json
) -> None:
    (block,) = await page.add({"divider": {}})
    with page.served.workspace.writing() as connection:
        connection.execute(
            "UPDATE node SET type = ?, body = ? WHERE id = ?",
            (kind, json.dumps(body), block["id"]),
        )
    (shown,) = await page.children()
    edited, _ = await page.edit(block["id"], {kind: body})
    appended, _ = await page.append(CHILD, to=block["id"])

    assert (shown["type"], shown[kind]) == (kind, body)
    assert (edited, appended) == (400, 400)
    assert (await page.delete(block["id"]))["in_trash"] is True


async def test_a_position_returns_the_new_blocks_and_then_those_that_follow(page: Page) -> None:
    one, two = await page.add({"divider": {}}, {"breadcrumb": {}})
    equation = {"equation": {"expression": "x"}}
    behind = {"type": "after_block", "after_block": {"id": one["id"]}}
    after = await page.add(equation, position=behind)
    start = await page.add({"table_of_contents": {}}, position={"type": "start"})
    end = await page.add(equation, position={"type": "end"})

    def kinds(blocks: list[Json]) -> list[str]:
        return [block["type"] for block in blocks]

    assert kinds(after) == ["equation", "breadcrumb"]
    assert after[-1]["id"] == two["id"]
    assert kinds(start) == ["table_of_contents", "divider", "equation", "breadcrumb"]
    assert kinds(end) == ["equation"]
    assert kinds(await page.children()) == [*kinds(start), "equation"]


@pytest.mark.parametrize(
    "position",
    [
        {"type": "after_block", "after_block": {"id": NOBODY}},
        {"type": "after_block"},
        {"type": "start", "after_block": {"id": NOBODY}},
        {},
    ],
)
async def test_a_position_that_is_nowhere_is_refused(page: Page, position: Json) -> None:
    status, answer = await page.append({"divider": {}}, position=position)

    assert (status, answer["code"]) == (400, "validation_error")
    assert await page.children() == []


@pytest.mark.parametrize("kind", ["column", "callout"])
async def test_a_database_goes_to_the_trash_with_its_column_or_callout_and_comes_back(
    page: Page, kind: str
) -> None:
    if kind == "column":
        (whole,) = await page.add(columns(None, None))
        holder = (await page.children(whole["id"]))[0]
    else:
        (holder,) = await page.add({"callout": {"rich_text": []}})
    _, database = await page.served.call("POST", "/databases", {"parent": {"page_id": page.id}})
    with page.served.workspace.writing() as connection:
        # Only in Notion's own window can a database be put into a block.
        connection.execute(
            "UPDATE node SET parent = ?, parent_kind = 'block' WHERE id = ?", (holder["id"], database["id"])
        )

    async def in_trash() -> bool:
        return bool((await page.served.call("GET", f"/databases/{database['id']}"))[1]["in_trash"])

    await page.delete(holder["id"])
    gone = await in_trash()
    await page.edit(holder["id"], {"in_trash": False})

    assert (gone, await in_trash()) == (True, False)


async def test_what_was_in_the_trash_before_its_block_stays_there(page: Page) -> None:
    (callout,) = await page.add({"callout": {"rich_text": []}})
    _, database = await page.served.call("POST", "/databases", {"parent": {"page_id": page.id}})
    with page.served.workspace.writing() as connection:
        connection.execute(
            "UPDATE node SET parent = ?, parent_kind = 'block' WHERE id = ?", (callout["id"], database["id"])
        )
    await page.served.call("PATCH", f"/databases/{database['id']}", {"in_trash": True})
    page.served.clock.pass_seconds(120)
    await page.delete(callout["id"])
    await page.edit(callout["id"], {"in_trash": False})

    assert (await page.served.call("GET", f"/databases/{database['id']}"))[1]["in_trash"] is True


async def test_two_levels_below_the_block_are_the_most_in_one_request(page: Page) -> None:
    def nested(levels: int) -> Json:
        return {"toggle": {"rich_text": [], **({"children": [nested(levels - 1)]} if levels else {})}}

    assert (await page.append(nested(2)))[0] == 200
    assert (await page.append({"toggle": {"rich_text": [], "children": [columns(None, None)]}}))[0] == 400
    (outer,) = [block for block in await page.children() if block["type"] == "toggle"]
    assert (await page.append(nested(2), to=outer["id"]))[0] == 200
