"""In front of every page: our own address only, signed in, and a form from our own pages.

A site elsewhere can point its own name at this machine, or send a form to it; both are refused here,
before anything is read.
"""

import re
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakelight.console.keys import Keys
from lakelight.console.pages import Pages

SESSION = "lakelight_session"
PUBLIC = frozenset({"/console.css", "/console.svg"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; "
        "base-uri 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_OURS = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_MONTH = 30 * 24 * 3600


class Gate:
    """Lets in what may come in, and puts the headers on whatever goes out."""

    def __init__(self, app: ASGIApp, keys: Keys, pages: Pages) -> None:
        self._app = app
        self._keys = keys
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._stop(Request(scope))
        await (answer or self._app)(scope, receive, send_guarded)

    def _stop(self, request: Request) -> Response | None:
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not _OURS.fullmatch(hosts[0]):
            return PlainTextResponse("Open this page as http://127.0.0.1 or http://localhost.\n", 421)
        if request.url.path in PUBLIC:
            return None
        if request.method in {"GET", "HEAD"} and "k" in request.query_params:
            return self._sign_in(request)
        if not self._keys.knows(session_of(request)):
            return self._pages.show(request, "sign_in.html", status=401, again=_came_from_elsewhere(request))
        if request.method not in {"GET", "HEAD"} and not is_from_our_page(request, hosts[0]):
            return self._pages.show(request, "problem.html", status=403, key="console.problem.elsewhere")
        return None

    def _sign_in(self, request: Request) -> Response:
        if not self._keys.opens(request.query_params["k"]):
            return self._pages.show(request, "sign_in.html", status=401, wrong=True)
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != "k"]
        # Never to another host: a path that begins with two slashes would be one.
        path = "/" + request.url.path.lstrip("/\\")
        target = path + (f"?{urlencode(rest)}" if rest else "")
        # A browser that was sent here by a link on another site withholds a strict cookie from the
        # redirect; from a page of ours it goes on with it.
        response = (
            self._pages.show(request, "entrance.html", target=target)
            if _came_from_elsewhere(request)
            else RedirectResponse(target, 303)
        )
        response.set_cookie(
            SESSION, self._keys.new_session(), max_age=_MONTH, path="/", httponly=True, samesite="strict"
        )
        return response


def session_of(request: Request) -> str:
    """The session that a browser shows; empty when it shows none."""
    return request.cookies.get(SESSION, "")


def is_from_our_page(request: Request, host: str) -> bool:
    """True unless the browser says that another site sent this.

    A browser that is told to send no referrer gives `null` as the origin, and an old one gives no
    `Sec-Fetch-Site`; then the form's token alone decides.
    """
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "null")
    return site == "same-origin" and origin in {"null", f"http://{host}", f"https://{host}"}


def _came_from_elsewhere(request: Request) -> bool:
    return request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}
