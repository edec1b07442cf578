"""One call of a tool from beginning to end: a run of the loop, and the person where one is due."""

import asyncio
import json
import logging
import secrets
from collections import OrderedDict
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio

from lakelight.errors import LakelightError
from lakelight.guard import AlreadyDecided, Approval
from lakelight.ids import fresh
from lakelight.mcp_server.answers import Answer, Teller
from lakelight.mcp_server.change import change_text
from lakelight.mcp_server.desk import Desk
from lakelight.mcp_server.keeper import Keeper
from lakelight.mcp_server.person import Decision, Person
from lakelight.mcp_server.records import Record, has_sent, read_record
from lakelight.messages import Messages

log = logging.getLogger(__name__)
T = TypeVar("T")

MOST_BYTES = 1_000_000
"""Of a call's arguments as JSON; Notion takes half of it in a request."""
SESSION = "mcp"
"""What the ids of our sessions begin with."""
_MOST_ASKED = 3
"""A page that changes under every preview is not asked about for ever."""
_MOST_OPEN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The call ends here with a form; the client calls again with the answer to it."""

    message: str
    state: str
    """Names the question; the client hands it back as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    tool: str
    arguments: str
    run_id: str
    number: int


class Calls:
    """The calls of one client."""

    def __init__(self, keeper: Keeper, teller: Teller, messages: Messages, *, writes: frozenset[str]) -> None:
        self._keeper = keeper
        self._teller = teller
        self._messages = messages
        self._writes = writes
        self._session_id = fresh(SESSION)
        self._writing = asyncio.Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()

    async def begin(self, tool: str, arguments: Mapping[str, Any], person: Person) -> Answer | Ask:
        """Carry out a call.

        Raises:
            LakelightError: The house cannot be opened, or our own state not be written.
        """
        size = len(_canonical(arguments).encode(errors="replace"))
        if size > MOST_BYTES:
            facts = {"tool": tool, "size": size, "limit": MOST_BYTES}
            return self._teller.fault("mcp.too_large", facts)
        async with self._keeper.desk() as desk:
            run_id = await desk.chats.begin(
                "",
                session_id=self._session_id,
                language=self._messages.language,
                given=(tool, arguments),
            )
            await self._advance(desk, run_id, tool)
            return await self._conclude(desk, run_id, tool, arguments, person)

    async def resume(
        self, tool: str, arguments: Mapping[str, Any], person: Person, state: str, decision: Decision
    ) -> Answer | Ask:
        """Go on with a call that ended with a question.

        Raises:
            LakelightError: As for `begin`.
        """
        # The state comes from the client: it may only name a question that this very call has put.
        asked = self._open.pop(state, None)
        if asked is None or (asked.tool, asked.arguments) != (tool, _canonical(arguments)):
            return self._teller.fault("mcp.over", {})
        async with self._keeper.desk() as desk:
            if decision == "cancel":
                return await self._told(desk, asked.run_id)
            await self._decide(desk, asked.run_id, asked.number, decision, person, tool)
            return await self._conclude(desk, asked.run_id, tool, arguments, person)

    async def _conclude(
        self, desk: Desk, run_id: str, tool: str, arguments: Mapping[str, Any], person: Person
    ) -> Answer | Ask:
        for _ in range(_MOST_ASKED):
            record = await read(desk, run_id)
            waits_for = record.waits_for if record else None
            if waits_for is None or person.asked == "not":
                break
            if person.asked == "by_calling_again":
                return self._ask_later(waits_for, tool, arguments)
            decision = await person.ask(self._form(waits_for))
            if decision == "cancel":
                break
            await self._decide(desk, run_id, waits_for.number, decision, person, tool)
        return await self._told(desk, run_id)

    async def _told(self, desk: Desk, run_id: str) -> Answer:
        record = await read(desk, run_id)
        if record is None:
            return self._teller.fault("mcp.unknown_run", {"run": run_id})
        return self._teller.run(record, console=desk.console(), now=desk.clock.now())

    async def _decide(
        self, desk: Desk, run_id: str, number: int, decision: Decision, person: Person, tool: str
    ) -> None:
        # Decided in the console meanwhile: then that decision counts, and is told.
        with suppress(AlreadyDecided):
            if decision == "accept":
                await desk.confirmations.approve(number, person.name)
            else:
                await desk.confirmations.reject(number, person.name)
        await self._advance(desk, run_id, tool)

    def _form(self, approval: Approval) -> str:
        change = change_text(approval, self._messages)
        return f"{change}\n\n{self._messages.say('mcp.form', approval=approval.key)}"

    def _ask_later(self, approval: Approval, tool: str, arguments: Mapping[str, Any]) -> Ask:
        state = secrets.token_urlsafe()
        self._open[state] = _Open(
            tool=tool, arguments=_canonical(arguments), run_id=approval.run_id, number=approval.number
        )
        while len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)
        return Ask(message=self._form(approval), state=state)

    async def _advance(self, desk: Desk, run_id: str, tool: str) -> None:
        if tool not in self._writes:
            await self._carry(desk, run_id)
            return
        # One write at a time, however many calls a client makes at once.
        async with self._writing:
            await self._carry(desk, run_id)

    async def _carry(self, desk: Desk, run_id: str) -> None:
        turn = asyncio.ensure_future(desk.advance(run_id))
        try:
            await asyncio.shield(turn)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await _break_off(desk, run_id, turn)
            raise


async def read(desk: Desk, run_id: str) -> Record | None:
    """The record of a run, as it stands now."""
    return await desk.database.run(
        lambda connection: read_record(connection, desk.runs, desk.approvals, run_id)
    )


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns; a call that is cancelled meanwhile ends only after it."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True), suppress(Exception):
            await task
        raise


async def _break_off(desk: Desk, run_id: str, turn: "asyncio.Future[Any]") -> None:
    """End a run whose call was cancelled; once Notion has been asked, its answer is still taken down."""
    with suppress(LakelightError):
        if not await desk.database.run(lambda connection: has_sent(connection, run_id)):
            turn.cancel()
        with suppress(asyncio.CancelledError):
            await turn
        if not await desk.database.run(lambda connection: has_sent(connection, run_id)):
            await desk.chats.cancel(run_id)
        elif turn.cancelled():
            # It went out between the look and the stop: it is looked up, and not sent blindly.
            await desk.advance(run_id)


def _canonical(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True)
