"""The journal of a run: each step is written once, and what it says is what counts afterwards."""

import json
from collections.abc import Callable
from typing import Any

from lakelight.clock import Clock, iso
from lakelight.storage import Connection, Database


class Journal:
    """The steps of one run."""

    def __init__(self, database: Database, clock: Clock, run_id: str, steps: dict[str, Any]) -> None:
        self._database = database
        self._clock = clock
        self._run_id = run_id
        self._steps = steps

    @classmethod
    async def open(cls, database: Database, clock: Clock, run_id: str) -> "Journal":
        """The journal of `run_id` with every step that it has so far."""

        def read(connection: Connection) -> dict[str, Any]:
            rows = connection.exec_driver_sql(
                "SELECT name, content FROM steps WHERE run_id = ? ORDER BY seq", (run_id,)
            )
            return {name: json.loads(content) for name, content in rows}

        return cls(database, clock, run_id, await database.run(read))

    def get(self, name: str) -> Any | None:
        """What the step says, if it was taken."""
        return self._steps.get(name)

    async def once(self, name: str, content: Any | Callable[[Connection], Any]) -> Any:
        """What the step says; it says `content` unless it was taken before.

        Args:
            content: A value, or a function that works one out in the step's own transaction.
        """
        if name in self._steps:
            return self._steps[name]

        def write(connection: Connection) -> Any:
            value = content(connection) if callable(content) else content
            write_step(connection, self._run_id, name, value, iso(self._clock.now()))
            row = connection.exec_driver_sql(
                "SELECT content FROM steps WHERE run_id = ? AND name = ?", (self._run_id, name)
            ).one()
            return json.loads(row[0])

        self._steps[name] = await self._database.run(write)
        return self._steps[name]


def write_step(connection: Connection, run_id: str, name: str, content: Any, at: str) -> None:
    """Take a step, unless it was taken."""
    connection.exec_driver_sql(
        "INSERT INTO steps (run_id, seq, name, content, at)"
        " SELECT ?, coalesce(max(seq), 0) + 1, ?, ?, ? FROM steps WHERE run_id = ?"
        " ON CONFLICT (run_id, name) DO NOTHING",
        (run_id, name, json.dumps(content, ensure_ascii=False), at, run_id),
    )
