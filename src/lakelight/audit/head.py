"""The newest event, noted beside the database, so that events taken from the end of the trail are missed.

It is written after the commit that it tells of. A process that dies in between leaves an older note,
which is no less true: a note may lag behind the trail and never runs ahead of it.
"""

import fcntl
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

_NOTE = re.compile(r"(\d{20}) ([0-9a-f]{64})\n?")


@dataclass(frozen=True, slots=True)
class Head:
    """An event that was committed, by its number and hash."""

    seq: int
    hash: str


class HeadFile:
    """The note of the newest event of one database. Several processes may write it."""

    def __init__(self, database: Path) -> None:
        self._file = database.with_name("audit.head")

    def read(self) -> Head | None:
        """What is noted; None when nothing is, or nothing that can be read."""
        try:
            found = _NOTE.fullmatch(self._file.read_text("ascii"))
        except (OSError, ValueError):
            return None
        return Head(int(found[1]), found[2]) if found else None

    def write(self, head: Head) -> None:
        """Note `head`, unless a later one is noted. A note that cannot be written is only logged."""
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                # One that commits first may come here last.
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                known = _NOTE.fullmatch(os.pread(descriptor, 128, 0).decode("ascii", "replace"))
                if known is None or int(known[1]) < head.seq:
                    # Of one length, so that it is overwritten in place and needs no room on a full disk.
                    os.pwrite(descriptor, f"{head.seq:020} {head.hash}\n".encode(), 0)
            finally:
                os.close(descriptor)
        except OSError as error:
            log.warning("audit.head", extra={"cause": str(error)})
