"""Trees of blocks: the shape that the two directions share, and the few facts about block types."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from notion_embedded.markdown.pieces import (
    MAX_EXPRESSION,
    RichText,
    Text,
    canonical,
    count_units,
    from_rich_text,
    to_rich_text,
)

Tree = dict[str, Any]
"""A block: `{"id"?, "type": t, t: payload as in the API without children, "children": [trees]}`."""

MAX_RUNS = 100
"""How many rich text objects one block may hold."""

MAX_DEPTH = 60
"""How deep trees are read and written; what lies deeper joins the level above."""

CHILD_TYPES = frozenset({"child_page", "child_database"})
"""Blocks that stand for an object of its own, which a block cannot replace."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a text stands for."""

    trees: list[Tree]
    ends: list[int]
    """For each top-level block, the index of the line after it."""
    warnings: list[str] = field(default_factory=list)
    """What could not be kept, for whoever sent the text."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page as Markdown, and the ids of the blocks that it could only name."""

    markdown: str
    unknown_block_ids: list[str]


def tree(
    kind: str, payload: dict[str, Any], children: Iterable[Tree] = (), *, identity: str | None = None
) -> Tree:
    """Return a tree, with an id only where it stands for a block that exists already."""
    named = {"id": identity} if identity else {}
    return {**named, "type": kind, kind: payload, "children": list(children)}


def text_blocks(
    kind: str, rich_text: Sequence[RichText], payload: dict[str, Any], children: Sequence[Tree] = ()
) -> list[Tree]:
    """Return one block for a text, or as many as its rich text needs.

    What does not fit goes on in blocks of the same type, and below a list item or a toggle in
    paragraphs of its own, so that numbers and boxes are not repeated.
    """
    first, *more = _portions(rich_text, literal=kind == "code")
    block = tree(kind, {"rich_text": first, **payload}, children)
    if not more:
        return [block]
    if kind in {"paragraph", "quote", "code"}:
        return [block, *(tree(kind, {"rich_text": list(runs), **payload}) for runs in more)]
    overflow = [tree("paragraph", {"rich_text": list(runs), "color": "default"}) for runs in more]
    if kind.startswith("heading_") and not payload.get("is_toggleable"):
        return [block, *overflow]
    block["children"] = [*overflow, *block["children"]]
    return [block]


def _portions(rich_text: Sequence[RichText], *, literal: bool) -> list[list[RichText]]:
    """Cut a text where a block is full; but for code, each part is settled as a text of its own."""
    if len(rich_text) <= MAX_RUNS:
        return [list(rich_text)]
    parts = [list(rich_text[start : start + MAX_RUNS]) for start in range(0, len(rich_text), MAX_RUNS)]
    if literal:
        return parts
    settled = [to_rich_text(canonical(from_rich_text(part))) for part in parts]
    return [part for part in settled if part] or [[]]


def equation_blocks(expression: str) -> list[Tree]:
    """Return the block for a formula; one that is too long for it is code."""
    if count_units(expression) <= MAX_EXPRESSION:
        return [tree("equation", {"expression": expression})]
    runs = to_rich_text([Text(expression)])
    return text_blocks("code", runs, {"caption": [], "language": "latex"})
