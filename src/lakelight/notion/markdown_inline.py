"""Inline Markdown as Notion's rich text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from markdown_it.tree import SyntaxTreeNode

from lakelight.notion.limits import MAX_EXPRESSION, MAX_URL
from lakelight.notion.text import MAX_RUNS, pieces, units, whole

Run = dict[str, Any]

_MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_MAX_UNITS = 60_000
"""Of one block; a block of the 100 longest runs alone would be more than a request may hold."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a run looks and where it leads."""

    marks: frozenset[str] = frozenset()
    link: str | None = None


_PLAIN = Style()


def runs(nodes: Iterable[SyntaxTreeNode]) -> list[Run]:
    """`nodes` as rich text of any length; `groups` makes it fit."""
    return [run for style, kind, text in _merged(_spans(nodes, _PLAIN)) for run in _runs(style, kind, text)]


def plain_runs(text: str) -> list[Run]:
    """`text` as rich text without formatting."""
    return _runs(_PLAIN, "text", text)


def groups(items: list[Run]) -> list[list[Run]]:
    """`items` in as few parts as fit into one block each; at least one, perhaps empty."""
    parts: list[list[Run]] = [[]]
    room = _MAX_UNITS
    for item in items:
        size = units(item["text"]["content"]) if item["type"] == "text" else MAX_EXPRESSION
        if len(parts[-1]) == MAX_RUNS or size > room:
            parts.append([])
            room = _MAX_UNITS
        parts[-1].append(item)
        room -= size
    return parts


def absolute(url: str) -> str | None:
    """`url`, if Notion takes it for a link: absolute, of the web or for mail, and not too long."""
    try:
        link = urlsplit(url)
        host = link.hostname
    except ValueError:
        return None
    web = link.scheme in {"http", "https"} and bool(host)
    mail = link.scheme == "mailto" and "@" in link.path
    return url if (web or mail) and units(url) <= MAX_URL else None


def _runs(style: Style, kind: str, text: str) -> list[Run]:
    if kind == "equation" and 0 < units(text) <= MAX_EXPRESSION:
        return [{"type": "equation", "equation": {"expression": whole(text)}, **_annotations(style)}]
    link = {"link": {"url": style.link}} if style.link else {}
    return [
        {"type": "text", "text": {"content": piece, **link}, **_annotations(style)}
        for piece in pieces(whole(text))
    ]


def _annotations(style: Style) -> Run:
    return {"annotations": dict.fromkeys(sorted(style.marks), True)} if style.marks else {}


Span = tuple[Style, str, str]


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    last: Span | None = None
    for span in spans:
        if last and last[:2] == span[:2] == (span[0], "text"):
            last = (span[0], "text", last[2] + span[2])
        else:
            if last:
                yield last
            last = span
    if last:
        yield last


def _spans(nodes: Iterable[SyntaxTreeNode], style: Style) -> Iterator[Span]:
    for node in nodes:
        match node.type:
            case "text" | "text_special":
                yield style, "text", node.content
            case "softbreak" | "hardbreak":
                yield style, "text", "\n"
            case "code_inline":
                yield _with(style, "code"), "text", node.content
            case "math_inline" | "math_inline_double":
                yield style, "equation", node.content.strip()
            case "html_inline":
                yield style, "text", _html(node.content)
            case "footnote_ref":
                yield style, "text", f"[{node.meta['label']}]"
            case "image":
                yield _linked(style, str(node.attrs.get("src", ""))), "text", image_text(node)
            case "link":
                yield from _spans(node.children, _linked(style, str(node.attrs.get("href", ""))))
            case "strong" | "em" | "s":
                yield from _spans(node.children, _with(style, _MARKS[node.type]))
            case _:
                yield from _spans(node.children, style)


def image_text(node: SyntaxTreeNode) -> str:
    """What stands for an image where none can be shown."""
    return node.content or str(node.attrs.get("src", ""))


def _with(style: Style, mark: str) -> Style:
    return replace(style, marks=style.marks | {mark})


def _linked(style: Style, url: str) -> Style:
    return replace(style, link=absolute(url) or style.link)


def _html(content: str) -> str:
    if _BREAK.fullmatch(content):
        return "\n"
    return "" if content.startswith("<!--") else content
