"""The read-only view: what it shows, in which language, and to whom it refuses to show anything."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from notion_embedded.http import create_app
from notion_embedded.store import Workspace, open_workspace
from notion_embedded.viewer import routes

HOSTILE = "<script>alert(1)</script>\"'&"
NOW = datetime(2026, 7, 4, 9, 8, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    with open_workspace(tmp_path / "workspace.db", workspace_name="Lake", clock=clock) as opened:
        yield opened


@pytest.fixture
def api(workspace: Workspace) -> TestClient:
    headers = {"Authorization": f"Bearer {workspace.token}", "Notion-Version": "2026-03-11"}
    return TestClient(create_app(workspace), base_url="http://127.0.0.1/v1", headers=headers)


@pytest.fixture
def view(workspace: Workspace) -> TestClient:
    return TestClient(Starlette(routes=routes(workspace)), base_url="http://127.0.0.1:8000")


def words(content: str) -> list[dict[str, Any]]:
    return [{"text": {"content": content}}]


def make_page(api: TestClient, workspace: Workspace, title: str, markdown: str = "") -> str:
    parent = {"page_id": workspace.root_page_id}
    body = {"parent": parent, "properties": {"title": {"title": words(title)}}, "markdown": markdown or "x"}
    return str(api.post("/pages", json=body).raise_for_status().json()["id"])


def make_tickets(api: TestClient, workspace: Workspace) -> tuple[str, list[str]]:
    """A database with a status column, and a row for each of two statuses."""
    status = {"options": [{"name": "待开发", "color": "gray"}, {"name": "已完成", "color": "green"}]}
    columns = {
        "任务标题": {"title": {}},
        "状态": {"status": status},
        "链接": {"url": {}},
        "备注": {"rich_text": {}},
        "做完": {"checkbox": {}},
    }
    body = {
        "parent": {"page_id": workspace.root_page_id},
        "title": words("工单"),
        "initial_data_source": {"properties": columns},
    }
    database = api.post("/databases", json=body).raise_for_status().json()
    rows = []
    for title, option in (("第一张", "待开发"), (HOSTILE, "已完成")):
        values = {
            "任务标题": {"title": words(title)},
            "状态": {"status": {"name": option}},
            "链接": {"url": "https://example.com/x"},
            "备注": {"rich_text": words(HOSTILE)},
        }
        parent = {"data_source_id": database["data_sources"][0]["id"]}
        rows.append(
            str(
                api.post("/pages", json={"parent": parent, "properties": values})
                .raise_for_status()
                .json()["id"]
            )
        )
    return str(database["id"]), rows


def address(node_id: str) -> str:
    return f"/view/{node_id.replace('-', '')}"


def test_the_home_page_shows_the_tree_and_what_changed_last(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    page = make_page(api, workspace, "Personas")
    database, _ = make_tickets(api, workspace)

    html = view.get("/").text

    assert "<title>Lake · Lake</title>" in html
    assert html.count(f'href="{address(page)}"') == 2
    assert html.count(f'href="{address(database)}"') == 1
    assert f'href="{address(database)}?as=board"' in html
    assert re.findall(r"<h3>.*?dir=\"auto\">(.*?)</span></span> <span class=\"quiet\">(\d+)<", html) == [
        ("待开发", "1"),
        ("已完成", "1"),
    ]
    recent = html[html.index('id="recent"') :]
    assert recent.index("第一张") > recent.index("alert(1)")
    assert recent.index("第一张") < recent.index("Personas")


def test_a_page_shows_its_blocks(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    source = """\
## Receipt R-1
**done** and `code`
- [x] tested
- a
	- b
1. one
<callout icon="✅" color="green_bg">
	well
</callout>
| A | B |
|---|---|
| 1 | 2 |
```python
x < 1
```
<details><summary>more</summary>inside</details>
---"""
    page = make_page(api, workspace, "Ticket", source)

    html = re.sub(r"\s+", " ", view.get(address(page)).text)

    assert re.search(r'"words">a</div>\s*<ul>\s*<li>\s*<div dir="auto"><div class="words">b</div>', html)
    assert re.search(r'<ol>\s*<li>\s*<div dir="auto"><div class="words">one</div>', html)
    for piece in (
        '<h1 dir="auto">Ticket</h1>',
        ' dir="auto">Receipt R-1</h2>',
        "<strong>done</strong> and <code>code</code>",
        '<li class="done">',
        '<div class="callout on-green">',
        '<th scope="col" dir="auto">A</th>',
        '<td dir="auto">2</td>',
        "<code>x &lt; 1</code>",
        '<summary dir="auto">more</summary>',
        "<hr>",
    ):
        assert piece in html


def test_hostile_text_is_text_everywhere(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    page = make_page(api, workspace, HOSTILE)
    children = [
        {"paragraph": {"rich_text": words(HOSTILE)}},
        {"code": {"rich_text": words(HOSTILE), "language": "html"}},
        {"equation": {"expression": HOSTILE}},
        {"bookmark": {"url": 'https://example.com/"><script>alert(1)</script>'}},
        {"image": {"external": {"url": "https://example.com/a.png"}, "caption": words(HOSTILE)}},
    ]
    api.patch(f"/blocks/{page}/children", json={"children": children}).raise_for_status()
    database, (_, row) = make_tickets(api, workspace)

    for place in (
        "/",
        address(page),
        address(database),
        f"{address(database)}?as=board",
        address(row),
        "/view/<script>",
        "/?lang=<script>",
        "/search?q=<script>alert(1)</script>",
        "/search?q=alert(1)",
    ):
        html = view.get(place).text
        assert re.findall(r"<script.*?>", html) == ['<script src="/viewer.js" defer>']
        assert "&lt;script&gt;" in html


def test_nothing_is_loaded_from_outside(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    page = make_page(
        api,
        workspace,
        "Ticket",
        '![plan](https://example.com/a.png)\n<video src="https://example.com/a.mp4"/>',
    )

    answer = view.get(address(page))

    assert re.findall(r"<(img|video|audio|iframe|object|embed)\b", answer.text) == []
    assert re.findall(r'(?:src|<link[^>]* href)="(?!/viewer)', answer.text) == []
    assert '<a href="https://example.com/a.png" rel="noopener noreferrer nofollow"' in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"\s(?:style|on\w+)=", answer.text) == []
    assert "</script" not in answer.text.replace("defer></script>", "", 1)


def test_a_link_that_is_no_web_address_is_only_words(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    page = make_page(api, workspace, "Ticket")
    rich_text = [{"text": {"content": "tempting", "link": {"url": "javascript:alert(1)"}}}]
    api.patch(f"/blocks/{page}/children", json={"children": [{"paragraph": {"rich_text": rich_text}}]})

    assert "javascript:" not in view.get(address(page)).text


def test_a_link_to_a_page_of_the_workspace_stays_in_the_view(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    target = make_page(api, workspace, "Target")
    url = api.get(f"/pages/{target}").json()["url"]
    page = make_page(api, workspace, "Ticket", f'[there]({url})\n<mention-page url="{url}"/>')

    article = view.get(address(page)).text.partition("<article>")[2]

    assert article.count(f'href="{address(target)}"') == 2


def test_a_database_is_a_table_and_a_board(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    database, (row, _) = make_tickets(api, workspace)

    table, board = (view.get(address(database), params=query).text for query in ({}, {"as": "board"}))

    assert re.search(r'<th scope="col"><a [^>]*>.*?<span dir="auto">状态</span></a></th>', table)
    assert '<span class="chips status"><span class="chip on-gray" dir="auto">待开发</span></span>' in table
    assert f'<a href="{address(row)}" dir="auto">第一张</a>' in table
    lanes = re.findall(r"<h2>.*?dir=\"auto\">(.*?)</span>", board)
    assert lanes == ["待开发", "已完成"]


def test_a_row_shows_its_properties(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    database, (row, _) = make_tickets(api, workspace)

    html = view.get(address(row)).text

    assert '<use href="/viewer.svg#status"/></svg><span dir="auto">状态</span></dt>' in html
    assert f'<a href="{address(database)}" dir="auto">工单</a>' in html


def test_what_lies_in_the_trash_is_not_shown(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    page = make_page(api, workspace, "Secret plan")
    child = api.post(
        "/pages", json={"parent": {"page_id": page}, "properties": {"title": {"title": words("Below it")}}}
    ).json()
    database, (row, _) = make_tickets(api, workspace)
    for gone in (page, row):
        api.patch(f"/pages/{gone}", json={"in_trash": True}).raise_for_status()

    assert "Secret plan" not in view.get("/").text
    assert "Below it" not in view.get("/").text
    assert "第一张" not in view.get(address(database)).text
    assert [view.get(address(gone)).status_code for gone in (page, child["id"], row)] == [404, 404, 404]


@pytest.mark.parametrize("path", ["/view/nonsense", "/view/" + "0" * 32, "/view/..%2f..%2fetc", "/view/%00"])
def test_what_is_not_there_is_said_to_be_missing(view: TestClient, path: str) -> None:
    assert view.get(path).status_code == 404


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8123", "localhost", "LOCALHOST:80", "[::1]", "[::1]:8123"]
)
def test_the_machine_s_own_names_are_answered(view: TestClient, host: str) -> None:
    assert view.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
        "",
        "0.0.0.0",
        "localhost:",
        "[::2]",
    ],
)
@pytest.mark.parametrize("path", ["/", "/viewer.css", "/viewer.svg", "/view/x"])
def test_any_other_name_is_refused(view: TestClient, host: str, path: str) -> None:
    answer = view.get(path, headers={"host": host})

    assert answer.status_code == 421
    assert "Lake" not in answer.text


def test_nothing_can_be_sent(view: TestClient) -> None:
    assert [view.request(method, "/").status_code for method in ("POST", "PUT", "PATCH", "DELETE")] == [
        405
    ] * 4
    assert view.head("/").status_code == 200


@pytest.mark.parametrize(
    ("asked", "accepted", "language"),
    [
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        (None, "en-GB,en;q=0.9,zh;q=0.8", "en"),
        (None, "fr,zh;q=0.5", "zh"),
        (None, "zh;q=0,en;q=0.1", "en"),
        (None, "fr", "en"),
        (None, ";;q=x,,", "en"),
        ("zh", "en", "zh"),
        ("en", "zh", "en"),
        ("de", "zh", "zh"),
    ],
)
def test_the_view_speaks_the_visitor_s_language(
    view: TestClient, asked: str | None, accepted: str, language: str
) -> None:
    html = view.get("/", params={"lang": asked} if asked else {}, headers={"accept-language": accepted}).text

    assert ("最近改动" in html, "Recent changes" in html) == (language == "zh", language == "en")


def test_without_a_script_the_page_updates_by_itself_only_when_asked_and_links_keep_the_choice(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    page = make_page(api, workspace, "Ticket")

    usual, live, still = (
        view.get("/", params=query).text for query in ({}, {"live": "1", "lang": "zh"}, {"live": "0"})
    )

    assert 'http-equiv="refresh"' not in usual + still
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in live
    assert f'href="{address(page)}?lang=zh&amp;live=1"' in live
    assert 'class="live on" href="/?lang=zh&amp;live=0"' in live
    assert "/viewer.js" in usual
    assert "/viewer.js" not in still


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(days=2), "2 d ago"),
        (timedelta(days=9), "2026-07-04"),
    ],
)
def test_the_last_change_is_told_by_its_age(
    api: TestClient, view: TestClient, workspace: Workspace, clock: Clock, passed: timedelta, said: str
) -> None:
    page = make_page(api, workspace, "Ticket")

    clock.now += passed

    assert f'<time datetime="2026-07-04T09:08:00+00:00">{said}</time>' in view.get(address(page)).text


def test_deep_blocks_do_not_break_the_page(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    source = "\n".join("\t" * depth + f"- level {depth}" for depth in range(70))
    page = make_page(api, workspace, "Deep", source)

    answer = view.get(address(page))

    assert answer.status_code == 200
    assert "level 40" in answer.text


def test_a_page_that_has_not_changed_is_not_sent_again(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    page = make_page(api, workspace, "Ticket")
    mark = view.get(address(page)).headers["etag"]

    again = view.get(address(page), headers={"if-none-match": mark})
    api.patch(f"/pages/{page}", json={"icon": {"emoji": "🪷"}}).raise_for_status()
    changed = view.get(address(page), headers={"if-none-match": mark})

    assert (again.status_code, again.content) == (304, b"")
    assert (changed.status_code, "🪷" in changed.text) == (200, True)


def test_comments_stand_where_they_belong(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    page = make_page(api, workspace, "Ticket", "one\ntwo")
    first, _ = api.get(f"/blocks/{page}/children").json()["results"]
    for parent, said in (({"page_id": page}, "About the page"), ({"block_id": first["id"]}, HOSTILE)):
        body = {"parent": parent, "rich_text": words(said)}
        api.post("/comments", json=body).raise_for_status()

    html = view.get(address(page)).text

    assert '<b dir="auto">Lake</b> <span class="quiet"><time datetime="2026-07-04T09:08:00+00:00">' in html
    marks = ["About the page", "<article>", "one</p>", "&lt;script&gt;alert(1)", "two</p>"]
    assert [html.index(mark) for mark in marks] == sorted(html.index(mark) for mark in marks)


def test_formulas_rollups_and_relations_are_shown_as_the_api_computes_them(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    database, (row, other) = make_tickets(api, workspace)
    source = api.get(f"/databases/{database}").json()["data_sources"][0]["id"]
    rollup = {"relation_property_name": "Needs", "rollup_property_name": "任务标题"}
    columns = {
        "Needs": {"relation": {"data_source_id": source, "single_property": {}}},
        "Share": {"number": {"format": "percent"}},
    }
    api.patch(f"/data_sources/{source}", json={"properties": columns}).raise_for_status()
    columns = {
        "Sum": {"formula": {"expression": 'prop("Share") * 3'}},
        "Names": {"rollup": {**rollup, "function": "show_original"}},
        "How many": {"rollup": {**rollup, "function": "count"}},
    }
    api.patch(f"/data_sources/{source}", json={"properties": columns}).raise_for_status()
    values = {"Needs": {"relation": [{"id": other}]}, "Share": {"number": 0.125}}
    api.patch(f"/pages/{row}", json={"properties": values}).raise_for_status()

    html = view.get(address(row)).text

    shown = dict(
        re.findall(r'<span dir="auto">([\w ]+)</span></dt><dd dir="auto">(.*?)</dd>', html, re.DOTALL)
    )
    assert shown["Share"] == "12.5%"
    assert shown["Sum"] == "0.375"
    assert shown["How many"] == "1"
    assert shown["Names"] == "&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;"
    assert f'<a class="chip page" href="{address(other)}"' in shown["Needs"]


def test_a_long_table_is_paged_and_sorted_by_its_heads(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    database, _ = make_tickets(api, workspace)
    source = api.get(f"/databases/{database}").json()["data_sources"][0]["id"]
    for number in range(100):
        values = {"任务标题": {"title": words(f"Row {number:03}")}}
        api.post("/pages", json={"parent": {"data_source_id": source}, "properties": values})

    def titles(**query: str) -> list[str]:
        html = view.get(address(database), params=query).text
        return re.findall(r'<th scope="row"><a [^>]*>(.*?)</a>', html)

    first, second, sorted_up, sorted_down = (
        titles(),
        titles(page="2"),
        titles(sort="title"),
        titles(sort="title", down="1"),
    )

    assert (len(first), first[0], len(second), second[1]) == (100, "Row 099", 2, "第一张")
    assert sorted_up[1:3] == ["Row 000", "Row 001"]
    assert sorted_down[:2] == ["第一张", "Row 099"]
    assert "101–102 of 102" in view.get(address(database), params={"page": "999"}).text
    assert 'aria-sort="descending"' in view.get(address(database), params={"sort": "title", "down": "1"}).text


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page=99999999999", "sort=no", "only=no", "source=9"]
)
def test_an_address_that_asks_for_nonsense_shows_the_table(
    api: TestClient, view: TestClient, workspace: Workspace, query: str
) -> None:
    database, _ = make_tickets(api, workspace)

    assert "第一张" in view.get(f"{address(database)}?{query}").text


def test_one_status_alone_can_be_looked_at(api: TestClient, view: TestClient, workspace: Workspace) -> None:
    database, _ = make_tickets(api, workspace)
    board = view.get(address(database), params={"as": "board"}).text
    source = api.get(f"/databases/{database}").json()["data_sources"][0]["id"]
    options = api.get(f"/data_sources/{source}").json()["properties"]["状态"]["status"]["options"]

    html = view.get(address(database), params={"only": options[0]["id"]}).text

    assert f'data-key="{options[0]["id"]}"' in board
    assert re.findall(r'<th scope="row"><a [^>]*>(.*?)</a>', html) == ["第一张"]


def test_titles_are_searched_and_what_is_in_the_trash_is_listed_there_alone(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    kept, gone = make_page(api, workspace, "Harbour plan"), make_page(api, workspace, "Harbour wish")
    api.patch(f"/pages/{gone}", json={"in_trash": True}).raise_for_status()

    found, trash = view.get("/search", params={"q": "hArBoUr"}).text, view.get("/trash").text

    assert f'href="{address(kept)}"' in found
    assert "Harbour wish" not in found
    assert "Harbour wish" in trash
    assert f'href="{address(gone)}"' not in trash
    assert "No page has these words" in view.get("/search", params={"q": "nothing like it"}).text


def test_an_uploaded_picture_is_shown_from_its_signed_address(
    api: TestClient, view: TestClient, workspace: Workspace
) -> None:
    page = make_page(api, workspace, "Ticket")
    upload = api.post("/file_uploads", json={"filename": "a.png", "content_type": "image/png"}).json()["id"]
    api.post(f"/file_uploads/{upload}/send", files={"file": ("a.png", b"\x89PNG", "image/png")})
    children = [{"image": {"file_upload": {"id": upload}, "caption": words("The lake")}}]
    api.patch(f"/blocks/{page}/children", json={"children": children}).raise_for_status()

    html = view.get(address(page)).text

    found = re.search(r'<img src="(/files/[^"]+)" alt="The lake"', html)
    assert found is not None
    served = TestClient(create_app(workspace), base_url="http://127.0.0.1")
    assert served.get(found.group(1).replace("&amp;", "&")).content == b"\x89PNG"
