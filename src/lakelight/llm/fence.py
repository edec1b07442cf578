"""Keeping data apart from instructions: fences that what stands between them cannot close. Pure."""

import re
import unicodedata
from functools import lru_cache

from lakelight.digest import sha256

_CODE_FENCE = re.compile(r"\A```(?:markdown|md)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_TURN_MARK = re.compile(r"<(?=\|)")


def fence_name(data: str, label: str = "DATA") -> str:
    """A name that occurs nowhere in `data`, in no width or case; the same for the same data.

    Args:
        label: What it begins with, which tells a reader what stands between the fences.
    """
    folded = _fold(data)
    turn = 0
    while True:
        name = f"{label}-" + sha256(f"{turn}\n{data}".encode("utf-8", "replace"))[:12]
        if _fold(name) not in folded:
            return name
        turn += 1


# A turn is told anew after each of its steps, with the same data.
@lru_cache(maxsize=64)
def fence(data: str) -> str:
    """`data` between fences of a name of its own."""
    tamed = tame(data)
    name = fence_name(tamed)
    return f"<<<{name}\n{tamed}\n{name}>>>"


def unfenced(text: str) -> str:
    """`text` without a code fence around all of it, which models put where none was asked for."""
    match = _CODE_FENCE.match(text.strip())
    return match[1] if match else text


def tame(data: str) -> str:
    """`data` without the turn markers of a chat template (`<|im_end|>`).

    Some servers read them also inside a message.
    """
    return _TURN_MARK.sub("< ", data)


def _fold(text: str) -> bytes:
    # What looks the same to a reader, or to a model, is the same. Case-folding can leave a form that
    # NFKC would change again, hence the second round. A name is ASCII: what is not goes, and with it
    # the invisible characters that could stand within a name.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.encode("ascii", "ignore")
