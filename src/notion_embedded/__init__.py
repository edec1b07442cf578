"""A Notion-compatible API server on one SQLite file: a workspace to develop, demonstrate and test against."""

__version__ = "0.1.0"
