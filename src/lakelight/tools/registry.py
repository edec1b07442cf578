"""The tools that every planner is given, and what holds a tool to the kinds it declares."""

from lakelight.operations import Operation, classify
from lakelight.tools.ask.user import ask_user
from lakelight.tools.port import Tool, ToolSpec
from lakelight.tools.read.page import fetch_page_markdown
from lakelight.tools.read.query import query_database
from lakelight.tools.read.schema import get_database_schema
from lakelight.tools.read.search import search_workspace
from lakelight.tools.write.append import append_content
from lakelight.tools.write.archive import archive_page
from lakelight.tools.write.create import create_page
from lakelight.tools.write.property import update_page_property


def standard_tools() -> dict[str, Tool]:
    """The tools by name, in the order in which a planner is told of them."""
    tools = (
        search_workspace(),
        fetch_page_markdown(),
        query_database(),
        get_database_schema(),
        append_content(),
        update_page_property(),
        create_page(),
        archive_page(),
        ask_user(),
    )
    return {tool.spec.name: tool for tool in tools}


def check_kinds(spec: ToolSpec, operation: Operation) -> bool:
    """Whether all that `operation` does, judged by its request, is what the tool may build."""
    kinds = classify(operation.request)
    return bool(kinds) and kinds <= spec.kinds and operation.kind in spec.kinds
