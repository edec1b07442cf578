"""Lakelight: agents for a Notion workspace, on the owner's own machine."""

__version__ = "0.1.0"
