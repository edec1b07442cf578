"""Markdown as Notion's blocks, in the shape that a request sends.

Whatever Notion would refuse is turned into what it takes, with every word kept: a link that
is not absolute becomes its text, an unknown language plain text, a long text several blocks.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from markdown_it.tree import SyntaxTreeNode

from lakelight.notion.fitting import Block, chunks, fitted, size_of, with_children
from lakelight.notion.html_tables import rows_of
from lakelight.notion.languages import PLAIN, language
from lakelight.notion.limits import MAX_CHILDREN, MAX_EXPRESSION
from lakelight.notion.markdown_inline import Run, absolute, groups, image_text, plain_runs, runs
from lakelight.notion.markdown_parser import parse, parse_inline
from lakelight.notion.text import units

__all__ = ["chunks", "to_blocks"]

_TASK = re.compile(r"\[([ xX])\](?:\s+|$)")
# A tag ends before the next one begins: looking further would take the square of the time.
_DETAILS = re.compile(r"<details\b[^<>]*>", re.IGNORECASE)
_DETAILS_END = re.compile(r"</details\s*>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>", re.IGNORECASE)
_SUMMARY_END = re.compile(r"</summary\s*>", re.IGNORECASE)
_TABLE = re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_IMAGE = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_SOURCE = re.compile(r"""\bsrc=["']([^"']+)["']""", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_CELL = re.compile(r"(?<!\\)\|")
_MAX_HEADING = 4
_MAX_TABLE_BYTES = 300_000


def to_blocks(markdown: str) -> list[Block]:
    """`markdown` as blocks that can be appended; `chunks` says in how many requests."""
    try:
        return fitted(_blocks(parse(markdown).children, markdown.splitlines()))
    except RecursionError:
        # Brackets or quotes nested hundreds deep are no document; their text still is.
        return list(_text("paragraph", plain_runs(markdown)))


def _blocks(nodes: Sequence[SyntaxTreeNode], lines: Sequence[str]) -> list[Block]:
    found: list[Block] = []
    index = 0
    while index < len(nodes):
        node = nodes[index]
        if node.type == "html_block" and _DETAILS.search(node.content):
            end = _end_of_details(nodes, index)
            found += _details(nodes[index : end + 1], lines)
            index = end
        else:
            found += _block(node, lines)
        index += 1
    return found


def _block(node: SyntaxTreeNode, lines: Sequence[str]) -> Iterable[Block]:
    match node.type:
        case "paragraph":
            return _paragraph(_inline(node))
        case "heading":
            return _text(f"heading_{min(int(node.tag[1:]), _MAX_HEADING)}", runs(_inline(node)))
        case "bullet_list" | "ordered_list":
            kind = "bulleted_list_item" if node.type == "bullet_list" else "numbered_list_item"
            return [block for item in node.children for block in _item(kind, item, lines)]
        case "blockquote":
            return _holding("quote", _blocks(node.children, lines))
        case "fence" | "code_block":
            return _code(node.content, node.info.split(maxsplit=1)[0] if node.info.strip() else "")
        case "math_block" | "math_block_label":
            return _equation(node.content.strip())
        case "table":
            return _markdown_table(node, lines)
        case "hr":
            return [{"type": "divider", "divider": {}}]
        case "html_block":
            return _html(node.content)
        case "footnote_reference":
            return _footnote(node, lines)
        case _:
            return _blocks(node.children, lines)


def _inline(node: SyntaxTreeNode) -> list[SyntaxTreeNode]:
    return [inner for child in node.children if child.type == "inline" for inner in child.children]


def _text(kind: str, items: list[Run], **more: object) -> Iterator[Block]:
    for part in groups(items):
        yield {"type": kind, kind: {"rich_text": part, **more}}


def _paragraph(nodes: list[SyntaxTreeNode]) -> Iterator[Block]:
    """A paragraph; formulas and images that stand on lines of their own become blocks between."""
    if all(node.type in {"image", "softbreak"} for node in nodes):
        for node in nodes:
            if node.type == "image":
                yield from _image(str(node.attrs.get("src", "")), image_text(node))
        return
    text: list[SyntaxTreeNode] = []
    for index, node in enumerate(nodes):
        if node.type == "math_inline_double" and _on_own_line(nodes, index):
            yield from _text_between(text)
            yield from _equation(node.content.strip())
            text = []
        else:
            text.append(node)
    yield from _text_between(text)


def _on_own_line(nodes: list[SyntaxTreeNode], index: int) -> bool:
    around = (nodes[index - 1] if index else None, nodes[index + 1] if index + 1 < len(nodes) else None)
    return all(node is None or node.type in {"softbreak", "hardbreak"} for node in around)


def _text_between(nodes: list[SyntaxTreeNode]) -> Iterator[Block]:
    while nodes and nodes[0].type == "softbreak":
        nodes = nodes[1:]
    while nodes and nodes[-1].type == "softbreak":
        nodes = nodes[:-1]
    items = runs(nodes)
    return _text("paragraph", items) if items else iter(())


def _image(url: str, text: str) -> Iterable[Block]:
    if not (found := absolute(url)) or found.startswith("mailto:"):
        return _text("paragraph", plain_runs(text))
    caption = plain_runs(text) if text != url else []
    image = {"type": "external", "external": {"url": found}, **({"caption": caption} if caption else {})}
    return [{"type": "image", "image": image}]


def _equation(expression: str) -> Iterable[Block]:
    if not expression:
        return []
    if units(expression) > MAX_EXPRESSION:
        return _code(expression, "latex")
    return [{"type": "equation", "equation": {"expression": expression}}]


def _code(content: str, name: str) -> Iterator[Block]:
    known = language(name)
    caption = {} if known else {"caption": plain_runs(name)[:1]}
    return _text("code", plain_runs(content.removesuffix("\n")), language=known or PLAIN, **caption)


def _holding(kind: str, inner: Sequence[Block], **more: object) -> Iterator[Block]:
    """A block of `kind` with the first paragraph of `inner` as its text and the rest below it."""
    own = inner[0]["paragraph"]["rich_text"] if inner and inner[0]["type"] == "paragraph" else None
    block: Block = {"type": kind, kind: {"rich_text": own or [], **more}}
    yield with_children(block, inner if own is None else inner[1:])


def _item(kind: str, item: SyntaxTreeNode, lines: Sequence[str]) -> Iterator[Block]:
    inner = _blocks(item.children, lines)
    text = inner[0]["paragraph"]["rich_text"] if inner and inner[0]["type"] == "paragraph" else []
    task = _TASK.match(text[0]["text"]["content"]) if text and text[0]["type"] == "text" else None
    if not task or kind != "bulleted_list_item":
        return _holding(kind, inner)
    rest = {**text[0], "text": {**text[0]["text"], "content": text[0]["text"]["content"][task.end() :]}}
    inner[0]["paragraph"]["rich_text"] = [*([rest] if rest["text"]["content"] else []), *text[1:]]
    return _holding("to_do", inner, checked=task[1] != " ")


def _footnote(note: SyntaxTreeNode, lines: Sequence[str]) -> Iterable[Block]:
    label = plain_runs(f"[{note.meta['label']}] ")
    inner = _blocks(note.children, lines)
    if inner and inner[0]["type"] == "paragraph":
        first, *rest = groups([*label, *inner[0]["paragraph"]["rich_text"]])
        inner[0]["paragraph"]["rich_text"] = first
        return [inner[0], *(block for part in rest for block in _text("paragraph", part)), *inner[1:]]
    return [*_text("paragraph", label), *inner]


# Tables


def _markdown_table(node: SyntaxTreeNode, lines: Sequence[str]) -> list[Block]:
    rows = [row for part in node.children for row in part.children if row.type == "tr"]
    return _table([[*_cells(row), *_cells_left_out(row, lines)] for row in rows], header=True)


def _cells(row: SyntaxTreeNode) -> list[list[Run]]:
    return [runs(_inline(cell)) for cell in row.children]


def _cells_left_out(row: SyntaxTreeNode, lines: Sequence[str]) -> list[list[Run]]:
    """The cells of a row that is longer than the head; the parser drops them."""
    line = lines[row.map[0]].strip() if row.map and row.map[0] < len(lines) else ""
    cells = _CELL.split(line.removeprefix("|"))
    if cells and not cells[-1].strip():
        cells.pop()
    return [runs(parse_inline(cell.strip().replace("\\|", "|"))) for cell in cells[len(row.children) :]]


def _table(rows: list[list[list[Run]]], *, header: bool) -> list[Block]:
    """Tables of equal width, as many as it takes, each with the head; what no cell holds comes after."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return []
    fitting, over = [], []
    for row in rows:
        parts = [groups(cell) for cell in [*row, *([[]] * (width - len(row)))]]
        fitting.append({"type": "table_row", "table_row": {"cells": [part[0] for part in parts]}})
        over += [block for part in parts for more in part[1:] for block in _text("paragraph", more)]
    head, body = (fitting[:1], fitting[1:]) if header else ([], fitting)
    tables = [
        {
            "type": "table",
            "table": {
                "table_width": width,
                "has_column_header": header,
                "has_row_header": False,
                "children": [*head, *part],
            },
        }
        for part in _portions(body, MAX_CHILDREN - len(head))
    ]
    return [*tables, *over]


def _portions(rows: list[Block], most: int) -> list[list[Block]]:
    parts: list[list[Block]] = [[]]
    size = 0
    for row in rows:
        here = size_of(row)
        if parts[-1] and (len(parts[-1]) == most or size + here > _MAX_TABLE_BYTES):
            parts.append([])
            size = 0
        parts[-1].append(row)
        size += here
    return parts


# HTML


def _html(content: str) -> list[Block]:
    content = _COMMENT.sub("", content)
    if table := _TABLE.search(content):
        rows = rows_of(table[0])
        cells = [[runs(parse_inline(cell)) for cell in row] for row in rows.cells]
        around = content[: table.start()], content[table.end() :]
        return [*_html(around[0]), *_table(cells, header=rows.header), *_html(around[1])]
    sources = [source[1] for tag in _IMAGE.findall(content) if (source := _SOURCE.search(tag))]
    images = [block for url in sources for block in _image(html.unescape(url), url)]
    text = html.unescape(_TAG.sub("", content)).strip()
    return [*images, *(_text("paragraph", plain_runs(text)) if text else ())]


def _end_of_details(nodes: Sequence[SyntaxTreeNode], start: int) -> int:
    """The index of the node in which the `<details>` of `start` ends; of the last one if it never does."""
    open_now = 0
    for index in range(start, len(nodes)):
        if nodes[index].type == "html_block":
            open_now += len(_DETAILS.findall(nodes[index].content))
            open_now -= len(_DETAILS_END.findall(nodes[index].content))
            if open_now <= 0:
                return index
    return len(nodes) - 1


def _details(nodes: Sequence[SyntaxTreeNode], lines: Sequence[str]) -> list[Block]:
    """A toggle: the summary as its text, and all up to `</details>` below it."""
    before, rest = _split(nodes[0].content, _DETAILS)
    summary, rest = _summary(rest)
    if len(nodes) == 1:
        inside, after = _split_last(rest)
        inner = _markdown(inside)
    else:
        ends = nodes[-1].type == "html_block" and bool(_DETAILS_END.search(nodes[-1].content))
        last, after = _split_last(nodes[-1].content) if ends else ("", "")
        between = nodes[1:-1] if ends else nodes[1:]
        inner = [*_markdown(rest), *_blocks(between, lines), *_markdown(last)]
    title = html.unescape(_TAG.sub("", summary)).strip()
    toggle = {"type": "toggle", "toggle": {"rich_text": groups(runs(parse_inline(title)))[0]}}
    return [*_markdown(before), with_children(toggle, inner), *_markdown(after)]


def _summary(text: str) -> tuple[str, str]:
    """What the first `<summary>` holds, and the text without it."""
    opening = _SUMMARY.search(text)
    closing = _SUMMARY_END.search(text, opening.end()) if opening else None
    if not opening or not closing:
        return "", text
    return text[opening.end() : closing.start()], text[: opening.start()] + text[closing.end() :]


def _markdown(text: str) -> list[Block]:
    return _blocks(parse(text).children, text.splitlines()) if text.strip() else []


def _split(text: str, mark: re.Pattern[str]) -> tuple[str, str]:
    found = mark.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _split_last(text: str) -> tuple[str, str]:
    found = list(_DETAILS_END.finditer(text))
    return (text[: found[-1].start()], text[found[-1].end() :]) if found else (text, "")
