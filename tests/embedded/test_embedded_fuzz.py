"""Whatever a client sends, the server answers in Notion's form and never with a fault of its own."""

import asyncio
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient as Http
from hypothesis import HealthCheck, given, settings, strategies as st

from notion_embedded.server import create_app, open_workspace

Json = dict[str, Any]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(
        [
            "",
            "2026-05-04",
            "today",
            "me",
            "title",
            "text",
            "a,b",
            "00000000-0000-0000-0000-000000000000",
            "\ud83c",
        ]
    )
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
)


def text(words: str) -> list[Json]:
    return [{"type": "text", "text": {"content": words, "link": None}, "annotations": {"bold": True}}]


class Target:
    """A workspace with one of each thing, and well-formed requests to it."""

    def __init__(self, file: Path) -> None:
        self.workspace = open_workspace(file)
        self.app = create_app(self.workspace)
        root = self.workspace.root_page_id
        schema = {
            "Name": {"title": {}}, "Stage": {"status": {}}, "Kind": {"select": {"options": [{"name": "a"}]}},
            "Tags": {"multi_select": {}}, "Count": {"number": {}}, "Due": {"date": {}}, "No": {"unique_id": {}},
            "Link": {"url": {}}, "Who": {"people": {}}, "Files": {"files": {}}, "Note": {"rich_text": {}},
            "Sum": {"formula": {"expression": "1"}}, "Ok": {"checkbox": {}},
        }  # fmt: skip
        initial = {"properties": schema, "title": text("Rows")}
        made = self.ask("POST", "/databases", {"parent": {"page_id": root}, "initial_data_source": initial})
        database, source = made["id"], made["data_sources"][0]["id"]
        properties = {
            "Name": {"title": text("a")}, "Stage": {"status": {"name": "Done"}}, "Kind": {"select": {"name": "b"}},
            "Tags": {"multi_select": [{"name": "x"}]}, "Count": {"number": 2}, "Due": {"date": {"start": "2026-01-01"}},
            "Link": {"url": "https://example.com"}, "Who": {"people": [{"id": self.workspace.bot_id}]},
            "Files": {"files": [{"name": "f", "external": {"url": "https://example.com/f"}}]},
            "Note": {"rich_text": text("n")}, "Ok": {"checkbox": True},
        }  # fmt: skip
        page = self.ask("POST", "/pages", {"parent": {"data_source_id": source}, "properties": properties})[
            "id"
        ]
        children = [
            {"type": "paragraph", "paragraph": {"rich_text": text("p"), "children": [{"divider": {}}]}},
            {"table": {"table_width": 1, "children": [{"table_row": {"cells": [text("c")]}}]}},
            {"code": {"rich_text": text("c"), "language": "python"}},
            {"image": {"external": {"url": "https://example.com/i.png"}}},
        ]
        block = self.ask("PATCH", f"/blocks/{page}/children", {"children": children})["results"][0]["id"]
        count = {"property": "Count", "number": {"greater_than": 1}}
        stage = {"property": "Stage", "status": {"equals": ["Done"]}}
        due = {"property": "Due", "date": {"on_or_after": "2025-01-01T00:00:00Z"}}
        query = {
            "filter": {"and": [count, {"or": [stage, due]}]},
            "sorts": [{"property": "Name", "direction": "ascending"}, {"timestamp": "created_time", "direction": "descending"}],
            "page_size": 1, "start_cursor": "WzEsWyJhIiwxLDFdXQ",
        }  # fmt: skip
        update = {"content_updates": [{"old_str": "p", "new_str": "q"}]}
        self.requests: list[tuple[str, str, Json]] = [
            ("POST", "/search", {"query": "a", "filter": {"property": "object", "value": "page"}, "sort": {"timestamp": "last_edited_time", "direction": "ascending"}, "start_cursor": "WzEsMV0"}),
            ("POST", "/pages", {"parent": {"data_source_id": source}, "properties": properties, "icon": {"emoji": "🌿"}, "children": children}),
            ("POST", "/pages", {"parent": {"page_id": root}, "markdown": "# a\n\n- b", "position": {"type": "page_start"}}),
            ("PATCH", f"/pages/{page}", {"properties": properties, "cover": {"external": {"url": "https://example.com"}}, "is_locked": True}),
            ("PATCH", f"/pages/{page}/markdown", {"type": "update_content", "update_content": update}),
            ("PATCH", f"/pages/{page}/markdown", {"type": "insert_content", "insert_content": {"content": "x", "position": {"type": "start"}}}),
            ("PATCH", f"/blocks/{page}/children", {"children": children, "position": {"type": "after_block", "after_block": {"id": block}}}),
            ("PATCH", f"/blocks/{block}", {"paragraph": {"rich_text": text("z"), "color": "red"}}),
            ("POST", "/databases", {"parent": {"page_id": root}, "title": text("t"), "initial_data_source": {"properties": {"Of": {"relation": {"data_source_id": source, "single_property": {}}}}}}),
            ("PATCH", f"/databases/{database}", {"title": text("t"), "is_inline": True, "icon": None}),
            ("PATCH", f"/data_sources/{source}", {"properties": {"Kind": {"select": {"options": [{"name": "q", "color": "red"}]}}, "New": {"number": {"format": "euro"}}, "Note": {"name": "Note"}}}),
            ("POST", f"/data_sources/{source}/query", query),
            ("POST", "/comments", {"parent": {"page_id": page}, "rich_text": text("c")}),
        ]  # fmt: skip

    def ask(self, method: str, path: str, body: Json) -> Json:
        status, answer = asyncio.run(self.answer(method, path, json.dumps(body).encode()))
        assert status == 200, answer
        return answer

    async def answer(self, method: str, path: str, content: bytes) -> tuple[int, Json]:
        headers = {"authorization": f"Bearer {self.workspace.token}", "notion-version": "2026-03-11"}
        async with Http(transport=ASGITransport(app=self.app)) as http:
            answer = await http.request(
                method, f"http://127.0.0.1/v1{path}", headers=headers, content=content
            )
            return answer.status_code, answer.json()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    made = Target(tmp_path_factory.mktemp("fuzz") / "w.db")
    yield made
    made.workspace.close()


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in the value with every key in it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(value, key) for key, _ in items]
    for container, key in list(found):
        found += places(container[key])
    return found


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_damaged_request_is_refused_or_done_and_never_breaks_the_server(
    target: Target, data: st.DataObject
) -> None:
    method, path, body = data.draw(st.sampled_from(target.requests))
    damaged = deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(damaged) or [(damaged, "x")]))
        if data.draw(st.booleans()) or not isinstance(container, dict):
            container[key] = data.draw(anything)
        else:
            container[data.draw(st.text(max_size=5))] = container.pop(key)
    raw = json.dumps(damaged).encode()
    status, answer = asyncio.run(target.answer(method, path, raw))

    assert status < 500, (method, path, damaged, answer)
    assert "request_id" in answer
    if status != 200:
        assert {"object", "status", "code", "message", "request_id"} <= set(answer)
