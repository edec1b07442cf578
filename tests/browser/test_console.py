"""The console in Chromium: accessible, on a phone as on a desktop, light and dark, without JavaScript.

With LAKELIGHT_TEST_PICTURES set to a folder, every page that is looked at is kept there as a picture.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from lakelight.operations import Kind

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.xdist_group("browser")]

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}
LOOKS = [
    pytest.param(PHONE, "light", "zh", id="phone-light-zh"),
    pytest.param(PHONE, "dark", "en", id="phone-dark-en"),
    pytest.param(DESKTOP, "light", "en", id="desktop-light-en"),
    pytest.param(DESKTOP, "dark", "zh", id="desktop-dark-zh"),
]
HIDING = "Invoice\u202efdp.exe"


@pytest.fixture
def filled(house: Any) -> Any:
    """A desk with one of each that matters."""
    words = house.plain
    house.park(house.archive(), title="路线图 · Roadmap 2027", agent="录册A02")
    house.park(
        house.update(
            {
                "Area": {"select": {"name": "Planning"}},
                "Done": {"checkbox": True},
                "Due": {"date": {"start": "2026-12-01"}},
                "Notes": {
                    "rich_text": words("Ship the importer first.\nThen write to the people who asked for it.")
                },
                "Size": {"number": 5},
                "约束": {"rich_text": words("不要改动其他列，完成后在页面末尾写明做了什么。")},
            }
        ),
        title="接口文档整理",
        reason="ask",
        agent="译典A05",
    )
    house.park(
        house.append(
            {"type": "heading_2", "heading_2": {"rich_text": words("Plan for the next round")}},
            {
                "type": "paragraph",
                "paragraph": {"rich_text": words("Ship the importer, see https://a.example/x " * 6)},
            },
            {
                "type": "to_do",
                "to_do": {
                    "rich_text": words("Ask Mei"),
                    "children": [{"type": "paragraph", "paragraph": {"rich_text": words("before Friday")}}],
                },
            },
            {"type": "divider", "divider": {}},
        ),
        title=HIDING,
    )
    house.park(house.archive(9), title="Old notes")
    return house


@pytest.fixture
def open_console(chromium: Browser, address: str, house: Any) -> Iterator[Callable[..., Page]]:
    """A browser that has been signed in by the link."""
    contexts: list[BrowserContext] = []

    def open_one(**options: Any) -> Page:
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{address}/?k={house.secret}")
        return page

    yield open_one
    for context in contexts:
        context.close()


def keep(page: Page, name: str) -> None:
    folder = os.environ.get("LAKELIGHT_TEST_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png")


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
def test_every_page_is_accessible_fits_and_asks_nobody_else(
    open_console: Callable[..., Page],
    address: str,
    filled: Any,
    size: dict[str, int],
    scheme: str,
    language: str,
    request: pytest.FixtureRequest,
) -> None:
    look = request.node.callspec.id
    page = open_console(viewport=size, color_scheme=scheme, locale={"zh": "zh-CN", "en": "en-GB"}[language])
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    page.on("console", lambda message: complaints.append(message.text))
    filled.on_advance = lambda run_id: filled.finish(
        done=(filled.effect(Kind.PAGE_ARCHIVE, "Old notes"),), said="I have put the old notes away."
    )

    def look_at(path: str, name: str, before: Callable[[], object] = lambda: None) -> None:
        asked.clear()
        page.goto(address + path)
        before()
        keep(page, f"{look}-{name}")
        assert violations(page) == [], name
        assert len(asked) <= 6, asked
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert all(url.startswith(address) for url in asked), asked

    look_at("/approvals", "list")
    look_at("/approvals/A-1", "archive")
    look_at("/approvals/A-2", "update")
    look_at("/approvals/A-3", "append")
    look_at("/approvals/A-3", "append-open", lambda: page.locator("summary").click())
    look_at("/approvals/A-2/edit", "edit")
    page.locator('input[name="p4"]').fill("many")
    page.locator("button.primary").first.click()
    page.locator("[role=alert]").wait_for()
    keep(page, f"{look}-edit-wrong")
    assert violations(page) == []
    page.locator('input[name="p4"]').fill("8")
    page.locator('button[value="show"]').first.click()
    page.locator(".result").wait_for()
    keep(page, f"{look}-edit-shown")
    assert violations(page) == []
    page.goto(f"{address}/approvals/A-4")
    page.locator("button.primary").click()
    page.locator(".result").wait_for()
    look_at("/approvals/A-4", "decided")
    look_at("/approvals", "list-decided")
    look_at("/approvals/A-99", "missing")
    page.context.clear_cookies()
    look_at("/approvals", "sign-in")
    assert [each for each in complaints if "status of" not in each] == []


def test_on_a_phone_the_card_is_shown_from_its_top_and_the_buttons_stay_in_view(
    open_console: Callable[..., Page], address: str, filled: Any
) -> None:
    page = open_console(viewport=PHONE, has_touch=True, is_mobile=True)

    page.goto(f"{address}/approvals/A-2")

    assert page.evaluate("scrollY") == 0
    assert page.locator("h1").bounding_box()["y"] < 200  # type: ignore[index]
    for way in (0, 300, 100_000):
        page.evaluate("way => scrollTo(0, way)", way)
        for button in page.locator(".bar > *").all():
            box = button.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= PHONE["height"]
            assert box["height"] >= 44


@pytest.mark.parametrize("path", ["/approvals", "/approvals/A-2", "/approvals/A-2/edit"])
def test_on_a_phone_everything_to_be_touched_is_large_enough(
    open_console: Callable[..., Page], address: str, filled: Any, path: str
) -> None:
    page = open_console(viewport=PHONE, has_touch=True, is_mobile=True)

    page.goto(address + path)

    boxes = {
        each.evaluate("node => node.outerHTML.slice(0, 80)"): each.bounding_box()
        for each in page.locator("a:visible, button:visible, summary:visible, textarea:visible").all()
        if "skip" not in (each.get_attribute("class") or "")
    }
    assert {name for name, box in boxes.items() if box is None or box["height"] < 44} == set()


def test_everything_is_reached_by_the_keyboard_and_seen_when_it_is(
    open_console: Callable[..., Page], address: str, filled: Any
) -> None:
    page = open_console(viewport=DESKTOP)
    page.goto(f"{address}/approvals/A-2")
    wanted = page.locator("a:visible, button:visible, summary:visible, textarea:visible").count()

    reached = []
    for _ in range(wanted + 3):
        page.keyboard.press("Tab")
        name, outline, covered = page.evaluate(
            """() => {
                const node = document.activeElement, box = node.getBoundingClientRect();
                const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                return [node.outerHTML.slice(0, 120), getComputedStyle(node).outlineStyle,
                        node !== document.body && !(over && (node.contains(over) || over.contains(node)))];
            }"""
        )
        if name.startswith("<body"):
            break
        reached.append(name)
        assert outline != "none", name
        assert not covered, name

    assert len(set(reached)) >= wanted


def test_a_decision_takes_no_javascript_and_one_key(
    open_console: Callable[..., Page], address: str, filled: Any
) -> None:
    filled.on_advance = lambda run_id: filled.finish(done=(filled.effect(Kind.PAGE_ARCHIVE),))
    page = open_console(java_script_enabled=False, locale="en-GB")

    page.goto(f"{address}/approvals/A-1")
    page.get_by_role("button", name="Approve").focus()
    page.keyboard.press("Enter")
    page.locator(".result").wait_for()

    assert filled.get(1).state == "approved"
    assert page.url == f"{address}/approvals/A-1"
    assert "Done: move a page to the trash" in page.locator(".result").inner_text()


def test_a_rejection_sends_the_reason_that_was_typed(
    open_console: Callable[..., Page], address: str, filled: Any
) -> None:
    page = open_console(java_script_enabled=False, locale="zh-CN")

    page.goto(f"{address}/approvals/A-1")
    page.locator("textarea").fill("还需要它")
    page.get_by_role("button", name="拒绝").click()
    page.locator(".result").wait_for()

    assert (filled.get(1).state, filled.get(1).comment) == ("rejected", "还需要它")


def test_a_form_on_another_port_of_this_machine_decides_nothing(
    open_console: Callable[..., Page], address: str, filled: Any, serving: Callable[..., Any]
) -> None:
    """For cookies a port is no border: the session goes along, and the form is refused all the same."""
    page = open_console()
    page.goto(f"{address}/approvals/A-1")
    token = page.locator('#decide input[name="token"]').get_attribute("value")
    form = (
        f'<form method="post" action="{address}/approvals/A-1/approve">'
        f'<input name="token" value="{token}"><button>x</button></form>'
    )
    trap = Starlette(routes=[Route("/", lambda request: HTMLResponse(form))])
    with serving(trap) as elsewhere:
        page.goto(elsewhere)
        page.locator("button").click()
        page.locator("h1").wait_for()
    assert filled.get(1).state == "pending"


def test_a_link_on_another_site_leads_in(
    chromium: Browser, address: str, filled: Any, serving: Callable[..., Any]
) -> None:
    """A strict cookie is withheld from what another site began; both links arrive even so."""
    link = f'<a id="in" href="{address}/approvals/A-1?k={filled.secret}">in</a> <a id="on" href="{address}/approvals/A-2">on</a>'
    site = Starlette(routes=[Route("/", lambda request: HTMLResponse(link))])
    context = chromium.new_context(locale="en-GB")
    page = context.new_page()
    with serving(site) as elsewhere:
        other_name = elsewhere.replace("127.0.0.1", "localhost")
        page.goto(other_name)
        page.locator("#in").click()
        page.get_by_role("button", name="Approve").wait_for()
        first = page.url
        page.goto(other_name)
        page.locator("#on").click()
        page.get_by_role("button", name="Approve").wait_for()
        second = page.url
    context.close()

    assert (first, second) == (f"{address}/approvals/A-1", f"{address}/approvals/A-2")
