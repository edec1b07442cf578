"""Settings of a workspace that stand in its file, by name."""

import json
import sqlite3
from typing import Any

MAX_FILE_BYTES = "max_file_upload_size_in_bytes"
SIGNING_KEY = "signing_key"

DEFAULT_MAX_FILE_BYTES = 5_242_880


def get(connection: sqlite3.Connection, name: str, default: Any = None) -> Any:
    """The setting, or the default where it was never put."""
    row = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return default if row is None else json.loads(row["value"])


def put(connection: sqlite3.Connection, name: str, value: Any) -> None:
    """Keep the setting."""
    connection.execute(
        "INSERT INTO setting (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, json.dumps(value, ensure_ascii=False)),
    )


def forget(connection: sqlite3.Connection, name: str) -> None:
    """Let the default hold again."""
    connection.execute("DELETE FROM setting WHERE name = ?", (name,))


def max_file_bytes(connection: sqlite3.Connection) -> int:
    """How large an uploaded file may be in this workspace."""
    return int(get(connection, MAX_FILE_BYTES, DEFAULT_MAX_FILE_BYTES))
