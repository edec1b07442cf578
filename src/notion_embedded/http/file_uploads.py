"""File uploads: asked for, sent in one part or several or fetched from elsewhere, and then attached.

Where a stored object names an upload (`{type: file_upload, file_upload: {id}}`), an answer shows a
`file` with an address on this server, signed for an hour. `with_addresses` does that to the whole
answer, so that no other handler needs to know of uploads.
"""

import mimetypes
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any

from notion_embedded.http.call import Call, listing, page_size, start_cursor, wrong_cursor
from notion_embedded.http.desk import Desk
from notion_embedded.model.addresses import split_web_address
from notion_embedded.model.checks import UNDEFINED, Json, a_string, a_url, a_uuid, an_integer, failed, one_of
from notion_embedded.model.dates import exact_stamp, minute, stamp
from notion_embedded.model.errors import ApiError, guessed
from notion_embedded.store import files, settings, tokens
from notion_embedded.store.files import Mode, Upload

MEGABYTE = 1024 * 1024
MAX_SINGLE = 20 * MEGABYTE
MIN_PART = 5 * MEGABYTE
MAX_PARTS = 1000
MAX_FILENAME = 900

_MODES: tuple[Mode, ...] = ("single_part", "multi_part", "external_url")
_STATUSES = ("pending", "uploaded", "expired", "failed")


def create_upload(desk: Desk, call: Call) -> Json:
    """Announce a file. One from elsewhere is fetched by the server afterwards."""
    call.only("mode", "filename", "content_type", "number_of_parts", "external_url")
    body = {key: value for key, value in call.body.items() if value is not None}
    named = one_of(body.get("mode", "single_part"), "body.mode", _MODES)
    mode = next(mode for mode in _MODES if mode == named)
    filename, content_type = _names(body, required=mode != "single_part")
    parts, url = 1, None
    if mode == "multi_part":
        parts = an_integer(call.given("number_of_parts"), "body.number_of_parts")
        if not 1 <= parts <= MAX_PARTS:
            raise failed("body.number_of_parts", f"between `1` and `{MAX_PARTS}`", parts)
    elif "number_of_parts" in body:
        raise failed("body.number_of_parts", "not present", body["number_of_parts"])
    if mode == "external_url":
        url = a_url(call.given("external_url"), "body.external_url")
        if split_web_address(url) is None:
            raise guessed("body failed validation: body.external_url should be a public HTTPS URL.")
    elif "external_url" in body:
        raise failed("body.external_url", "not present", body["external_url"])
    upload = files.add(
        desk.connection,
        Upload(
            seq=0,
            id=desk.new_id(),
            mode=mode,
            filename=filename,
            content_type=content_type,
            external_url=url,
            parts=parts,
            status="pending",
            content_length=None,
            created_time=desk.exact,
            created_by=desk.token.user.id,
            edited_time=desk.exact,
            expiry_time=desk.exact + files.TIME_TO_ATTACH,
            import_result=None,
        ),
    )
    return _show(desk, call, upload)


def list_uploads(desk: Desk, call: Call) -> Json:
    """The caller's uploads, the newest first; the cursor is the next one's id."""
    size, cursor = page_size(call, in_body=False), start_cursor(call, in_body=False)
    wanted = next(iter(call.query.get("status", [])), None)
    if wanted is not None:
        one_of(wanted, "query.status", _STATUSES)
    found = [upload.at(desk.exact) for upload in files.made_by(desk.connection, desk.token.user.id)]
    found = [upload for upload in found if wanted in (None, upload.status)]
    ids = [upload.id for upload in found]
    if cursor is not None and cursor not in ids:
        raise wrong_cursor(cursor)
    first = 0 if cursor is None else ids.index(cursor)
    rest = ids[first + size :]
    shown = [_show(desk, call, upload) for upload in found[first : first + size]]
    return listing("file_upload", shown, rest[0] if rest and size else None)


def get_upload(desk: Desk, call: Call) -> Json:
    """One upload."""
    return _show(desk, call, _find(desk, call))


def send_upload(desk: Desk, call: Call) -> Json:
    """Take the bytes of a file, or of one of its parts."""
    upload = _pending(desk, call, ("single_part", "multi_part"))
    field = call.form.get("file")
    if field is None:
        raise failed("body.file", "defined")
    if not field.content:
        raise guessed("body failed validation: body.file should not be empty.")
    content_type = _agreed_type(upload, field.content_type)
    filename = upload.filename or _filename(field.filename or "file", "body.file.filename")
    number = _part_number(call, upload)
    _check_size(desk, upload, number, len(field.content))
    files.put_part(desk.connection, upload.id, number, field.content)
    upload = replace(upload, filename=filename, content_type=content_type, edited_time=desk.exact)
    if upload.mode == "single_part":
        upload = replace(upload, status="uploaded", content_length=len(field.content))
    files.save(desk.connection, upload)
    return _show(desk, call, upload)


def complete_upload(desk: Desk, call: Call) -> Json:
    """Say that every part was sent."""
    call.only()
    upload = _pending(desk, call, ("multi_part",))
    sizes = files.part_sizes(desk.connection, upload.id)
    missing = [str(number) for number in range(1, upload.parts + 1) if number not in sizes]
    if missing:
        raise guessed(f"Cannot complete the file upload: parts not sent yet: {', '.join(missing[:10])}.")
    upload = replace(upload, status="uploaded", content_length=sum(sizes.values()), edited_time=desk.exact)
    files.save(desk.connection, upload)
    return _show(desk, call, upload)


def with_addresses(desk: Desk, answer: Json, origin: str) -> Json:
    """The answer with an address for every upload that it names."""
    if not files.any_here(desk.connection):
        return answer
    named = list(_named(answer, None))
    uploads = files.find_all(desk.connection, {item["file_upload"]["id"] for _, item in named})
    for above, item in named:
        upload = uploads.get(item.pop("file_upload")["id"])
        if upload is None:
            continue
        expires = desk.exact + files.ADDRESS_LIFE
        file = {"url": address(desk, upload, expires, origin), "expiry_time": stamp(expires)}
        if "category" in item:
            item["file"] = file
            continue
        item["type"] = "file"
        item["file"] = file
        if "name" in item or above == "file":
            item["name"] = item.get("name") or upload.filename
    return answer


def attach_named(desk: Desk, body: Json) -> None:
    """Attach every upload that a request names, or refuse the request.

    Raises:
        ApiError: One is not there, not uploaded, or was not attached in time.
    """
    for upload_id in {item["file_upload"]["id"] for _, item in _named(body, None)}:
        desk.upload(a_uuid(upload_id, "body.file_upload.id"))


def address(desk: Desk, upload: Upload, expires: int, origin: str) -> str:
    """Where the file can be had until then, without a token."""
    return origin + files.signed_path(desk.connection, upload, expires)


def _named(value: Any, above: str | None) -> Iterator[tuple[str | None, Json]]:
    """Whatever in the answer names an upload, with the type of what it stands in."""
    if isinstance(value, list):
        for item in value:
            yield from _named(item, above)
    elif isinstance(value, dict):
        upload = value.get("file_upload")
        if isinstance(upload, dict) and upload.keys() == {"id"} and "object" not in value:
            yield above, value
        for inner in list(value.values()):
            yield from _named(inner, value.get("type") if "object" in value else None)


def _names(body: Json, *, required: bool) -> tuple[str | None, str | None]:
    filename = content_type = None
    if required or "filename" in body:
        filename = _filename(a_string(body.get("filename", UNDEFINED), "body.filename"), "body.filename")
    if "content_type" in body:
        content_type = a_string(body["content_type"], "body.content_type", at_most=200)
        if not is_type(content_type):
            raise failed("body.content_type", "a MIME type", content_type)
    elif filename is not None:
        content_type = mimetypes.guess_type(filename)[0]
        if content_type is None and not PurePosixPath(filename).suffix:
            raise guessed(
                "body failed validation: body.filename should have an extension, "
                "or body.content_type should be defined."
            )
    return filename, content_type


def _filename(name: str, path: str) -> str:
    size = len(name.encode("utf-8", "replace"))
    if not name.strip():
        raise failed(path, "populated", name)
    if size > MAX_FILENAME:
        raise failed(f"{path}.length", f"≤ `{MAX_FILENAME}`", size)
    return name


def is_type(text: str) -> bool:
    """Whether it is a MIME type that can stand in a header."""
    kind, slash, name = text.partition(";")[0].strip().partition("/")
    return bool(slash and kind and name) and text.isascii() and text.isprintable()


def _agreed_type(upload: Upload, sent: str | None) -> str:
    if sent and not is_type(sent):
        raise failed("body.file.content_type", "a MIME type", sent)
    plain = (sent or "").partition(";")[0].strip().lower()
    if upload.content_type is None:
        return plain or "application/octet-stream"
    announced = upload.content_type.partition(";")[0].strip().lower()
    if plain and plain not in (announced, "application/octet-stream"):
        raise guessed(
            f"Content type of the file ({plain}) does not match the content type of the file upload "
            f"({announced})."
        )
    return upload.content_type


def _part_number(call: Call, upload: Upload) -> int:
    field = call.form.get("part_number")
    if upload.mode == "single_part":
        if field is not None and field.content.strip() not in (b"", b"1"):
            raise failed("body.part_number", "not present", field.content.decode("utf-8", "replace"))
        return 1
    if field is None:
        raise failed("body.part_number", "defined")
    text = field.content.decode("utf-8", "replace").strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(MAX_PARTS)) else 0
    if not 1 <= number <= upload.parts:
        raise failed("body.part_number", f"between `1` and `{upload.parts}`", text)
    return number


def _check_size(desk: Desk, upload: Upload, number: int, size: int) -> None:
    if size > MAX_SINGLE:
        raise guessed(f"The file (or part) has {size} bytes; {MAX_SINGLE} can be sent at once.")
    if upload.mode == "multi_part" and number < upload.parts and size < MIN_PART:
        raise guessed(f"Part {number} has {size} bytes; every part but the last has {MIN_PART} at least.")
    others = files.part_sizes(desk.connection, upload.id)
    total = size + sum(other for at, other in others.items() if at != number)
    limit = settings.max_file_bytes(desk.connection)
    if total > limit:
        raise guessed(f"The file has {total} bytes or more; files of this workspace have {limit} at most.")


def _find(desk: Desk, call: Call) -> Upload:
    upload_id = call.id("file_upload_id")
    upload = files.find(desk.connection, upload_id)
    if upload is None or upload.created_by != desk.token.user.id:
        raise desk.missing("file upload", upload_id)
    return upload.at(desk.exact)


def _pending(desk: Desk, call: Call, modes: tuple[str, ...]) -> Upload:
    upload = _find(desk, call)
    if upload.mode not in modes:
        raise guessed(f"This is not possible for a file upload in mode {upload.mode}.")
    if upload.status != "pending":
        raise guessed(f"The file upload has status {upload.status}; it should be pending.")
    return upload


def _show(desk: Desk, call: Call, upload: Upload) -> Json:
    user = tokens.find_user(desk.connection, upload.created_by)
    shown: Json = {
        "object": "file_upload",
        "id": upload.id,
        "created_time": stamp(minute(upload.created_time)),
        "created_by": {"id": upload.created_by, "type": "bot" if user is None else user.type},
        "last_edited_time": stamp(minute(upload.edited_time)),
        "expiry_time": None if upload.expiry_time is None else stamp(minute(upload.expiry_time)),
    }
    here = f"{call.origin}/v1/file_uploads/{upload.id}"
    sending = upload.status == "pending" and upload.mode != "external_url"
    if sending:
        shown["upload_url"] = f"{here}/send"
    if sending and upload.mode == "multi_part":
        shown["complete_url"] = f"{here}/complete"
    shown |= {
        "in_trash": False,
        "status": upload.status,
        "filename": upload.filename,
        "content_type": upload.content_type,
        "content_length": upload.content_length,
    }
    if upload.mode == "multi_part":
        sent = len(files.part_sizes(desk.connection, upload.id))
        shown["number_of_parts"] = {"total": upload.parts, "sent": sent}
    if upload.import_result is not None:
        shown["file_import_result"] = upload.import_result
    return shown


def imported(moment: int, error: Json | None = None) -> Json:
    """What came of fetching a file, as its upload shows it."""
    outcome: Json = {"type": "success", "success": {}} if error is None else {"type": "error", "error": error}
    return {**outcome, "imported_time": exact_stamp(moment)}


def too_large(limit: int) -> ApiError:
    """A form with more bytes than any part may have."""
    return guessed(
        f"Request body too large. The limit is {limit} bytes.", status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    )
