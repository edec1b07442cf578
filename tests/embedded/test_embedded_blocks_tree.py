"""Whatever is called in whatever order, the tree of pages and blocks stays a tree.

A plain model of it is kept beside the server: children in order, and what is in the trash. After
every sequence of calls the server's tree, read through the API, is the model's.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient as Http
from hypothesis import HealthCheck, given, settings, strategies as st

from notion_embedded.server import Workspace, create_app, open_workspace

Json = dict[str, Any]


@dataclass
class Thing:
    """A page or block of the model."""

    parent: str
    page: bool
    trashed: bool = False
    children: list[str] = field(default_factory=list)
    """Those in the trash keep their place."""


class Tree:
    """A page made for one sequence of calls, with its model."""

    def __init__(self, http: Http, token: str) -> None:
        self._http = http
        self._headers = {"authorization": f"Bearer {token}", "notion-version": "2026-03-11"}
        self.things: dict[str, Thing] = {}

    async def ask(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        answer = await self._http.request(
            method,
            f"http://127.0.0.1/v1{path}",
            headers=self._headers,
            content=json.dumps(body or {}).encode(),
        )
        return answer.status_code, answer.json()

    async def begin(self, root: str) -> None:
        _, page = await self.ask("POST", "/pages", {"parent": {"page_id": root}})
        self.things[page["id"]] = Thing(parent=root, page=True)

    # What the model knows

    def frozen(self, thing_id: str) -> bool:
        """Whether it, or something it stands in, is in the trash."""
        thing = self.things.get(thing_id)
        return thing is not None and (thing.trashed or self.frozen(thing.parent))

    def inside(self, thing_id: str, outer: str) -> bool:
        return thing_id == outer or (
            thing_id in self.things and self.inside(self.things[thing_id].parent, outer)
        )

    def put(self, parent: str, made: list[str], after: str | None, *, page: bool) -> None:
        siblings = self.things[parent].children
        at = {"start": 0, None: len(siblings)}.get(after)
        place = siblings.index(after) + 1 if at is None and after is not None else at or 0
        siblings[place:place] = made
        for thing_id in made:
            self.things[thing_id] = Thing(parent=parent, page=page)

    # What is called

    async def append(self, parent: str, count: int, after: str | None) -> None:
        blocks: list[Json] = [
            {"toggle": {"rich_text": [], "children": [{"toggle": {"rich_text": []}}]}}
        ] * count
        status, answer = await self.ask(
            "PATCH", f"/blocks/{parent}/children", {"children": blocks, **_position(after, "start", "end")}
        )
        assert status == (400 if self.frozen(parent) else 200), answer
        if status == 200:
            made = [block["id"] for block in answer["results"][:count]]
            self.put(parent, made, after, page=False)
            for block_id in made:
                _, inner = await self.ask("GET", f"/blocks/{block_id}/children")
                self.put(block_id, [inner["results"][0]["id"]], None, page=False)

    async def create(self, parent: str, after: str | None) -> None:
        body = {"parent": {"page_id": parent}, **_position(after, "page_start", "page_end")}
        status, answer = await self.ask("POST", "/pages", body)
        assert status == (400 if self.frozen(parent) else 200), answer
        if status == 200:
            self.put(parent, [answer["id"]], after, page=True)

    async def move(self, page: str, target: str) -> None:
        status, answer = await self.ask("POST", f"/pages/{page}/move", {"parent": {"page_id": target}})
        refused = self.frozen(page) or self.frozen(target) or self.inside(target, page)
        assert status == (400 if refused else 200), answer
        if status == 200:
            thing = self.things[page]
            self.things[thing.parent].children.remove(page)
            self.things[target].children.append(page)
            thing.parent = target

    async def trash(self, thing_id: str) -> None:
        status, answer = await self.ask("DELETE", f"/blocks/{thing_id}")
        assert status == (400 if self.frozen(thing_id) else 200), answer
        self.things[thing_id].trashed = True if status == 200 else self.things[thing_id].trashed

    async def restore(self, thing_id: str) -> None:
        status, answer = await self.ask("PATCH", f"/blocks/{thing_id}", {"in_trash": False})
        assert status == 200, answer
        self.things[thing_id].trashed = False

    async def update(self, thing_id: str) -> None:
        thing = self.things[thing_id]
        edit = (
            ("/pages/", {"icon": {"emoji": "🌿"}})
            if thing.page
            else ("/blocks/", {"toggle": {"color": "red"}})
        )
        status, answer = await self.ask("PATCH", f"{edit[0]}{thing_id}", edit[1])
        assert status == (400 if self.frozen(thing_id) else 200), answer

    # What must be true

    async def compare(self) -> None:
        """Read everything that the model knows, and hold it against the model."""
        seen: list[str] = []
        for thing_id, thing in self.things.items():
            _, block = await self.ask("GET", f"/blocks/{thing_id}")
            _, listed = await self.ask("GET", f"/blocks/{thing_id}/children")
            live = [child for child in thing.children if not self.things[child].trashed]
            seen += live

            assert [child["id"] for child in listed["results"]] == live
            assert block["has_children"] is bool(live)
            assert block["in_trash"] is thing.trashed
            assert block["parent"][block["parent"]["type"]] == thing.parent
            assert all(child["parent"][child["parent"]["type"]] == thing_id for child in listed["results"])
        assert len(seen) == len(set(seen))


def _position(after: str | None, start: str, end: str) -> Json:
    if after is None:
        return {"position": {"type": end}}
    if after == "start":
        return {"position": {"type": start}}
    return {"position": {"type": "after_block", "after_block": {"id": after}}}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("tree") / "w.db") as opened:
        yield opened


async def play(workspace: Workspace, data: st.DataObject) -> None:
    async with Http(transport=ASGITransport(app=create_app(workspace))) as http:
        tree = Tree(http, workspace.token)
        await tree.begin(workspace.root_page_id)
        for _ in range(data.draw(st.integers(2, 10), label="calls")):
            await call(tree, data)
        await tree.compare()


async def call(tree: Tree, data: st.DataObject) -> None:
    top, *others = tree.things
    thing = data.draw(st.sampled_from([top, *others]), label="what")
    live = [child for child in tree.things[thing].children if not tree.things[child].trashed]
    after = data.draw(st.sampled_from([None, "start", *live]), label="where")
    pages = [one for one, about in tree.things.items() if about.page]
    kinds = ["append", "append", "trash", "restore", "update"] + ["create", "move"] * tree.things[thing].page
    match data.draw(st.sampled_from(kinds), label="call"):
        case "append":
            await tree.append(thing, data.draw(st.integers(1, 3), label="how many"), after)
        case "create":
            await tree.create(thing, after)
        case "move" if thing != top:
            await tree.move(thing, data.draw(st.sampled_from(pages), label="into"))
        case "trash":
            await tree.trash(thing)
        case "restore":
            await tree.restore(thing)
        case _:
            await tree.update(thing)


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_any_sequence_of_calls_leaves_one_ordered_tree(workspace: Workspace, data: st.DataObject) -> None:
    asyncio.run(play(workspace, data))
