"""Cursors of lists whose order can change while they are paged.

A cursor holds the sort key of the next page's first result, so that paging goes on from there
whatever has come, gone or moved in between. To a client it is an opaque word.
"""

import base64
import binascii
import json
from typing import Any

from notion_embedded.http.call import wrong_cursor


def write_cursor(place: list[Any]) -> str:
    """The cursor for a place."""
    text = json.dumps(place, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> list[Any]:
    """The place that `write_cursor` wrote.

    Raises:
        ApiError: It is no cursor of this server.
    """
    try:
        place = json.loads(base64.urlsafe_b64decode(f"{cursor}==="))
    except (ValueError, binascii.Error, RecursionError):
        raise wrong_cursor(cursor) from None
    if not isinstance(place, list):
        raise wrong_cursor(cursor)
    return place
