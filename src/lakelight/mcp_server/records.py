"""What the state says about a run: how far it is, what it found and wrote, and what it waits for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakelight.agent.chats import load_reply
from lakelight.agent.reply import Reply
from lakelight.agent.runs import Run, Runs
from lakelight.guard import Approval, Approvals
from lakelight.storage import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run, as it stands."""

    run: Run
    reply: Reply | None
    """What came of it, when it is over."""
    steps: tuple[Mapping[str, Any], ...]
    """Every call that has come to an end, in order."""
    waits_for: Approval | None
    """The question that it waits for."""


def read_record(connection: Connection, runs: Runs, approvals: Approvals, run_id: str) -> Record | None:
    """The record of a run; None when there is no such run."""
    run = runs.get(connection, run_id)
    if run is None:
        return None
    steps = {
        name: json.loads(content)
        for name, content in connection.exec_driver_sql(
            "SELECT name, content FROM steps WHERE run_id = ?"
            " AND (name = 'reply' OR name LIKE 'step.%') AND name NOT LIKE '%.operation' ORDER BY seq",
            (run_id,),
        )
    }
    reply = steps.pop("reply", None)
    waiting = [each for each in approvals.pending(connection) if each.run_id == run_id]
    return Record(
        run=run,
        reply=load_reply(reply) if reply else None,
        steps=tuple(steps.values()),
        waits_for=waiting[-1] if waiting and not run.over else None,
    )


def has_sent(connection: Connection, run_id: str) -> bool:
    """True when a run has said that it is about to send something, so that Notion may have been asked."""
    found = connection.exec_driver_sql("SELECT 1 FROM intents WHERE run_id = ? LIMIT 1", (run_id,))
    return found.first() is not None
