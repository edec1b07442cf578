"""Who comes in: signed in by the link, on this machine's own address, with a form of our own."""

from collections.abc import Callable
from typing import Any

import pytest

PAGES = ["/", "/approvals", "/approvals/A-1", "/approvals/A-1/edit", "/approvals/A-1/whole", "/no/such/page"]


@pytest.mark.parametrize("path", PAGES)
def test_whoever_is_not_signed_in_is_told_how_to_and_nothing_else(
    stranger: Any, house: Any, browser: Any, path: str
) -> None:
    house.park(house.archive())

    answer = stranger.get(path)

    assert answer.status_code == 401
    assert "the link that lakelight up printed" in browser.shown(answer)
    assert "Roadmap" not in answer.text


def test_the_link_signs_in_and_its_key_does_not_stay_in_the_address(stranger: Any, house: Any) -> None:
    house.park(house.archive())

    answer = stranger.get("/approvals/A-1", params={"k": house.secret, "lang": "zh"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/approvals/A-1?lang=zh")
    cookie = answer.headers["set-cookie"].lower()
    assert {"httponly", "path=/", "samesite=strict"} <= set(cookie.split("; "))
    assert house.secret not in cookie
    assert stranger.get("/approvals/A-1").status_code == 200


def test_a_link_followed_from_another_site_comes_in_by_a_page_of_ours(
    stranger: Any, house: Any, browser: Any
) -> None:
    """A browser withholds a strict cookie from a redirect that another site began."""
    answer = stranger.get("/", params={"k": house.secret}, headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0; url=/">' in answer.text
    assert house.secret not in answer.text


def test_a_signed_in_browser_that_comes_from_another_site_asks_once_more(stranger: Any) -> None:
    from_elsewhere = stranger.get("/approvals", headers={"Sec-Fetch-Site": "cross-site"})
    from_here = stranger.get("/approvals", headers={"Sec-Fetch-Site": "same-origin"})

    assert '<meta http-equiv="refresh" content="0">' in from_elsewhere.text
    assert "http-equiv" not in from_here.text


@pytest.mark.parametrize("key", ["", "wrong", "é", "a-secret-of-the-consol", "a-secret-of-the-console "])
def test_a_wrong_key_opens_nothing(stranger: Any, key: str) -> None:
    answer = stranger.get("/", params={"k": key})

    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert stranger.get("/approvals").status_code == 401


@pytest.mark.parametrize("session", ["", ".", "x.y", "a-secret-of-the-console", "é.é"])
def test_a_made_up_session_is_none(stranger: Any, session: str) -> None:
    answer = stranger.get("/approvals", headers={"Cookie": f"lakelight_session={session}".encode()})

    assert answer.status_code == 401


def test_a_session_ends_with_the_secret_that_it_was_made_from(
    browser: Any, browse: Callable[..., Any]
) -> None:
    session = browser.client.cookies["lakelight_session"]
    other = browse(secret="another-secret")

    answer = other.client.get("/approvals", headers={"Cookie": f"lakelight_session={session}"})

    assert answer.status_code == 401


def test_an_empty_secret_opens_nothing(browse: Callable[..., Any]) -> None:
    nobody = browse(secret="")

    assert nobody.client.get("/", params={"k": ""}).status_code == 401
    assert nobody.open("/approvals").status_code == 401


@pytest.mark.parametrize("host", ["127.0.0.1:9800", "localhost:9800", "LOCALHOST", "[::1]:9800", "[::1]"])
def test_the_console_answers_to_this_machines_own_names(browser: Any, host: str) -> None:
    assert browser.open("/approvals", headers={"Host": host}).status_code in {200, 401}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:9800",
        "127.0.0.1:9800@evil",
        "",
        "::1",
    ],
)
@pytest.mark.parametrize("path", ["/approvals", "/console.css", "/?k=a-secret-of-the-console"])
def test_another_name_for_this_machine_is_refused(browser: Any, host: str, path: str) -> None:
    answer = browser.open(path, headers={"Host": host})

    assert answer.status_code == 421
    assert "set-cookie" not in answer.headers


def test_every_answer_has_the_headers_that_keep_it_to_itself(
    browser: Any, stranger: Any, house: Any, browse: Callable[..., Any]
) -> None:
    house.park(house.archive())

    def broken(*_: object) -> None:
        raise RuntimeError

    answers = {
        "list": browser.open("/approvals"),
        "style": browser.open("/console.css"),
        "signed out": stranger.get("/approvals"),
        "no page": browser.open("/nothing"),
        "no approval": browser.open("/approvals/A-99"),
        "no method": browser.open("/approvals/A-1/approve"),
        "other host": browser.open("/approvals", headers={"Host": "evil.example"}),
        "fault": browse(approvals=broken).open("/approvals"),
    }

    assert {name: answer.status_code for name, answer in answers.items()} == {
        "list": 200,
        "style": 200,
        "signed out": 401,
        "no page": 404,
        "no approval": 404,
        "no method": 405,
        "other host": 421,
        "fault": 500,
    }
    for name, answer in answers.items():
        headers = answer.headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
            "frame-ancestors 'none'; base-uri 'none'"
        ), name
        assert headers["referrer-policy"] == "no-referrer", name
        assert headers["cache-control"] == "no-store", name
        assert headers["x-content-type-options"] == "nosniff", name


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("what", ["approve", "reject", "edit"])
def test_to_look_is_never_to_decide(browser: Any, house: Any, method: str, what: str) -> None:
    house.park(house.update())
    token = browser.token("/approvals/A-1")

    browser.client.request(
        method, f"/approvals/A-1/{what}", params={"token": token, "do": "approve", "how": "fields", "p0": "x"}
    )

    assert house.get(1).state == "pending"
    assert house.advanced == []


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Sec-Fetch-Site": "cross-site"}, id="another site"),
        pytest.param({"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:9801"}, id="another port"),
        pytest.param({"Sec-Fetch-Site": "none"}, id="no page at all"),
        pytest.param({"Origin": "https://evil.example"}, id="an old browser on another site"),
        pytest.param({"Origin": "http://127.0.0.1:9801"}, id="an old browser on another port"),
    ],
)
def test_a_form_from_elsewhere_decides_nothing_even_with_its_token(
    browser: Any, house: Any, headers: dict[str, str]
) -> None:
    house.park(house.archive())
    token = browser.token("/approvals/A-1")

    answer = browser.client.post("/approvals/A-1/approve", data={"token": token}, headers=headers)

    assert answer.status_code == 403
    assert house.get(1).state == "pending"


@pytest.mark.parametrize("what", ["approve", "reject", "edit"])
def test_a_form_without_the_token_of_its_session_decides_nothing(
    browser: Any, browse: Callable[..., Any], house: Any, what: str
) -> None:
    house.park(house.update())
    others = browse().token("/approvals/A-1")

    answers = [
        browser.client.post(f"/approvals/A-1/{what}", data=data, params=params)
        for data, params in (
            ({}, {}),
            ({"token": ""}, {}),
            ({"token": others}, {}),
            ({"other": "x"}, {"token": browser.token("/approvals/A-1")}),
        )
    ]

    assert {answer.status_code for answer in answers} <= {403, 415}
    assert house.get(1).state == "pending"


def test_what_is_no_form_of_ours_is_refused(browser: Any, house: Any) -> None:
    house.park(house.archive())
    token = browser.token("/approvals/A-1")

    as_json = browser.client.post("/approvals/A-1/approve", json={"token": token})
    as_files = browser.client.post("/approvals/A-1/approve", files={"token": token.encode()})
    no_text = browser.client.post(
        "/approvals/A-1/approve",
        content=b"token=%ff",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    huge = browser.client.post("/approvals/A-1/approve", data={"token": token, "x": "x" * 3_100_000})

    assert [each.status_code for each in (as_json, as_files, no_text, huge)] == [415, 415, 415, 413]
    assert house.get(1).state == "pending"


def test_a_browser_that_names_neither_origin_nor_site_is_bound_by_its_token(browser: Any, house: Any) -> None:
    house.park(house.archive())

    answer = browser.client.post("/approvals/A-1/approve", data={"token": browser.token("/approvals/A-1")})

    assert answer.status_code == 303
    assert house.get(1).state == "approved"
