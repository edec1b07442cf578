"""Icons, covers and outside files: the small unions that pages, callouts and media blocks share."""

from typing import Any

from notion_embedded.model.checks import (
    UNDEFINED,
    Json,
    a_string,
    a_url,
    a_uuid,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.rich_text import COLOURS, no_such_emoji

MAX_EMOJI = 40


def read_icon(value: Any, path: str) -> Json | None:
    """An emoji, one of Notion's own drawings, or a picture from outside; `null` takes it away."""
    if value is None:
        return None
    body = an_object(value, path)
    if "emoji" in body:
        only_keys(body, path, ("type", "emoji"))
        emoji = a_string(body["emoji"], f"{path}.emoji")
        if not emoji or len(emoji) > MAX_EMOJI or any(c.isascii() and c not in "#*0123456789" for c in emoji):
            raise failed(f"{path}.emoji", "a valid emoji", emoji)
        return {"type": "emoji", "emoji": emoji}
    if "icon" in body:
        inner = an_object(body["icon"], f"{path}.icon")
        name = a_string(inner.get("name", UNDEFINED), f"{path}.icon.name")
        colour = one_of(inner.get("color", "gray"), f"{path}.icon.color", COLOURS)
        return {"type": "icon", "icon": {"name": name, "color": colour}}
    if "custom_emoji" in body:
        inner = an_object(body["custom_emoji"], f"{path}.custom_emoji")
        raise no_such_emoji(a_uuid(inner.get("id", UNDEFINED), f"{path}.custom_emoji.id"))
    return read_file(body, path, others=("emoji", "icon", "custom_emoji"))


def read_cover(value: Any, path: str) -> Json | None:
    """A picture from outside; `null` takes it away."""
    return None if value is None else read_file(an_object(value, path), path)


def read_file(body: Json, path: str, *, others: tuple[str, ...] = ()) -> Json:
    """A file that stands elsewhere, as `{type: external, external: {url}}`, or one that was uploaded.

    Whether there is such an upload is for the desk to say, which also attaches it.
    """
    if "external" in body:
        outside = an_object(body["external"], f"{path}.external")
        url = a_url(outside.get("url", UNDEFINED), f"{path}.external.url")
        return {"type": "external", "external": {"url": url}}
    if "file_upload" in body:
        inner = an_object(body["file_upload"], f"{path}.file_upload")
        only_keys(inner, f"{path}.file_upload", ("id",))
        upload_id = a_uuid(inner.get("id", UNDEFINED), f"{path}.file_upload.id")
        return {"type": "file_upload", "file_upload": {"id": upload_id}}
    kinds = (*others, "external", "file_upload")
    raise failed_all([(f"{path}.{kind}", "defined", UNDEFINED) for kind in kinds])
