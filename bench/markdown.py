"""Markdown to blocks and back on the corpus of the tests, beside three packages that do the same.

The packages are no part of this project: they are installed into an environment of their own, which is kept
under $XDG_CACHE_HOME (or in the folder that is given) and made anew when it is missing.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

CORPUS = Path(__file__).parent.parent / "tests" / "embedded" / "markdown_corpus"
PEERS = ("pymartian==1.0.0", "notionify==0.2.3", "notion-markdown==0.7.0")
ROUNDS = 3
PEER = """
import json, sys, time, importlib
name, rounds = sys.argv[1], int(sys.argv[2])
back = None
if name == "pymartian":
    from martian import markdown_to_blocks as read
elif name == "notionify":
    from notionify.config import NotionifyConfig
    from notionify.converter.md_to_notion import MarkdownToNotionConverter
    from notionify.converter.notion_to_md import NotionToMarkdownRenderer
    config = NotionifyConfig(token="none")
    reader, writer = MarkdownToNotionConverter(config), NotionToMarkdownRenderer(config)
    read, back = lambda text: reader.convert(text).blocks, writer.render_blocks
else:
    from notion_markdown import to_markdown as back, to_notion as read
answers = []
for source in json.load(sys.stdin):
    answer = {"blocks": None, "again": None, "spent": []}
    try:
        blocks = read(source)
        for _ in range(rounds):
            start = time.perf_counter()
            read(source)
            answer["spent"].append((time.perf_counter() - start) * 1000)
        answer["blocks"] = blocks = json.loads(json.dumps(blocks))
        if back:
            answer["again"] = json.loads(json.dumps(read(back(blocks))))
    except Exception as error:
        answer["error"] = repr(error)
    answers.append(answer)
json.dump({"reverse": back is not None, "answers": answers}, sys.stdout)
"""


def load_judging() -> ModuleType:
    """What the corpus asks of a converter, as the tests ask it."""
    spec = importlib.util.spec_from_file_location("judging", CORPUS / "judging.py")
    if spec is None or spec.loader is None:
        sys.exit("the corpus of the tests is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def peers_python(folder: Path) -> Path | None:
    """The Python of an environment with the peers in it; nothing where they cannot be had."""
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing {', '.join(PEERS)} into {folder} (once)", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", "--no-input", *PEERS]
        if subprocess.run(install, check=False).returncode:
            print("the peers cannot be had, so their rows are left out", file=sys.stderr)
            return None
        (folder / "complete").touch()
    return python


def ours(version: str, sources: Sequence[str]) -> dict[str, Any]:
    """The same answers from this converter."""
    from notion_embedded.markdown import ENHANCED, FLAVORED

    dialect = {"v1": ENHANCED, "v2": FLAVORED}[version]
    answers = []
    for source in sources:
        blocks, spent = dialect.read(source).trees, []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            dialect.read(source)
            spent.append((time.perf_counter() - start) * 1000)
        again = dialect.read(dialect.render(blocks).markdown).trees
        answers.append({"blocks": blocks, "again": again, "spent": spent})
    return {"reverse": True, "answers": answers}


def theirs(python: Path, name: str, sources: Sequence[str]) -> dict[str, Any]:
    """A peer's answers, from a process of its own."""
    command = [str(python), "-c", PEER, name, str(ROUNDS)]
    done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(judging: ModuleType, name: str, found: Mapping[str, Any], cases: Sequence[Any]) -> str:
    """One line of the table."""
    pairs = list(zip(cases, found["answers"], strict=True))
    right = count(pairs, lambda case, answer: judging.right(case, answer["blocks"]))
    valid = count(pairs, lambda _, answer: judging.valid(answer["blocks"]) is None)
    both = count(
        pairs,
        lambda case, answer: (
            judging.right(case, answer["blocks"]) and judging.valid(answer["blocks"]) is None
        ),
    )
    stable = count(pairs, lambda _, answer: answer["blocks"] == answer["again"])
    spent = [min(answer["spent"]) for _, answer in pairs if answer["spent"]]
    shown = f"{stable:3}" if found["reverse"] else "  -"
    return (
        f"{name:22} {right:3} right  {valid:3} valid  {both:3} both  {shown} stable"
        f"  {statistics.median(spent):7.3f} ms median  {sum(spent):7.1f} ms all"
    )


def count(pairs: Sequence[tuple[Any, Any]], holds: Callable[[Any, Any], bool]) -> int:
    """For how many a thing holds; an exception, or blocks of no known shape, count against a converter."""
    total = 0
    for case, answer in pairs:
        try:
            total += answer["blocks"] is not None and holds(case, answer)
        except (KeyError, TypeError, AttributeError):
            continue
    return total


def main() -> None:
    """Print one row for each converter."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--peers", type=Path, default=cache / "lakelight" / "markdown-peers", metavar="FOLDER"
    )
    python = peers_python(parser.parse_args().peers)
    judging = load_judging()
    cases = judging.cases()
    sources = [case["markdown"] for case in cases]
    print(f"{len(cases)} documents, {sum(map(len, sources)) / 1000:.0f} k characters")
    for version in ("v2", "v1"):
        print(row(judging, f"ours, Markdown {version}", ours(version, sources), cases))
    for peer in PEERS if python else ():
        name = peer.partition("==")[0]
        print(row(judging, name, theirs(python, name, sources), cases))


if __name__ == "__main__":
    main()
