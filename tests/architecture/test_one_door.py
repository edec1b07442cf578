"""Only the executor reaches the writing side of Notion; import-linter checks the same, this says it twice."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "lakelight"
BUILDERS = {"bootstrap/house.py", "bootstrap/seed.py"}
"""They construct `HttpNotion`: one hands it to the executor, one furnishes a workspace of our own making."""


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def name_of(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


def imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def calls(file: Path) -> list[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        ast.unparse(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "send"
    ]


def test_the_writing_port_is_named_by_the_executor_and_its_adapter_alone() -> None:
    naming = {
        name_of(file)
        for file in modules()
        if any(module.startswith("lakelight.notion.writing") for module in imported(file))
    }

    assert naming == {"execution/executor.py", "notion/http.py"}


def test_only_the_executor_sends_a_write_and_the_seeding_of_our_own_workspace() -> None:
    sending = {name_of(file) for file in modules() if calls(file)}

    assert sending - {"notion/http.py"} == {"execution/executor.py", "bootstrap/seed.py"}


def test_the_adapter_that_can_write_is_made_where_the_house_is_built_alone() -> None:
    making = {name_of(file) for file in modules() if "lakelight.notion.http" in imported(file)}

    assert making <= BUILDERS | {"bootstrap/checks.py"}


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        ("httpx2", {"notion", "llm"}),
        ("openai", {"llm"}),
        ("dbos", {"jobs"}),
        ("sqlite3", {"bootstrap", "notion"}),
        ("notion_embedded", {"bootstrap"}),
        ("rich", {"cli"}),
        ("typer", {"cli"}),
    ],
)
def test_a_library_is_known_to_its_own_folder_alone(library: str, allowed: set[str]) -> None:
    knowing = {
        name_of(file).split("/")[0]
        for file in modules()
        if any(module == library or module.startswith(f"{library}.") for module in imported(file))
    }

    assert knowing <= allowed


def test_only_the_clock_asks_the_system_for_the_time() -> None:
    asking = {
        name_of(file)
        for file in modules()
        for text in [file.read_text(encoding="utf-8")]
        if "datetime.now(" in text or "time.time(" in text or "utcnow(" in text
    }

    assert asking == {"clock.py"}
