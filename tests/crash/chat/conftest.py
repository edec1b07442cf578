"""A person at the command line whose commands are killed, over the stage of the tests of tickets."""

import json
from typing import Any

import pytest

MOST_STARTS = 4


class Caller:
    """Starts commands and kills them at a request or at a commit."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        policy = "version = 1\nlevel = 2\n"
        (stage.home / "policy.toml").write_text(policy)
        made = stage.workspace.ask(
            "POST",
            "/databases",
            {
                "parent": {"page_id": stage.workspace.root},
                "title": [{"text": {"content": "Library"}}],
                "initial_data_source": {
                    "properties": {
                        "Name": {"title": {}},
                        "Area": {"select": {"options": [{"name": "Plans"}, {"name": "People"}]}},
                    }
                },
            },
        )
        self.library = str(made["data_sources"][0]["id"])

    def row(self, title: str) -> str:
        made = self.stage.workspace.ask(
            "POST",
            "/pages",
            {
                "parent": {"data_source_id": self.library},
                "properties": {"Name": {"title": [{"text": {"content": title}}]}},
            },
        )
        return str(made["id"])

    def call(self, *arguments: str, **how: Any) -> Any:
        """One command, to its end or to its death; `how` is as for the stage's `run`."""
        return self.stage.run(*arguments, **how)

    def recover(self) -> None:
        """Do something else at the command line, until nothing is left of what was killed."""
        for _ in range(MOST_STARTS):
            done = self.call("ask", "search for Nothing", "--json")
            assert done.code == 0, done.child.output
            if not self.unfinished():
                return
        raise AssertionError(f"not done after {MOST_STARTS} commands: {self.unfinished()}")

    def unfinished(self) -> list[Any]:
        """The runs that are not over, but for those that wait for a person."""
        found: list[Any] = self.stage.query(
            "SELECT id, state, reason FROM runs WHERE state IN ('queued', 'working', 'waiting')"
            " AND NOT (reason = 'approval'"
            " AND EXISTS (SELECT 1 FROM approvals WHERE run_id = runs.id AND state = 'pending'))"
        )
        return found

    def replies_to(self, words: str) -> list[dict[str, Any]]:
        """The replies to the requests of these words, oldest first."""
        rows = self.stage.query(
            "SELECT reply.content FROM steps AS asked"
            " JOIN steps AS reply ON reply.run_id = asked.run_id AND reply.name = 'reply'"
            " WHERE asked.name = 'request' AND asked.content ->> 'request' = ? ORDER BY asked.run_id",
            words,
        )
        return [json.loads(content) for (content,) in rows]

    def begun(self, words: str) -> bool:
        """True when the request was taken down before its process died."""
        if not list(self.stage.home.glob("*/state.db")):
            return False
        rows = self.stage.query(
            "SELECT 1 FROM steps WHERE name = 'request' AND content ->> 'request' = ?", words
        )
        return bool(rows)

    def lines(self, page: str) -> list[str]:
        blocks = self.stage.workspace.rows("GET", f"/blocks/{page}/children")
        return [
            "".join(part["plain_text"] for part in block[block["type"]].get("rich_text", []))
            for block in blocks
        ]

    def titles(self) -> list[str]:
        rows = self.stage.workspace.rows("POST", f"/data_sources/{self.library}/query", {})
        return ["".join(part["plain_text"] for part in row["properties"]["Name"]["title"]) for row in rows]

    def area(self, page: str) -> str:
        value = self.stage.workspace.ask("GET", f"/pages/{page}")["properties"]["Area"]["select"]
        return str((value or {}).get("name", ""))

    def trashed(self, page: str) -> bool:
        return bool(self.stage.workspace.ask("GET", f"/pages/{page}")["in_trash"])

    def check(self) -> None:
        """Every write happened once and was allowed before it was sent; the trail holds."""
        self.stage.check_sends(exact=False)
        self.stage.check_trail()


@pytest.fixture
def caller(stage: Any) -> Caller:
    return Caller(stage)
