"""`lakelight ask` and `lakelight chat`: a request in words, carried out step by step."""

import asyncio
import logging
import os
import sys

from lakelight.agent.reply import Reply
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.interruption import Interruption, Lines
from lakelight.cli.replies import reply_data, tell_reply
from lakelight.cli.session import INTERRUPTED, OK, Session, carry_out
from lakelight.errors import LakelightError, StorageError
from lakelight.ids import fresh
from lakelight.notion.links import page_id_from

log = logging.getLogger(__name__)


def ask(session: Session, request: str, *, page: str | None, target: str | None, as_json: bool) -> None:
    """One request, one reply; the exit code says how it ended."""
    reply = carry_out(session, _ask(session, request, page, target, as_json=as_json))
    if reply is None:
        raise SystemExit(INTERRUPTED)
    if reply.ending == "cancelled":
        session.say("cli.chat.stopped")
    if as_json:
        session.data(reply_data(reply))
    else:
        tell_reply(session, reply)
    raise SystemExit(reply.exit_code)


def chat(session: Session, *, page: str | None, target: str | None, session_id: str | None) -> None:
    """A conversation at the terminal. Ctrl-C stops the turn and keeps the session; Ctrl-D ends it."""
    lines = Lines("› ")
    code = carry_out(session, _chat(session, page, target, session_id or fresh("chat"), lines))
    if lines.reading:
        # Python cannot end in order beside a thread that waits for input.
        sys.stdout.flush()
        os._exit(code)
    raise SystemExit(code)


async def _ask(
    session: Session, request: str, page: str | None, target: str | None, *, as_json: bool
) -> Reply | None:
    page_id, target_id = _id(page), _id(target)
    async with desk(session, quiet=as_json) as house:
        await _take_over(house)
        interruption = Interruption()
        with interruption.listening():
            run_id = await house.chats.begin(
                request,
                session_id=fresh("chat"),
                language=session.messages.language,
                page=page_id,
                target=target_id,
            )
            return await _turn(house, run_id, interruption)


async def _chat(session: Session, page: str | None, target: str | None, session_id: str, lines: Lines) -> int:
    page_id, target_id = _id(page), _id(target)
    streamed: list[str] = []

    def on_text(text: str) -> None:
        streamed.append(text)
        sys.stdout.write(text)
        sys.stdout.flush()

    def on_restart(error: LakelightError) -> None:
        streamed.append("")
        print(f"\n… {session.explain(error)}")

    async with desk(session, on_text=on_text, on_restart=on_restart) as house:
        await _take_over(house)
        interruption = Interruption()
        session.say("cli.chat.title", session=session_id)
        with interruption.listening():
            while True:
                waiting = lines.next()
                try:
                    with interruption.stops(waiting):
                        line = await waiting
                except asyncio.CancelledError:
                    print()
                    session.say("cli.chat.kept", session=session_id)
                    return INTERRUPTED
                if line is None:
                    session.say("cli.chat.kept", session=session_id)
                    return OK
                if not line.strip():
                    continue
                streamed.clear()
                run_id = await house.chats.begin(
                    line,
                    session_id=session_id,
                    language=session.messages.language,
                    page=page_id,
                    target=target_id,
                )
                reply = await _turn(house, run_id, interruption)
                if streamed:
                    print()
                if reply is None or reply.ending == "cancelled":
                    session.say("cli.chat.stopped")
                if reply is not None:
                    tell_reply(session, reply)


async def _turn(house: House, run_id: str, interruption: Interruption) -> Reply | None:
    """The reply; what was done until then when the user broke the turn off."""
    turn = asyncio.ensure_future(house.chats.advance(run_id))
    try:
        with interruption.stops(turn):
            return await turn
    except asyncio.CancelledError:
        return await house.chats.cancel(run_id)


async def _take_over(house: House) -> None:
    """Finish what a process that died left in the middle of a turn, where nobody serves."""
    for run_id in await house.abandoned():
        try:
            await house.advance(run_id)
        except StorageError:
            raise
        except LakelightError as error:
            # It stays for the next one; the request at hand must not wait for it.
            log.warning("run.left", extra={"run": run_id, "code": error.code})


def _id(reference: str | None) -> str | None:
    return page_id_from(reference) if reference else None
