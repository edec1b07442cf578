"""A sitting of `lakelight chat`: line after line, until the person ends it."""

import asyncio

from lakelight.agent.reply import Reply
from lakelight.bootstrap.house import House
from lakelight.cli.interruption import Interruption, Lines
from lakelight.cli.replies import tell_reply
from lakelight.cli.session import INTERRUPTED, OK, Session
from lakelight.cli.sitting import NoChoice, Page, Sitting
from lakelight.cli.undo import undone_line
from lakelight.errors import LakelightError, StorageError


class Conversation:
    """Carries out what the lines of one sitting ask for. Ctrl-C stops a turn, and at the prompt all of it.

    Args:
        streamed: What a model said so far in the turn; printed already.
    """

    def __init__(
        self,
        session: Session,
        house: House,
        session_id: str,
        *,
        page: str | None,
        target: str | None,
        streamed: list[str],
    ) -> None:
        self._session = session
        self._house = house
        self._id = session_id
        self._page = page
        self._target = target
        self._streamed = streamed
        self._sitting = Sitting()
        self._interruption = Interruption()

    async def hold(self, lines: Lines) -> int:
        """Take line after line until the end; the exit code."""
        self._session.say("cli.chat.title", session=self._id)
        with self._interruption.listening():
            code: int | None = None
            while code is None:
                line = await self._next(lines)
                code = line if isinstance(line, int) else await self._take(line)
        self._session.say("cli.chat.kept", session=self._id)
        return code

    async def _next(self, lines: Lines) -> str | int:
        waiting = lines.next()
        try:
            with self._interruption.stops(waiting):
                line = await waiting
        except asyncio.CancelledError:
            print()
            return INTERRUPTED
        return OK if line is None else line

    async def _take(self, line: str) -> int | None:
        """Do what `line` says; a code when that is to end."""
        if not line.strip():
            return None
        match self._sitting.meaning(line):
            case "exit":
                return OK
            case "help":
                self._session.say("cli.chat.help")
            case "undo":
                await self._take_back()
            case NoChoice(number=number, most=most):
                self._session.say("cli.chat.no_choice", number=number, most=most)
            case Page(id=page, title=title):
                self._page = page
                self._session.say("cli.chat.page", title=title)
            case asked:
                await self._ask(asked.words)
        return None

    async def _ask(self, words: str) -> None:
        self._streamed.clear()
        run_id = await self._house.chats.begin(
            words,
            session_id=self._id,
            language=self._session.messages.language,
            page=self._page,
            target=self._target,
        )
        reply = await turn(self._house, run_id, self._interruption)
        if self._streamed:
            print()
        if reply is None or reply.ending == "cancelled":
            self._session.say("cli.chat.stopped")
        if reply is None:
            return
        self._sitting.heard(words, reply)
        tell_reply(self._session, reply)
        if reply.question is not None and reply.question["candidates"]:
            self._session.say("cli.chat.choose")

    async def _take_back(self) -> None:
        """Undo the newest request of this sitting that wrote something and was not undone yet."""
        written = self._sitting.written
        if not written:
            key = "taken_back_already" if self._sitting.taken_back else "nothing_written"
            self._session.say(f"cli.chat.{key}")
            return
        try:
            undo_run = await self._house.undos.begin(written[-1])
            undoing = asyncio.ensure_future(self._house.undos.advance(undo_run))
            with self._interruption.stops(undoing):
                told = await undoing
        except asyncio.CancelledError:
            await self._house.undos.cancel(undo_run)
            self._session.say("cli.chat.stopped")
            return
        except StorageError:
            raise
        except LakelightError as error:
            self._session.hint(self._session.explain(error))
            return
        written.pop()
        self._sitting.taken_back = True
        for each in told:
            self._session.line(undone_line(self._session, each))


async def turn(house: House, run_id: str, interruption: Interruption) -> Reply | None:
    """The reply; what was done until then when the user broke the turn off."""
    advancing = asyncio.ensure_future(house.chats.advance(run_id))
    try:
        with interruption.stops(advancing):
            return await advancing
    except asyncio.CancelledError:
        return await house.chats.cancel(run_id)
