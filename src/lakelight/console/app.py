"""The addresses of the console, and which page answers when something goes wrong."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lakelight.console.desk import Desk
from lakelight.console.following import Following
from lakelight.console.gate import HEADERS, Gate
from lakelight.console.keys import Keys
from lakelight.console.pages import Pages
from lakelight.console.site import Site
from lakelight.errors import LakelightError
from lakelight.guard import AlreadyDecided, NoSuchApproval

_PROBLEMS = {403: "form", 404: "missing", 405: "method", 413: "too_large", 415: "form"}


def create_app(desk: Desk) -> Starlette:
    """The console over `desk`, to be served on this machine only."""
    keys = Keys(desk.secret)
    pages = Pages(desk.clock, desk.language, link=desk.link, command=desk.command)
    following = Following(desk.advance, desk.patience)
    site = Site(desk, keys, pages, following)
    failures = _Failures(pages)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await following.close()

    return Starlette(
        routes=[
            Route("/", site.home, methods=["GET"]),
            Route("/approvals", site.listing, methods=["GET"]),
            Route("/approvals/{key}", site.card, methods=["GET"]),
            Route("/approvals/{key}/whole", site.whole, methods=["GET"]),
            Route("/approvals/{key}/edit", site.edit, methods=["GET"]),
            Route("/approvals/{key}/edit", site.submit_edit, methods=["POST"]),
            Route("/approvals/{key}/approve", site.approve, methods=["POST"]),
            Route("/approvals/{key}/reject", site.reject, methods=["POST"]),
            Route("/console.css", pages.style, methods=["GET"]),
            Route("/console.svg", pages.icon, methods=["GET"]),
        ],
        middleware=[Middleware(Gate, keys=keys, pages=pages)],
        exception_handlers={
            HTTPException: failures.http,
            NoSuchApproval: failures.unknown,
            AlreadyDecided: site.decided_before,
            LakelightError: failures.ours,
            Exception: failures.fault,
        },
        lifespan=lifespan,
    )


class _Failures:
    """Tells what went wrong, on a page."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def http(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        key = f"console.problem.{_PROBLEMS.get(status, 'missing')}"
        return self._pages.show(request, "problem.html", status=status, key=key)

    async def unknown(self, request: Request, error: Exception) -> Response:
        return self._explain(request, error, 404)

    async def ours(self, request: Request, error: Exception) -> Response:
        return self._explain(request, error, 503)

    async def fault(self, request: Request, _error: Exception) -> Response:
        response = self._pages.show(request, "problem.html", status=500, key="lakelight.error")
        # Made outside the gate, which else puts them on.
        response.headers.update(HEADERS)
        return response

    def _explain(self, request: Request, error: Exception, status: int) -> Response:
        visitor = self._pages.visitor(request)
        text = visitor.messages.explain(error) if isinstance(error, LakelightError) else ""
        return self._pages.show(request, "problem.html", status=status, text=text)
