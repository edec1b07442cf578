"""The mark that a server is running on a file. The system takes it away when the process ends."""

import os
from pathlib import Path
from typing import IO

from notion_embedded.store.errors import WorkspaceInUse


class FileLock:
    """A lock on `<file>.lock`, held until `release`."""

    def __init__(self, file: Path) -> None:
        self._path = file.with_name(f"{file.name}.lock")
        self._held: IO[str] = self._path.open("a+", encoding="utf-8")
        try:
            _lock(self._held.fileno())
        except OSError:
            self._held.seek(0)
            owner = self._held.read().strip()
            self._held.close()
            by = f" (process {owner})" if owner else ""
            raise WorkspaceInUse(
                f"{file} is already being served by another notion-embedded{by}; "
                "stop that one, or give another file"
            ) from None
        self._held.truncate(0)
        self._held.write(str(os.getpid()))
        self._held.flush()

    def release(self) -> None:
        """Let others have the file."""
        self._held.close()


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # Windows only
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
