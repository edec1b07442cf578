"""The addresses of the view: the home page, `/view/{id}` for a page or a database, and the style sheet."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from notion_embedded.model.columns import column_from_json
from notion_embedded.model.ids import parse_uuid
from notion_embedded.store import Node, Workspace, outline
from notion_embedded.viewer import cells, sitemap
from notion_embedded.viewer.content import contents
from notion_embedded.viewer.hosts import SECURITY_HEADERS, is_local
from notion_embedded.viewer.messages import choose_language
from notion_embedded.viewer.visit import Visit

RECENT = 8
MAX_ROWS = 500
SECONDS_BETWEEN_UPDATES = 3

Endpoint = Callable[[Request], Response]


def routes(workspace: Workspace) -> list[Route]:
    """Return the routes of the view; every one answers only to this machine's own names."""
    site = Site(workspace)
    return [
        Route("/", _guarded(site.home), methods=["GET"]),
        Route("/view/{id}", _guarded(site.node), methods=["GET"]),
        Route("/viewer.css", _guarded(site.style), methods=["GET"]),
        Route("/viewer.svg", _guarded(site.icon), methods=["GET"]),
    ]


def _guarded(endpoint: Endpoint) -> Endpoint:
    def answer(request: Request) -> Response:
        hosts = request.headers.getlist("host")
        if len(hosts) == 1 and is_local(hosts[0]):
            response = endpoint(request)
        else:
            response = PlainTextResponse("Open this page as http://127.0.0.1 or http://localhost.\n", 421)
        response.headers.update(SECURITY_HEADERS)
        return response

    return answer


class Site:
    """Holds the workspace and the templates. Its methods block, so the router runs them on threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        here = files("notion_embedded.viewer")
        self._style = here.joinpath("viewer.css").read_text("utf-8")
        self._icon = here.joinpath("viewer.svg").read_text("utf-8")
        self._templates = Environment(
            loader=PackageLoader("notion_embedded.viewer"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )

    def home(self, request: Request) -> Response:
        """The workspace: what changed last, and the page at the top with its blocks."""
        visit = self._visit(request)
        root = outline.page(self._workspace, self._workspace.root_page_id)
        blocks = outline.children_trees(self._workspace, root.id) if root and not root.trashed else []
        return self._show(
            request,
            visit,
            "home.html",
            title=self._workspace.name,
            recent=sitemap.recent(self._workspace, RECENT),
            parts=contents(blocks, visit),
        )

    def node(self, request: Request) -> Response:
        """A page or a database; a data source is shown with its database, a block with its page."""
        visit = self._visit(request)
        path = self._path(request.path_params["id"])
        if not path:
            return self._show(request, visit, "missing.html", status=404, title=visit.say("missing"))
        node = path[-1]
        trail = [above for above in path[:-1] if above.kind in {"page", "database"}]
        shared: dict[str, Any] = {"node": node, "trail": trail, "title": node.title or visit.say("untitled")}
        if node.kind == "database":
            return self._show(request, visit, "database.html", **shared, **self._tables(request, node, visit))
        blocks = outline.children_trees(self._workspace, node.id)
        values = self._values(node, visit)
        return self._show(request, visit, "page.html", **shared, parts=contents(blocks, visit), values=values)

    def style(self, _request: Request) -> Response:
        """The style sheet."""
        return Response(self._style, media_type="text/css")

    def icon(self, _request: Request) -> Response:
        """The icon for the browser's tab."""
        return Response(self._icon, media_type="image/svg+xml")

    def _visit(self, request: Request) -> Visit:
        asked = request.query_params.get("lang")
        language = choose_language(asked, request.headers.get("accept-language", ""))
        kept = {
            "lang": language if asked else "",
            "live": "1" if request.query_params.get("live") == "1" else "",
        }
        return Visit(
            language=language,
            kept={name: value for name, value in kept.items() if value},
            now=self._workspace.now(),
            titles=sitemap.titles(self._workspace),
            users=outline.users(self._workspace),
        )

    def _path(self, given: str) -> list[Node]:
        node_id = parse_uuid(given)
        path = outline.path_to(self._workspace, node_id) if node_id else []
        if any(node.trashed for node in path):
            return []
        while path and path[-1].kind not in {"page", "database"}:
            path.pop()
        return path

    def _values(self, node: Node, visit: Visit) -> list[cells.Cell]:
        source = (
            outline.page(self._workspace, node.parent)
            if node.parent_kind == "data_source" and node.parent
            else None
        )
        if source is None:
            return []
        columns = tuple(column_from_json(column) for column in source.body["columns"])
        return cells.cells(node, columns, visit)

    def _tables(self, request: Request, database: Node, visit: Visit) -> dict[str, Any]:
        tables = []
        for source in outline.data_sources(self._workspace, database.id):
            table = outline.table(self._workspace, source.id, limit=MAX_ROWS + 1)
            if table is not None:
                rows = table.rows[:MAX_ROWS]
                tables.append(
                    {
                        "name": source.title,
                        "names": [column.name for column in table.columns if column.type != "title"],
                        "title_name": next(column.name for column in table.columns if column.type == "title"),
                        "lines": [cells.line(row, table.columns, visit) for row in rows],
                        "lanes": cells.board(rows, table.columns, visit),
                        "cut": len(table.rows) > MAX_ROWS,
                    }
                )
        as_board = request.query_params.get("as") == "board" and any(table["lanes"] for table in tables)
        return {"tables": tables, "as_board": as_board, "max_rows": MAX_ROWS}

    def _show(
        self, request: Request, visit: Visit, template: str, *, status: int = 200, **values: Any
    ) -> Response:
        other = "en" if visit.language == "zh" else "zh"
        node: Node | None = values.get("node")
        kept = {"as": request.query_params.get("as")} if values.get("as_board") else {}
        here = node.id if node else None
        html = self._templates.get_template(template).render(
            visit=visit,
            say=visit.say,
            emoji=cells.emoji,
            places=sitemap.tree(self._workspace),
            workspace=self._workspace.name,
            here=here,
            live=SECONDS_BETWEEN_UPDATES if visit.kept.get("live") else None,
            live_href=visit.href(here, live=None if visit.kept.get("live") else "1", **kept),
            other_href=visit.href(here, lang=other, **kept),
            other=other,
            **values,
        )
        return HTMLResponse(html, status)
