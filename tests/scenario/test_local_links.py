"""Links of the embedded workspace: they lead to its own view, and to nowhere else."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from lakelight.bootstrap.embedded import embedded_place
from lakelight.bootstrap.house import open_state
from lakelight.bootstrap.seed import seed
from lakelight.clock import SystemClock
from lakelight.notion.viewing import view_url, viewed_id

ID = "1f0e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_link_at_the_terminal_opens_in_the_view_of_the_embedded_workspace(
    process: Callable[..., Any], tmp_path: Path
) -> None:
    async with embedded_place(tmp_path, 0) as (place, workspace):
        database = open_state(place, SystemClock())
        await seed(place, workspace, database, SystemClock())
        database.close()
        found = await process(tmp_path, "ask", "search for Docker")
        links = re.findall(r"http\S+", found.out)
        async with httpx.AsyncClient(trust_env=False) as browser:
            pages = [await browser.get(link) for link in links]
        named = await process(tmp_path, "ask", "read this page", "--page", links[0])
        data = await process(tmp_path, "ask", "search for Docker", "--json")
    closed = await process(tmp_path, "ask", "search for Docker")

    assert links
    assert all(link.startswith(f"{place.base_url}/view/") for link in links)
    assert {page.status_code for page in pages} == {200}
    assert "Docker" in pages[0].text
    assert named.code == 0, named.err
    (results,) = (each["results"] for each in data.data["found"])
    assert all(each["url"].startswith("https://app.notion.com/p/") for each in results)
    assert "Docker" in closed.out
    assert "http" not in closed.out


def test_a_link_to_a_view_names_the_page_that_it_was_made_of() -> None:
    link = view_url(f"https://app.notion.com/p/Plans-{ID.replace('-', '')}", "http://127.0.0.1:8123")

    assert link == f"http://127.0.0.1:8123/view/{ID.replace('-', '')}"
    assert viewed_id(f"{link}?lang=zh") == ID
    assert viewed_id(f"https://app.notion.com/p/{ID}") is None
    assert view_url("https://example.org/x", "http://127.0.0.1:8123") == "https://example.org/x"
