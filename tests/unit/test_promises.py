"""docs/promises.toml is whole, and each promise that it calls shown names a test that exists."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KINDS = frozenset(
    ["contract", "row", "field", "variable", "box", "flow", "limit", "file", "decision", "question"],
)
FIRST_NUMBER = {"loop": 1, "engine": 201}
"""Each document counts from its own number, so that one can grow without renumbering the other."""
EVIDENCE = {"shown": "tests", "open": "later", "no": "because"}
"""The one key that each status must have, and that no other status may have."""
DESCRIPTION = ("id", "document", "section", "kind", "text", "status")
SENTENCE = re.compile(r"\S(.*\S)?")
MODULE = re.compile(r"`((?:lakelight|notion_embedded)(?:\.\w+)+)`")


class PromiseError(ValueError):
    """The data breaks one of its own rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    id: str
    document: str
    section: str
    kind: str
    text: str
    status: str
    tests: tuple[str, ...] = ()


def read_promises(source: str) -> list[Promise]:
    """Return every entry of `source`, in order.

    Raises:
        PromiseError: A key, a value, the numbering or the order is not as docs/promises.md says.
    """
    tables = tomllib.loads(source)
    if tables.keys() != {"promise"}:
        raise PromiseError(f"only [[promise]] entries, not {sorted(tables)}")
    promises = [_read_promise(entry) for entry in tables["promise"]]
    _check_order(promises)
    return promises


def _read_promise(entry: dict[str, Any]) -> Promise:
    name = entry.get("id", entry)
    evidence = EVIDENCE.get(str(entry.get("status")))
    if evidence is None:
        raise PromiseError(f"{name}: status is one of {', '.join(EVIDENCE)}")
    if entry.keys() != {*DESCRIPTION, evidence}:
        raise PromiseError(
            f"{name}: keys are {', '.join(DESCRIPTION)} and {evidence}, not {', '.join(entry)}"
        )
    for key in entry.keys() - {"tests"}:
        if not isinstance(entry[key], str) or not SENTENCE.fullmatch(entry[key]):
            raise PromiseError(f"{name}: {key} is one line of text")
    if entry["kind"] not in KINDS:
        raise PromiseError(f"{name}: kind {entry['kind']!r} is unknown")
    if entry["document"] not in FIRST_NUMBER:
        raise PromiseError(f"{name}: document {entry['document']!r} is unknown")
    return Promise(
        **{key: entry[key] for key in DESCRIPTION},
        tests=_read_tests(name, entry["tests"]) if evidence == "tests" else (),
    )


def _read_tests(name: str, tests: object) -> tuple[str, ...]:
    if not isinstance(tests, list) or not tests or not all(isinstance(test, str) for test in tests):
        raise PromiseError(f"{name}: tests is a list of at least one test")
    if len(set(tests)) < len(tests):
        raise PromiseError(f"{name}: a test is named twice")
    return tuple(tests)


def _check_order(promises: Sequence[Promise]) -> None:
    documents = [document for document, _ in groupby(promises, key=lambda promise: promise.document)]
    if documents != list(FIRST_NUMBER):
        raise PromiseError(f"the documents come whole, in the order {', '.join(FIRST_NUMBER)}")
    expected = {
        document: (f"P-{n:03d}" for n in range(first, 1000)) for document, first in FIRST_NUMBER.items()
    }
    for promise in promises:
        if promise.id != (want := next(expected[promise.document])):
            raise PromiseError(f"{promise.id}: {want} comes next")
    if len({promise.id for promise in promises}) < len(promises):
        raise PromiseError("one document has run into the numbers of the next")
    sections = [key for key, _ in groupby((promise.document, promise.section) for promise in promises)]
    if twice := [section for section, count in Counter(sections).items() if count > 1]:
        raise PromiseError(f"sections are in one piece, not {twice}")


def find_fault(test: str, root: Path) -> str | None:
    """Return why `test` ("tests/x.py::test_name", parameters allowed) cannot be run, or None if it can."""
    path, found, name = test.partition("::")
    name = name.partition("[")[0]
    file = Path(path)
    if not found or file.is_absolute() or file.parts[:1] != ("tests",) or ".." in file.parts:
        return "is not written tests/….py::test_name"
    if not (file.name.startswith("test_") and file.suffix == ".py" and name.startswith("test_")):
        return "is nothing that pytest collects"
    if not (root / file).is_file():
        return "is in a file that does not exist"
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return None if name in functions else "does not exist in its file"


def is_module(name: str, root: Path) -> bool:
    path = root.joinpath("src", *name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def counts_table(promises: Sequence[Promise]) -> str:
    """Return the table that docs/promises.md carries."""
    counts = Counter((promise.document, promise.status) for promise in promises)
    lines = [f"| Document | Total | {' | '.join(EVIDENCE)} |", f"|---|{'---:|' * (len(EVIDENCE) + 1)}"]
    for document in FIRST_NUMBER:
        numbers = [counts[document, status] for status in EVIDENCE]
        lines.append(f"| `{document}` | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    numbers = [sum(counts[document, status] for document in FIRST_NUMBER) for status in EVIDENCE]
    lines.append(f"| both | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def promises() -> list[Promise]:
    return read_promises((ROOT / "docs/promises.toml").read_text(encoding="utf-8"))


def test_every_test_that_shows_a_promise_exists(promises: list[Promise]) -> None:
    faults = [
        f"{promise.id}: {test} {fault}"
        for promise in promises
        for test in promise.tests
        if (fault := find_fault(test, ROOT))
    ]

    assert not faults, "\n".join(faults)


def test_every_module_that_a_shown_promise_names_exists(promises: list[Promise]) -> None:
    missing = [
        f"{promise.id}: {module}"
        for promise in promises
        if promise.status == "shown"
        for module in MODULE.findall(promise.text)
        if not is_module(module, ROOT)
    ]

    assert not missing, "\n".join(missing)


def test_no_promise_is_made_twice(promises: list[Promise]) -> None:
    texts = Counter(promise.text for promise in promises)

    assert [text for text, count in texts.items() if count > 1] == []


def test_the_page_counts_the_promises_as_they_are(promises: list[Promise]) -> None:
    page = (ROOT / "docs/promises.md").read_text(encoding="utf-8")
    table = counts_table(promises)

    assert page.count("| Document |") == 1
    assert table in page, f"put this table into docs/promises.md:\n\n{table}\n"


def test_the_page_explains_every_kind_and_status() -> None:
    page = (ROOT / "docs/promises.md").read_text(encoding="utf-8")

    assert [word for word in sorted({*KINDS, *EVIDENCE, *DESCRIPTION}) if f"`{word}`" not in page] == []


def entry(number: int = 1, *, document: str = "loop", section: str = "One", **changes: str) -> str:
    values = {
        "id": f'"P-{number:03d}"',
        "document": f'"{document}"',
        "section": f'"{section}"',
        "kind": '"row"',
        "text": '"A promise."',
        "status": '"open"',
    }
    values |= changes
    if values["status"] == '"open"':
        values.setdefault("later", '"all of it"')
    return "\n".join(["[[promise]]", *(f"{key} = {value}" for key, value in values.items()), ""])


LAST = entry(201, document="engine")


def test_a_whole_file_is_read_in_order() -> None:
    shown = entry(2, status='"shown"', tests='["tests/test_a.py::test_b"]')
    refused = entry(202, document="engine", status='"no"', because='"it is elsewhere"')

    promises = read_promises(entry() + shown + LAST + refused)

    assert [(promise.id, promise.status, promise.tests) for promise in promises] == [
        ("P-001", "open", ()),
        ("P-002", "shown", ("tests/test_a.py::test_b",)),
        ("P-201", "open", ()),
        ("P-202", "no", ()),
    ]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param('title = "x"\n' + entry() + LAST, id="a key outside the entries"),
        pytest.param(entry(owner='"me"') + LAST, id="an unknown key"),
        pytest.param(entry().replace('kind = "row"\n', "") + LAST, id="a missing key"),
        pytest.param(entry(kind='"wish"') + LAST, id="an unknown kind"),
        pytest.param(entry(status='"done"') + LAST, id="an unknown status"),
        pytest.param(entry(document="other") + LAST, id="an unknown document"),
        pytest.param(entry(text='""') + LAST, id="an empty text"),
        pytest.param(entry(text=r'"two\nlines"') + LAST, id="a text of two lines"),
        pytest.param(entry(text="7") + LAST, id="a text that is a number"),
        pytest.param(entry(later='" "') + LAST, id="open without what is missing"),
        pytest.param(entry(because='"no"') + LAST, id="open with a reason against it"),
        pytest.param(entry(status='"no"') + LAST, id="no without a reason"),
        pytest.param(entry(status='"shown"') + LAST, id="shown without tests"),
        pytest.param(entry(status='"shown"', tests="[]") + LAST, id="shown with an empty list"),
        pytest.param(
            entry(status='"shown"', tests='"tests/test_a.py::test_b"') + LAST, id="tests not a list"
        ),
        pytest.param(entry(status='"shown"', tests='["a", "a"]') + LAST, id="a test named twice"),
        pytest.param(entry(status='"shown"', tests='["a"]', later='"b"') + LAST, id="shown and open"),
        pytest.param(entry() + entry() + LAST, id="an id twice"),
        pytest.param(entry() + entry(3) + LAST, id="a gap"),
        pytest.param(entry(2) + entry(1) + LAST, id="ids out of order"),
        pytest.param(entry() + entry(202, document="engine"), id="a document that starts late"),
        pytest.param(entry(id='"P-1"') + LAST, id="an id of another shape"),
        pytest.param(LAST + entry(), id="documents out of order"),
        pytest.param(entry(), id="a document missing"),
        pytest.param(entry() + LAST + entry(2), id="a document in two pieces"),
        pytest.param(
            entry() + entry(2, section="Two") + entry(3, section="One") + LAST, id="a section in two pieces"
        ),
        pytest.param("".join(map(entry, range(1, 202))) + LAST, id="a document that runs into the next"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused(source: str) -> None:
    with pytest.raises(PromiseError):
        read_promises(source)


@pytest.mark.parametrize(
    ("test", "fault"),
    [
        ("tests/unit/test_rules.py::test_plain", None),
        ("tests/unit/test_rules.py::test_async", None),
        ("tests/unit/test_rules.py::test_plain[a::b-1]", None),
        ("tests/unit/test_rules.py::test_gone", "does not exist in its file"),
        ("tests/unit/test_rules.py::test_inside", "does not exist in its file"),
        ("tests/unit/test_rules.py::test_commented", "does not exist in its file"),
        ("tests/unit/test_gone.py::test_plain", "is in a file that does not exist"),
        ("tests/unit/test_rules.py::plain", "is nothing that pytest collects"),
        ("tests/unit/rules.py::test_plain", "is nothing that pytest collects"),
        ("tests/unit/test_rules.py", "is not written tests/….py::test_name"),
        ("src/test_rules.py::test_plain", "is not written tests/….py::test_name"),
        ("tests/../test_rules.py::test_plain", "is not written tests/….py::test_name"),
    ],
)
def test_a_test_counts_only_if_pytest_would_find_it(tmp_path: Path, test: str, fault: str | None) -> None:
    folder = tmp_path / "tests" / "unit"
    folder.mkdir(parents=True)
    (folder / "test_rules.py").write_text(
        "def test_plain(x): ...\nasync def test_async():\n    def test_inside(): ...\n# def test_commented(): ...\n",
        encoding="utf-8",
    )

    assert find_fault(test, tmp_path) == fault


def test_the_table_counts_by_document_and_status() -> None:
    promises = read_promises(entry() + entry(2, status='"no"', because='"it is elsewhere"') + LAST)

    assert counts_table(promises).splitlines() == [
        "| Document | Total | shown | open | no |",
        "|---|---:|---:|---:|---:|",
        "| `loop` | 2 | 0 | 1 | 1 |",
        "| `engine` | 1 | 0 | 1 | 0 |",
        "| both | 3 | 0 | 2 | 1 |",
    ]
