"""`lakelight ask` and `lakelight chat`: a request in words, carried out step by step."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable

from lakelight.agent.reply import Reply
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.replies import reply_data, tell_reply
from lakelight.cli.session import INTERRUPTED, OK, Session, carry_out
from lakelight.ids import fresh
from lakelight.notion.links import page_id_from


def ask(session: Session, request: str, *, page: str | None, target: str | None, as_json: bool) -> None:
    """One request, one reply; the exit code says how it ended."""
    reply = carry_out(session, _ask(session, request, page, target, as_json=as_json))
    if reply is None:
        raise SystemExit(INTERRUPTED)
    if as_json:
        session.data(reply_data(reply))
    else:
        tell_reply(session, reply)
    raise SystemExit(reply.exit_code)


def chat(session: Session, *, page: str | None, target: str | None, session_id: str | None) -> None:
    """A conversation at the terminal. Ctrl-C stops the turn and keeps the session; Ctrl-D ends it."""
    carry_out(session, _chat(session, page, target, session_id or fresh("chat")))
    raise SystemExit(OK)


async def _ask(
    session: Session, request: str, page: str | None, target: str | None, *, as_json: bool
) -> Reply | None:
    page_id, target_id = _id(page), _id(target)
    async with desk(session, quiet=as_json) as house:
        await _take_over(house)
        run_id = await house.chats.begin(
            request,
            session_id=fresh("chat"),
            language=session.messages.language,
            page=page_id,
            target=target_id,
        )
        return await _turn(house, run_id)


async def _chat(session: Session, page: str | None, target: str | None, session_id: str) -> None:
    page_id, target_id = _id(page), _id(target)
    streamed: list[str] = []

    def on_text(text: str) -> None:
        streamed.append(text)
        sys.stdout.write(text)
        sys.stdout.flush()

    async with desk(session, on_text=on_text) as house:
        await _take_over(house)
        session.say("cli.chat.title", session=session_id)
        while True:
            line = await asyncio.to_thread(_read_line)
            if line is None:
                session.say("cli.chat.kept", session=session_id)
                return
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
            reply = await _turn(house, run_id)
            if streamed:
                print()
            if reply is None:
                session.say("cli.chat.stopped")
            else:
                tell_reply(session, reply)


async def _turn(house: House, run_id: str) -> Reply | None:
    """The reply; None when the user broke the turn off."""
    turn = asyncio.ensure_future(house.chats.advance(run_id))
    with _interruption(turn.cancel):
        try:
            return await turn
        except asyncio.CancelledError:
            await house.chats.cancel(run_id)
            return None


@contextlib.contextmanager
def _interruption(stop: Callable[[], object]):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a generator
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _take_over(house: House) -> None:
    """Finish what a process that died left in the middle of a turn, where nobody serves."""
    for run_id in await house.abandoned():
        await house.advance(run_id)


def _read_line() -> str | None:
    try:
        return input("› ")
    except (EOFError, KeyboardInterrupt):
        return None


def _id(reference: str | None) -> str | None:
    return page_id_from(reference) if reference else None
