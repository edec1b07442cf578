"""OAuth: the page that lets a client in, the tokens it gets, and what is refused on the way."""

import base64
import re
from contextlib import closing
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from httpx2 import AsyncClient as Http
from notion_client import AsyncClient as Notion

from notion_embedded.cli import main
from notion_embedded.store import StoreError
from notion_embedded.store.admin import Admin

BACK = "https://app.example.com/back?tab=1"


@pytest.fixture
def client(served: Any) -> dict[str, Any]:
    with closing(Admin(served.workspace.file)) as admin:
        return admin.add_client("Planner", [BACK], now=served.clock.now)


def address(served: Any, client: dict[str, Any], **more: str) -> str:
    asked = {"client_id": client["client_id"], "redirect_uri": BACK, "response_type": "code", "owner": "user"}
    return f"{served.url}/v1/oauth/authorize?{urlencode({**asked, 'state': 'x y', **more})}"


async def code_for(served: Any, client: dict[str, Any], pages: list[str], **more: str) -> str:
    async with Http() as browser:
        page = await browser.get(address(served, client, **more))
        proof = re.search(r'name="proof" value="(\w+)"', page.text)
        assert proof is not None
        sent = await browser.post(
            address(served, client, **more), data={"proof": proof[1], "page": pages, "decision": "allow"}
        )
    given = parse_qs(urlsplit(sent.headers["location"]).query)
    assert given["state"] == ["x y"]
    assert given["tab"] == ["1"]
    return given["code"][0]


async def post(served: Any, client: dict[str, Any], name: str, body: Any) -> tuple[int, Any]:
    basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
    answer = await served.http.post(
        f"{served.url}/v1/oauth/{name}", headers={"authorization": f"Basic {basic}"}, json=body
    )
    return answer.status_code, answer.json()


async def test_a_client_is_let_in_to_the_pages_that_were_chosen(
    served: Any, notion: Notion, client: dict[str, Any]
) -> None:
    root = served.workspace.root_page_id
    ids = [
        (
            await notion.pages.create(
                parent={"page_id": root}, properties={"title": [{"text": {"content": title}}]}
            )
        )["id"]
        for title in ("Open", "Closed")
    ]
    code = await code_for(served, client, [ids[0], "not-a-page"])
    async with served.client() as official:
        granted = await official.oauth.token(
            client_id=client["client_id"], client_secret=client["client_secret"],
            grant_type="authorization_code", code=code, redirect_uri=BACK,
        )  # fmt: skip
    async with served.client(granted["access_token"]) as theirs:
        me = await theirs.users.me()
        seen = await theirs.pages.retrieve(page_id=ids[0])
    closed, _ = await served.call(
        "GET", f"/pages/{ids[1]}", None, authorization=f"Bearer {granted['access_token']}"
    )

    assert sorted(granted) == [
        "access_token", "bot_id", "duplicated_template_id", "owner", "refresh_token", "request_id",
        "token_type", "workspace_icon", "workspace_id", "workspace_name",
    ]  # fmt: skip
    assert granted["owner"]["user"]["person"] == {"email": "owner@example.com"}
    assert (me["id"], me["name"], seen["id"], closed) == (granted["bot_id"], "Planner", ids[0], 404)


async def test_a_token_is_renewed_introspected_and_revoked(served: Any, client: dict[str, Any]) -> None:
    code = await code_for(served, client, [served.workspace.root_page_id])
    _, first = await post(
        served, client, "token", {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK}
    )
    _, second = await post(
        served, client, "token", {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    )
    again, _ = await post(
        served, client, "token", {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    )
    old, _ = await served.call("GET", "/users/me", None, authorization=f"Bearer {first['access_token']}")
    new, _ = await served.call("GET", "/users/me", None, authorization=f"Bearer {second['access_token']}")
    _, active = await post(served, client, "introspect", {"token": second["access_token"]})
    _, foreign = await post(served, client, "introspect", {"token": served.workspace.token})
    revoked, empty = await post(served, client, "revoke", {"token": second["access_token"]})
    unknown, _ = await post(served, client, "revoke", {"token": "ntn_never"})
    gone, _ = await served.call("GET", "/users/me", None, authorization=f"Bearer {second['access_token']}")
    _, inactive = await post(served, client, "introspect", {"token": second["access_token"]})

    assert (again, old, new, revoked, unknown, gone) == (400, 401, 200, 200, 200, 401)
    assert second["bot_id"] == first["bot_id"]
    assert active["active"] is True
    assert active["iat"] == int(served.clock.now.timestamp())
    assert "read_content" in active["scope"].split()
    assert set(empty) == {"request_id"}
    assert foreign["active"] is inactive["active"] is False


async def test_a_code_is_good_once_soon_and_for_its_client(served: Any, client: dict[str, Any]) -> None:
    with closing(Admin(served.workspace.file)) as admin:
        other = admin.add_client("Other", ["http://127.0.0.1:9/back"], now=served.clock.now)
    exchange = {"grant_type": "authorization_code", "redirect_uri": BACK}
    code = await code_for(served, client, [])
    foreign, _ = await post(served, other, "token", {**exchange, "code": code})
    elsewhere, _ = await post(
        served, client, "token", {**exchange, "code": code, "redirect_uri": "https://evil.example/"}
    )
    nowhere, _ = await post(served, client, "token", {"grant_type": "authorization_code", "code": code})
    right, granted = await post(served, client, "token", {**exchange, "code": code})
    twice, why = await post(served, client, "token", {**exchange, "code": code})
    taken_back, _ = await served.call(
        "GET", "/users/me", None, authorization=f"Bearer {granted['access_token']}"
    )
    late_code = await code_for(served, client, [])
    served.clock.pass_seconds(600)
    late, _ = await post(served, client, "token", {**exchange, "code": late_code})

    assert (foreign, elsewhere, nowhere, right, twice) == (400, 400, 400, 200, 400)
    assert (taken_back, late) == (401, 400)
    assert (why["code"], why["error"], why["object"]) == ("invalid_grant", "invalid_grant", "error")


@pytest.mark.parametrize(
    ("given", "status"), [(None, 200), (BACK, 200), ("https://evil.example/", 400)], ids=str
)
async def test_a_code_asked_for_without_an_address_needs_none(
    served: Any, client: dict[str, Any], given: str | None, status: int
) -> None:
    code = await code_for(served, client, [], redirect_uri="")
    exchange = {"grant_type": "authorization_code", "code": code, "redirect_uri": given}

    assert (await post(served, client, "token", exchange))[0] == status


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({}, {}, 401, "invalid_client"),
        ({"authorization": "Basic !!"}, {}, 401, "invalid_client"),
        ({"authorization": "Basic " + base64.b64encode(b"a:b").decode()}, {}, 401, "invalid_client"),
        (None, {}, 400, "validation_error"),
        (None, {"grant_type": "password"}, 400, "validation_error"),
        (None, {"grant_type": "authorization_code"}, 400, "validation_error"),
        (None, {"grant_type": "authorization_code", "code": "x"}, 400, "invalid_grant"),
        (None, {"grant_type": "refresh_token", "refresh_token": "x"}, 400, "invalid_grant"),
    ],
)
async def test_the_token_endpoint_refuses(
    served: Any, client: dict[str, Any], headers: Any, body: Any, status: int, code: str
) -> None:
    if headers is None:
        got, answer = await post(served, client, "token", body)
    else:
        sent = await served.http.post(f"{served.url}/v1/oauth/token", headers=headers, json=body)
        got, answer = sent.status_code, sent.json()

    assert (got, answer["code"]) == (status, code)


@pytest.mark.parametrize(
    ("more", "status", "error"),
    [
        ({"client_id": "none"}, 400, None),
        ({"redirect_uri": "https://evil.example/"}, 400, None),
        ({"response_type": "token"}, 302, "unsupported_response_type"),
        ({"owner": "workspace"}, 302, "invalid_request"),
    ],
)
async def test_the_page_sends_back_to_registered_addresses_only(
    served: Any, client: dict[str, Any], more: dict[str, str], status: int, error: str | None
) -> None:
    answer = await served.http.get(address(served, client, **more))
    location = answer.headers.get("location", "")

    assert answer.status_code == status
    assert location.startswith(BACK) is (error is not None)
    assert parse_qs(urlsplit(location).query).get("error", [None])[0] == error


async def test_a_form_from_elsewhere_lets_nobody_in(served: Any, client: dict[str, Any]) -> None:
    async with Http() as browser:
        page = await browser.get(address(served, client))
        proof = re.search(r'name="proof" value="(\w+)"', page.text)
        assert proof is not None
        form = {"proof": proof[1], "decision": "allow"}
        other_site = await browser.post(
            address(served, client), data=form, headers={"origin": "https://evil.example"}
        )
        other_state = await browser.post(address(served, client, state="z"), data=form)
        denied = await browser.post(address(served, client), data={**form, "decision": "deny"})
    no_cookie = await served.http.post(address(served, client), data=form)
    other_name = await served.http.get(address(served, client), headers={"host": "evil.example"})

    assert [answer.status_code for answer in (other_site, other_state, no_cookie, other_name)] == [
        400, 400, 400, 403,
    ]  # fmt: skip
    assert "error=access_denied" in denied.headers["location"]
    assert page.headers["x-frame-options"] == "DENY"
    assert "SameSite=strict" in page.headers["set-cookie"]


def test_a_client_needs_an_address_to_come_back_to(workspace: Any, clock: Any) -> None:
    with closing(Admin(workspace.file)) as admin:
        for uri in (
            "javascript:alert(1)", "/back", "https://a.example/#b", "", "https://[::1", "http://a/\r\nX: y",
            "http://a b/", "http://h:99999/x", "http://a..b/",
        ):  # fmt: skip
            with pytest.raises(StoreError):
                admin.add_client("Bad", [uri], now=clock.now)
        assert admin.add_client("App", ["planner://back"], now=clock.now)["redirect_uris"] == [
            "planner://back"
        ]


@pytest.mark.parametrize("port", ["99999", "65536", "-1", "x", "9" * 5000])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--db", "none.db", "--port", port])

    assert "is no port from 0 to 65535" in capsys.readouterr().err
