"""The embedded workspace on a port of its own, with a witness that writes down what goes over the wire."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from notion_embedded.http.app import ENDPOINTS
from notion_embedded.http.openapi import describe
from notion_embedded.model.dates import milliseconds
from notion_embedded.server import Workspace, create_app, open_workspace, serve_app
from notion_embedded.store import grants, tokens
from notion_embedded.store.admin import Admin

Json = dict[str, Any]

HERE = Path(__file__).parent
JUDGE = HERE / "sdk_js"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer."""

    endpoint: str | None
    """`GET /pages/{page_id}`; nothing where no endpoint has this address."""
    version: str
    path: str
    status: int
    answer: Json


_PATHS = [
    (method.upper(), path, re.compile(re.sub(r"\{\w+\}", "[^/]+", path)))
    for path, operations in describe(ENDPOINTS)["paths"].items()
    for method in operations
]


def find_endpoint(method: str, path: str) -> str | None:
    """The endpoint that a request goes to."""
    for known, template, pattern in _PATHS:
        if known == method and pattern.fullmatch(path):
            return f"{known} {template}"
    return None


class Witness:
    """An application that writes down what another is asked and answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.exchanges: list[Exchange] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, answer = 0, b""

        async def overheard(message: Message) -> None:
            nonlocal status, answer
            status = message.get("status", status)
            answer += message.get("body", b"")
            await send(message)

        await self._app(scope, receive, overheard)
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        path = scope["path"].removeprefix("/v1")
        self.exchanges.append(
            Exchange(
                endpoint=find_endpoint(scope["method"], path),
                version=headers.get("notion-version", ""),
                path=path,
                status=status,
                answer=json.loads(answer),
            )
        )

    def served(self) -> set[str | None]:
        """The endpoints that answered well at least once."""
        return {exchange.endpoint for exchange in self.exchanges if exchange.status == 200}


@dataclass(frozen=True, slots=True)
class Stage:
    """A workspace that is being served, and who watches."""

    url: str
    workspace: Workspace
    witness: Witness

    def new_code(self) -> Json:
        """A public connection, and a code that its user has just brought back."""
        now, back = self.workspace.now(), "https://app.example.com/back"
        with closing(Admin(self.workspace.file)) as admin:
            client = admin.add_client("Judge", [back], now=now)
        with self.workspace.writing() as connection:
            known = grants.find_client(connection, client["client_id"])
            owner = next(user for user in tokens.all_users(connection) if user.type == "person")
            assert known is not None
            shares = [self.workspace.root_page_id]
            code = grants.add_code(connection, known, None, owner, shares, milliseconds(now))
        return {"code": code, **{key: client[key] for key in ("client_id", "client_secret")}}


@contextmanager
def staged(file: Path) -> Iterator[Stage]:
    """A new workspace, served on a loop in a thread of its own while the block runs."""
    ready, over = threading.Event(), threading.Event()
    address: list[str] = []
    with open_workspace(file) as workspace:
        witness = Witness(create_app(workspace))

        async def stay() -> None:
            async with serve_app(witness) as url:
                address.append(url)
                ready.set()
                await asyncio.to_thread(over.wait)

        thread = threading.Thread(target=asyncio.run, args=(stay(),))
        thread.start()
        try:
            assert ready.wait(30)
            yield Stage(address[0], workspace, witness)
        finally:
            over.set()
            thread.join(30)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("stage") / "workspace.db") as opened:
        yield opened


@pytest.fixture(scope="session", name="find_endpoint")
def find_endpoint_fixture() -> Callable[[str, str], str | None]:
    return find_endpoint


@pytest.fixture(scope="session")
def node() -> Callable[..., str]:
    """Runs a program on Node, in the folder of the official client; what it prints."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    program = shutil.which("node", path=path)
    if program is None or not (JUDGE / "node_modules" / ".package-lock.json").is_file():
        reason = "Notion's own client is not here: make node"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [program, *arguments], cwd=JUDGE, capture_output=True, encoding="utf-8", timeout=55, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


TYPES = "node_modules/@notionhq/client/build/src/api-endpoints.d.ts"


@pytest.fixture(scope="session")
def types(node: Callable[..., str]) -> "Types":
    """The official client's types; made once for each version of the client, then kept beside it."""
    lock = JUDGE / "node_modules" / ".package-lock.json"
    kept = JUDGE / "node_modules" / ".cache" / "notion-types.json"
    if not kept.is_file() or kept.stat().st_mtime < lock.stat().st_mtime:
        kept.parent.mkdir(exist_ok=True)
        generator = "node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js"
        made = node(generator, "--path", TYPES, "--tsconfig", "tsconfig.json", "--no-type-check")
        known = json.loads(node("endpoints.mjs"))
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"definitions": json.loads(made)["definitions"], "known": known}))
        part.replace(kept)
    found = json.loads(kept.read_text())
    return Types(definitions=found["definitions"], known=[tuple(line) for line in found["known"]])


PARTIAL = re.compile(r"#/definitions/Partial(Page|Block|Database|DataSource|Comment)ObjectResponse")
"""What a connection sees that may not see more. Ours sees all, so that these would excuse any missing field."""


@dataclass(frozen=True, slots=True)
class Types:
    """The types of the official client's answers, as schemas.

    They are strict as they come: no field may be missing, none may be there that they don't name. These
    things are changed. Partial objects are not accepted; `request_id` may stand at the top; from
    2026-03-11 on nothing says `archived`, which the types still ask for; and a relation says `has_more`
    and a person `email_verified`, as in recorded answers though in no type.
    """

    definitions: Json
    known: list[tuple[str, str, str]]
    """Every endpoint that the client knows: its name, method and path."""
    _judges: dict[str, Any] = field(default_factory=dict)

    def shared(self) -> set[str]:
        """The endpoints that the client and the server have in common."""
        return {endpoint for endpoint in self._names() if endpoint}

    def faults(self, exchange: Exchange) -> list[str]:
        """What is wrong with an answer, by the type that the client gives it."""
        name = self._names()[exchange.endpoint]
        answer = {name: {key: value for key, value in exchange.answer.items() if key != "request_id"}}
        judge = self._judge(exchange.version)
        if judge.is_valid(answer):
            return []
        return [f"{exchange.endpoint}: {fault}" for fault in _told(judge.iter_errors(answer))]

    def _names(self) -> dict[str | None, str]:
        return {
            endpoint: f"{name[0].upper()}{name[1:]}Response"
            for name, method, path in self.known
            if (endpoint := find_endpoint(method, path))
        }

    def _judge(self, version: str) -> Any:
        """One for all types, since making one takes a second."""
        if version not in self._judges:
            properties = {name: {"$ref": f"#/definitions/{name}"} for name in self._names().values()}
            needed = _reachable(self.definitions, set(properties))
            schema = {"properties": properties, "definitions": _reworked(needed, version)}
            self._judges[version] = jsonschema_rs.Draft7Validator(schema)
        return self._judges[version]


def _reachable(definitions: Json, names: set[str]) -> Json:
    found: set[str] = set()
    while names - found:
        name = (names - found).pop()
        found.add(name)
        names |= set(re.findall(r"#/definitions/(\w+)", json.dumps(definitions[name])))
    return {name: definitions[name] for name in found}


def _reworked(schema: Any, version: str) -> Any:
    if isinstance(schema, list):
        return [_reworked(item, version) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: _reworked(value, version) for key, value in schema.items()}
    if schema.get("type") != "object" and "anyOf" not in schema:
        return schema
    if "anyOf" in schema:
        schema["anyOf"] = [
            choice for choice in schema["anyOf"] if not PARTIAL.fullmatch(choice.get("$ref", ""))
        ]
    if version >= "2026-03-11" and "archived" in schema.get("required", ()):
        schema["required"] = [key for key in schema["required"] if key != "archived"]
        schema["properties"] = {
            key: value for key, value in schema["properties"].items() if key != "archived"
        }
    properties = schema.get("properties", {})
    if properties.keys() == {"id", "type", "relation"} and properties["relation"].get("type") == "array":
        schema["properties"] = {**properties, "has_more": {"type": "boolean"}}
    if properties.keys() == {"email"}:
        schema["properties"] = {**properties, "email_verified": {"type": "boolean"}}
    return schema


def _told(errors: Any) -> list[str]:
    """Errors, each where it is; of a choice the branch that comes nearest."""
    told = []
    for error in errors:
        kind = error.kind
        branches = getattr(kind, "context", None)
        if branches:
            nearest = min(branches, key=_distance)
            told += _told(nearest)
        else:
            told.append(f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}")
    return told


def _distance(branch: Any) -> tuple[int, int]:
    discriminated = sum(str(error.instance_path[-1:]) in ("['type']", "['object']") for error in branch)
    return (discriminated, len(branch))
