"""The mark that a server is running on a file. The system takes it away when the process ends."""

import os
from pathlib import Path
from typing import IO

from notion_embedded.store.errors import WorkspaceInUse


class FileLock:
    """A lock on `<file>.lock`, held until it is released or discarded."""

    def __init__(self, file: Path) -> None:
        self._path = file.with_name(f"{file.name}.lock")
        self._held, self._made = self._take(file)
        self._held.truncate(0)
        self._held.write(str(os.getpid()))
        self._held.flush()

    def release(self) -> None:
        """Let others have the file."""
        self._held.close()

    def discard(self) -> None:
        """Let others have the file, and leave no lock file that was not there before."""
        if self._made and os.name != "nt":
            # Still held, so that nobody can have taken it; who waits for it looks again.
            self._path.unlink(missing_ok=True)
        self._held.close()

    def _take(self, file: Path) -> tuple[IO[str], bool]:
        while True:
            made = not self._path.exists()
            held = self._path.open("a+", encoding="utf-8")
            try:
                _lock(held.fileno())
            except OSError:
                held.seek(0)
                owner = held.read().strip()
                held.close()
                by = f" (process {owner})" if owner else ""
                raise WorkspaceInUse(
                    f"{file} is already being served by another notion-embedded{by}; "
                    "stop that one, or give another file"
                ) from None
            if os.name == "nt" or _is_at(held, self._path):
                return held, made
            held.close()


def _is_at(held: IO[str], path: Path) -> bool:
    """Whether the lock file is still the one of that name: another may have discarded it meanwhile."""
    try:
        return os.path.samestat(os.fstat(held.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # Windows only
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
