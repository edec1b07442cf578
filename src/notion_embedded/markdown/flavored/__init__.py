"""Notion-flavored Markdown, the second version: CommonMark and GitHub's tables, with tags for the rest."""

from notion_embedded.markdown.flavored.reader import read
from notion_embedded.markdown.flavored.writer import render

__all__ = ["read", "render"]
