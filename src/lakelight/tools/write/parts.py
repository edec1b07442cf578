"""Markdown as the blocks of one request, or how much of it one request takes. Pure."""

from typing import Any

from lakelight.notion.markdown import chunks, to_blocks
from lakelight.tools.port import Fault


def blocks_of(markdown: str) -> list[dict[str, Any]] | Fault:
    """The blocks that `markdown` becomes, if they fit one request."""
    blocks = to_blocks(markdown)
    parts = chunks(blocks)
    if len(parts) > 1:
        facts = {"blocks": len(blocks), "fits": len(parts[0]), "calls": len(parts)}
        return Fault(key="tool.too_much", facts=facts)
    return blocks
