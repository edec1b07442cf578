"""Blocks cut to what Notion takes: two levels below each, a hundred children, so much in a request.

What is nested too deeply moves up; nothing is left out and the order of the text stays.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from lakelight.notion.limits import (
    MAX_BLOCKS,
    MAX_CHILDREN,
    MAX_LEVELS,
    block_type,
    blocks_in,
    children_of,
    encode,
)

Block = dict[str, Any]

MAX_REQUEST_BYTES = 450_000
_MAX_TREE_BYTES = 400_000


def chunks(blocks: Sequence[Block], per_request: int = MAX_CHILDREN) -> list[list[Block]]:
    """`blocks` in order, in as few appends as Notion allows."""
    parts: list[list[Block]] = []
    count = size = 0
    for block in blocks:
        blocks_here, bytes_here = blocks_in(block), size_of(block)
        full = (
            not parts
            or len(parts[-1]) >= per_request
            or count + blocks_here > MAX_BLOCKS
            or size + bytes_here > MAX_REQUEST_BYTES
        )
        if full:
            parts.append([])
            count = size = 0
        parts[-1].append(block)
        count += blocks_here
        size += bytes_here
    return parts


def fitted(blocks: Iterable[Block]) -> list[Block]:
    """`blocks`, each of which can be appended with all that is below it."""
    return _level(blocks, 0)[0]


def size_of(block: Block) -> int:
    """The bytes that `block` takes in a request."""
    return len(encode(block)) + 1


def with_children(block: Block, children: Sequence[Block]) -> Block:
    """`block` with `children` below it, and no others."""
    kind = block_type(block)
    content = {key: value for key, value in block[kind].items() if key != "children"}
    return {**block, kind: {**content, "children": list(children)} if children else content}


def _level(blocks: Iterable[Block], depth: int) -> tuple[list[Block], list[Block]]:
    """What stays at this depth, and what has to follow the block above."""
    kept: list[Block] = []
    waiting = deque(blocks)
    while waiting:
        block = waiting.popleft()
        children = children_of(block)
        if "table" in block:
            if depth == MAX_LEVELS:
                # A table cannot stand here without its rows; what follows must not overtake it.
                return kept, [block, *waiting]
            kept.append(block)
        elif depth == MAX_LEVELS or not children:
            kept.append(with_children(block, ()))
            waiting.extendleft(reversed(children))
        else:
            below, over = _level(children, depth + 1)
            most = _most(block, below) if depth == 0 else MAX_CHILDREN
            kept.append(with_children(block, below[:most]))
            waiting.extendleft(reversed([*below[most:], *over]))
    return kept, []


def _most(block: Block, children: Sequence[Block]) -> int:
    """How many of `children` a block at the top can take along in one request."""
    count, size = 1, size_of(with_children(block, ()))
    for number, child in enumerate(children[:MAX_CHILDREN]):
        count += blocks_in(child)
        size += size_of(child)
        if count > MAX_BLOCKS or size > _MAX_TREE_BYTES:
            return number
    return min(len(children), MAX_CHILDREN)
