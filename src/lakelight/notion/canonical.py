"""One form for what was sent and for what Notion gives back, so that the two can be compared.

Notion fills in defaults, joins runs that look alike and spells links its own way; none of
that is a difference. Icons and what Notion computes are left out. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lakelight.notion.errors import BadReference
from lakelight.notion.limits import block_type, children_of
from lakelight.notion.links import object_id, page_id_from

Value = Any
"""JSON: equal for equal content."""

_KEPT = {
    "bulleted_list_item": ("rich_text", "color"),
    "bookmark": ("url", "caption"),
    "callout": ("rich_text", "color"),
    "child_database": ("title",),
    "child_page": ("title",),
    "code": ("rich_text", "caption", "language"),
    "column": ("width_ratio",),
    "embed": ("url", "caption"),
    "equation": ("expression",),
    "heading_1": ("rich_text", "color", "is_toggleable"),
    "heading_2": ("rich_text", "color", "is_toggleable"),
    "heading_3": ("rich_text", "color", "is_toggleable"),
    "heading_4": ("rich_text", "color", "is_toggleable"),
    "numbered_list_item": ("rich_text", "color"),
    "paragraph": ("rich_text", "color"),
    "quote": ("rich_text", "color"),
    "table": ("table_width", "has_column_header", "has_row_header"),
    "table_of_contents": ("color",),
    "table_row": ("cells",),
    "to_do": ("rich_text", "color", "checked"),
    "toggle": ("rich_text", "color"),
}
_FILES = frozenset({"audio", "file", "image", "pdf", "video"})
_DEFAULTS = {"color": "default", "language": "plain text"}
_RICH = frozenset({"caption", "rich_text"})
_COMPUTED = frozenset(
    {
        *("button", "created_by", "created_time", "formula", "last_edited_by", "last_edited_time"),
        *("rollup", "unique_id", "verification"),
    }
)


def block_content(block: Mapping[str, Any], *, deep: bool = True) -> Value:
    """What `block` says, without what Notion adds to it.

    Blocks below it count if `block` brings them along, and `deep` is not switched off: an answer never
    does, so compare level by level.
    """
    kind = block_type(block)
    content = block.get(kind)
    value = {"type": kind, **_kept(kind, content if isinstance(content, Mapping) else {})}
    children = children_of(block) if deep else []
    return {**value, "children": blocks_content(children)} if children else value


def blocks_content(blocks: Iterable[Mapping[str, Any]], *, deep: bool = True) -> list[Value]:
    """`block_content` of each, in order."""
    return [block_content(block, deep=deep) for block in blocks]


def rich_text_content(items: Sequence[Mapping[str, Any]]) -> list[Value]:
    """Rich text with runs that look alike joined, however it was cut."""
    joined: list[dict[str, Any]] = []
    for run in map(_run, items):
        last = joined[-1] if joined else None
        if last and "text" in last and "text" in run and _look(last) == _look(run):
            last["text"] += run["text"]
        elif run.get("text") != "":
            joined.append(run)
    return joined


def properties_content(
    properties: Mapping[str, Any], *, among: Mapping[str, Any] | None = None
) -> dict[str, Value]:
    """The values of a page, or of a request that writes one, by column.

    Args:
        among: The properties that were written, by name or id: only these are kept, and keyed as there.
    """
    if among is None:
        return {name: property_content(value) for name, value in properties.items() if not _computed(value)}
    by_id = {value.get("id"): value for value in properties.values() if isinstance(value, Mapping)}
    found = {key: properties.get(key, by_id.get(key)) for key in among}
    return {key: property_content(value) for key, value in found.items() if value is not None}


def property_content(value: Any) -> Value:
    """One property's value, in the shape of a request or of an answer."""
    if isinstance(value, list):
        return rich_text_content(value)
    if not isinstance(value, Mapping):
        return None
    kind = _property_type(value)
    inner = value.get(kind)
    match kind:
        case "title" | "rich_text":
            return rich_text_content(inner or [])
        case "select" | "status":
            return _name(inner) if isinstance(inner, Mapping) else None
        case "multi_select":
            return sorted(_name(option) for option in inner or [])
        case "people" | "relation":
            return sorted(_id(item.get("id")) for item in inner or [])
        case "date":
            return _date(inner)
        case "files":
            return [_file(file) for file in inner or []]
        case "number":
            return inner if inner is None else float(inner)
        case "checkbox":
            return bool(inner)
        case _:
            return inner or None


def _kept(kind: str, content: Mapping[str, Any]) -> dict[str, Value]:
    if kind in _FILES:
        return {"file": _file(content), "caption": rich_text_content(content.get("caption") or [])}
    if kind == "link_to_page":
        return {"to": _id(next((value for key, value in content.items() if key.endswith("_id")), None))}
    if kind == "synced_block":
        source = content.get("synced_from")
        return {"from": _id(source.get("block_id")) if isinstance(source, Mapping) else None}
    found = {}
    for key in _KEPT.get(kind, tuple(content)):
        if value := _field(key, content.get(key)):
            found[key] = value
    return found


def _field(key: str, value: Any) -> Value:
    """The value of a field; None or something else that is false for a default."""
    if key in _RICH:
        return rich_text_content(value or [])
    if key == "cells":
        return [rich_text_content(cell or []) for cell in value or []]
    if key == "url":
        return _link(value)
    if key == "children":
        return None
    return None if value == _DEFAULTS.get(key) else value


def _run(item: Mapping[str, Any]) -> dict[str, Any]:
    look = _annotations(item.get("annotations"))
    if "mention" in item:
        return {**look, "mention": _mention(item["mention"], item)}
    if "equation" in item:
        return {**look, "equation": item["equation"].get("expression")}
    text = item.get("text")
    text = text if isinstance(text, Mapping) else {"content": item.get("plain_text", "")}
    link = text.get("link")
    url = _link(link.get("url")) if isinstance(link, Mapping) else None
    content = str(text.get("content", "")).replace("\r\n", "\n")
    return {**look, **({"link": url} if url else {}), "text": content}


def _look(run: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in run.items() if key != "text"}


def _annotations(annotations: Any) -> dict[str, Any]:
    if not isinstance(annotations, Mapping):
        return {}
    return {key: value for key, value in annotations.items() if value and value != "default"}


def _mention(mention: Mapping[str, Any], item: Mapping[str, Any]) -> Value:
    kind = block_type(mention)
    inner = mention.get(kind)
    if kind == "date":
        return {"date": _date(inner)}
    if isinstance(inner, Mapping) and "id" in inner:
        return {kind: _id(inner["id"])}
    return {kind: item.get("plain_text") or inner}


def _link(url: Any) -> str | None:
    if not isinstance(url, str) or not url:
        return None
    try:
        return f"notion:{page_id_from(url.removeprefix('/').split('?')[0] if url[0] == '/' else url)}"
    except BadReference:
        pass
    try:
        link = urlsplit(url)
    except ValueError:
        return url
    if link.scheme.lower() in {"http", "https"}:
        link = link._replace(scheme=link.scheme.lower(), netloc=link.netloc.lower(), path=link.path or "/")
    return link.geturl()


def _property_type(value: Mapping[str, Any]) -> str:
    given = value.get("type")
    return (
        given if isinstance(given, str) else next((key for key in value if key not in {"id", "object"}), "")
    )


def _computed(value: Any) -> bool:
    return isinstance(value, Mapping) and _property_type(value) in _COMPUTED


def _name(option: Mapping[str, Any]) -> str:
    return str(option.get("name") or option.get("id") or "")


def _id(value: Any) -> str:
    try:
        return object_id(str(value))
    except BadReference:
        return str(value)


def _file(file: Mapping[str, Any]) -> Value:
    outside = file.get("external")
    if isinstance(outside, Mapping):
        return _link(outside.get("url"))
    # What was uploaded comes back under an address that changes by the hour.
    return "uploaded" if "file" in file or "file_upload" in file else None


def _date(value: Any) -> Value:
    if not isinstance(value, Mapping):
        return None
    zone = value.get("time_zone")
    return [_moment(value.get("start"), zone), _moment(value.get("end"), zone)]


def _moment(text: Any, zone: Any) -> str | None:
    """A day as it is; a time of day in UTC, whatever zone it was written in."""
    if not isinstance(text, str) or "T" not in text:
        return text if isinstance(text, str) else None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(zone) if isinstance(zone, str) else UTC)
    except (ValueError, ZoneInfoNotFoundError):
        return text
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
