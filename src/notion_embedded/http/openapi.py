"""The server's own OpenAPI description: of every endpoint what it takes and what it answers.

What the code already says (paths, methods, versions, names, summaries) is read from the endpoints;
bodies and answers stand in `openapi.json`. It describes the versions that know data sources, and
requests in their full form, with every `type`; the server takes shorter ones, and refuses some for
other reasons than their form, as Notion does.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from notion_embedded.http.call import NEWEST, SINGLE_SOURCE
from notion_embedded.model.checks import Json

_REFUSAL: Json = {
    "description": "Refused, in Notion's words.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
_REFUSED_WITH = ("400", "401", "403", "404", "413")


class Described(Protocol):
    """What the description reads from an endpoint."""

    @property
    def method(self) -> str:
        """The HTTP method."""
        ...

    @property
    def path(self) -> str:
        """The path after `/v1`, with its parameters in braces."""
        ...

    @property
    def handler(self) -> Callable[..., Any]:
        """What answers; its docstring is the summary."""
        ...

    @property
    def versions(self) -> Sequence[str]:
        """The versions of the API that have it."""
        ...

    @property
    def form(self) -> bool:
        """Whether its body is a form."""
        ...


def route(endpoints: Sequence[Described]) -> Route:
    """Where the description is served: beside the API, since Notion's has no such address."""

    def answer(_request: Request) -> Response:
        return JSONResponse(describe(endpoints))

    return Route("/openapi.json", answer, methods=["GET"])


def describe(endpoints: Sequence[Described]) -> Json:
    """The description as OpenAPI 3.1."""
    written = _written()
    paths: dict[str, Json] = {}
    for endpoint in endpoints:
        operations = paths.setdefault(endpoint.path, {})
        if endpoint.method.lower() in operations and endpoint.versions == (SINGLE_SOURCE,):
            continue
        said = written["operations"][f"{endpoint.method} {endpoint.path}"]
        operations[endpoint.method.lower()] = _operation(endpoint, said)
    for address, said in written["oauth"].items():
        paths[address.removeprefix("POST ")] = {"post": _for_clients(said)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "notion-embedded", "version": NEWEST, "description": __doc__},
        "servers": [{"url": "/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "client": {"type": "http", "scheme": "basic"},
            },
            "schemas": written["schemas"],
        },
    }


@cache
def _written() -> Json:
    text = files("notion_embedded.http").joinpath("openapi.json").read_text("utf-8")
    written: Json = json.loads(text)
    return written


def _operation(endpoint: Described, said: Mapping[str, Any]) -> Json:
    summary = (endpoint.handler.__doc__ or "").partition("\n")[0]
    return {
        "operationId": endpoint.handler.__name__,
        "tags": [endpoint.path.split("/")[1]],
        "summary": summary.rstrip("."),
        "parameters": [_version(endpoint), *_in_path(endpoint.path), *_in_query(said)],
        **_exchange(said, "multipart/form-data" if endpoint.form else "application/json"),
    }


def _for_clients(said: Mapping[str, Any]) -> Json:
    """An address of OAuth: it needs no version, and a client in place of a token."""
    return {
        "operationId": said["operationId"],
        "tags": ["oauth"],
        "summary": said["summary"],
        "security": [{"client": []}],
        **_exchange(said, "application/json"),
    }


def _exchange(said: Mapping[str, Any], kind: str) -> Json:
    """What goes in and what comes out."""
    answer = {"schema": {"$ref": f"#/components/schemas/{said['answer']}"}}
    responses = {
        "200": {"description": "Done.", "content": {"application/json": answer}},
        **dict.fromkeys(_REFUSED_WITH, _REFUSAL),
    }
    if "body" not in said:
        return {"responses": responses}
    body = {"required": True, "content": {kind: {"schema": said["body"]}}}
    return {"requestBody": body, "responses": responses}


def _version(endpoint: Described) -> Json:
    described = [version for version in endpoint.versions if version != SINGLE_SOURCE]
    versions = {"type": "string", "enum": described or list(endpoint.versions)}
    return {"name": "Notion-Version", "in": "header", "required": True, "schema": versions}


def _in_path(path: str) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _id(name)}
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _id(name: str) -> Json:
    return {"type": "string"} if name == "property_id" else {"$ref": "#/components/schemas/Id"}


def _in_query(said: Mapping[str, Any]) -> list[Json]:
    required = said.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in said.get("query", {}).items()
    ]
