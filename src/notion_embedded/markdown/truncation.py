"""What becomes of a page that is too long to be one text."""

from collections.abc import Sequence

from notion_embedded.markdown.blocks import Tree, tree

MAX_RECORDS = 20_000
"""How many blocks a page's Markdown holds."""


def shortened(trees: Sequence[Tree], at_most: int) -> tuple[list[Tree], bool]:
    """Return the first blocks, the others only named, and whether there are any of these.

    A block that is left out takes with it all that is in it.
    """
    left = at_most

    def take(blocks: Sequence[Tree]) -> list[Tree]:
        nonlocal left
        taken = []
        for block in blocks:
            if left <= 0:
                taken.append(tree("unsupported", {"block_type": block["type"]}, identity=block.get("id")))
                continue
            left -= 1
            inner = block.get("children") or []
            # A table is cut nowhere: what stands for a row would be none.
            taken.append({**block, "children": inner if block["type"] == "table" else take(inner)})
        return taken

    total = sum(map(_size, trees))
    return (take(trees), True) if total > at_most else (list(trees), False)


def _size(block: Tree) -> int:
    return 1 + sum(map(_size, block.get("children") or []))
