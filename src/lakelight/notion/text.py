"""Lengths as Notion counts them, and plain text as rich text.

Notion counts UTF-16 code units: most characters are one, an emoji is two.
"""

from typing import Any

MAX_TEXT = 2000
MAX_RUNS = 100


def units(text: str) -> int:
    """The length of `text` in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def whole(text: str) -> str:
    """`text` with every half of a broken surrogate pair replaced, so that it can be sent at all."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def pieces(text: str, limit: int = MAX_TEXT) -> list[str]:
    """`text` cut into parts of at most `limit` units; no character is cut, and joined they are `text`."""
    if units(text) <= limit:
        return [text] if text else []
    parts: list[str] = []
    start = size = 0
    for index, character in enumerate(text):
        width = 2 if character > "\uffff" else 1
        if size + width > limit:
            parts.append(text[start:index])
            start, size = index, 0
        size += width
    return [*parts, text[start:]]


def rich_text(text: str) -> list[dict[str, Any]]:
    """`text` as rich text without any formatting, in as many runs as it takes."""
    return [{"type": "text", "text": {"content": piece}} for piece in pieces(whole(text))]
