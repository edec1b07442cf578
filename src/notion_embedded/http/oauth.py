"""OAuth: a page on which the owner lets a public connection in, and what the connection gets for it.

Whoever opens the page stands for the first person of the workspace, as whoever opens the viewer may
look: the page answers to this machine's names only. What is decided there goes to an address that the
owner registered, and only the client with its secret can make a token of it.
"""

import base64
import binascii
import hmac
import secrets
import sqlite3
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from jinja2 import Environment
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from notion_embedded.http.answers import Answers
from notion_embedded.http.call import MAX_BODY, read_body
from notion_embedded.http.forms import read_capped
from notion_embedded.model.checks import UNDEFINED, Json, a_string
from notion_embedded.model.dates import milliseconds
from notion_embedded.model.errors import ApiError, guessed
from notion_embedded.store import grants, nodes, settings, tokens
from notion_embedded.store.grants import Client, Granted
from notion_embedded.store.nodes import Node
from notion_embedded.store.workspace import Workspace
from notion_embedded.viewer.hosts import SECURITY_HEADERS, is_local

COOKIE = "oauth_form"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Let {{ client }} in?</title>
</head>
<body>
<main>
{% if client %}
<h1>Let {{ client }} in?</h1>
<p>It will read and write, in {{ workspace }}, the pages that you choose and all that is in them.</p>
<form method="post">
<input type="hidden" name="proof" value="{{ proof }}">
<fieldset>
<legend>Pages</legend>
{% for page in pages %}
<p><label><input type="checkbox" name="page" value="{{ page.id }}"> {{ page.title or "Untitled" }}</label></p>
{% endfor %}
</fieldset>
<p><button name="decision" value="allow">Let it in</button>
<button name="decision" value="deny">Cancel</button></p>
</form>
{% else %}
<h1>This request cannot be answered</h1>
<p>{{ why }}</p>
{% endif %}
</main>
</body>
</html>
"""


def routes(workspace: Workspace) -> list[Route]:
    """The addresses of the OAuth flow, under `/v1`."""
    oauth = _OAuth(workspace)
    return [
        Route("/oauth/authorize", oauth.authorize, methods=["GET", "POST"]),
        *(
            Route(f"/oauth/{name}", oauth.endpoint(name), methods=["POST"])
            for name in ("token", "introspect", "revoke")
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What a client asks for, by way of its user's browser."""

    client: Client
    redirect_uri: str
    named: bool
    """Whether it asked for this address, or is sent back to its first."""
    state: str | None

    def back(self, **answer: str) -> Response:
        """The way back to the client, with the answer."""
        given = {**answer, **({} if self.state is None else {"state": self.state})}
        joint = "&" if urlsplit(self.redirect_uri).query else "?"
        return RedirectResponse(
            f"{self.redirect_uri}{joint}{urlencode(given)}",
            HTTPStatus.FOUND,
            headers={"cache-control": "no-store"},
        )


class _Unanswerable(Exception):
    """The request says no address that may be answered to; the message is for the person."""


class _OAuth:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._answers = Answers(workspace)
        self._page = Environment(autoescape=True).from_string(_PAGE)

    # The page

    async def authorize(self, request: Request) -> Response:
        if not is_local(request.headers.get("host", "")):
            return self._shown(HTTPStatus.FORBIDDEN, why="This page answers to names of this machine only.")
        try:
            raw = await read_capped(request, MAX_BODY)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        try:
            return await run_in_threadpool(
                self._decided if request.method == "POST" else self._asked, request, raw
            )
        except _Unanswerable as error:
            return self._shown(HTTPStatus.BAD_REQUEST, why=str(error))

    def _asked(self, request: Request, _raw: bytes) -> Response:
        wish = self._wish(request)
        if request.query_params.get("response_type") != "code":
            return wish.back(error="unsupported_response_type")
        if request.query_params.get("owner", "user") != "user":
            return wish.back(error="invalid_request")
        cookie = request.cookies.get(COOKIE) or secrets.token_urlsafe(24)
        with self._workspace.reading() as connection:
            pages = _choices(connection)
        response = self._shown(
            HTTPStatus.OK,
            client=wish.client.name,
            workspace=self._workspace.name,
            pages=pages,
            proof=self._proof(cookie, wish),
        )
        response.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", path="/v1/oauth/authorize")
        return response

    def _decided(self, request: Request, raw: bytes) -> Response:
        wish = self._wish(request)
        form = parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True)
        given = dict(form)
        cookie = request.cookies.get(COOKIE, "")
        origin = request.headers.get("origin")
        here = str(request.base_url).removesuffix("/v1/").rstrip("/")
        if origin not in (None, "null", here) or not cookie:
            raise _Unanswerable("The form was sent from elsewhere. Open the page again.")
        if not hmac.compare_digest(given.get("proof", "").encode(), self._proof(cookie, wish).encode()):
            raise _Unanswerable("The form is not the one that this page showed. Open the page again.")
        if given.get("decision") != "allow":
            return wish.back(error="access_denied")
        with self._workspace.writing() as connection:
            known = {page.id for page in _choices(connection)}
            shares = [value for key, value in form if key == "page" and value in known]
            owner = next(user for user in tokens.all_users(connection) if user.type == "person")
            redirect_uri = wish.redirect_uri if wish.named else None
            code = grants.add_code(
                connection, wish.client, redirect_uri, owner, shares, milliseconds(self._workspace.now())
            )
        return wish.back(code=code)

    def _wish(self, request: Request) -> _Wish:
        given = request.query_params
        with self._workspace.reading() as connection:
            client = grants.find_client(connection, given.get("client_id", ""))
        if client is None:
            raise _Unanswerable("There is no client with this client_id in the workspace.")
        named = given.get("redirect_uri")
        redirect_uri = named or client.redirect_uris[0]
        if redirect_uri not in client.redirect_uris:
            raise _Unanswerable("The redirect_uri is not one that the client was registered with.")
        return _Wish(client=client, redirect_uri=redirect_uri, named=bool(named), state=given.get("state"))

    def _proof(self, cookie: str, wish: _Wish) -> str:
        with self._workspace.reading() as connection:
            key = bytes.fromhex(settings.get(connection, settings.SIGNING_KEY))
        said = "\n".join(("oauth", cookie, wish.client.id, wish.redirect_uri, wish.state or ""))
        return hmac.new(key, said.encode("utf-8", "replace"), "sha256").hexdigest()

    def _shown(self, status: HTTPStatus, **values: Any) -> Response:
        headers = {**SECURITY_HEADERS, "X-Frame-Options": "DENY"}
        # A browser holds the redirect after the form to this rule as well, so it cannot name the client's.
        headers["Content-Security-Policy"] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        return HTMLResponse(self._page.render(**{"client": "", **values}), status, headers=headers)

    # The endpoints

    def endpoint(self, name: str) -> Any:
        async def answer(request: Request) -> Response:
            try:
                raw = await read_capped(request, MAX_BODY)
            except ClientDisconnect:
                return Response(status_code=HTTPStatus.BAD_REQUEST)
            return await run_in_threadpool(self._answered, name, request, raw)

        return answer

    def _answered(self, name: str, request: Request, raw: bytes) -> Response:
        try:
            with self._workspace.writing() as connection:
                client = _authenticated(connection, request)
                body = _body(request, raw)
                answer = getattr(self, f"_{name}")(connection, client, body)
        except ApiError as error:
            return self._refusal(error)
        except Exception as error:  # noqa: BLE001  the edge of the server: a client gets JSON, whatever happens
            return self._answers.failure(error)
        if isinstance(answer, ApiError):
            return self._refusal(answer)
        response = self._answers.response(HTTPStatus.OK, answer)
        response.headers["cache-control"] = "no-store"
        return response

    def _token(self, connection: sqlite3.Connection, client: Client, body: Json) -> Json | ApiError:
        kind = body.get("grant_type", UNDEFINED)
        if kind == "authorization_code":
            code, redirect_uri = a_string(body.get("code", UNDEFINED), "body.code"), body.get("redirect_uri")
            if redirect_uri is not None:
                a_string(redirect_uri, "body.redirect_uri")
            moment = milliseconds(self._workspace.now())
            granted = grants.redeem(connection, client, code, redirect_uri, moment)
            # Returned and not raised, so that taking a stolen token back is committed.
            return _invalid_grant("code") if granted is None else self._show(granted)
        if kind == "refresh_token":
            refresh = a_string(body.get("refresh_token", UNDEFINED), "body.refresh_token")
            granted = grants.renew(connection, client, refresh)
            return _invalid_grant("refresh token") if granted is None else self._show(granted)
        raise guessed(
            'body failed validation: body.grant_type should be `"authorization_code"` or `"refresh_token"`.'
        )

    def _introspect(self, connection: sqlite3.Connection, client: Client, body: Json) -> Json:
        granted = grants.find(connection, client, a_string(body.get("token", UNDEFINED), "body.token"))
        if granted is None:
            return {"active": False}
        scope = " ".join(sorted(granted.token.capabilities))
        return {"active": True, "scope": scope, "iat": grants.made_at(connection, granted.token.id) // 1000}

    def _revoke(self, connection: sqlite3.Connection, client: Client, body: Json) -> Json:
        granted = grants.find(connection, client, a_string(body.get("token", UNDEFINED), "body.token"))
        if granted is not None:
            grants.revoke(connection, granted.token.id)
        return {}

    def _show(self, granted: Granted) -> Json:
        owner = granted.owner
        return {
            "access_token": granted.token.secret,
            "token_type": "bearer",
            "refresh_token": granted.refresh,
            "bot_id": granted.token.user.id,
            "workspace_icon": None,
            "workspace_name": self._workspace.name,
            "workspace_id": self._workspace.workspace_id,
            "owner": {
                "type": "user",
                "user": {
                    "object": "user",
                    "id": owner.id,
                    "name": owner.name,
                    "avatar_url": None,
                    "type": "person",
                    "person": {"email": owner.email or ""},
                },
            },
            "duplicated_template_id": None,
        }

    def _refusal(self, error: ApiError) -> Response:
        """As of any other endpoint, and in the words of OAuth as well, for clients that read those."""
        body: Json = {
            "object": "error",
            "status": int(error.status),
            "code": error.code,
            "message": error.message,
            "error": error.code if error.code in _OAUTH_CODES else "invalid_request",
            "error_description": error.message,
        }
        response = self._answers.response(error.status, body)
        if error.status == HTTPStatus.UNAUTHORIZED:
            response.headers["www-authenticate"] = "Basic"
        return response


_OAUTH_CODES = ("invalid_client", "invalid_grant")


def _choices(connection: sqlite3.Connection) -> list[Node]:
    """What can be shared on the page: what stands at the top, and the pages and databases right below."""
    found = connection.execute("SELECT * FROM node WHERE parent IS NULL AND trashed = 0 ORDER BY rank, seq")
    top = [nodes.node_of(row) for row in found]
    below = [
        child
        for node in top
        for child in nodes.children(connection, node.id)
        if child.kind in ("page", "database")
    ]
    return [*top, *below]


def _invalid_grant(what: str) -> ApiError:
    return guessed(
        f"The {what} is invalid, expired or used, or was given to another client or redirect_uri.",
        code="invalid_grant",
    )


def _authenticated(connection: sqlite3.Connection, request: Request) -> Client:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            client_id, _, secret = base64.b64decode(given.strip(), validate=True).decode().partition(":")
        except (ValueError, binascii.Error):
            client_id, secret = "", ""
        client = grants.find_client(connection, client_id)
        if client is not None and hmac.compare_digest(client.secret.encode(), secret.encode()):
            return client
    raise guessed(
        "The client is unknown or its secret is wrong.", status=HTTPStatus.UNAUTHORIZED, code="invalid_client"
    )


def _body(request: Request, raw: bytes) -> Json:
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True))
    return read_body(raw)
