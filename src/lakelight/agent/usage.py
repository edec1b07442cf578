"""What model calls cost, kept in the state database."""

from lakelight.clock import iso
from lakelight.llm import Usage
from lakelight.storage import Connection, Database


class UsageTable:
    """A `UsageLog` with one row a call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, usage: Usage) -> None:
        """Add one call.

        Raises:
            StorageError: It could not be written.
        """

        def insert(connection: Connection) -> None:
            connection.exec_driver_sql(
                "INSERT INTO model_usage"
                " (at, agent, model, ticket, run_id, input_tokens, output_tokens, seconds, outcome)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    iso(usage.at),
                    usage.agent,
                    usage.model,
                    usage.ticket or "",
                    usage.run or "",
                    usage.input_tokens,
                    usage.output_tokens,
                    usage.seconds,
                    "ok" if usage.ok else "failed",
                ),
            )

        await self._database.run(insert)


def tokens_of(connection: Connection, run_id: str) -> tuple[int, int]:
    """The input and output tokens that a run has used so far."""
    row = connection.exec_driver_sql(
        "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) FROM model_usage"
        " WHERE run_id = ?",
        (run_id,),
    ).one()
    return int(row[0]), int(row[1])


def models_of(connection: Connection, run_id: str) -> tuple[str, ...]:
    """The models that have answered in a run, in the order in which they first did."""
    rows = connection.exec_driver_sql(
        "SELECT model FROM model_usage WHERE run_id = ? AND outcome = 'ok'"
        " GROUP BY model ORDER BY min(rowid)",
        (run_id,),
    )
    return tuple(str(model) for (model,) in rows)
