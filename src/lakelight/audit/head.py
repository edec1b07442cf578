"""The newest event, noted beside the database, so that events taken from the end of the trail are missed.

It is written after the commit that it tells of. A process that dies in between leaves an older note,
which is no less true: a note may lag behind the trail and never runs ahead of it.
"""

import fcntl
import logging
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

_NOTE = re.compile(r"(\d{20}) ([0-9a-f]{64})\n?")
_LONGEST = 128


@dataclass(frozen=True, slots=True)
class Head:
    """An event that was committed, by its number and hash."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """There is a note, and nobody can tell what it said."""


class HeadFile:
    """The note of the newest event of one database. Several processes may write it."""

    def __init__(self, database: Path) -> None:
        self._file = database.with_name("audit.head")

    def read(self) -> Head | Unreadable | None:
        """What is noted; None when there is no note."""
        try:
            with self._open(os.O_RDONLY) as descriptor:
                return _noted(descriptor)
        except FileNotFoundError:
            return None
        except OSError:
            return Unreadable()

    def write(self, head: Head) -> None:
        """Note `head`, unless a later one is noted, or what cannot be read.

        A note that cannot be written is only logged.
        """
        try:
            if self._create(head):
                return
            with self._open(os.O_RDWR) as descriptor:
                # One that commits first may come here last.
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                known = _noted(descriptor)
                if isinstance(known, Unreadable):
                    log.warning("audit.head", extra={"cause": "unreadable"})
                elif known.seq < head.seq:
                    # Of one length, so that it is overwritten in place and needs no room on a full disk.
                    os.pwrite(descriptor, _line(head), 0)
        except OSError as error:
            log.warning("audit.head", extra={"cause": str(error)})

    def _create(self, head: Head) -> bool:
        """Make the note, whole from the start; False when there is one."""
        if os.path.lexists(self._file):
            return False
        fresh = self._file.with_name(f".audit.head.{os.getpid()}.{head.seq}")
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, _line(head))
                # Power that fails now must not leave an empty note, which would look like a spoilt one.
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            _take_name(fresh, self._file)
        except FileExistsError:
            return False
        finally:
            fresh.unlink(missing_ok=True)
        return True

    @contextmanager
    def _open(self, mode: int) -> Iterator[int]:
        # Without `O_NONBLOCK`, to open a pipe is to wait for somebody at its other end.
        descriptor = os.open(self._file, mode | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError("not a regular file")
            yield descriptor
        finally:
            os.close(descriptor)


def _noted(descriptor: int) -> Head | Unreadable:
    found = _NOTE.fullmatch(os.pread(descriptor, _LONGEST, 0).decode("ascii", "replace"))
    return Head(int(found[1]), found[2]) if found else Unreadable()


def _take_name(fresh: Path, file: Path) -> None:
    # A note that another process has made meanwhile keeps its name, where the disk knows links.
    try:
        os.link(fresh, file)
    except FileExistsError:
        raise
    except OSError:
        fresh.rename(file)


def _line(head: Head) -> bytes:
    return f"{head.seq:020} {head.hash}\n".encode()
