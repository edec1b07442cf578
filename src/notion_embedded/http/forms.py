"""Multipart forms, as file parts are sent: fields by name, each with its bytes."""

import re
from dataclasses import dataclass
from email.message import Message
from urllib.parse import unquote

from starlette.requests import Request

from notion_embedded.model.errors import ApiError, guessed

MAX_FORM = 21 * 1024 * 1024

_NAMED = re.compile(r'(?:^|[;\s])(name|filename)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))', re.IGNORECASE)
_EXTENDED = re.compile(r"(?:^|[;\s])filename\*=UTF-8'[^']*'([^;\s]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form."""

    content: bytes
    filename: str | None
    content_type: str | None


async def read_capped(request: Request, limit: int) -> bytes:
    """The body; of one that is longer, as much as shows that it is. The rest is read and dropped.

    Raises:
        ClientDisconnect: The caller went away before the end.
    """
    kept = bytearray()
    async for chunk in request.stream():
        if len(kept) <= limit:
            kept += chunk
    return bytes(kept[: limit + 1])


def read_form(content_type: str | None, raw: bytes) -> dict[str, Field]:
    """The fields of a `multipart/form-data` body, by name.

    Raises:
        ApiError: It is no such form.
    """
    header = Message()
    header["content-type"] = content_type or ""
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/form-data" or not boundary:
        raise _unreadable()
    first, *pieces = (b"\r\n" + raw).split(b"\r\n--" + boundary.encode("latin-1", "replace"))
    del first
    if not pieces or not pieces[-1].startswith(b"--"):
        raise _unreadable()
    fields: dict[str, Field] = {}
    for piece in pieces[:-1]:
        head, found, content = piece.lstrip(b" \t").removeprefix(b"\r\n").partition(b"\r\n\r\n")
        if not found:
            raise _unreadable()
        name, field = _field(head.decode("utf-8", "replace"), content)
        fields[name] = field
    return fields


def _field(head: str, content: bytes) -> tuple[str, Field]:
    headers: dict[str, str] = {}
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    disposition = headers.get("content-disposition", "")
    named = {
        key.lower(): re.sub(r"\\(.)", r"\1", quoted) if quoted else bare
        for key, quoted, bare in _NAMED.findall(disposition)
    }
    extended = _EXTENDED.search(disposition)
    filename = unquote(extended[1]) if extended else named.get("filename")
    if "name" not in named:
        raise _unreadable()
    return named["name"], Field(
        content=content, filename=filename or None, content_type=headers.get("content-type") or None
    )


def _unreadable() -> ApiError:
    return guessed("body failed validation: body should be a multipart/form-data form with a `file` field.")
