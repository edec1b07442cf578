"""The control API's faults, budget, clock and log, as a client meets them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient as Http, RemoteProtocolError

from notion_embedded.control import Control, ControlledClock
from notion_embedded.server import Workspace, open_workspace, serve

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Controlled:
    workspace: Workspace
    url: str
    http: Http
    control_token: str

    async def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        return await self.http.request(
            method,
            f"{self.url}{path}",
            headers={
                "authorization": f"Bearer {token or self.workspace.token}",
                "notion-version": "2026-03-11",
            },
            json=body,
        )

    async def control(self, method: str, path: str = "", body: Any = None) -> Any:
        answer = await self.call(method, f"/control{path}", body, self.control_token)
        return answer.json()

    async def append(self, *words: str) -> Any:
        blocks = [{"paragraph": {"rich_text": [{"text": {"content": word}}]}} for word in words]
        return await self.call(
            "PATCH", f"/v1/blocks/{self.workspace.root_page_id}/children", {"children": blocks}
        )

    async def read(self) -> list[str]:
        answer = await self.call("GET", f"/v1/blocks/{self.workspace.root_page_id}/children")
        return [block["paragraph"]["rich_text"][0]["plain_text"] for block in answer.json()["results"]]


@pytest.fixture
async def controlled(tmp_path: Path) -> AsyncIterator[Controlled]:
    clock = ControlledClock(lambda: NOON)
    with open_workspace(tmp_path / "w.db", clock=clock) as workspace:
        control = Control(workspace, clock)
        async with serve(workspace, control=control) as url, Http() as http:
            yield Controlled(workspace, url, http, control.token)


async def test_the_control_api_takes_its_own_token_only(controlled: Controlled) -> None:
    normal = await controlled.call("GET", "/control")
    crossed = await controlled.call("GET", "/v1/users/me", token=controlled.control_token)
    mine = await controlled.control("GET")
    lost = await controlled.control("GET", "/nothing")

    assert (normal.status_code, crossed.status_code) == (401, 401)
    assert {**mine, "request_id": ""} == {
        "object": "control", "faults": [], "budget": None, "requests": 1, "webhooks": [], "request_id": "",
        "clock": {"now": "2026-05-04T12:00:00.000Z", "frozen": False},
        "search": {"lag_seconds": 0.0}, "files": {"max_bytes": 5_242_880},
    }  # fmt: skip
    assert (lost["status"], lost["code"]) == (400, "invalid_request_url")
    assert "POST /control/faults" in lost["message"]


@pytest.mark.parametrize("path", ["/control", "/control/faults"])
async def test_without_control_there_is_nothing_under_its_path(served: Any, path: str) -> None:
    answer = await served.http.get(f"{served.url}{path}", headers={"authorization": "Bearer x"})

    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("fault", "status", "expected"),
    [
        ({"status": 409}, 409, ("conflict_error", None)),
        (
            {"status": 429, "retry_after": 7},
            429,
            ("rate_limited", {"rate_limit_reason": "public_api_request_rate_limit", "retry_after": "7"}),
        ),
        (
            {"status": 429, "reason": "public_api_request_blocked"},
            429,
            ("rate_limited", {"rate_limit_reason": "public_api_request_blocked", "retry_after": "1"}),
        ),
        ({"status": 500}, 500, ("internal_server_error", None)),
        ({"status": 503}, 503, ("service_unavailable", None)),
        ({"status": 503, "code": "database_connection_unavailable"}, 503, ("database_connection_unavailable", None)),
        ({"status": 504}, 504, ("gateway_timeout", None)),
        ({"status": 529}, 529, ("service_overload", {"retry_after": "1"})),
        ({"status": 403, "additional_data": {"block_limit": "block_creation"}}, 403,
         ("restricted_resource", {"block_limit": "block_creation"})),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
async def test_a_fault_answers_with_its_status_and_once(
    controlled: Controlled, fault: dict[str, Any], status: int, expected: Any
) -> None:
    await controlled.control("POST", "/faults", fault)
    first, second = await controlled.append("a"), await controlled.append("b")
    body = first.json()

    assert (first.status_code, second.status_code) == (status, 200)
    assert (body["object"], body["status"]) == ("error", status)
    assert (body["code"], body.get("additional_data")) == expected
    assert first.headers.get("retry-after") == (expected[1] or {}).get("retry_after")
    assert await controlled.read() == ["b"]


async def test_a_bad_gateway_speaks_html(controlled: Controlled) -> None:
    await controlled.control("POST", "/faults", {"status": 502})
    answer = await controlled.append("a")

    assert answer.status_code == 502
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.text.startswith("<html>")


async def test_a_fault_meets_its_route_after_some_and_so_often(controlled: Controlled) -> None:
    made = await controlled.control(
        "POST",
        "/faults",
        {"method": "PATCH", "path": "/v1/blocks/*/children", "skip": 1, "count": 2, "status": 500},
    )
    other = await controlled.call("GET", f"/v1/pages/{controlled.workspace.root_page_id}")
    met = [(await controlled.append(word)).status_code for word in "abcd"]
    listed = (await controlled.control("GET", "/faults"))["results"]

    assert other.status_code == 200
    assert met == [200, 500, 500, 200]
    assert await controlled.read() == ["a", "d"]
    assert (made["left"], listed[0]["left"], listed[0]["met"]) == (2, 0, 2)


async def test_a_write_can_be_stored_and_its_answer_lost(controlled: Controlled) -> None:
    await controlled.control("POST", "/faults", {"method": "PATCH", "status": 500, "when": "after"})
    answer = await controlled.append("a")

    assert answer.status_code == 500
    assert await controlled.read() == ["a"]


async def test_a_write_that_was_saved_says_what_was(controlled: Controlled) -> None:
    root = controlled.workspace.root_page_id
    await controlled.append("first")
    await controlled.control("POST", "/faults", {"already_saved": True, "count": 2, "method": "PATCH"})
    appended = (await controlled.append("a", "b")).json()
    renamed = (
        await controlled.call(
            "PATCH", f"/v1/pages/{root}", {"properties": {"title": [{"text": {"content": "New"}}]}}
        )
    ).json()
    ids = [
        block["id"]
        for block in (await controlled.call("GET", f"/v1/blocks/{root}/children")).json()["results"]
    ]

    assert (appended["status"], appended["code"]) == (503, "service_unavailable")
    assert appended["additional_data"] == {
        "retry_guidance": "The write was saved. Read the object again. Do not repeat the write.",
        "committed_resource_id": root,
        "committed_child_ids": ids[1:],
    }
    assert renamed["additional_data"]["committed_resource_id"] == root
    assert "committed_child_ids" not in renamed["additional_data"]


async def test_a_refused_write_is_told_as_it_is_and_uses_up_no_fault(controlled: Controlled) -> None:
    await controlled.control("POST", "/faults", {"method": "PATCH", "already_saved": True})
    refused = await controlled.call("PATCH", f"/v1/pages/{controlled.workspace.root_page_id}", {"wrong": 1})
    saved = await controlled.append("a")

    assert (refused.status_code, refused.json()["code"]) == (400, "validation_error")
    assert saved.status_code == 503


@pytest.mark.parametrize(("when", "stored"), [("before", []), ("after", ["a"])])
async def test_a_connection_is_dropped_before_or_after_the_write(
    controlled: Controlled, when: str, stored: list[str]
) -> None:
    await controlled.control("POST", "/faults", {"drop": True, "when": when})
    with pytest.raises(RemoteProtocolError):
        await controlled.append("a")

    assert await controlled.read() == stored
    log = (await controlled.control("GET", "/requests"))["results"]
    assert (log[0]["method"], log[0]["status"], log[0]["fault"]) == ("PATCH", None, "fault-1")
    assert (log[1]["method"], log[1]["status"], log[1]["token"]) == ("GET", 200, "Lakelight")


async def test_latency_holds_up_a_request_and_does_it_no_harm(controlled: Controlled) -> None:
    await controlled.control("POST", "/faults", {"delay": 0.05, "count": None})
    answer = await controlled.append("a")

    assert answer.status_code == 200
    assert answer.elapsed.total_seconds() >= 0.05


async def test_a_budget_is_counted_by_token_and_minute(controlled: Controlled) -> None:
    assert (await controlled.control("PUT", "/budget", {}))["budget"] == {"per_minute": 180}
    await controlled.control("PUT", "/budget", {"per_minute": 2})
    await controlled.control("PUT", "/clock", {"frozen": True})
    first = [await controlled.append("a") for _ in range(3)]
    other = await controlled.call("GET", "/v1/users/me", token="ntn_other")
    await controlled.control("PUT", "/clock", {"advance": 60})
    later = await controlled.append("b")

    assert [answer.status_code for answer in first] == [200, 200, 429]
    assert first[2].headers["retry-after"] == "60"
    assert first[2].json()["additional_data"]["rate_limit_reason"] == "public_api_request_rate_limit"
    assert (other.status_code, later.status_code) == (401, 200)


async def test_the_clock_is_set_moved_on_stopped_and_let_go(controlled: Controlled) -> None:
    root = controlled.workspace.root_page_id
    await controlled.control("PUT", "/clock", {"set": "2030-01-01T08:00:30+08:00", "frozen": True})
    await controlled.append("a")
    page = (await controlled.call("GET", f"/v1/pages/{root}")).json()
    moved = await controlled.control("PUT", "/clock", {"advance": 90})
    thawed = await controlled.control("PUT", "/clock", {"frozen": False})
    cleared = await controlled.control("DELETE", "/clock")

    assert page["last_edited_time"] == "2030-01-01T00:00:00.000Z"
    assert (moved["now"], moved["frozen"]) == ("2030-01-01T00:02:00.000Z", True)
    assert (thawed["now"], thawed["frozen"]) == ("2030-01-01T00:02:00.000Z", False)
    assert cleared["now"] == "2026-05-04T12:00:00.000Z"


async def test_everything_can_be_cleared_at_once(controlled: Controlled) -> None:
    before = await controlled.control("GET")
    await controlled.control("POST", "/faults", {"status": 500, "count": None})
    await controlled.control("PUT", "/budget", {"per_minute": 1})
    await controlled.control("PUT", "/search", {"lag_seconds": 30})
    await controlled.control("PUT", "/files", {"max_bytes": 100})
    await controlled.control("PUT", "/clock", {"advance": 100})
    turned = await controlled.control("GET")
    cleared = await controlled.control("DELETE")

    assert turned["search"] == {"lag_seconds": 30.0}
    assert turned["files"] == {"max_bytes": 100}
    assert len(turned["faults"]) == 1
    assert {**cleared, "request_id": ""} == {**before, "request_id": ""}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/faults", {}),
        ("POST", "/faults", {"status": 200}),
        ("POST", "/faults", {"status": True}),
        ("POST", "/faults", {"status": 500, "drop": True}),
        ("POST", "/faults", {"status": 500, "reason": "public_api_request_blocked"}),
        ("POST", "/faults", {"status": 429, "reason": "tired"}),
        ("POST", "/faults", {"status": 500, "path": "/control"}),
        ("POST", "/faults", {"status": 500, "method": "FETCH"}),
        ("POST", "/faults", {"status": 500, "count": 0}),
        ("POST", "/faults", {"status": 500, "when": "during"}),
        ("POST", "/faults", {"status": 500, "wen": "after"}),
        ("POST", "/faults", {"drop": True, "html": True}),
        ("POST", "/faults", {"delay": 1e9}),
        ("PUT", "/budget", {"per_minute": 0}),
        ("PUT", "/clock", {}),
        ("PUT", "/clock", {"set": "noon"}),
        ("PUT", "/clock", {"set": "2026-01-01T00:00:00"}),
        ("PUT", "/clock", {"set": "0001-01-01T00:00:00Z"}),
        ("PUT", "/clock", {"set": "0001-01-01T00:00:00+14:00"}),
        ("PUT", "/clock", {"set": "1969-12-31T23:59:59Z"}),
        ("PUT", "/clock", {"advance": -3e9}),
        ("PUT", "/clock", {"advance": 1e12}),
        ("PUT", "/clock", {"set": "9999-12-31T23:59:59Z", "advance": 1e6}),
        ("PUT", "/search", {}),
        ("PUT", "/search", {"lag_seconds": -1}),
        ("PUT", "/files", {"max_bytes": 0}),
        ("POST", "/webhooks", {"url": "http://example.com/"}),
        ("POST", "/webhooks", {"url": "https://["}),
        ("POST", "/webhooks", {"url": "http://localhost:99999/"}),
        ("POST", "/webhooks", {"url": "https://a..b/"}),
        ("POST", "/webhooks", {"url": "https://a/\r\nX: y"}),
        ("POST", "/webhooks", {"url": "https://example.com/", "events": ["page.read"]}),
        ("POST", "/webhooks", {"url": "https://example.com/", "duplicates": 11}),
        ("POST", "/webhooks", {"url": "https://example.com/", "token_id": "none"}),
    ],
    ids=str,
)
async def test_what_makes_no_sense_is_refused_with_a_reason(
    controlled: Controlled, method: str, path: str, body: Any
) -> None:
    before = await controlled.control("GET")
    answer = await controlled.control(method, path, body)

    assert (answer["status"], answer["code"]) == (400, "validation_error")
    assert {**await controlled.control("GET"), "request_id": ""} == {**before, "request_id": ""}


async def test_a_fault_is_taken_back_by_its_id(controlled: Controlled) -> None:
    fault = await controlled.control("POST", "/faults", {"status": 500})
    await controlled.control("DELETE", f"/faults/{fault['id']}")
    missing = await controlled.control("DELETE", f"/faults/{fault['id']}")

    assert (await controlled.append("a")).status_code == 200
    assert (missing["status"], missing["message"]) == (404, "There is no fault fault-1.")
