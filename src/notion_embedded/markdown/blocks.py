"""Trees of blocks: the shape that the two directions share, and the few facts about block types."""

from collections.abc import Iterable, Sequence
from typing import Any

from notion_embedded.markdown.pieces import RichText

Tree = dict[str, Any]
"""A block: `{"id"?, "type": t, t: payload as in the API without children, "children": [trees]}`."""

MAX_RUNS = 100
"""How many rich text objects one block may hold."""

MAX_DEPTH = 60
"""How deep trees are read and written; what lies deeper joins the level above."""

CHILD_TYPES = frozenset({"child_page", "child_database"})
"""Blocks that stand for an object of its own, which a block cannot replace."""


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
    first, rest = list(rich_text[:MAX_RUNS]), rich_text[MAX_RUNS:]
    more = [rest[start : start + MAX_RUNS] for start in range(0, len(rest), MAX_RUNS)]
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
