"""Schemathesis asks everything that the server's own description allows, and much that it does not.

No answer may be a fault of the server, and none may be outside the description. `JUDGE_EXAMPLES` says how
many requests each endpoint gets, twice: once well formed, once not.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.python.asgi import get_client
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.routing import Mount

from notion_embedded.http.app import ENDPOINTS
from notion_embedded.http.openapi import describe
from notion_embedded.server import Workspace, create_app, open_workspace

pytestmark = pytest.mark.timeout(600)

Json = dict[str, Any]

EXAMPLES = int(os.environ.get("JUDGE_EXAMPLES", "8"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
DESCRIPTION = describe(ENDPOINTS)
RELATED = ("relation", "rollup", "formula")
COLUMNS = [
    name
    for name in DESCRIPTION["components"]["schemas"]["Column"]["properties"]
    if name not in ("type", *RELATED)
]
"""One column of each type that needs no other, named by its type."""


def narrowed(description: Json) -> Json:
    """The description for asking: lists are short and blocks nest once, or most of the time goes into drawing."""
    asked = _shortened(description)
    schemas = asked["components"]["schemas"] = _shallow(asked["components"]["schemas"])
    leaf = {"rich_text": {"$ref": "#/components/schemas/Text"}}
    schemas["Leaf"] = {
        "type": "object",
        "properties": {
            "type": {"const": "paragraph"},
            "paragraph": {"type": "object", "properties": leaf, "required": ["rich_text"]},
        },
        "required": ["type", "paragraph"],
    }
    return asked


def _shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: min(item, 3) if key == "maxItems" else _shortened(item) for key, item in value.items()}


def _shallow(value: Any) -> Any:
    if isinstance(value, list):
        return [_shallow(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("$ref") == "#/components/schemas/Block":
        return {"$ref": "#/components/schemas/Leaf"}
    return {key: _shallow(item) for key, item in value.items()}


class Ground:
    """A workspace with some of everything, and requests that are aimed at it."""

    def __init__(self, file: Path) -> None:
        self.workspace: Workspace = open_workspace(file)
        self.app = create_app(self.workspace)
        self.headers = {"authorization": f"Bearer {self.workspace.token}"}
        with get_client(self.app) as client:
            self._client = client
            self.known = self._furnish()

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        headers = self.headers | {"notion-version": "2026-03-11"}
        answer = self._client.request(method, f"http://testserver/v1{path}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def _furnish(self) -> dict[str, list[str]]:
        root = self.workspace.root_page_id
        text = [{"text": {"content": "a"}}]
        columns = {name: {name: {}} for name in COLUMNS}
        database = self.ask(
            "POST",
            "/databases",
            {"parent": {"type": "page_id", "page_id": root}, "initial_data_source": {"properties": columns}},
        )
        source = database["data_sources"][0]["id"]
        self.ask(
            "PATCH",
            f"/data_sources/{source}",
            {"properties": {"relation": {"relation": {"data_source_id": source, "single_property": {}}}}},
        )
        rows = [self.ask("POST", "/pages", {"parent": {"data_source_id": source}})["id"] for _ in range(2)]
        page = self.ask("POST", "/pages", {"parent": {"page_id": root}})["id"]
        children = [{"paragraph": {"rich_text": text}}, {"toggle": {"rich_text": text}}, {"divider": {}}]
        blocks = self.ask("PATCH", f"/blocks/{page}/children", {"children": children})["results"]
        comment = self.ask("POST", "/comments", {"parent": {"page_id": page}, "rich_text": text})
        upload = self.ask("POST", "/file_uploads", {"filename": "a.txt"})
        return {
            "page_id": [page, *rows, root],
            "block_id": [*(block["id"] for block in blocks), page],
            "database_id": [database["id"]],
            "data_source_id": [source],
            "user_id": [self.workspace.bot_id],
            "comment_id": [comment["id"]],
            "discussion_id": [comment["discussion_id"]],
            "file_upload_id": [upload["id"]],
            "property_id": COLUMNS,
        }


def aimed(case: Case, known: dict[str, list[str]], choose: Any) -> None:
    """Let most of the ids in a request be ids of the workspace, and most names be those of its columns."""
    if isinstance(case.path_parameters, dict):
        for name in case.path_parameters:
            if name in known and choose(st.integers(0, 9)):
                case.path_parameters[name] = choose(st.sampled_from(known[name]))
    if isinstance(case.body, dict):
        case.body = _aimed(case.body, known, choose)


UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _aimed(value: Any, known: dict[str, list[str]], choose: Any, key: str = "") -> Any:
    if isinstance(value, list):
        return [_aimed(item, known, choose, key) for item in value]
    if isinstance(value, str) and UUID.fullmatch(value):
        pool = known.get(key) or [*known["page_id"], *known["user_id"]]
        return choose(st.sampled_from(pool)) if choose(st.integers(0, 9)) else value
    if not isinstance(value, dict):
        return value
    value = {name: _aimed(item, known, choose, key if name == "id" else name) for name, item in value.items()}
    named = [name for name in value if name not in ("type", "property", "object")]
    if len(named) == 1 and value.get("type") != named[0] and "type" in value:
        value["type"] = named[0]
    if len(named) == 1 and "property" in value:
        value["property"] = named[0]
    if key in ("properties", "Values"):
        value = {
            item["type"] if isinstance(item, dict) and isinstance(item.get("type"), str) else name: item
            for name, item in value.items()
        }
    return value


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    made = Ground(tmp_path / "workspace.db")
    yield made
    made.workspace.close()


@pytest.fixture(scope="module")
def description() -> Any:
    load_all_checks()
    return schemathesis.openapi.from_dict(narrowed(DESCRIPTION))


def test_every_address_of_the_api_is_described_and_nothing_else_is(tmp_path: Path) -> None:
    with open_workspace(tmp_path / "workspace.db") as workspace:
        api = next(
            route
            for route in create_app(workspace).routes
            if isinstance(route, Mount) and route.path == "/v1"
        )
    served = {
        (method, route.path)
        for route in api.routes
        for method in route.methods - {"HEAD"}
        if route.path not in ("/{rest:path}", "/oauth/authorize")
    }
    described = {
        (method.upper(), path) for path, operations in DESCRIPTION["paths"].items() for method in operations
    }

    assert described == served


def test_the_description_is_served_beside_the_api(ground: Ground) -> None:
    with get_client(ground.app) as client:
        assert client.get("http://testserver/openapi.json").json() == DESCRIPTION


def test_every_schema_of_the_description_is_used_and_there() -> None:
    used = set(re.findall(r"#/components/schemas/(\w+)", str(DESCRIPTION)))

    assert used == set(DESCRIPTION["components"]["schemas"])


@pytest.mark.parametrize(
    "endpoint",
    [f"{method.upper()} {path}" for path, methods in DESCRIPTION["paths"].items() for method in methods],
)
def test_no_request_finds_a_fault_or_an_answer_that_is_not_described(
    description: Any, ground: Ground, endpoint: str
) -> None:
    method, path = endpoint.split()
    operation = description[path][method]
    requests = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

    @given(data=st.data())
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def judge(data: Any) -> None:
        for mode, request in zip(GenerationMode, requests, strict=True):
            case = data.draw(request)
            if mode is GenerationMode.POSITIVE:
                aimed(case, ground.known, data.draw)
            with get_client(ground.app) as client:
                answer = case.call(session=client, headers=ground.headers)
            case.validate_response(answer, checks=CHECKS)

    judge()
