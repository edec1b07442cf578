"""Uploaded files, as stored: their uploads, their bytes, and until when each must be attached."""

import hashlib
import hmac
import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote

from notion_embedded.store import settings

Mode = Literal["single_part", "multi_part", "external_url"]
Status = Literal["pending", "uploaded", "expired", "failed"]

HOUR = 3_600_000
TIME_TO_ATTACH = HOUR
ADDRESS_LIFE = HOUR

_PARTING = re.compile(r"[/\\?#%\x00-\x1f\x7f]|^\.+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One upload. Its bytes are read apart from it."""

    seq: int
    id: str
    mode: Mode
    filename: str | None
    content_type: str | None
    external_url: str | None
    parts: int
    status: Status
    content_length: int | None
    created_time: int
    created_by: str
    edited_time: int
    expiry_time: int | None
    """By when it must be attached; nothing once it is."""
    import_result: dict[str, Any] | None

    def at(self, now: int) -> "Upload":
        """The upload at that moment, when it may have expired."""
        expired = self.expiry_time is not None and self.expiry_time <= now
        return replace(self, status="expired") if expired and self.status in _ALIVE else self


_ALIVE = ("pending", "uploaded")


def category(upload: Upload) -> str:
    """The sort of file that a comment shows it as."""
    kind, _, name = (upload.content_type or "").partition("/")
    if kind in ("audio", "image", "video"):
        return kind
    return "pdf" if name.startswith("pdf") else "productivity"


def add(connection: sqlite3.Connection, upload: Upload) -> Upload:
    """Store a new upload; its `seq` is given by the store."""
    cursor = connection.execute(
        """
        INSERT INTO file_upload (id, mode, filename, content_type, external_url, parts, status,
            content_length, created_time, created_by, edited_time, expiry_time, import_result)
        VALUES (:id, :mode, :filename, :content_type, :external_url, :parts, :status, :content_length,
            :created_time, :created_by, :edited_time, :expiry_time, :import_result)
        """,
        _stored(upload),
    )
    return replace(upload, seq=cursor.lastrowid or 0)


def save(connection: sqlite3.Connection, upload: Upload) -> None:
    """Store an upload that has changed."""
    connection.execute(
        """
        UPDATE file_upload SET filename = :filename, content_type = :content_type, status = :status,
            content_length = :content_length, edited_time = :edited_time, expiry_time = :expiry_time,
            import_result = :import_result
        WHERE seq = :seq
        """,
        _stored(upload),
    )


def find(connection: sqlite3.Connection, upload_id: str) -> Upload | None:
    """The upload with this id."""
    row = connection.execute("SELECT * FROM file_upload WHERE id = ?", (upload_id,)).fetchone()
    return None if row is None else _upload(row)


def find_all(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Upload]:
    """The uploads with these ids, by id."""
    rows = connection.execute(
        "SELECT * FROM file_upload WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
    )
    return {upload.id: upload for upload in map(_upload, rows)}


def made_by(connection: sqlite3.Connection, user_id: str) -> list[Upload]:
    """The uploads of a user, the newest first."""
    rows = connection.execute(
        "SELECT * FROM file_upload WHERE created_by = ? ORDER BY created_time DESC, seq DESC", (user_id,)
    )
    return [_upload(row) for row in rows]


def any_here(connection: sqlite3.Connection) -> bool:
    """Whether anything was ever uploaded."""
    return connection.execute("SELECT 1 FROM file_upload LIMIT 1").fetchone() is not None


def put_part(connection: sqlite3.Connection, upload_id: str, number: int, content: bytes) -> None:
    """Keep the bytes of one part; one that is sent again replaces the earlier."""
    connection.execute(
        "INSERT OR REPLACE INTO file_part (upload, number, content) VALUES (?, ?, ?)",
        (upload_id, number, content),
    )


def part_sizes(connection: sqlite3.Connection, upload_id: str) -> dict[int, int]:
    """How many bytes each part that was sent has."""
    rows = connection.execute(
        "SELECT number, length(content) AS size FROM file_part WHERE upload = ? ORDER BY number", (upload_id,)
    )
    return {row["number"]: row["size"] for row in rows}


def content(connection: sqlite3.Connection, upload_id: str) -> bytes:
    """The bytes of a file."""
    rows = connection.execute("SELECT content FROM file_part WHERE upload = ? ORDER BY number", (upload_id,))
    return b"".join(row["content"] for row in rows)


def attach(connection: sqlite3.Connection, upload: Upload) -> None:
    """Say that the file stands somewhere, so that it does not expire."""
    if upload.expiry_time is not None:
        save(connection, replace(upload, expiry_time=None))


def any_late(connection: sqlite3.Connection, now: int) -> bool:
    """Whether something was not attached in time and is not marked yet."""
    row = connection.execute(
        "SELECT 1 FROM file_upload WHERE expiry_time <= ? AND status IN ('pending', 'uploaded') LIMIT 1",
        (now,),
    ).fetchone()
    return row is not None


def expire(connection: sqlite3.Connection, now: int) -> int:
    """Mark what was not attached in time, and drop its bytes; how many there were."""
    rows = connection.execute(
        "SELECT * FROM file_upload WHERE expiry_time <= ? AND status IN ('pending', 'uploaded')", (now,)
    ).fetchall()
    for upload in map(_upload, rows):
        save(connection, replace(upload, status="expired"))
        connection.execute("DELETE FROM file_part WHERE upload = ?", (upload.id,))
    return len(rows)


def next_import(connection: sqlite3.Connection) -> Upload | None:
    """An upload that is to be fetched from elsewhere, the oldest first."""
    row = connection.execute(
        "SELECT * FROM file_upload WHERE mode = 'external_url' AND status = 'pending' ORDER BY seq LIMIT 1"
    ).fetchone()
    return None if row is None else _upload(row)


def sign(connection: sqlite3.Connection, upload_id: str, expires: int) -> str:
    """The signature that an address of the file carries until it expires."""
    key = bytes.fromhex(settings.get(connection, settings.SIGNING_KEY))
    return hmac.new(key, f"file\n{upload_id}\n{expires}".encode(), hashlib.sha256).hexdigest()


def signed_path(connection: sqlite3.Connection, upload: Upload, expires: int) -> str:
    """Where on this server the file can be had until then, without a token."""
    # The name is there for people only; what would part the address is not, encoded or not.
    name = quote(_PARTING.sub("_", upload.filename or "file"), safe="", errors="replace")
    return f"/files/{upload.id}/{name}?expires={expires}&signature={sign(connection, upload.id, expires)}"


def is_signed(connection: sqlite3.Connection, upload_id: str, expires: int, signature: str) -> bool:
    """Whether this server signed that address."""
    return hmac.compare_digest(sign(connection, upload_id, expires).encode(), signature.encode())


def _stored(upload: Upload) -> dict[str, Any]:
    result = None if upload.import_result is None else json.dumps(upload.import_result, ensure_ascii=False)
    return {
        "seq": upload.seq,
        "id": upload.id,
        "mode": upload.mode,
        "filename": upload.filename,
        "content_type": upload.content_type,
        "external_url": upload.external_url,
        "parts": upload.parts,
        "status": upload.status,
        "content_length": upload.content_length,
        "created_time": upload.created_time,
        "created_by": upload.created_by,
        "edited_time": upload.edited_time,
        "expiry_time": upload.expiry_time,
        "import_result": result,
    }


def _upload(row: sqlite3.Row) -> Upload:
    values = dict(row)
    if values["import_result"] is not None:
        values["import_result"] = json.loads(values["import_result"])
    return Upload(**values)
