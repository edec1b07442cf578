"""Tables: the `<table>` of enhanced Markdown and the pipe table of GitHub, to and from one shape."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from notion_embedded.markdown.blocks import MAX_RUNS, Tree, tree
from notion_embedded.markdown.pieces import RichText, Text, to_rich_text
from notion_embedded.markdown.tags import ATTRIBUTES

_CODE = r"(?P<ticks>(?<!`)`+(?!`))(?:(?!(?<!`)(?P=ticks)(?!`))[^\n])*(?P=ticks)(?!`)"
_TOKEN = re.compile(rf"\\.|{_CODE}|(?P<tag></?(?:table|colgroup|col|thead|tbody|tr|td|th){ATTRIBUTES}/?>)")
_TAG_NAME = re.compile(r"</?([a-z]+)")
_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_PIPE = re.compile(rf"\\.|{_CODE}|(?P<pipe>\|)")

MAX_CELLS = 100
"""How many cells a row may have."""

ReadRuns = Callable[[str], list[RichText]]


def table_end(source: str) -> int | None:
    """Return where `</table>` ends, or `None` while it has not come."""
    for match in _TOKEN.finditer(source):
        if (match.group("tag") or "").startswith("</table"):
            return match.end()
    return None


def read_table(source: str, attributes: dict[str, str], read_runs: ReadRuns) -> Tree:
    """Return the table whose rows stand between its tags, on lines of their own or not."""
    rows: list[list[str]] = []
    start: int | None = None
    for match in _TOKEN.finditer(source):
        tag = match.group("tag")
        if not tag:
            continue
        name = _TAG_NAME.match(tag)
        word = name.group(1) if name else ""
        if start is not None:
            rows[-1].append(source[start : match.start()])
            start = None
        if tag.startswith("</"):
            continue
        if word == "tr" or (word in {"td", "th"} and not rows):
            rows.append([])
        if word in {"td", "th"}:
            start = match.end()
    cells = [[read_runs(_one_line(cell)) for cell in row] for row in rows]
    return _table(
        cells,
        column_header=attributes.get("header-row") == "true",
        row_header=attributes.get("header-column") == "true",
    )


def _one_line(cell: str) -> str:
    return "<br>".join(part.strip() for part in cell.strip().split("\n"))


def is_pipe_table(line: str, following: str) -> bool:
    """Say whether two lines are the head of a pipe table."""
    return (
        "|" in line and "|" in following and "-" in following and _DELIMITER_ROW.match(following) is not None
    )


def read_pipe_table(rows: Sequence[str], read_runs: ReadRuns) -> Tree:
    """Return the table for a header row and the rows below its line of dashes."""
    return read_rows([_split_row(row) for row in rows], read_runs, column_header=True)


def read_rows(rows: Sequence[Sequence[str]], read_runs: ReadRuns, *, column_header: bool) -> Tree:
    """Return the table for rows of cells, each of which is Markdown."""
    cells = [[read_runs(cell) for cell in row] for row in rows]
    return _table(cells, column_header=column_header, row_header=False)


def _split_row(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    cells, start = [], 0
    for match in _PIPE.finditer(inner):
        if match.group("pipe"):
            cells.append(inner[start : match.start()])
            start = match.end()
    if inner[start:].strip():
        cells.append(inner[start:])
    return [cell.replace("\\|", "|").strip() for cell in cells]


def _table(cells: Sequence[Sequence[list[RichText]]], *, column_header: bool, row_header: bool) -> Tree:
    width = max((len(row) for row in cells), default=0) or 1
    if width > MAX_CELLS:
        width = MAX_CELLS
        cells = [[*row[: width - 1], _joined(row[width - 1 :])] for row in cells]
    rows = [[_fitting(cell) for cell in row] + [[] for _ in range(width - len(row))] for row in cells]
    payload = {"table_width": width, "has_column_header": column_header, "has_row_header": row_header}
    return tree("table", payload, [tree("table_row", {"cells": row}) for row in rows or [[[]]]])


def _joined(cells: Sequence[list[RichText]]) -> list[RichText]:
    """A row cannot be longer than a request may make it, so its last cell holds what is left."""
    space = to_rich_text([Text(" ")])
    return [run for cell in cells if cell for run in [*space, *cell]][1:]


def _fitting(cell: list[RichText]) -> list[RichText]:
    """A cell cannot go on in another block, so a cell of too many runs keeps its words and not its looks."""
    if len(cell) <= MAX_RUNS:
        return cell
    return to_rich_text([Text("".join(item["plain_text"] for item in cell))])


def write_table(block: Tree, write_cell: Callable[[list[RichText]], str]) -> Iterable[str]:
    """Return the lines of a table, one cell on each."""
    payload: dict[str, Any] = block["table"]
    header = ' header-row="true"' if payload.get("has_column_header") else ""
    header += ' header-column="true"' if payload.get("has_row_header") else ""
    yield f"<table{header}>"
    for row in block.get("children", []):
        yield "<tr>"
        for cell in row["table_row"]["cells"]:
            yield f"<td>{write_cell(cell)}</td>"
        yield "</tr>"
    yield "</table>"
