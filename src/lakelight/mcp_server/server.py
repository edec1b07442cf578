"""Speaks the protocol on stdin and stdout: lists the tools, hands calls on, and tells what came of them."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from lakelight import __version__
from lakelight.errors import LakelightError
from lakelight.mcp_server.answers import Answer, Teller
from lakelight.mcp_server.calls import Ask, Calls
from lakelight.mcp_server.desk import Desk
from lakelight.mcp_server.extras import Extras
from lakelight.mcp_server.keeper import Keeper
from lakelight.mcp_server.offer import OVERVIEW, STATUS, UNDO, instructions, offered, withheld
from lakelight.mcp_server.person import Decision, Person, form
from lakelight.messages import Messages
from lakelight.notion import NotionUnreachable
from lakelight.tools import ToolSpec

log = logging.getLogger(__name__)

_QUESTION = "approve"
_PATIENCE = 10.0
"""Seconds that the first answer waits for the house; a client gives up on a server that is silent."""


async def serve(
    open_house: Callable[[], AbstractAsyncContextManager[Desk]],
    specs: Sequence[ToolSpec],
    messages: Messages,
    *,
    clean: Callable[[str], str],
    read_only: bool,
) -> None:
    """Serve one client until it goes.

    Args:
        clean: Takes the secrets that this process knows out of a text.
    """
    keeper = Keeper(open_house, writes=not read_only)
    try:
        about = await _introduction(keeper, messages, clean, read_only=read_only)
        front = _Front(keeper, specs, messages, clean, read_only=read_only)
        server = Server[Any](
            "lakelight",
            version=__version__,
            instructions=about,
            on_list_tools=front.list_tools,
            on_call_tool=front.call_tool,
        )
        server.middleware.append(front.read_arguments)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await keeper.close()


class _Front:
    """What the protocol asks of us."""

    def __init__(
        self,
        keeper: Keeper,
        specs: Sequence[ToolSpec],
        messages: Messages,
        clean: Callable[[str], str],
        *,
        read_only: bool,
    ) -> None:
        self._keeper = keeper
        self._tools = offered(specs, read_only=read_only)
        self._names = frozenset(tool.name for tool in self._tools)
        self._withheld = withheld(specs) - self._names
        self._teller = Teller(messages, clean)
        writes = frozenset(spec.name for spec in specs if spec.effect == "write")
        self._calls = Calls(keeper, self._teller, messages, writes=writes)
        self._extras = Extras(self._teller, messages, read_only=read_only)

    async def list_tools(
        self, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """The tools, all on one page."""
        return ListToolsResult(tools=self._tools)

    async def call_tool(
        self, context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """What came of a call. Whatever goes wrong is an answer that says what to do."""
        try:
            answer = await self._call(params, Person(context))
        except LakelightError as error:
            answer = self._teller.error(error)
        except Exception as error:
            # A call that stumbles must not end the server, and its insides are no business of the client.
            log.exception("mcp.fault", extra={"tool": params.name})
            answer = self._teller.fault("turn.fault", {"cause": type(error).__name__})
        if isinstance(answer, Ask):
            return InputRequiredResult(
                input_requests={_QUESTION: form(answer.message)}, request_state=answer.state
            )
        if answer.data.get("code") == NotionUnreachable.code:
            self._keeper.doubt()
        return _result(answer)

    async def read_arguments(self, ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
        """Take arguments that come as JSON text for what they say, and tell of any that are no object."""
        params = ctx.params or {}
        arguments = params.get("arguments")
        if ctx.method != "tools/call" or arguments is None or isinstance(arguments, dict):
            return await call_next(ctx)
        read = _parsed(arguments)
        if read is None:
            facts = {"tool": str(params.get("name", ""))[:100]}
            return _result(self._teller.fault("mcp.arguments", facts))
        return await call_next(replace(ctx, params={**params, "arguments": read}))

    async def _call(self, params: CallToolRequestParams, person: Person) -> Answer | Ask:
        name, arguments = params.name, params.arguments or {}
        if name in self._withheld:
            return self._teller.fault("mcp.read_only", {"tool": name})
        if name not in self._names:
            facts = {"tool": name[:100], "tools": ", ".join(tool.name for tool in self._tools)}
            return self._teller.fault("tool.unknown", facts)
        if name in {OVERVIEW, STATUS, UNDO}:
            return await self._extra(name, arguments)
        if params.request_state is not None:
            decision = _decision(params.input_responses)
            return await self._calls.resume(name, arguments, person, params.request_state, decision)
        return await self._calls.begin(name, arguments, person)

    async def _extra(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        schema = next(tool.input_schema for tool in self._tools if tool.name == name)
        fields = ", ".join(schema["properties"]) or "–"
        for field in {*schema.get("required", ()), *arguments}:
            if field not in schema["properties"] or not isinstance(arguments.get(field), str):
                facts = {"tool": name, "field": field[:100], "fields": fields}
                return self._teller.fault("mcp.bad_argument", facts)
        async with self._keeper.desk() as desk:
            match name:
                case "undo":
                    return await self._extras.undo(desk, arguments)
                case "approval_status":
                    return await self._extras.status(desk, arguments)
                case _:
                    return await self._extras.overview(desk)


async def _introduction(
    keeper: Keeper, messages: Messages, clean: Callable[[str], str], *, read_only: bool
) -> str:
    """What the client's model is told first; also when the house cannot be opened yet."""
    unready = f"Lakelight is not ready. Call {OVERVIEW} to see why, and to try again. "
    try:
        async with asyncio.timeout(_PATIENCE), keeper.desk() as desk:
            return instructions(
                workspace=desk.workspace, level=int(desk.level), mode=desk.mode, read_only=read_only
            )
    except TimeoutError:
        return unready
    except LakelightError as error:
        return unready + clean(messages.explain(error))


def _result(answer: Answer) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=answer.text)],
        structured_content=dict(answer.data),
        is_error=answer.error,
    )


def _decision(responses: Mapping[str, Any] | None) -> Decision:
    answer = (responses or {}).get(_QUESTION)
    return answer.action if isinstance(answer, ElicitResult) else "cancel"


def _parsed(arguments: object) -> dict[str, Any] | None:
    if not isinstance(arguments, str):
        return None
    try:
        read = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None
