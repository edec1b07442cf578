"""What the person is told about waiting: that requests pause, and what a command that ends leaves waiting."""

import math
from datetime import UTC, datetime, timedelta

from lakelight.cli.session import Session
from lakelight.clock import SystemClock, parse_iso
from lakelight.storage import Connection, Database

_WORTH_TELLING = 3.0


class Pauses:
    """An `OnWait` that tells each pause once, with its end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told = datetime.min.replace(tzinfo=UTC)

    def __call__(self, seconds: float) -> None:
        """Tell it, unless it is short or known."""
        until = SystemClock().now() + timedelta(seconds=seconds)
        # Requests that wait side by side end their waits together.
        if seconds < _WORTH_TELLING or until <= self._told + timedelta(seconds=1):
            return
        self._told = until
        self._session.say("cli.up.pause", until=_time(until), seconds=math.ceil(seconds))


def tell_what_waits(session: Session, database: Database) -> bool:
    """Tell which tickets are left waiting for Notion or the model; True when Notion asked for the wait."""

    def find(connection: Connection) -> list[tuple[str, str]]:
        rows = connection.exec_driver_sql(
            "SELECT reason, due_at FROM runs WHERE state = 'waiting' AND due_at IS NOT NULL"
            " AND (reason LIKE 'notion.%' OR reason LIKE 'model.%') ORDER BY due_at"
        )
        return [(str(reason), str(due)) for reason, due in rows]

    with database.transaction() as connection:
        waiting = find(connection)
    if waiting:
        session.say("cli.up.left", count=len(waiting), until=_time(parse_iso(waiting[0][1])))
    return any(reason in {"notion.limited", "notion.blocked"} for reason, _ in waiting)


def _time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
