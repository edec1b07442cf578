"""Whatever is called in whatever order, the workspace stays whole: parents, order, trash, relations.

A model knows where every page, database and data source stands and what is in the trash; the answers
must agree with it. Relations are held against each other: what one side names, the other names back.
"""

import asyncio
import json
import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient as Http
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from notion_embedded.server import create_app, open_workspace

Json = dict[str, Any]

EXAMPLES = int(os.environ.get("JUDGE_SEQUENCES", "25"))
PATHS = {"page": "pages", "database": "databases", "source": "data_sources"}


@dataclass(slots=True)
class Node:
    """Where something stands, as the model has it."""

    id: str
    kind: str
    parent: "Node | None"
    trashed: bool = False

    def above(self) -> list["Node"]:
        """It, and all that it stands in."""
        return [self, *(self.parent.above() if self.parent else [])]

    @property
    def hidden(self) -> bool:
        """It is in the trash, or in something that is."""
        return any(node.trashed for node in self.above())

    @property
    def path(self) -> str:
        """Its address."""
        return f"/{PATHS[self.kind]}/{self.id}"


class Workspace(RuleBasedStateMachine):
    """Calls in any order, and what must be true after them."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        self._workspace = self._stack.enter_context(open_workspace(Path(folder) / "workspace.db"))
        self._runner = self._stack.enter_context(asyncio.Runner())
        self._http = Http(transport=ASGITransport(app=create_app(self._workspace)))
        root = Node(self._workspace.root_page_id, "page", None)
        self._nodes = [root]
        self._relations: set[tuple[str, str]] = set()

    def teardown(self) -> None:
        try:
            self.everything_is_where_it_should_be()
        finally:
            self._runner.run(self._http.aclose())
            self._stack.close()

    # Asking

    def _call(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        headers = {"authorization": f"Bearer {self._workspace.token}", "notion-version": "2026-03-11"}
        content = None if body is None else json.dumps(body).encode()
        request = self._http.request(method, f"http://test/v1{path}", headers=headers, content=content)
        answer = self._runner.run(request)
        assert answer.status_code < 500, (method, path, body, answer.text)
        return answer.status_code, answer.json()

    def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        status, answer = self._call(method, path, body)
        assert status == 200, (method, path, body, answer)
        return answer

    def _done(self, wanted: bool, method: str, path: str, body: Json) -> Json | None:
        """The answer to a call that must succeed, or must be refused, as the model has it."""
        status, answer = self._call(method, path, body)
        assert status == (200 if wanted else 400), (wanted, method, path, body, answer)
        return answer if wanted else None

    def _of(self, *kinds: str) -> list[Node]:
        return [node for node in self._nodes if node.kind in kinds]

    def _rows(self, source: Node) -> list[Node]:
        return [node for node in self._nodes if node.parent is source]

    def _placed(self, node: Node, parent: Node) -> None:
        """Say that the node stands in the parent now, last of all."""
        node.parent = parent
        if node in self._nodes:
            self._nodes.remove(node)
        self._nodes.append(node)

    # Calls

    @initialize()
    def two_related_tables_with_rows(self) -> None:
        for _ in range(2):
            self._add_database(self._nodes[0])
        one, other = self._of("source")
        self._relate(one, other)
        for parent in (one, one, other, other, self._nodes[0]):
            self._add_page(parent)
        ((_, column, _),) = [side for side in self._sides() if side[0] is one]
        value = {"relation": [{"id": row.id} for row in self._rows(other)]}
        for row in self._rows(one):
            self._ask("PATCH", row.path, {"properties": {column: value}})

    def _add_database(self, parent: Node) -> None:
        body = {"parent": {"type": "page_id", "page_id": parent.id}}
        made = self._done(not parent.hidden, "POST", "/databases", body)
        if made is not None:
            database = Node(made["id"], "database", parent)
            self._nodes += [database, Node(made["data_sources"][0]["id"], "source", database)]

    @precondition(lambda self: len(self._of("database")) < 4)
    @rule(data=st.data())
    def add_a_database(self, data: Any) -> None:
        self._add_database(data.draw(st.sampled_from(self._of("page"))))

    @precondition(lambda self: len(self._nodes) < 16)
    @rule(data=st.data())
    def add_a_page_or_row(self, data: Any) -> None:
        self._add_page(data.draw(st.sampled_from(self._of("page", "source"))))

    def _add_page(self, parent: Node) -> None:
        key = "page_id" if parent.kind == "page" else "data_source_id"
        made = self._done(not parent.hidden, "POST", "/pages", {"parent": {key: parent.id}})
        if made is not None:
            self._nodes.append(Node(made["id"], "page", parent))

    @rule(data=st.data())
    def move_a_page(self, data: Any) -> None:
        page = data.draw(st.sampled_from(self._of("page")[1:] or self._of("page")))
        target = data.draw(st.sampled_from(self._of("page", "source")))
        if page.parent is None:
            return
        key = "page_id" if target.kind == "page" else "data_source_id"
        wanted = not page.hidden and not target.hidden and page not in target.above()
        moved = self._done(wanted, "POST", f"{page.path}/move", {"parent": {key: target.id}})
        if moved is not None:
            self._placed(page, target)

    @rule(data=st.data())
    def move_a_database(self, data: Any) -> None:
        database = data.draw(st.sampled_from(self._of("database")))
        page = data.draw(st.sampled_from(self._of("page")))
        wanted = not database.hidden and not page.hidden and database not in page.above()
        parent = {"parent": {"type": "page_id", "page_id": page.id}}
        if self._done(wanted, "PATCH", database.path, parent) is not None:
            self._placed(database, page)

    @rule(data=st.data())
    def put_in_the_trash(self, data: Any) -> None:
        node = data.draw(st.sampled_from(self._nodes[1:]))
        if self._done(not node.hidden, "PATCH", node.path, {"in_trash": True}) is not None:
            node.trashed = True

    @precondition(lambda self: any(node.trashed for node in self._nodes))
    @rule(data=st.data())
    def take_from_the_trash(self, data: Any) -> None:
        node = data.draw(st.sampled_from([node for node in self._nodes if node.trashed]))
        if node.parent is not None and not node.parent.hidden:
            self._ask("PATCH", node.path, {"in_trash": False})
            node.trashed = False

    @precondition(lambda self: len(self._relations) < 3)
    @rule(data=st.data())
    def relate_two_tables(self, data: Any) -> None:
        source = data.draw(st.sampled_from(self._of("source")))
        target = data.draw(st.sampled_from(self._of("source")))
        if not source.hidden and not target.hidden:
            self._relate(source, target)

    def _relate(self, source: Node, target: Node) -> None:
        kind = {"data_source_id": target.id, "type": "dual_property", "dual_property": {}}
        name = f"to {len(self._relations)}"
        self._ask("PATCH", source.path, {"properties": {name: {"relation": kind}}})
        self._relations.add((source.id, name))

    @rule(data=st.data())
    def relate_rows(self, data: Any) -> None:
        choices = [
            (row, column, others)
            for source, column, target in self._sides()
            if not target.hidden
            for others in [[row for row in self._rows(target) if not row.trashed]]
            for row in self._rows(source)
            if others and not row.trashed
        ]
        if choices:
            row, column, others = data.draw(st.sampled_from(choices))
            chosen = data.draw(st.lists(st.sampled_from(others), unique_by=id, max_size=3))
            value = {"relation": [{"id": other.id} for other in chosen]}
            self._ask("PATCH", row.path, {"properties": {column: value}})
            assert set(self._related(row, column)) == {other.id for other in chosen}

    @precondition(lambda self: len(self._relations) > 1)
    @rule(data=st.data())
    def drop_a_relation(self, data: Any) -> None:
        sides = self._sides()
        if len(sides) > 1:
            source, column, _ = data.draw(st.sampled_from(sides))
            self._ask("PATCH", source.path, {"properties": {column: None}})

    # What must be true

    def _sides(self) -> list[tuple[Node, str, Node]]:
        """Every relation that can be seen: its source, its column's id, and the source that it leads to."""
        known = {node.id: node for node in self._of("source")}
        found = []
        for source in known.values():
            if not source.hidden:
                for column in self._ask("GET", source.path)["properties"].values():
                    if column["type"] == "relation":
                        found.append((source, column["id"], known[column["relation"]["data_source_id"]]))
        return found

    def _related(self, row: Node, column: str) -> list[str]:
        items = self._ask("GET", f"{row.path}/properties/{column}")
        return [item["relation"]["id"] for item in items["results"]]

    def everything_is_where_it_should_be(self) -> None:
        for node in self._nodes:
            self._check_place(node)
        for page in self._of("page"):
            self._check_children(page)
        for source in self._of("source"):
            self._check_rows(source)
        self._check_search()
        self._check_relations()

    def _check_place(self, node: Node) -> None:
        found = self._ask("GET", node.path)
        parent = found["parent"]
        where = None if node.parent is None else node.parent.id
        assert (parent.get(parent["type"]), found["in_trash"]) == (where or True, node.trashed)

    def _check_children(self, page: Node) -> None:
        children = self._ask("GET", f"/blocks/{page.id}/children")["results"]
        wanted = [node for node in self._nodes if node.parent is page and not node.trashed]
        assert [child["id"] for child in children] == [node.id for node in wanted]

    def _check_rows(self, source: Node) -> None:
        rows = {row["id"] for row in self._ask("POST", f"{source.path}/query", {})["results"]}
        assert rows == {row.id for row in self._rows(source) if not row.trashed}

    def _check_search(self) -> None:
        found = {one["id"] for one in self._ask("POST", "/search", {})["results"]}
        assert found == {node.id for node in self._of("page", "source") if not node.hidden}

    def _check_relations(self) -> None:
        sides = self._sides()
        columns = {(source.id, column): target for source, column, target in sides}
        for source, column, target in sides:
            config = next(
                one["relation"]
                for one in self._ask("GET", source.path)["properties"].values()
                if one["id"] == column
            )
            if "dual_property" not in config or target.hidden:
                continue
            back = config["dual_property"]["synced_property_id"]
            assert columns[target.id, back] is source
            forth = self._links(source, column)
            assert forth == {(one, other) for other, one in self._links(target, back)}

    def _links(self, source: Node, column: str) -> set[tuple[str, str]]:
        links = set()
        for row in self._rows(source):
            if not row.trashed:
                related = self._related(row, column)
                assert len(related) == len(set(related))
                links |= {(row.id, other) for other in related}
        return links


@pytest.mark.timeout(600)
def test_random_call_sequences_leave_the_workspace_whole() -> None:
    run_state_machine_as_test(
        Workspace,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=25,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
