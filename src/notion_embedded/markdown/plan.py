"""Which blocks stay when a page's Markdown has been edited, so that untouched blocks keep their ids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from notion_embedded.markdown.blocks import CHILD_TYPES, Tree
from notion_embedded.markdown.dialects import ENHANCED, Dialect


@dataclass(frozen=True, slots=True)
class Keep:
    """The next block is an old one, as it is, with its id and all that lies below it."""

    old_index: int


@dataclass(frozen=True, slots=True)
class Insert:
    """The next block is new.

    A tree inside that bears an id stands for a block that exists: it is to be put there, not made.
    """

    tree: Tree


Step = Keep | Insert
_NAMED = CHILD_TYPES | {"unsupported"}


def reconcile(
    old_trees: Sequence[Tree], new_trees: Sequence[Tree], dialect: Dialect = ENHANCED
) -> list[Step]:
    """Return what the page's top-level blocks are after an edit, in order.

    Old blocks that no step keeps are to go. Kept blocks are in their old order, except child pages,
    databases and unknown blocks, which are known by their ids wherever they have moved.
    """
    new = [_key(block, dialect) for block in new_trees]
    known = set(new)
    keys = [_key(block, dialect) for block in old_trees]
    old = [key if key in known else _settled(key, dialect) for key in keys]
    kept: dict[int, int] = {}
    for match in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        kept.update({match.b + offset: match.a + offset for offset in range(match.size)})
    taken = set(kept.values())
    named = {key: index for index, key in enumerate(old) if key[0] == "id" and index not in taken}
    for index, key in enumerate(new):
        if index not in kept and key in named:
            kept[index] = named.pop(key)
    return [Keep(kept[index]) if index in kept else Insert(block) for index, block in enumerate(new_trees)]


def lost_children(old_trees: Sequence[Tree], plan: Iterable[Step]) -> list[Tree]:
    """Return the child pages and databases, at any depth, that the plan would take off the page."""
    staying: set[str] = set()
    for step in plan:
        roots = [old_trees[step.old_index]] if isinstance(step, Keep) else [step.tree]
        staying.update(str(block["id"]) for block in _children(roots) if "id" in block)
    return [block for block in _children(old_trees) if block.get("id") not in staying]


def _children(roots: Sequence[Tree]) -> list[Tree]:
    found: list[Tree] = []
    waiting = list(reversed(roots))
    while waiting:
        block = waiting.pop()
        if block["type"] in CHILD_TYPES:
            found.append(block)
        waiting.extend(reversed(block.get("children") or []))
    return found


def _key(block: Tree, dialect: Dialect) -> tuple[str, str]:
    """Return a block's id where Markdown keeps it, else its Markdown."""
    if block["type"] in _NAMED and "id" in block:
        return "id", block["id"]
    return "as", dialect.render([block]).markdown


def _settled(key: tuple[str, str], dialect: Dialect) -> tuple[str, str]:
    """Return the key of a block as it would come back from its own Markdown, which is slower to find."""
    read = dialect.read(key[1]).trees if key[0] == "as" else []
    return _key(read[0], dialect) if len(read) == 1 else key
