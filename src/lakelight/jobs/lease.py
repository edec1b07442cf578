"""One live worker a name: a lock that the kernel frees when the process dies, however it dies."""

import fcntl
import os
from pathlib import Path

from lakelight.errors import LakelightError


class AlreadyRunning(LakelightError):
    """Another process works on this state."""

    code = "jobs.already_running"


class Lease:
    """Held from before the jobs start until after they stop."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None

    def take(self) -> None:
        """Become the worker.

        Raises:
            AlreadyRunning: Another process is it.
        """
        descriptor = os.open(self._file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 20).decode(errors="replace").strip()
            os.close(descriptor)
            raise AlreadyRunning(pid=holder) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor

    def drop(self) -> None:
        """Let another process be the worker."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
