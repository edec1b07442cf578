"""The bytes of uploaded files, at addresses that the API signed and that expire."""

from http import HTTPStatus
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from notion_embedded.http.file_uploads import is_type
from notion_embedded.model.dates import milliseconds
from notion_embedded.store import files
from notion_embedded.store.workspace import Workspace

SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What a browser may show in place; anything else is offered for saving."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}


def routes(workspace: Workspace) -> list[Route]:
    """Where the files of this workspace are had from."""

    async def serve(request: Request) -> Response:
        upload_id = request.path_params["upload_id"]
        given = request.query_params
        return await run_in_threadpool(
            _served, workspace, upload_id, given.get("expires", ""), given.get("signature", "")
        )

    return [Route("/files/{upload_id}/{name}", serve, methods=["GET"])]


def _served(workspace: Workspace, upload_id: str, expires: str, signature: str) -> Response:
    moment = int(expires) if expires.isascii() and expires.isdigit() and len(expires) < 16 else 0  # noqa: PLR2004  no moment has more digits
    with workspace.reading() as connection:
        if not files.is_signed(connection, upload_id, moment, signature):
            return _refused(HTTPStatus.FORBIDDEN, "The address was not signed by this server.")
        if moment <= milliseconds(workspace.now()):
            return _refused(HTTPStatus.FORBIDDEN, "The address has expired; read the object again.")
        upload = files.find(connection, upload_id)
        if upload is None or upload.status != "uploaded":
            return _refused(HTTPStatus.NOT_FOUND, "There is no such file.")
        content = files.content(connection, upload_id)
    # A line break in it would break the answer off.
    content_type = upload.content_type or ""
    content_type = content_type if is_type(content_type) else "application/octet-stream"
    shown = content_type.partition(";")[0].strip().lower() in SHOWN
    name = quote(upload.filename or "file", safe="", errors="replace")
    disposition = "inline" if shown else "attachment"
    return Response(
        content,
        headers={
            **_HEADERS,
            "Content-Type": content_type,
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
        },
    )


def _refused(status: HTTPStatus, why: str) -> Response:
    return PlainTextResponse(why, status, headers=_HEADERS)
