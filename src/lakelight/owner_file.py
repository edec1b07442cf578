"""Reads the files that people write for us: `lakelight.toml`, `agents.json`, `policy.toml`, `models.toml`.

A pipe, a device or a huge file in their place must end in an error and never in waiting for it.
"""

import os
import stat
from pathlib import Path

MOST_BYTES = 1_000_000


def read_owner_file(file: Path) -> str:
    """The text of `file`, without the mark that some editors put before it.

    Raises:
        OSError: It cannot be read, is no plain file or is larger than `MOST_BYTES`.
        UnicodeDecodeError: It is no UTF-8.
    """
    # Without `O_NONBLOCK`, to open a pipe is to wait for somebody who writes into it.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not a regular file")
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(f"larger than {MOST_BYTES // 1_000_000} MB")
    return content.decode("utf-8-sig")
