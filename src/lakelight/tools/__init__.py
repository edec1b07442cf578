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
]
