"""Which processes work on a state, told by locks that the kernel frees when a process dies."""

import fcntl
import os
from pathlib import Path

from lakelight import ids


class Owners:
    """This process among those that work on one state file."""

    def __init__(self, state_file: Path) -> None:
        self._folder = state_file.parent
        self._stem = f"{state_file.name}.owner-"
        self.me = ids.fresh("own")
        self._descriptor: int | None = None

    def join(self) -> None:
        """Hold this process's lock until it leaves or dies."""
        if self._descriptor is None:
            descriptor = os.open(self._file(self.me), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._descriptor = descriptor

    def leave(self) -> None:
        """Give the lock up."""
        if self._descriptor is not None:
            self._file(self.me).unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None

    def alive(self, owner: str) -> bool:
        """True while the process that called itself `owner` lives; a dead one's lock file is removed."""
        if owner == self.me:
            return self._descriptor is not None
        if not owner.replace("_", "").isalnum():
            return False
        try:
            descriptor = os.open(self._file(owner), os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            self._file(owner).unlink(missing_ok=True)
            return False
        finally:
            os.close(descriptor)

    def _file(self, owner: str) -> Path:
        return self._folder / f"{self._stem}{owner}"
