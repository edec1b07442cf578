"""The two versions of Markdown that Notion speaks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from notion_embedded.markdown import block_reader, block_writer, flavored
from notion_embedded.markdown.blocks import Read, Rendered, Tree


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one version is read and written."""

    read: Callable[[str], Read]
    render: Callable[[Sequence[Tree]], Rendered]
    between: str
    """What stands between two blocks."""


ENHANCED = Dialect(block_reader.read, block_writer.render, "\n")
"""Version 1: a line is a block, and tabs make children."""

FLAVORED = Dialect(flavored.read, flavored.render, "\n\n")
"""Version 2: CommonMark, with tags for the rest."""
