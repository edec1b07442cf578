"""The server as an ASGI application: routes, who may come in, and how everything that fails is told.

Handlers are plain functions on a `Desk`. Each runs on a thread, inside one transaction: readers
beside each other, writers one after the other, so that SQLite never blocks the event loop. A
response is sent after the commit, and an exception of any kind leaves nothing behind.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from notion_embedded import viewer
from notion_embedded.http import (
    blocks,
    comments,
    databases,
    file_uploads,
    moves,
    oauth,
    old_databases,
    openapi,
    page_markdown,
    pages,
    property_items,
    query,
    search,
    served_files,
    sources,
    users,
)
from notion_embedded.http.answers import Answers
from notion_embedded.http.call import (
    MAX_BODY,
    NEWEST,
    SINGLE_SOURCE,
    VERSIONS,
    WITH_ARCHIVED,
    Call,
    read_body,
    read_query,
    read_version,
)
from notion_embedded.http.desk import Desk
from notion_embedded.http.forms import MAX_FORM, Field, read_capped, read_form
from notion_embedded.http.rights import check_rights, readable
from notion_embedded.http.shapes import in_version
from notion_embedded.model.checks import Json
from notion_embedded.model.errors import ApiError
from notion_embedded.store import tokens
from notion_embedded.store.lag import stamp_changes
from notion_embedded.store.tokens import Capability, Token
from notion_embedded.store.workspace import Workspace

_ANY = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")

Handler = Callable[[Desk, Call], Json]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method on one path, in some versions of the API."""

    method: str
    path: str
    handler: Handler
    writes: bool = False
    needs: Capability | None = None
    versions: tuple[str, ...] = VERSIONS
    form: bool = False
    """Its body is a form and not JSON."""


_OLD = (SINGLE_SOURCE,)
_NEW = (WITH_ARCHIVED, NEWEST)

ENDPOINTS = (
    Endpoint("GET", "/users/me", users.me),
    Endpoint("GET", "/users", users.list_users, needs="read_users"),
    Endpoint("GET", "/users/{user_id}", users.get_user, needs="read_users"),
    Endpoint("POST", "/search", search.search, needs="read_content"),
    Endpoint("POST", "/pages", pages.create_page, writes=True, needs="insert_content"),
    Endpoint("GET", "/pages/{page_id}", pages.get_page, needs="read_content"),
    Endpoint("PATCH", "/pages/{page_id}", pages.update_page, writes=True, needs="update_content"),
    Endpoint("POST", "/pages/{page_id}/move", moves.move_page, writes=True, needs="update_content"),
    Endpoint("GET", "/pages/{page_id}/markdown", page_markdown.get_markdown, needs="read_content"),
    Endpoint(
        "PATCH",
        "/pages/{page_id}/markdown",
        page_markdown.update_markdown,
        writes=True,
        needs="update_content",
    ),
    Endpoint(
        "GET", "/pages/{page_id}/properties/{property_id}", property_items.get_property, needs="read_content"
    ),
    Endpoint("GET", "/blocks/{block_id}", blocks.get_block, needs="read_content"),
    Endpoint("PATCH", "/blocks/{block_id}", blocks.update_block, writes=True, needs="update_content"),
    Endpoint("DELETE", "/blocks/{block_id}", blocks.delete_block, writes=True, needs="update_content"),
    Endpoint("GET", "/blocks/{block_id}/children", blocks.list_children, needs="read_content"),
    Endpoint(
        "PATCH", "/blocks/{block_id}/children", blocks.append_children, writes=True, needs="insert_content"
    ),
    Endpoint(
        "POST", "/databases", databases.create_database, writes=True, needs="insert_content", versions=_NEW
    ),
    Endpoint("GET", "/databases/{database_id}", databases.get_database, needs="read_content", versions=_NEW),
    Endpoint(
        "PATCH",
        "/databases/{database_id}",
        databases.update_database,
        writes=True,
        needs="update_content",
        versions=_NEW,
    ),
    Endpoint(
        "POST", "/data_sources", sources.create_source, writes=True, needs="insert_content", versions=_NEW
    ),
    Endpoint(
        "GET", "/data_sources/{data_source_id}", sources.get_source, needs="read_content", versions=_NEW
    ),
    Endpoint(
        "PATCH",
        "/data_sources/{data_source_id}",
        sources.update_source,
        writes=True,
        needs="update_content",
        versions=_NEW,
    ),
    Endpoint(
        "POST",
        "/data_sources/{data_source_id}/query",
        query.query_source,
        needs="read_content",
        versions=_NEW,
    ),
    Endpoint(
        "POST",
        "/databases",
        old_databases.create_database,
        writes=True,
        needs="insert_content",
        versions=_OLD,
    ),
    Endpoint(
        "GET", "/databases/{database_id}", old_databases.get_database, needs="read_content", versions=_OLD
    ),
    Endpoint(
        "PATCH",
        "/databases/{database_id}",
        old_databases.update_database,
        writes=True,
        needs="update_content",
        versions=_OLD,
    ),
    Endpoint(
        "POST",
        "/databases/{database_id}/query",
        old_databases.query_database,
        needs="read_content",
        versions=_OLD,
    ),
    Endpoint("POST", "/file_uploads", file_uploads.create_upload, writes=True, needs="insert_content"),
    Endpoint("GET", "/file_uploads", file_uploads.list_uploads),
    Endpoint("GET", "/file_uploads/{file_upload_id}", file_uploads.get_upload),
    Endpoint(
        "POST",
        "/file_uploads/{file_upload_id}/send",
        file_uploads.send_upload,
        writes=True,
        needs="insert_content",
        form=True,
    ),
    Endpoint(
        "POST",
        "/file_uploads/{file_upload_id}/complete",
        file_uploads.complete_upload,
        writes=True,
        needs="insert_content",
    ),
    Endpoint("POST", "/comments", comments.create_comment, writes=True, needs="insert_comments"),
    Endpoint("GET", "/comments", comments.list_comments, needs="read_comments"),
    Endpoint("GET", "/comments/{comment_id}", comments.get_comment, needs="read_comments"),
    Endpoint(
        "PATCH", "/comments/{comment_id}", comments.update_comment, writes=True, needs="insert_comments"
    ),
    Endpoint(
        "DELETE", "/comments/{comment_id}", comments.delete_comment, writes=True, needs="insert_comments"
    ),
)


def create_app(workspace: Workspace) -> Starlette:
    """The application for this workspace: the API under `/v1`, and pages to look at under `/`."""
    api = [_Api(workspace).route(group) for group in _grouped(ENDPOINTS)]
    lost = _Api(workspace).lost
    api += [*oauth.routes(workspace), Route("/{rest:path}", lost, methods=_ANY)]
    return Starlette(
        routes=[
            Mount("/v1", routes=api),
            openapi.route(ENDPOINTS),
            *served_files.routes(workspace),
            *viewer.routes(workspace),
        ],
        exception_handlers={HTTPStatus.NOT_FOUND: _nowhere(lost)},
    )


def _nowhere(lost: Callable[[Request], Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    async def answer(request: Request, _error: Exception) -> Response:
        # A path with a line break in it matches no route at all, not even the API's last one.
        if request.scope["path"].startswith("/v1/"):
            return await lost(request)
        return PlainTextResponse("Not Found", status_code=HTTPStatus.NOT_FOUND)

    return answer


def _grouped(endpoints: Sequence[Endpoint]) -> list[tuple[Endpoint, ...]]:
    """The endpoints that only their versions tell apart, together."""
    groups: dict[tuple[str, str], tuple[Endpoint, ...]] = {}
    for endpoint in endpoints:
        key = (endpoint.method, endpoint.path)
        groups[key] = (*groups.get(key, ()), endpoint)
    return list(groups.values())


def _in_version(endpoints: Sequence[Endpoint], version: str) -> Endpoint:
    endpoint = next((one for one in endpoints if version in one.versions), None)
    if endpoint is None:
        raise _no_such_url()
    return endpoint


def _form(request: Request, raw: bytes) -> dict[str, Field]:
    if len(raw) > MAX_FORM:
        raise file_uploads.too_large(MAX_FORM)
    return read_form(request.headers.get("content-type"), raw)


def _no_such_url() -> ApiError:
    return ApiError(HTTPStatus.BAD_REQUEST, "invalid_request_url", "Invalid request URL.")


class _Api:
    """Turns handlers into routes of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._answers = Answers(workspace)

    def route(self, endpoints: tuple[Endpoint, ...]) -> Route:
        async def answer(request: Request) -> Response:
            try:
                raw = await read_capped(request, MAX_FORM if endpoints[0].form else MAX_BODY)
            except ClientDisconnect:
                return Response(status_code=HTTPStatus.BAD_REQUEST)
            return await run_in_threadpool(self._answer, endpoints, request, raw)

        return Route(endpoints[0].path, answer, methods=[endpoints[0].method])

    async def lost(self, _request: Request) -> Response:
        return self._answers.refusal(_no_such_url())

    def _answer(self, endpoints: tuple[Endpoint, ...], request: Request, raw: bytes) -> Response:
        try:
            token = self._token(request)
            version = read_version(request.headers.get("notion-version"))
            endpoint = _in_version(endpoints, version)
            check_rights(token, endpoint.needs, writes=endpoint.writes)
            has_body = endpoint.method in ("POST", "PATCH")
            call = Call(
                version=version,
                path=request.path_params,
                query=read_query(request.scope["query_string"]),
                body=read_body(raw) if has_body and not endpoint.form else {},
                form=_form(request, raw) if endpoint.form else {},
                origin=str(request.base_url).removesuffix("/v1/").rstrip("/"),
            )
            answer = in_version(self._handled(endpoint, token, call), version)
            return self._answers.response(HTTPStatus.OK, readable(answer, token))
        except ApiError as error:
            return self._answers.refusal(error)
        except Exception as error:  # noqa: BLE001  the edge of the server: a client gets JSON, whatever happens
            return self._answers.failure(error)

    def _handled(self, endpoint: Endpoint, token: Token, call: Call) -> Json:
        connect = self._workspace.writing if endpoint.writes else self._workspace.reading
        with connect() as connection:
            desk = Desk(self._workspace, connection, token)
            answer = endpoint.handler(desk, call)
            if endpoint.writes:
                file_uploads.attach_named(desk, call.body)
                stamp_changes(connection, self._workspace.now())
            return file_uploads.with_addresses(desk, answer, call.origin)

    def _token(self, request: Request) -> Token:
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            with self._workspace.reading() as connection:
                token = tokens.find_token(connection, secret.strip())
            if token is not None:
                return token
        raise ApiError(HTTPStatus.UNAUTHORIZED, "unauthorized", "API token is invalid.")
