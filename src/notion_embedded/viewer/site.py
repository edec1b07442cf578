"""The addresses of the view: home, `/view/{id}`, the search, the trash, and what the pages are made of."""

import gzip
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from notion_embedded.model.ids import parse_uuid
from notion_embedded.store import Node, Workspace, nodes, outline
from notion_embedded.store.rows import columns_in
from notion_embedded.viewer import cells, databases, sitemap
from notion_embedded.viewer.content import Part, contents, ids_in
from notion_embedded.viewer.databases import View
from notion_embedded.viewer.eyes import Eyes
from notion_embedded.viewer.hosts import SECURITY_HEADERS, is_local
from notion_embedded.viewer.messages import choose_language
from notion_embedded.viewer.prose import prose
from notion_embedded.viewer.talks import Discussion, discussions
from notion_embedded.viewer.visit import Visit

RECENT = 8
HOME_LANE = 5
FOUND = 50
TRASHED = 100
SECONDS_BETWEEN_UPDATES = 2
MAX_WORDS = 200
GZIP_LEVEL = 4

Endpoint = Callable[[Request], Response]

_VIEW = ("as", "sort", "down", "page", "only", "source", "q")
"""What an address may say beside the settings of the visit."""
_STILL = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def routes(workspace: Workspace) -> list[Route]:
    """Return the routes of the view; every one answers only to this machine's own names."""
    site = Site(workspace)
    return [
        Route("/", _guarded(site.home), methods=["GET"]),
        Route("/view/{id}", _guarded(site.node), methods=["GET"]),
        Route("/search", _guarded(site.search), methods=["GET"]),
        Route("/trash", _guarded(site.trash), methods=["GET"]),
        *(Route(f"/viewer.{ending}", _guarded(site.still(ending)), methods=["GET"]) for ending in _STILL),
    ]


def _guarded(endpoint: Endpoint) -> Endpoint:
    def answer(request: Request) -> Response:
        hosts = request.headers.getlist("host")
        if len(hosts) == 1 and is_local(hosts[0]):
            response = _unless_known(request, endpoint(request))
        else:
            response = PlainTextResponse("Open this page as http://127.0.0.1 or http://localhost.\n", 421)
        response.headers.update(SECURITY_HEADERS)
        return response

    return answer


def _unless_known(request: Request, response: Response) -> Response:
    """Send a page that the browser has already as its mark alone, and any other one small."""
    body = bytes(response.body)
    mark = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == mark:
        response = Response(status_code=HTTPStatus.NOT_MODIFIED)
    elif "gzip" in request.headers.get("accept-encoding", ""):
        response.body = gzip.compress(body, GZIP_LEVEL, mtime=0)
        response.headers["Content-Length"] = str(len(response.body))
        response.headers["Content-Encoding"] = "gzip"
    response.headers["ETag"] = mark
    response.headers["Vary"] = "Accept-Encoding, Accept-Language"
    return response


class Site:
    """Holds the workspace and the templates. Its methods block, so the router runs them on threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._templates = Environment(
            loader=PackageLoader("notion_embedded.viewer"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )

    def home(self, request: Request) -> Response:
        """The workspace: the board that is worked at, what changed last, and the text of the top page."""
        with self._visit(request) as visit:
            connection = visit.eyes.connection
            root = visit.eyes.place(self._workspace.root_page_id)
            busiest = sitemap.busiest_board(connection)
            parts = self._parts(root, visit)[0] if root else []
            return self._show(
                request,
                visit,
                "home.html",
                title=self._workspace.name,
                recent=sitemap.recent(connection, RECENT),
                database=busiest[0] if busiest else None,
                board=databases.board(*busiest, visit, View(), HOME_LANE) if busiest else None,
                # What stands in the tree beside it need not be said twice.
                parts=[part for part in parts if part.kind not in {"child_page", "child_database"}],
            )

    def node(self, request: Request) -> Response:
        """A page or a database; a data source is shown with its database, a block with its page."""
        with self._visit(request) as visit:
            path = self._path(request.path_params["id"], visit)
            if not path:
                return self._show(request, visit, "missing.html", status=404, title=visit.say("missing"))
            node = path[-1]
            trail = [above for above in path[:-1] if above.kind in {"page", "database"}]
            shared: dict[str, Any] = {
                "node": node,
                "trail": trail,
                "title": node.title or visit.say("untitled"),
            }
            if node.kind == "database":
                shown = self._database(request, node, visit)
                return self._show(request, visit, "database.html", **shared, **shown)
            parts, talks = self._parts(node, visit, [above.id for above in (*trail, node)])
            columns = (
                visit.eyes.columns(node.parent) if node.parent_kind == "data_source" and node.parent else ()
            )
            values = cells.cells(node, columns, visit)
            return self._show(
                request,
                visit,
                "page.html",
                **shared,
                parts=parts,
                talks=talks,
                values=values,
                cover=self._cover(node, visit),
            )

    def search(self, request: Request) -> Response:
        """The pages and databases with some words in the title."""
        words = request.query_params.get("q", "").strip()[:MAX_WORDS]
        with self._visit(request) as visit:
            found = sitemap.titled(visit.eyes.connection, words, FOUND + 1) if words else []
            title = visit.say("found_for", words=words) if words else visit.say("search")
            return self._show(
                request,
                visit,
                "search.html",
                title=title,
                words=words,
                found=found[:FOUND],
                more=len(found) > FOUND,
            )

    def trash(self, request: Request) -> Response:
        """What was put in the trash, as a list."""
        with self._visit(request) as visit:
            found = sitemap.trash(visit.eyes.connection, TRASHED)
            return self._show(request, visit, "trash.html", title=visit.say("trash"), found=found)

    def still(self, ending: str) -> Endpoint:
        """A file that is the same for everyone: the style sheet, the script, the drawings."""
        text = files("notion_embedded.viewer").joinpath(f"viewer.{ending}").read_text("utf-8")
        return lambda _request: Response(text, media_type=_STILL[ending])

    @contextmanager
    def _visit(self, request: Request) -> Iterator[Visit]:
        asked = request.query_params.get("lang")
        language = choose_language(asked, request.headers.get("accept-language", ""))
        live = request.query_params.get("live", "")
        kept = {"lang": language if asked else "", "live": live if live in {"0", "1"} else ""}
        with self._workspace.reading() as connection:
            yield Visit(
                language=language,
                kept={name: value for name, value in kept.items() if value},
                eyes=Eyes(connection, self._workspace.now()),
            )

    def _path(self, given: str, visit: Visit) -> list[Node]:
        node_id = parse_uuid(given)
        above = nodes.ancestors(visit.eyes.connection, node_id) if node_id else []
        if any(trashed for _, _, trashed in above):
            return []
        found = (visit.eyes.node(found) for found, _, _ in reversed(above))
        path = [node for node in found if node is not None]
        while path and path[-1].kind not in {"page", "database"}:
            path.pop()
        return path

    def _parts(
        self, page: Node, visit: Visit, trail: Sequence[str] = ()
    ) -> tuple[list[Part], Sequence[Discussion]]:
        """What stands on the page, and the discussions about the page itself."""
        trees = outline.trees_in(visit.eyes.connection, page.id, with_originals=True)
        talks = discussions([page.id, *ids_in(trees)], visit)
        return contents(trees, visit, talks, trail), talks.get(page.id, ())

    def _cover(self, node: Node, visit: Visit) -> str | None:
        upload = (node.body.get("cover") or {}).get("file_upload")
        stored = visit.eyes.file(upload["id"]) if upload else None
        return stored.path if stored is not None and stored.media == "image" else None

    def _database(self, request: Request, database: Node, visit: Visit) -> dict[str, Any]:
        asked = request.query_params
        sources = nodes.children(visit.eyes.connection, database.id)
        view = View(
            look="board" if asked.get("as") == "board" else "table",
            sort=asked.get("sort", ""),
            down=asked.get("down") == "1",
            page=_number(asked.get("page")),
            only=asked.get("only", ""),
            source=min(_number(asked.get("source")), max(1, len(sources))),
        )
        source = sources[view.source - 1] if sources else None
        with_board = source is not None and databases.status_column(columns_in(source)) is not None
        as_board = view.look == "board" and with_board
        return {
            "view": view,
            "sources": sources,
            "with_board": with_board,
            "board": databases.board(database, source, visit, view) if source and as_board else None,
            "sheet": databases.sheet(database, source, visit, view) if source and not as_board else None,
            "description": prose(database.body.get("description") or (), visit),
        }

    def _show(
        self, request: Request, visit: Visit, template: str, *, status: int = 200, **values: Any
    ) -> Response:
        other = "en" if visit.language == "zh" else "zh"
        live = visit.kept.get("live")
        path = request.url.path if status == HTTPStatus.OK else "/"
        asked = {name: value for name, value in request.query_params.items() if name in _VIEW}
        node: Node | None = values.get("node")
        above: list[Node] = values.get("trail", [])
        html = self._templates.get_template(template).render(
            visit=visit,
            say=visit.say,
            emoji=cells.emoji,
            places=sitemap.tree(visit.eyes.connection, [one.id for one in (*above, node) if one is not None]),
            workspace=self._workspace.name,
            path=path,
            here=node.id if node else None,
            live=live != "0",
            by_itself=SECONDS_BETWEEN_UPDATES if live == "1" else None,
            seconds=SECONDS_BETWEEN_UPDATES,
            live_href=visit.link(path, **asked, live="0" if live != "0" else "1"),
            other_href=visit.link(path, **asked, lang=other),
            other=other,
            **{"words": "", **values},
        )
        return HTMLResponse(html, status)


def _number(given: str | None) -> int:
    """A number in an address; 1 for what is none."""
    return int(given) if given and re.fullmatch(r"[1-9]\d{0,5}", given) else 1
