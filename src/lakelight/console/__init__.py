"""The console: a page for each approval, a list of them, and the forms that decide. No JavaScript."""

from lakelight.console.app import create_app
from lakelight.console.desk import Desk

__all__ = ["Desk", "create_app"]
