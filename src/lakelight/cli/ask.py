"""`lakelight ask` and `lakelight chat`: a request in words, carried out step by step."""

import logging
import os
import sys

from lakelight.agent.reply import Reply
from lakelight.bootstrap.house import House
from lakelight.cli.conversation import Conversation, turn
from lakelight.cli.desk import desk
from lakelight.cli.interruption import Interruption, Lines
from lakelight.cli.replies import reply_data, tell_reply
from lakelight.cli.session import INTERRUPTED, USAGE, Session, carry_out
from lakelight.cli.titles import Find, titled
from lakelight.errors import LakelightError, StorageError
from lakelight.ids import fresh
from lakelight.notion import BadReference
from lakelight.notion.links import page_id_from
from lakelight.notion.viewing import viewed_id
from lakelight.operations.visible import visible
from lakelight.tools.targets import find_page, find_place

log = logging.getLogger(__name__)


def ask(session: Session, request: str, *, page: str | None, target: str | None, as_json: bool) -> None:
    """One request, one reply; the exit code says how it ended."""
    if not request.strip():
        session.say("cli.chat.empty")
        raise SystemExit(USAGE)
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
    async with desk(session, quiet=as_json) as house:
        page_id = await _named(session, house, page, find_page)
        target_id = await _named(session, house, target, find_place)
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
            return await turn(house, run_id, interruption)


async def _chat(session: Session, page: str | None, target: str | None, session_id: str, lines: Lines) -> int:
    streamed: list[str] = []

    def on_text(text: str) -> None:
        streamed.append(text)
        sys.stdout.write(visible(text))
        sys.stdout.flush()

    def on_restart(error: LakelightError) -> None:
        streamed.append("")
        session.line()
        session.line(f"… {session.explain(error)}")

    async with desk(session, on_text=on_text, on_restart=on_restart) as house:
        page_id = await _named(session, house, page, find_page)
        target_id = await _named(session, house, target, find_place)
        await _take_over(house)
        conversation = Conversation(
            session, house, session_id, page=page_id, target=target_id, streamed=streamed
        )
        return await conversation.hold(lines)


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


async def _named(session: Session, house: House, reference: str | None, find: Find) -> str | None:
    """What `--page` or `--target` names: by an id, a link, or a title that exactly one thing has."""
    try:
        return _id(reference)
    except BadReference:
        return await titled(session, house, str(reference), find)


def _id(reference: str | None) -> str | None:
    return (viewed_id(reference) or page_id_from(reference)) if reference else None
