"""Responses of the API: JSON with a request id, whatever came of the request."""

import json
import sqlite3
import sys
import traceback
from email.utils import format_datetime
from http import HTTPStatus
from uuid import uuid4

from starlette.responses import Response

from notion_embedded.model.checks import Json
from notion_embedded.model.errors import ApiError
from notion_embedded.store.workspace import Workspace


class Answers:
    """Makes the responses of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def response(self, status: int, body: Json) -> Response:
        """The body as a response, with its request id."""
        request_id = str(uuid4())
        body["request_id"] = request_id
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return Response(
            content.encode("utf-8", "replace"),
            status_code=status,
            headers={
                "content-type": "application/json; charset=utf-8",
                "x-notion-request-id": request_id,
                "date": format_datetime(self._workspace.now(), usegmt=True),
            },
        )

    def refusal(self, error: ApiError) -> Response:
        """A request that is refused."""
        body: Json = {
            "object": "error",
            "status": int(error.status),
            "code": error.code,
            "message": error.message,
        }
        if error.additional_data is not None:
            body["additional_data"] = error.additional_data
        return self.response(error.status, body)

    def failure(self, error: Exception) -> Response:
        """A request that the server could not cope with; the reason goes to stderr."""
        full = isinstance(error, sqlite3.Error) and error.sqlite_errorcode == sqlite3.SQLITE_FULL
        if full:
            sys.stderr.write("notion-embedded: the workspace file is full; nothing was written\n")
        else:
            sys.stderr.write("".join(traceback.format_exception(error)))
        body = {
            "object": "error",
            "status": int(HTTPStatus.INTERNAL_SERVER_ERROR),
            "code": "internal_server_error",
            "message": "The workspace is full; nothing was written."
            if full
            else "Unexpected error occurred.",
        }
        return self.response(HTTPStatus.INTERNAL_SERVER_ERROR, body)
