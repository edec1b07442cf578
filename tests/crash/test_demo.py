"""The demo is killed while it seeds and while it works; the next one brings it to its end."""

import json
import re
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RESTS = re.compile(r"\d+ done · \d+ waiting")


class Demo:
    """A home with an embedded workspace, and demos that run in it."""

    def __init__(self, nursery: Any, home: Path) -> None:
        self._nursery = nursery
        self.home = home

    def start(self, command: str, *arguments: str) -> Any:
        settings = {
            "LAKELIGHT_HOME": str(self.home),
            "LAKELIGHT_LANG": "en",
            "LAKELIGHT_NOTION__SETTLE": "0",
            "LAKELIGHT_TICKETS__RETRY_SECONDS": "0.05",
        }
        return self._nursery.start(command, *arguments, environment=settings)

    def kill_when(self, reached: Callable[[Any], object], command: str = "demo") -> None:
        """Start one and kill it at the moment that `reached` tells of."""
        child = self.start(command)
        while not reached(child):
            assert not child.ended.is_set(), child.output
            time.sleep(0.005)
        child.kill()

    def seeded(self, things: int) -> Callable[[Any], bool]:
        """Whether so many pages and databases stand in the workspace that the child serves."""

        def reached(child: Any) -> bool:
            served = [json.loads(file.read_text()) for file in self.home.glob("*/server.json")]
            return any(note["pid"] == child.pid and _found(note) >= things for note in served)

        return reached


def _found(note: dict[str, Any]) -> int:
    headers = {
        "authorization": f"Bearer {note['token']}",
        "notion-version": "2026-03-11",
        "content-type": "application/json",
    }
    request = urllib.request.Request(f"{note['url']}/v1/search", b"{}", headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return len(json.load(answer)["results"])
    except urllib.error.URLError:
        return 0


def _titles(found: list[dict[str, Any]]) -> Counter[str]:
    titles = [
        thing["title"]
        if thing["object"] == "data_source"
        else next(value["title"] for value in thing["properties"].values() if value["type"] == "title")
        for thing in found
    ]
    return Counter("".join(part["plain_text"] for part in title) for title in titles)


@pytest.fixture
def demo(nursery: Any, tmp_path: Path) -> Iterator[Demo]:
    return Demo(nursery, tmp_path / "home")


def test_a_demo_that_is_killed_again_and_again_ends_with_one_receipt_a_ticket(
    demo: Demo, serve: Callable[[Path], Any]
) -> None:
    for things in (1, 5, 14):
        demo.kill_when(demo.seeded(things))
    for words in ("picked up", "draft saved", "receipt R-2", "receipt R-4"):
        # Where the kill before came late, the line has been said already, and the demo comes to rest.
        demo.kill_when(lambda child, words=words: words in child.output or RESTS.search(child.output))

    last = demo.start("demo", "--once", "--json")
    last.wait()

    (file,) = demo.home.glob("*/embedded.db")
    workspace = serve(file)
    found = workspace.rows("POST", "/search", {})
    pages = [thing for thing in found if thing["object"] == "page"]
    receipts = {
        page["id"]: [
            match[1]
            for block in workspace.rows("GET", f"/blocks/{page['id']}/children")
            if block["type"] == "heading_2"
            for part in block["heading_2"]["rich_text"]
            if (match := re.fullmatch(r"(?:回执|Receipt) R-(\d+)", part["plain_text"]))
        ]
        for page in pages
    }
    finished = [
        page["id"]
        for page in pages
        if page["properties"].get("状态", {}).get("status", {}).get("name") == "已完成"
    ]
    assert last.data["tickets"]["done"] == len(finished) >= 5
    assert last.data["tickets"]["failed"] == 0
    assert {page for page, numbers in receipts.items() if numbers} == set(finished)
    numbers = [number for page in finished for number in receipts[page]]
    assert len(set(numbers)) == len(numbers) == len(finished)
    assert set(_titles(found).values()) == {1}


def test_a_first_start_without_a_token_that_is_killed_while_it_furnishes_leaves_nothing_twice(
    demo: Demo, serve: Callable[[Path], Any]
) -> None:
    for things in (1, 4, 6):
        demo.kill_when(demo.seeded(things), "up")

    last = demo.start("up", "--once", "--json")
    last.wait()

    assert last.status == 0, last.output
    (file,) = demo.home.glob("*/embedded.db")
    found = serve(file).rows("POST", "/search", {})
    assert set(_titles(found).values()) == {1}
