"""Multipart forms, as file parts are sent: fields by name, each with its bytes."""

from dataclasses import dataclass

import python_multipart
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import FormParser, parse_options_header
from starlette.requests import Request

from notion_embedded.model.errors import ApiError, guessed

MAX_FORM = 21 * 1024 * 1024
MAX_FIELDS = 20


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
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise _unreadable()
    fields: dict[str, Field] = {}
    ended: list[bool] = []

    def on_field(field: python_multipart.multipart.Field) -> None:
        fields[_text(field.field_name) or ""] = Field(
            content=field.value or b"", filename=None, content_type=None
        )

    def on_file(file: python_multipart.multipart.File) -> None:
        file.file_object.seek(0)
        fields[_text(file.field_name) or ""] = Field(
            content=file.file_object.read(),
            filename=_text(file.file_name) or None,
            content_type=_text(file.content_type) or None,
        )
        file.close()

    try:
        parser = FormParser(
            kind.decode(),
            on_field,
            on_file,
            on_end=lambda: ended.append(True),
            boundary=boundary,
            config={"MAX_FIELDS": MAX_FIELDS, "MAX_MEMORY_FILE_SIZE": MAX_FORM, "MAX_FIELD_SIZE": MAX_FORM},
        )
        parser.write(raw)
        parser.finalize()
        parser.close()
    except FormParserError as error:
        raise _unreadable() from error
    if not ended or "" in fields:
        raise _unreadable()
    return fields


def _text(value: bytes | str | None) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _unreadable() -> ApiError:
    return guessed("body failed validation: body should be a multipart/form-data form with a `file` field.")
