"""Reading a submitted form: small, of the one kind that our pages send, and of this session."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from lakelight.console.gate import session_of
from lakelight.console.keys import Keys

TOKEN = "token"  # noqa: S105 - the name of a form's field
_MOST_BYTES = 3_000_000
"""Notion takes 500 kB, and a Chinese character is nine bytes in a form."""
_MOST_FIELDS = 2_000


async def read_form(request: Request, keys: Keys) -> Mapping[str, str]:
    """The fields of a form that one of our pages made for this session.

    Raises:
        HTTPException: 403 for a form of somebody else, 413 or 415 for what no page of ours sends.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != (
        "application/x-www-form-urlencoded"
    ):
        raise HTTPException(415)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise HTTPException(413)
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        raise HTTPException(415) from None
    found = dict(pairs)
    if not keys.fits(session_of(request), found.get(TOKEN, "")):
        raise HTTPException(403)
    return found
