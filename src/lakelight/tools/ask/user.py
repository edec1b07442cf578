"""ask_user: a question that only the user can answer."""

from typing import Annotated

from pydantic import StringConstraints

from lakelight.tools.arguments import Arguments
from lakelight.tools.defined import define
from lakelight.tools.port import Question, Tool, ToolContext, ToolResult


class _Asked(Arguments):
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


def ask_user() -> Tool:
    """The tool."""
    return define(
        "ask_user",
        "ask",
        "Ask the user one short question when the request is unclear or something is missing. Ends the turn.",
        _Asked,
        _ask,
    )


async def _ask(arguments: _Asked, context: ToolContext) -> ToolResult:  # noqa: ARG001
    return Question(key="ask.user", facts={"question": arguments.question})
