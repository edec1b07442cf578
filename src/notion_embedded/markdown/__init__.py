"""Blocks to Notion's enhanced Markdown and back, and edits of that Markdown. Pure: no storage, no HTTP."""

from notion_embedded.markdown.block_reader import parse
from notion_embedded.markdown.block_writer import Rendered, render
from notion_embedded.markdown.blocks import Tree
from notion_embedded.markdown.edits import EditRefused, deletion_allowed, edit
from notion_embedded.markdown.plan import Insert, Keep, Step, lost_children, reconcile

__all__ = [
    "EditRefused",
    "Insert",
    "Keep",
    "Rendered",
    "Step",
    "Tree",
    "deletion_allowed",
    "edit",
    "lost_children",
    "parse",
    "reconcile",
    "render",
]
