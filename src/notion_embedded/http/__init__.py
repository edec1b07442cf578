"""Notion's HTTP API over a workspace."""

from notion_embedded.http.app import create_app

__all__ = ["create_app"]
