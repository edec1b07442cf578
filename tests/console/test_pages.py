"""What the list and the card show, in which language, and that nothing shown can act."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, nodes

import lakelight.console
from lakelight.messages import Language
from lakelight.messages.catalogue import catalogue
from lakelight.operations import Kind, Operation, request
from lakelight.operations.surroundings import Surroundings

TEMPLATES = Path(lakelight.console.__file__).parent / "templates"
HOSTILE = "<script>alert(1)</script>\"'&<img src=https://evil.example/x.png onerror=alert(1)>"
HIDING = "invoice\u202efdp.exe\u200b\u2066"


def test_the_first_page_is_the_list(browser: Any) -> None:
    answer = browser.open("/", params={"lang": "zh"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/approvals?lang=zh")


def test_the_list_has_what_waits_first_and_oldest_first_then_what_was_decided(
    browser: Any, house: Any
) -> None:
    for number in range(1, 5):
        house.park(house.archive(number), title=f"Page {number}")
    browser.press("/approvals/A-2/reject")

    answer = browser.open("/approvals")

    assert re.findall(r'class="key">(A-\d)<', answer.text) == ["A-1", "A-3", "A-4", "A-2"]
    assert "<title>(3) Approvals" in answer.text


def test_an_empty_list_says_so(browser: Any) -> None:
    assert "Nothing waits for a decision." in browser.text("/approvals")


def test_a_long_list_comes_in_pages_that_stay_small(browser: Any, house: Any) -> None:
    for number in range(1, 101):
        house.park(house.archive(number), title="很长的标题" * 60)

    pages = [browser.open("/approvals", params={"page": page}) for page in ("1", "2", "3", "0", "99", "x")]

    found = [re.findall(r'class="key">A-(\d+)<', page.text) for page in pages]
    assert [(keys[0], keys[-1]) for keys in found] == [
        ("1", "40"),
        ("41", "80"),
        ("81", "100"),
        ("1", "40"),
        ("81", "100"),
        ("1", "40"),
    ]
    assert max(len(page.content) for page in pages) < 60_000


def test_the_card_of_an_archive_says_what_would_go_and_that_it_can_come_back(
    browser: Any, house: Any
) -> None:
    house.park(house.archive())

    text = browser.text("/approvals/A-1")

    assert "move a page to the trash Roadmap in Projects Open in Notion" in text
    assert "A person is asked because the change is wide or hard to take back." in text
    assert "level 2, advanced Can be undone" in text
    assert "Would go to the trash − page Roadmap − subpage Old plans" in text
    assert "With it goes its content, in blocks: 1." in text
    assert "Agent A02 Asked for Please tidy up the roadmap Run run_1" in text
    assert '"in_trash": true' in text
    assert "Edit" not in text


def test_the_card_of_an_update_has_each_property_before_and_after(browser: Any, house: Any) -> None:
    house.park(house.update({"Area": {"select": {"name": "Planning"}}, "Size": {"number": 5}}), reason="ask")

    text = browser.text("/approvals/A-1")

    assert "Area Before Misc After Planning Size Before 3 After 5" in text
    assert "because policy.toml wants it" in text
    assert "Approve Edit Reject" in text


def test_the_card_of_an_append_has_its_blocks(browser: Any, house: Any) -> None:
    house.park(house.append())

    assert "Would be added + heading 2 Plan + paragraph Ship the importer + divider" in browser.text(
        "/approvals/A-1"
    )


def test_what_cannot_be_undone_says_why(browser: Any, house: Any) -> None:
    house.park(house.update({"Unknown": {"number": 1}}))

    assert "Cannot be undone: what was there before was not read" in browser.text("/approvals/A-1")
    assert "cannot be undone" in browser.text("/approvals")


def test_a_ticket_is_named(browser: Any, house: Any) -> None:
    house.park(house.archive())
    with house.database.transaction() as connection:
        connection.exec_driver_sql(
            "INSERT INTO tickets (page_id, number, title, url, state, content_hash, stamp, created_at, updated_at)"
            " VALUES ('p', 'T-7', 'Tidy up', '', 'working', '', '', '', '')"
        )
        connection.exec_driver_sql("UPDATE runs SET kind = 'ticket', page_id = 'p'")

    assert "Ticket T-7 · Tidy up" in browser.text("/approvals/A-1")


def test_an_approval_that_was_parked_without_a_preview_is_shown_by_its_request(
    browser: Any, house: Any
) -> None:
    house.park(house.append())
    with house.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE approvals SET preview = '{}'")

    text = browser.text("/approvals/A-1")

    assert "Ship the importer" in text
    assert "not shared" not in text


@pytest.mark.parametrize(
    "path", ["/approvals", "/approvals/A-1", "/approvals/A-1/edit", "/approvals/A-1/whole"]
)
def test_nothing_that_is_shown_can_act(browser: Any, house: Any, path: str) -> None:
    around = house.around()
    house.park(
        house.update({HOSTILE: {"rich_text": house.plain(HOSTILE)}, "Link": {"url": "javascript:alert(1)"}}),
        title=HOSTILE,
        agent=HOSTILE,
        surroundings=Surroundings(
            target={**(around.target or {}), "url": "javascript:alert(1)"}, place=HOSTILE
        ),
    )

    html = browser.open(path).text

    assert "<script" not in html
    assert "<img" not in html
    assert "onerror=alert" not in re.sub(r"&lt;img[^<]*", "", html)
    assert 'href="javascript' not in html
    assert set(re.findall(r'<(?:a|link|form|button)\b[^>]*?(?:href|action|formaction)="([^"]*)"', html)) <= {
        "#content",
        "/approvals",
        "?lang=zh",
        "/console.css",
        "/console.svg",
        "/approvals/A-1",
        "/approvals/A-1/approve",
        "/approvals/A-1/reject",
        "/approvals/A-1/edit",
        "/approvals/A-1/whole",
    }


@pytest.mark.parametrize("path", ["/approvals", "/approvals/A-1", "/approvals/A-1/edit"])
def test_characters_that_do_not_show_are_written_out(browser: Any, house: Any, path: str) -> None:
    house.park(
        house.update({HIDING: {"rich_text": house.plain(HIDING)}}),
        title=HIDING,
        agent=HIDING,
        surroundings=Surroundings(place=HIDING),
    )

    html = browser.open(path).text

    assert not set(html) & set("\u202e\u200b\u2066")
    assert "<mark>⟨U+202E⟩</mark>" in html


def test_the_editor_gives_hidden_characters_as_escapes_that_keep_them(browser: Any, house: Any) -> None:
    house.park(house.update({"Notes": {"rich_text": house.plain(HIDING)}}))

    assert r"invoice\u202efdp.exe\u200b\u2066" in browser.text("/approvals/A-1/edit")


def test_who_decided_and_why_is_shown_as_text(browser: Any, house: Any) -> None:
    house.park(house.archive())

    text = browser.follow(browser.press("/approvals/A-1/reject", comment=HOSTILE + HIDING))

    assert f"Reason: {HOSTILE}" in text
    assert "⟨U+202E⟩" in text


def test_a_long_change_leads_to_all_of_it_before_the_decision(browser: Any, house: Any) -> None:
    blocks = [
        {"type": "paragraph", "paragraph": {"rich_text": house.plain(f"{number}: " + "长" * 1000)}}
        for number in range(60)
    ]
    house.park(house.append(*blocks))

    card = browser.open("/approvals/A-1")
    whole = browser.open("/approvals/A-1/whole")

    assert len(card.content) < 60_000
    assert "Not shown here, because it is long: 53 more." in browser.shown(card)
    assert all(f">{number}: 长" in whole.text for number in range(60))
    assert "Not shown here" not in browser.shown(whole)
    assert "Approve" in browser.shown(whole)


def test_a_page_asks_for_its_style_and_its_icon_and_for_nothing_of_another_host(
    browser: Any, house: Any
) -> None:
    house.park(house.archive())

    html = browser.open("/approvals/A-1").text

    assert re.findall(r'<link [^>]*href="([^"]+)"', html) == ["/console.css", "/console.svg"]
    assert not re.search(r"\bsrc=|@import|url\(", html + browser.open("/console.css").text)
    assert browser.open("/console.svg").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    "path", ["/approvals/A-9", "/approvals/nothing", "/approvals/A-1%2F..%2F2", "/nowhere"]
)
def test_what_does_not_exist_is_not_found(browser: Any, path: str) -> None:
    assert browser.open(path).status_code == 404


@pytest.mark.parametrize(
    ("accepted", "kept", "asked", "default", "language"),
    [
        pytest.param("zh-CN,zh;q=0.9,en;q=0.8", None, None, "en", "zh", id="the browser's"),
        pytest.param("de,en;q=0.5,zh;q=0.7", None, None, "en", "zh", id="the best of ours"),
        pytest.param("de", None, None, "zh", "zh", id="none of ours"),
        pytest.param("zh", "en", None, "zh", "en", id="the one kept"),
        pytest.param("zh", "zh", "en", "zh", "en", id="the one asked for"),
        pytest.param("en", "xx", "yy", "zh", "en", id="nonsense"),
    ],
)
def test_the_language_is_the_one_asked_for_else_the_one_kept_else_the_browsers(
    browse: Callable[..., Any],
    accepted: str,
    kept: str | None,
    asked: str | None,
    default: Language,
    language: Language,
) -> None:
    browser = browse({"Accept-Language": accepted}, language=default)
    if kept:
        browser.client.cookies.set("lakelight_lang", kept)

    html = browser.open("/approvals", params={"lang": asked} if asked else {}).text

    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in html


def test_a_language_that_was_asked_for_is_remembered(browser: Any, house: Any) -> None:
    house.park(house.archive())
    browser.open("/approvals", params={"lang": "zh"})

    text = browser.text("/approvals/A-1")

    assert "把页面移入回收站 Roadmap 位于 Projects 在 Notion 中打开" in text
    assert "批准 拒绝" in text


def test_every_sentence_of_the_templates_is_in_the_catalogue_and_gets_its_facts() -> None:
    texts = catalogue("en")
    used = [
        (file.name, call.args[0].value, {each.key for each in call.kwargs})
        for file in TEMPLATES.glob("*.html")
        for call in Environment(autoescape=True).parse(file.read_text("utf-8")).find_all(nodes.Call)
        if isinstance(call.node, nodes.Name)
        and call.node.name == "say"
        and isinstance(call.args[0], nodes.Const)
    ]

    assert len(used) > 60
    assert [(name, key) for name, key, _ in used if key not in texts] == []
    wanting = [(name, key) for name, key, facts in used if set(re.findall(r"\{(\w+)\}", texts[key])) - facts]
    assert wanting == []


def test_every_kind_of_write_has_a_card(browser: Any, house: Any) -> None:
    for number, kind in enumerate(Kind):
        operation = Operation(
            id=f"op_{number}",
            kind=kind,
            target="11111111-2222-4333-8444-555555555555",
            request=request("PATCH", "/pages/11111111-2222-4333-8444-555555555555", {"strange": [1, "x"]}),
        )
        house.park(operation)

    pages = [browser.open(f"/approvals/A-{number}") for number in range(1, len(Kind) + 1)]

    assert {page.status_code for page in pages} == {200}
    assert not any("kind." in browser.shown(page) for page in pages)
