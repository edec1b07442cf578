"""The most that an answer may bring: a model that never ends must not take the machine's memory.

What is counted is what comes out of the compression, for a few bytes can unfold into gigabytes.
"""

import zlib
from collections.abc import AsyncIterable, AsyncIterator

MOST_BYTES = 8_000_000
MOST_LINE_BYTES = 1_000_000
"""Of one line of a stream of events; every piece of an answer is one."""
ENCODINGS = {"": False, "identity": False, "gzip": True}
"""The content encodings that can be counted, and whether they are to be unfolded."""


class OverBounds(Exception):
    """An answer is larger than it may be."""


async def bounded(
    chunks: AsyncIterable[bytes], *, compressed: bool = False, lines: bool = False
) -> AsyncIterator[bytes]:
    """`chunks`, unfolded, for as long as they keep within the bounds.

    Args:
        compressed: They are gzip.
        lines: They are a stream of events, whose lines are bounded as well.

    Raises:
        OverBounds: There is more of it.
        zlib.error: It cannot be unfolded.
    """
    unfolder = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if compressed else None
    taken = line = 0
    async for chunk in chunks:
        piece = unfolder.decompress(chunk, MOST_BYTES - taken + 1) if unfolder else chunk
        taken += len(piece)
        if lines:
            first, *others = piece.split(b"\n")
            longest = max([line + len(first), *map(len, others)])
            line = len(others[-1]) if others else line + len(first)
        if taken > MOST_BYTES or (lines and longest > MOST_LINE_BYTES):
            raise OverBounds
        yield piece
