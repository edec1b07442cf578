"""Turns of a chat as runs: begun, advanced, suspended and taken up again."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from lakelight.agent.journal import Journal
from lakelight.agent.planners.given import Given
from lakelight.agent.planning import Planner, Turn
from lakelight.agent.reply import Effect, Ending, Reply, compose_reply, recalled
from lakelight.agent.runs import Run, Runs
from lakelight.agent.turns import Ended, Loop, Suspended
from lakelight.clock import Clock
from lakelight.errors import LakelightError, StorageError
from lakelight.guard import Asker
from lakelight.llm import ModelError
from lakelight.messages import Language
from lakelight.notion import NotionError, NotionRefused
from lakelight.storage import Connection, Database

log = logging.getLogger(__name__)

_REMEMBERED = 6
"""Earlier turns of a session that a planner is told."""


class TurnFault(LakelightError):
    """A fault of ours in the middle of a turn."""

    code = "turn.fault"


PlannerFor = Callable[[str], Planner]
"""Gives the planner of a run, so that what a model costs is on the run's account."""


class Chats:
    """Carries the turns of people's chats."""

    def __init__(
        self, *, database: Database, runs: Runs, loop: Loop, clock: Clock, planner_for: PlannerFor
    ) -> None:
        self._database = database
        self._runs = runs
        self._loop = loop
        self._planner_for = planner_for
        self._clock = clock

    async def begin(
        self,
        request: str,
        *,
        session_id: str,
        language: Language,
        page: str | None = None,
        target: str | None = None,
        given: tuple[str, Mapping[str, Any]] | None = None,
    ) -> str:
        """A new turn; its run's id. Nothing has happened yet.

        Args:
            given: One tool and its arguments, for a client that plans by itself.
        """

        def insert(connection: Connection) -> str:
            return self._runs.begin(connection, "chat", session_id=session_id)

        run_id = await self._database.run(insert)
        journal = await Journal.open(self._database, self._clock, run_id)
        asked = {
            "request": request,
            "language": language,
            "page": page,
            "target": target,
            "given": list(given) if given else None,
        }
        await journal.once("request", asked)
        return run_id

    async def advance(self, run_id: str) -> Reply | None:
        """Bring a turn as far as it can go now; None when somebody else does, or it is over.

        Raises:
            StorageError: Our own database could not be written.
        """
        async with self._runs.alone(run_id):
            return await self._advance(run_id)

    async def _advance(self, run_id: str) -> Reply | None:
        run = await self._database.run(lambda connection: self._runs.work(connection, run_id))
        if run is None:
            return None
        journal = await Journal.open(self._database, self._clock, run.id)
        asked = journal.get("request")
        if asked is None:
            await self._finish(run, "failed", "no_request")
            return None
        history = await self._database.run(lambda connection: _history(connection, run))
        turn = Turn(
            request=asked["request"],
            language=asked["language"],
            page=asked["page"],
            target=asked["target"],
            history=history,
        )
        asker = Asker(actor="ai", agent="", run_id=run.id, everywhere=True)
        try:
            planner = Given(*asked["given"]) if asked.get("given") else self._planner_for(run.id)
            result = await self._loop.advance(turn, journal, asker, planner)
        except StorageError:
            raise
        except LakelightError as error:
            return await self._broken_off(run, journal, error)
        except Exception as error:
            # A turn that stumbles must not be taken up again for ever; the traceback is in the log.
            log.exception("turn.fault", extra={"run": run.id})
            return await self._broken_off(run, journal, TurnFault(cause=type(error).__name__))
        match result:
            case Ended(reply=reply):
                await self._finish(run, "done", reply.ending)
                return reply
            case Suspended(reply=reply, reason=reason, until=until):
                await self._database.run(
                    lambda connection: self._runs.wait(connection, run.id, reason, {}, until)
                )
                return reply

    async def cancel(self, run_id: str) -> Reply | None:
        """End a turn that its user broke off; what it has written stays, and is listed.

        None when it was over before.
        """
        async with self._runs.alone(run_id):
            run = await self._database.run(lambda connection: self._runs.get(connection, run_id))
            if run is None or run.over:
                return None
            journal = await Journal.open(self._database, self._clock, run_id)
            steps = await self._loop.steps_so_far(journal)
            reply = compose_reply(run_id, steps, None, "cancelled")
            await journal.once("reply", asdict(reply))
            await self._finish(run, "dropped", "cancelled")
            return reply

    async def _broken_off(self, run: Run, journal: Journal, error: LakelightError) -> Reply:
        # What was done before the model or Notion failed is still said.
        steps = await self._loop.steps_so_far(journal)
        ending: Ending = "unreachable" if _unanswered(error) else "failed"
        so_far = compose_reply(run.id, steps, None, ending)
        facts = {name: str(value) for name, value in error.facts.items()}
        effect = Effect(tool="", kind="", title="", reason=error.message_key, facts=facts)
        reply = replace(so_far, failed=(*so_far.failed, effect))
        await journal.once("reply", asdict(reply))
        await self._finish(run, "failed", error.message_key)
        return reply

    async def _finish(self, run: Run, state: Any, reason: str) -> None:
        await self._database.run(lambda connection: self._runs.finish(connection, run.id, state, reason))


def load_reply(known: Mapping[str, Any]) -> Reply:
    """The reply that a journal's `reply` step holds."""
    groups = {
        name: tuple(Effect(**effect) for effect in known[name])
        for name in ("done", "failed", "cancelled", "stopped", "waiting")
    }
    return Reply(**{**known, **groups, "found": tuple(known["found"])})


def _unanswered(error: LakelightError) -> bool:
    return isinstance(error, NotionError | ModelError) and not isinstance(error, NotionRefused)


def _history(connection: Connection, run: Run) -> tuple[tuple[str, str], ...]:
    if not run.session_id:
        return ()
    rows = connection.exec_driver_sql(
        "SELECT asked.content ->> 'request', reply.content FROM runs"
        " JOIN steps AS asked ON asked.run_id = runs.id AND asked.name = 'request'"
        " JOIN steps AS reply ON reply.run_id = runs.id AND reply.name = 'reply'"
        " WHERE runs.session_id = ? AND runs.id < ? ORDER BY runs.id DESC LIMIT ?",
        (run.session_id, run.id, _REMEMBERED),
    )
    return tuple((str(request), recalled(load_reply(json.loads(content)))) for request, content in rows)[::-1]
