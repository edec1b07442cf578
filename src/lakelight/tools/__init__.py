"""Tools: what a planner can call. Each reads, or builds an operation."""

from lakelight.tools.port import (
    Built,
    Candidate,
    Fault,
    Found,
    Question,
    Tool,
    ToolContext,
    ToolResult,
    ToolSpec,
)
from lakelight.tools.registry import check_kinds, standard_tools

__all__ = [
    "Built",
    "Candidate",
    "Fault",
    "Found",
    "Question",
    "Tool",
    "ToolContext",
    "ToolResult",
    "ToolSpec",
    "check_kinds",
    "standard_tools",
]
