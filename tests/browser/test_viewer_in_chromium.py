"""The embedded workspace's viewer in Chromium: accessible, live without a flash, whole without JavaScript.

With LAKELIGHT_TEST_PICTURES set to a folder, every page that is looked at is kept there as a picture.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from starlette.testclient import TestClient

from notion_embedded.http import create_app
from notion_embedded.store import open_workspace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.xdist_group("browser")]

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}
LOOKS = [
    pytest.param(PHONE, "dark", "zh", id="phone-dark-zh"),
    pytest.param(DESKTOP, "light", "en", id="desktop-light-en"),
]
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="teal"/>'
    "</svg>"
)
COLOURS = ["gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red"]


def words(content: str, **more: Any) -> list[dict[str, Any]]:
    return [{"text": {"content": content}, **more}]


@dataclass
class Furnished:
    """A workspace with one of everything, where it is served, and its API for changes."""

    url: str
    api: TestClient
    page: str = ""
    tickets: str = ""
    source: str = ""
    shelf: str = ""
    row: str = ""

    def post(self, path: str, body: Any) -> Any:
        return self.api.post(path, json=body).raise_for_status().json()

    def add_row(self, title: str, status: str) -> str:
        values = {"Task": {"title": words(title)}, "Status": {"status": {"name": status}}}
        return str(
            self.post("/pages", {"parent": {"data_source_id": self.source}, "properties": values})["id"]
        )

    def move(self, row: str, status: str) -> None:
        values = {"Status": {"status": {"name": status}}}
        self.api.patch(f"/pages/{row}", json={"properties": values}).raise_for_status()

    def at(self, node_id: str, query: str = "") -> str:
        return f"{self.url}/view/{node_id.replace('-', '')}{query}"


def furnish(there: Furnished, root: str) -> None:
    """Make one of everything."""
    upload = there.post("/file_uploads", {"filename": "teal.svg", "content_type": "image/svg+xml"})
    picture = {"file_upload": {"id": upload["id"]}}
    files = {"file": ("teal.svg", PICTURE.encode(), "image/svg+xml")}
    there.api.post(f"/file_uploads/{upload['id']}/send", files=files).raise_for_status()
    there.page = there.post(
        "/pages",
        {
            "parent": {"page_id": root},
            "icon": {"emoji": "🪷"},
            "properties": {"title": {"title": words("One of every block")}},
            "children": blocks(picture),
        },
    )["id"]
    shown = there.api.get(f"/blocks/{there.page}/children").json()["results"]
    synced = next(block for block in shown if block["type"] == "synced_block")
    copy = {"synced_block": {"synced_from": {"block_id": synced["id"]}}}
    there.api.patch(f"/blocks/{there.page}/children", json={"children": [copy]}).raise_for_status()
    for parent in ({"page_id": there.page}, {"block_id": shown[1]["id"]}, {"block_id": shown[3]["id"]}):
        first = there.post("/comments", {"parent": parent, "rich_text": words("Is this the newest version?")})
        answer = {"discussion_id": first["discussion_id"], "rich_text": words("是的，昨天刚更新。")}
        there.post("/comments", answer)
    furnish_tables(there, root, picture)


def blocks(picture: Any) -> list[Any]:
    """One of every type that a request may make."""
    inner = [{"paragraph": {"rich_text": words("Inside")}}]
    text = {"rich_text": words("Plans for the lake, 湖的计划")}
    outside = {"external": {"url": "https://example.com/media.bin"}}
    return [
        {"table_of_contents": {}},
        {"paragraph": text},
        {"breadcrumb": {}},
        {
            "bulleted_list_item": {
                **text,
                "children": [{"bulleted_list_item": {"rich_text": words("deeper")}}],
            }
        },
        {"numbered_list_item": {**text, "list_start_index": 3}},
        {"to_do": {**text, "checked": True}},
        {"to_do": {"rich_text": words("Ask Mei")}},
        *({f"heading_{level}": {"rich_text": words(f"Heading {level}")}} for level in (1, 2, 3, 4)),
        {"heading_2": {"rich_text": words("Heading that opens"), "is_toggleable": True, "children": inner}},
        {"toggle": {"rich_text": words("Toggle"), "children": inner}},
        {"quote": {**text, "children": inner}},
        *(
            {
                "callout": {
                    "rich_text": words(colour),
                    "icon": {"emoji": "💡"},
                    "color": f"{colour}_background",
                }
            }
            for colour in COLOURS
        ),
        {
            "paragraph": {
                "rich_text": [run for c in COLOURS for run in words(f"{c} ", annotations={"color": c})]
            }
        },
        {
            "code": {
                "rich_text": words("def lake(depth):\n    return depth * 2"),
                "language": "python",
                "caption": words("Depths"),
            }
        },
        {"equation": {"expression": "e^{i\\pi} + 1 = 0"}},
        {"divider": {}},
        {
            "table": {
                "table_width": 3,
                "has_column_header": True,
                "has_row_header": True,
                "children": [
                    {"table_row": {"cells": [words(f"{row}{column}") for column in "abc"]}}
                    for row in (1, 2, 3)
                ],
            }
        },
        {
            "column_list": {
                "children": [
                    {"column": {"children": [{"paragraph": text}], "width_ratio": 0.25}},
                    {"column": {"children": [{"paragraph": text}], "width_ratio": 0.75}},
                ]
            }
        },
        {
            "tab": {
                "children": [
                    {"paragraph": {"rich_text": words("First"), "children": inner}},
                    {"paragraph": {"rich_text": words("Second"), "children": inner}},
                ]
            }
        },
        {"synced_block": {"synced_from": None, "children": inner}},
        {"bookmark": {"url": "https://example.com/a/long/path", "caption": words("Read this")}},
        {"embed": {"url": "https://example.com/embed"}},
        *({kind: outside} for kind in ("image", "video", "audio", "pdf", "file")),
        {"image": {**picture, "caption": words("Teal, the colour of the lake")}},
        {"file": picture},
    ]


def furnish_tables(there: Furnished, root: str, picture: Any) -> None:
    """Tickets with a column of every type, related to a shelf of books."""
    shelf = there.post(
        "/databases",
        {
            "parent": {"page_id": root},
            "title": words("Shelf"),
            "initial_data_source": {"properties": {"Name": {"title": {}}, "Pages": {"number": {}}}},
        },
    )
    there.shelf, books = shelf["id"], shelf["data_sources"][0]["id"]
    book = there.post(
        "/pages",
        {
            "parent": {"data_source_id": books},
            "properties": {"Name": {"title": words("Walden")}, "Pages": {"number": 352}},
        },
    )
    options = [
        ("Todo", "gray"),
        ("Doing", "blue"),
        ("Review", "yellow"),
        ("Done", "green"),
        ("Dropped", "red"),
    ]
    columns = {
        "Task": {"title": {}},
        "Status": {"status": {"options": [{"name": name, "color": colour} for name, colour in options]}},
        "Area": {"select": {"options": [{"name": "Garden", "color": "purple"}]}},
        "Tags": {
            "multi_select": {"options": [{"name": "a", "color": "pink"}, {"name": "b", "color": "brown"}]}
        },
        "Notes": {"rich_text": {}},
        "Cost": {"number": {"format": "yuan"}},
        "Due": {"date": {}},
        "Link": {"url": {}},
        "Mail": {"email": {}},
        "Phone": {"phone_number": {}},
        "Ready": {"checkbox": {}},
        "Files": {"files": {}},
        "Books": {"relation": {"data_source_id": books, "single_property": {}}},
        "Pages to read": {
            "rollup": {
                "relation_property_name": "Books",
                "rollup_property_name": "Pages",
                "function": "sum",
            }
        },
        "Titles": {
            "rollup": {
                "relation_property_name": "Books",
                "rollup_property_name": "Name",
                "function": "show_original",
            }
        },
        "Twice": {"formula": {"expression": 'prop("Cost") * 2'}},
        "No.": {"unique_id": {"prefix": "LAKE"}},
        "Who": {"people": {}},
        "Made": {"created_time": {}},
        "Maker": {"created_by": {}},
        "Edited": {"last_edited_time": {}},
        "Editor": {"last_edited_by": {}},
    }
    tickets = there.post(
        "/databases",
        {
            "parent": {"page_id": root},
            "title": words("Tickets"),
            "initial_data_source": {"properties": columns},
        },
    )
    there.tickets, there.source = tickets["id"], tickets["data_sources"][0]["id"]
    me = there.api.get("/users/me").json()["id"]
    full = {
        "Task": {"title": words("Plan the jetty")},
        "Status": {"status": {"name": "Doing"}},
        "Area": {"select": {"name": "Garden"}},
        "Tags": {"multi_select": [{"name": "a"}, {"name": "b"}]},
        "Notes": {"rich_text": words("A long note that nobody wants to see whole in a table. " * 8)},
        "Cost": {"number": 1234.5},
        "Due": {"date": {"start": "2026-08-01", "end": "2026-08-09"}},
        "Link": {"url": "https://example.com/jetty"},
        "Mail": {"email": "mei@example.com"},
        "Phone": {"phone_number": "+86 10 1234"},
        "Ready": {"checkbox": True},
        "Files": {"files": [{"name": "teal", **picture}]},
        "Books": {"relation": [{"id": book["id"]}]},
        "Who": {"people": [{"id": me}]},
    }
    row = {"parent": {"data_source_id": there.source}, "properties": full, "icon": {"emoji": "🛶"}}
    there.row = there.post("/pages", row)["id"]
    for number in range(1, 109):
        there.add_row(f"Ticket {number}", options[number % 4][0])
    gone = there.add_row("An old wish", "Dropped")
    there.api.patch(f"/pages/{gone}", json={"in_trash": True}).raise_for_status()


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory, serving: Callable[..., Any]) -> Iterator[Furnished]:
    """One workspace and one server for all that is looked at here."""
    file = tmp_path_factory.mktemp("viewed") / "workspace.db"
    with open_workspace(file, workspace_name="Lake") as workspace:
        app = create_app(workspace)
        headers = {"Authorization": f"Bearer {workspace.token}", "Notion-Version": "2026-03-11"}
        api = TestClient(app, base_url="http://127.0.0.1/v1", headers=headers)
        with serving(app) as url:
            there = Furnished(url, api)
            furnish(there, workspace.root_page_id)
            yield there


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    contexts: list[BrowserContext] = []

    def open_one(**options: Any) -> Page:
        contexts.append(chromium.new_context(**{"locale": "en-GB", "viewport": DESKTOP, **options}))
        return contexts[-1].new_page()

    yield open_one
    for context in contexts:
        context.close()


def violations(page: Page) -> list[str]:
    found = Axe().run(
        page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    )
    return [
        f"{each['id']}: {node['html'][:200]} {node['failureSummary']}"
        for each in found.response["violations"]
        for node in each["nodes"]
    ]


@pytest.mark.parametrize(("size", "scheme", "language"), LOOKS)
def test_every_page_is_accessible_fits_and_is_light(
    open_page: Callable[..., Page],
    there: Furnished,
    size: dict[str, int],
    scheme: str,
    language: str,
    request: pytest.FixtureRequest,
) -> None:
    look = request.node.callspec.id
    page = open_page(viewport=size, color_scheme=scheme, locale={"zh": "zh-CN", "en": "en-GB"}[language])
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    page.on("console", lambda message: complaints.append(message.text))
    folder = os.environ.get("LAKELIGHT_TEST_PICTURES")
    places = {
        "home": there.url,
        "page": there.at(there.page),
        "table": there.at(there.tickets, "?page=2"),
        "board": there.at(there.tickets, "?as=board"),
        "row": there.at(there.row),
        "search": f"{there.url}/search?q=plan",
        "trash": f"{there.url}/trash",
        "empty": there.at(there.shelf, "?as=board"),
    }
    for name, address in places.items():
        asked.clear()
        page.goto(address, wait_until="load")
        wanted = [url for url in asked if url.partition("#")[0] != address or url == asked[0]]
        size_sent = page.evaluate(
            """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
                .reduce((sum, each) => sum + each.transferSize, 0)"""
        )
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{folder}/viewer-{look}-{name}.png")

        assert violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert len(wanted) <= 6, (name, wanted)
        assert size_sent < 60_000, name
        assert all(url.startswith(there.url) for url in asked), asked
    assert complaints == []


def test_four_statuses_stand_side_by_side_and_a_fifth_is_hinted_at(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    page = open_page()

    page.goto(there.at(there.tickets, "?as=board"))

    edges = [box["x"] + box["width"] for box in (lane.bounding_box() for lane in lanes(page)) if box]
    board = page.locator(".board").bounding_box()
    assert board is not None
    assert [edge <= board["x"] + board["width"] for edge in edges] == [True] * 4 + [False]
    fade = "getComputedStyle(document.querySelector('.board'), '::after').opacity"
    assert page.evaluate(fade) == "1"
    page.locator(".board").evaluate("board => { board.scrollLeft = board.scrollWidth; }")
    page.evaluate(
        f"() => new Promise(done => {{ const look = () => ({fade} === '0' ? done() : setTimeout(look, 20)); look(); }})"
    )


def lanes(page: Page) -> list[Locator]:
    return page.locator(".board section").all()


def test_rows_of_a_table_are_low_whatever_their_cells_hold(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    page = open_page()

    page.goto(there.at(there.tickets, "?page=2"))

    heights = page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(heights) <= 40


def test_a_change_appears_without_a_flash_and_leaves_what_the_visitor_did(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    page = open_page(viewport={"width": 900, "height": 500})
    page.goto(there.at(there.page))
    page.evaluate("window.here = true")
    page.locator("details summary").nth(1).click()
    page.locator("input[type=search]").fill("half a wo")
    page.evaluate("scrollTo(0, 640)")

    body = {"parent": {"page_id": there.page}, "rich_text": words("Said just now")}
    said = there.post("/comments", body)["id"]
    page.get_by_text("Said just now").wait_for(state="attached")

    assert page.evaluate("window.here")
    assert page.evaluate("scrollY") >= 640
    assert page.locator("details").nth(1).get_attribute("open") is None
    assert page.locator("input[type=search]").input_value() == "half a wo"
    there.api.delete(f"/comments/{said}").raise_for_status()
    expect(page.get_by_text("Said just now")).to_have_count(0)


def test_a_card_moves_to_another_status_before_the_visitor_s_eyes(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    row = there.add_row("On its way", "Todo")
    page = open_page()
    page.goto(there.at(there.tickets, "?as=board"))
    page.locator(".board").evaluate("board => { board.scrollLeft = 40; }")
    expect(page.locator(".board section").nth(0).get_by_text("On its way")).to_be_visible()

    there.move(row, "Done")

    expect(page.locator(".board section").nth(3).get_by_text("On its way")).to_be_visible()
    expect(page.get_by_text("On its way")).to_have_count(1)
    assert page.locator(".board").evaluate("board => board.scrollLeft") == 40


def test_the_page_says_that_the_server_is_gone_and_that_it_is_back(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    page = open_page(locale="zh-CN")
    page.goto(there.url)

    page.context.set_offline(offline=True)
    expect(page.get_by_role("status")).to_contain_text("服务已停止")
    gone = violations(page)
    page.context.set_offline(offline=False)

    expect(page.get_by_role("status")).to_contain_text("服务已恢复")
    assert gone == []


def test_without_javascript_everything_is_a_plain_page(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    page = open_page(java_script_enabled=False)

    page.goto(there.url)
    page.get_by_label("Search by title").fill("jetty")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Plan the jetty").click()
    page.get_by_role("link", name="Walden").click()
    page.get_by_role("link", name="Shelf").last.click()
    page.get_by_role("columnheader", name="Pages").get_by_role("link").click()

    expect(page.get_by_role("columnheader", name="Pages")).to_have_attribute("aria-sort", "ascending")
    expect(page.get_by_role("rowheader", name="Walden")).to_be_visible()


def test_an_uploaded_picture_is_drawn(open_page: Callable[..., Page], there: Furnished) -> None:
    page = open_page()

    page.goto(there.at(there.page))
    page.locator("article img").scroll_into_view_if_needed()

    width = page.locator("article img").evaluate("image => image.decode().then(() => image.naturalWidth)")
    assert width == 160


def test_everything_is_reached_by_the_keyboard_and_seen_when_it_is(
    open_page: Callable[..., Page], there: Furnished
) -> None:
    page = open_page()
    page.goto(there.at(there.row, "?live=0"))
    wanted = page.locator("a:visible, button:visible, summary:visible, input:visible").count()

    reached = []
    for _ in range(wanted + 3):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => [document.activeElement.outerHTML.slice(0, 160),
                      getComputedStyle(document.activeElement).outlineStyle]"""
        )
        if name.startswith("<body"):
            break
        reached.append(name)
        assert outline != "none", name

    assert len(set(reached)) >= wanted


def test_nothing_moves_for_who_wants_no_motion(open_page: Callable[..., Page], there: Furnished) -> None:
    page = open_page(reduced_motion="reduce")
    page.goto(there.at(there.tickets, "?as=board"))
    page.locator(".board").wait_for()

    moving = page.evaluate(
        """() => { const card = document.querySelector(".card"); card.classList.add("fresh");
                   const style = getComputedStyle(card); return [style.animationName, style.transitionDuration]; }"""
    )

    assert moving == ["none", "0s"]
