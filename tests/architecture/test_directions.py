"""Who may know whom: the directions between the parts of the house that its documents promise."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "lakelight"


def known_to(*parts: str) -> set[str]:
    """The modules, ours and others', that the modules of `parts` import directly."""
    found: set[str] = set()
    for part in parts:
        folder = SOURCE / part
        files = folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
        for file in files:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found.add(node.module)
                elif isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
    return found


def parts_of(modules: set[str]) -> set[str]:
    """The parts of ours that are among `modules`."""
    return {module.split(".")[1] for module in modules if module.startswith("lakelight.")}


@pytest.mark.parametrize(
    ("part", "others"),
    [
        pytest.param("tickets", {"daemon", "bootstrap", "cli"}, id="the engine does not know who starts it"),
        pytest.param("llm", {"tickets", "agent", "daemon"}, id="the router does not know what it is for"),
        pytest.param("agent", {"tickets", "daemon", "cli", "console"}, id="the loop does not know a surface"),
        pytest.param("tools", {"execution", "agent", "tickets"}, id="a tool cannot reach the one door"),
        pytest.param("guard", {"execution", "agent", "tools", "tickets", "llm"}, id="the guard only decides"),
        pytest.param("audit", {"guard", "execution", "agent", "tickets"}, id="the trail knows no writer"),
    ],
)
def test_a_part_does_not_know_what_stands_above_it(part: str, others: set[str]) -> None:
    assert parts_of(known_to(part)) & others == set()


@pytest.mark.parametrize("part", ["guard/policy", "operations", "tickets/prompt", "agent/reply"])
def test_what_only_decides_or_words_something_reaches_nothing(part: str) -> None:
    reaching = {"asyncio", "httpx2", "openai", "os", "pathlib", "random", "socket", "sqlalchemy", "sqlite3"}

    assert {module.split(".")[0] for module in known_to(part)} & (reaching | {"subprocess", "time"}) == set()


def test_the_tickets_ask_for_a_model_and_for_notion_by_their_ports_alone() -> None:
    known = known_to("tickets")

    assert {"lakelight.llm", "lakelight.notion"} <= known
    assert (
        known & {"lakelight.llm.openai_adapter", "lakelight.notion.http", "lakelight.notion.writing"} == set()
    )
