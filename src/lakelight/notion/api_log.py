"""A line for every request to Notion: what was asked and how it ended, never a token and never a body."""

import json
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from lakelight.clock import iso


class ApiLog:
    """JSON lines in a file that only its owner may read; the oldest give way to the newest.

    Several processes may write to the same file.
    """

    def __init__(self, path: Path, *, max_bytes: int = 5_000_000, kept: int = 2) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._kept = kept

    def record(
        self,
        *,
        time: datetime,
        method: str,
        path: str,
        status: int | None,
        ms: float,
        request_id: str | None = None,
        error: str | None = None,
    ) -> None:
        """Add a line. `status` is None and `error` set where no answer came."""
        entry = {
            "time": iso(time),
            "method": method,
            "path": path,
            "status": status,
            "ms": round(ms, 1),
            "request_id": request_id,
            **({"error": error} if error else {}),
        }
        # A log that cannot be written must not turn a write that was done into one that failed.
        with suppress(OSError):
            self._append(json.dumps(entry, ensure_ascii=False).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
            written = os.fstat(file)
        finally:
            os.close(file)
        # Another process may have turned the file meanwhile; then it is no longer the one just written.
        if written.st_size >= self._max_bytes and self._path.stat().st_ino == written.st_ino:
            self._turn()

    def _turn(self) -> None:
        for number in range(self._kept, 1, -1):
            with suppress(FileNotFoundError):
                self._numbered(number - 1).replace(self._numbered(number))
        self._path.replace(self._numbered(1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")
