"""How far search lags behind: a new title can be found only after the lag.

Triggers keep the titles that were; `stamp_changes` says when they went, at the end of each write,
because only the server knows the workspace's clock. Without a lag nothing is kept.
"""

import sqlite3
from datetime import datetime, timedelta

from notion_embedded.model.dates import milliseconds
from notion_embedded.store.nodes import Node


def search_lag(connection: sqlite3.Connection) -> timedelta:
    """How long a title takes to become findable."""
    row = connection.execute("SELECT search_lag FROM workspace").fetchone()
    return timedelta(milliseconds=0 if row is None else row["search_lag"])


def set_search_lag(connection: sqlite3.Connection, seconds: float) -> None:
    """Let search lag from now on; 0 makes every title findable at once."""
    connection.execute("UPDATE workspace SET search_lag = ?", (max(0, round(seconds * 1000)),))
    if seconds <= 0:
        connection.execute("DELETE FROM former_title")


def stamp_changes(connection: sqlite3.Connection, now: datetime) -> None:
    """Say that the titles changed in this transaction changed now; drop what has been caught up with."""
    lag = search_lag(connection)
    if not lag:
        return
    connection.execute(
        "UPDATE former_title SET changed_time = ? WHERE changed_time IS NULL", (milliseconds(now),)
    )
    connection.execute("DELETE FROM former_title WHERE changed_time <= ?", (milliseconds(now - lag),))


class SearchedTitles:
    """The titles as search knows them at a moment."""

    def __init__(self, connection: sqlite3.Connection, now: datetime) -> None:
        lag = search_lag(connection)
        self._former: dict[int, str | None] = {}
        if lag:
            rows = connection.execute(
                "SELECT node, title FROM former_title WHERE changed_time > ? ORDER BY seq DESC",
                (milliseconds(now - lag),),
            )
            # The oldest change that search has not seen comes last, and stays.
            self._former = {row["node"]: row["title"] for row in rows}

    def of(self, node: Node) -> str | None:
        """The title that search finds the node by; nothing while it is too new to be found."""
        return self._former.get(node.seq, node.title)
