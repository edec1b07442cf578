"""Blocks to the two versions of Notion's Markdown and back, and edits of it. Pure: no storage, no HTTP."""

from notion_embedded.markdown.block_reader import parse
from notion_embedded.markdown.block_writer import render
from notion_embedded.markdown.blocks import Read, Rendered, Tree
from notion_embedded.markdown.dialects import ENHANCED, FLAVORED, Dialect
from notion_embedded.markdown.edits import EditRefused, deletion_allowed, edit
from notion_embedded.markdown.plan import Insert, Keep, Step, lost_children, reconcile
from notion_embedded.markdown.truncation import MAX_RECORDS, shortened

__all__ = [
    "ENHANCED",
    "FLAVORED",
    "MAX_RECORDS",
    "Dialect",
    "EditRefused",
    "Insert",
    "Keep",
    "Read",
    "Rendered",
    "Step",
    "Tree",
    "deletion_allowed",
    "edit",
    "lost_children",
    "parse",
    "reconcile",
    "render",
    "shortened",
]
