"""A plan that came with the request: one call, from a client that does its own planning."""

from collections.abc import Mapping, Sequence
from typing import Any

from lakelight.agent.planning import Call, CallTools, Finish, Plan, Turn
from lakelight.tools import ToolSpec


class Given:
    """Calls one tool once."""

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        self._call = Call(id="1.0", tool=tool, arguments=arguments)

    async def plan(self, turn: Turn, tools: Sequence[ToolSpec]) -> Plan:
        """The call, then nothing more."""
        del tools
        return Finish() if turn.steps else CallTools(calls=(self._call,))
