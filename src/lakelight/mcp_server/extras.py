"""The server's own tools: what there is, what became of a write, and taking one back."""

import asyncio
from collections.abc import Mapping
from typing import Any

from lakelight.guard import Approval, NoSuchApproval, approval_number
from lakelight.mcp_server.answers import Answer, Teller
from lakelight.mcp_server.calls import SESSION, read, to_its_end
from lakelight.mcp_server.desk import Desk
from lakelight.messages import Messages
from lakelight.operations import Level
from lakelight.operations.surroundings import title_of
from lakelight.storage import Connection

_MOST_COUNTED = 100


class Extras:
    """Answers the calls of the server's own tools."""

    def __init__(self, teller: Teller, messages: Messages, *, read_only: bool) -> None:
        self._teller = teller
        self._messages = messages
        self._read_only = read_only

    async def overview(self, desk: Desk) -> Answer:
        """The workspace, the level, and what is set up.

        Raises:
            NotionError: Notion could not be asked.
        """
        pages, databases, waiting = await asyncio.gather(
            desk.reader.search("", "page", _MOST_COUNTED),
            desk.reader.search("", "data_source", _MOST_COUNTED),
            desk.database.run(lambda connection: len(desk.approvals.pending(connection))),
        )
        data: dict[str, Any] = {
            "workspace": desk.workspace,
            "demo": desk.kind == "embedded",
            "level": int(desk.level),
            "level_name": Level(desk.level).name.lower(),
            "mode": desk.mode,
            "read_only": self._read_only,
            "pages": _count(pages),
            "databases": _count(databases),
            "database_titles": [title_of(each) for each in databases[:10]],
            "model": desk.model,
            "console": desk.console(),
            "approvals_waiting": waiting,
        }
        model = self._messages.say("mcp.with_model" if desk.model else "mcp.without_model")
        said = {**data, "console": data["console"] or "–", "model_said": model}
        lines = [self._messages.say("mcp.overview", **said)]
        if desk.kind == "embedded":
            lines.append(self._messages.say("mcp.demo"))
        elif not pages and not databases:
            lines.append(self._messages.say("mcp.nothing_shared"))
        if self._read_only:
            lines.append(self._messages.say("mcp.only_reads"))
        return Answer(text="\n".join(lines), data={"status": "done", **data, "notes": lines[1:]})

    async def status(self, desk: Desk, arguments: Mapping[str, Any]) -> Answer:
        """What became of an approval, or of a run.

        Raises:
            NoSuchApproval: There is none of that name.
        """
        wanted = str(arguments.get("approval") or "").strip()
        if wanted.startswith("run_"):
            return await self._of_run(desk, wanted)
        try:
            number = approval_number(wanted)
        except NoSuchApproval as error:
            return self._teller.error(error)
        approval = await desk.database.run(lambda connection: _newest(connection, desk, number))
        told = await self._of_run(desk, approval.run_id)
        if approval.state == "pending":
            told = self._teller.waiting(approval, desk.console())
        elif told.data.get("status") in {"working", "waiting_approval"}:
            told = self._teller.decided(approval)
        return Answer(
            text=told.text, data={**told.data, "approval": approval.key, "decision": approval.state}
        )

    async def undo(self, desk: Desk, arguments: Mapping[str, Any]) -> Answer:
        """Take back what a run of ours wrote.

        Raises:
            UndoError: It has written nothing.
            NotionError: Notion could not be asked.
        """
        wanted = str(arguments.get("run") or "").strip()
        record = await read(desk, wanted)
        if record is None:
            return self._teller.fault("mcp.unknown_run", {"run": wanted})
        # A person's chat and an agent's ticket are theirs to take back.
        if not record.run.session_id.startswith(f"{SESSION}_"):
            return self._teller.fault("mcp.not_ours", {"run": wanted})
        undo_run = await desk.undos.begin(wanted)
        return self._teller.undone(undo_run, await to_its_end(desk.undos.advance(undo_run)))

    async def _of_run(self, desk: Desk, run_id: str) -> Answer:
        record = await read(desk, run_id)
        if record is None:
            return self._teller.fault("mcp.unknown_run", {"run": run_id})
        idle = record.run.state == "waiting" and record.waits_for is None
        due = record.run.due_at is None or record.run.due_at <= desk.clock.now()
        if idle and due and record.run.kind != "ticket" and not self._read_only:
            # Decided by a process that ended before it could act, or settled by now.
            await to_its_end(_advance(desk, run_id))
            record = await read(desk, run_id) or record
        told = self._teller.run(record, console=desk.console(), now=desk.clock.now())
        # Asking how it went has worked, however it went.
        return Answer(text=told.text, data=told.data)


async def _advance(desk: Desk, run_id: str) -> None:
    await desk.advance(run_id)


def _newest(connection: Connection, desk: Desk, number: int) -> Approval:
    """The approval, or the one that took its place."""
    found = desk.approvals.get(connection, number)
    while found.successor is not None:
        found = desk.approvals.get(connection, found.successor)
    return found


def _count(found: list[dict[str, Any]]) -> int | str:
    return len(found) if len(found) < _MOST_COUNTED else f"{_MOST_COUNTED}+"
