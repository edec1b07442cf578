"""A property's value as it was read, in the shape that writes it back. Pure.

What Notion adds to an answer is left out; what it would not take back, or gave only in part, is said
instead of being written back half.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lakelight.notion.text import MAX_RUNS

Why = Literal["cut_short", "uploaded_file", "not_writable"]

_AS_THEY_ARE = frozenset({"number", "checkbox", "url", "email", "phone_number"})
_MOST = 100
_NAMED_BY_ID = frozenset({"user", "page", "database", "data_source", "custom_emoji"})


@dataclass(frozen=True, slots=True)
class Unwritable:
    """The value cannot be written back as it was."""

    why: Why


def writable(value: Mapping[str, Any]) -> dict[str, Any] | Unwritable:
    """What a request sends to bring back `value`, a property of a page as it was read."""
    kind = str(value.get("type") or "")
    inner = value.get(kind)
    match kind:
        case "title" | "rich_text":
            return _rich_text(kind, inner or [])
        case "select" | "status":
            # With the id an option that was deleted since is refused; by its name it would be made anew.
            return {kind: _option(inner) if inner else None}
        case "multi_select":
            return {kind: [_option(option) for option in inner or []]}
        case "date":
            return {kind: _interval(inner) if inner else None}
        case "people" | "relation":
            items = inner or []
            if value.get("has_more") or len(items) > _MOST:
                return Unwritable("cut_short")
            return {kind: [{"id": item["id"]} for item in items]}
        case "files":
            return _files(inner or [])
        case _ if kind in _AS_THEY_ARE:
            return {kind: bool(inner) if kind == "checkbox" else inner}
        case _:
            return Unwritable("not_writable")


def _option(option: Mapping[str, Any]) -> dict[str, Any]:
    return {key: option[key] for key in ("id", "name") if option.get(key) is not None}


def _interval(date: Mapping[str, Any]) -> dict[str, Any]:
    return {key: date[key] for key in ("start", "end", "time_zone") if date.get(key) is not None}


def _files(files: list[Mapping[str, Any]]) -> dict[str, Any] | Unwritable:
    if any("external" not in file for file in files):
        return Unwritable("uploaded_file")
    return {
        "files": [
            {"name": str(file.get("name") or "")[:_MOST], "external": {"url": file["external"]["url"]}}
            for file in files
        ]
    }


def _rich_text(kind: str, runs: list[Mapping[str, Any]]) -> dict[str, Any] | Unwritable:
    if len(runs) > MAX_RUNS:
        return Unwritable("cut_short")
    written = [_run(run) for run in runs]
    whole = [run for run in written if run is not None]
    return {kind: whole} if len(whole) == len(written) else Unwritable("not_writable")


def _run(run: Mapping[str, Any]) -> dict[str, Any] | None:
    look = {"annotations": dict(run["annotations"])} if isinstance(run.get("annotations"), Mapping) else {}
    match dict(run):
        case {"type": "text", "text": {"content": str() as content, **rest}}:
            link: Any = rest.get("link")
            return {
                "type": "text",
                "text": {"content": content, **({"link": dict(link)} if link else {})},
                **look,
            }
        case {"type": "equation", "equation": {"expression": str() as expression}}:
            return {"type": "equation", "equation": {"expression": expression}, **look}
        case {"type": "mention", "mention": dict() as mention}:
            inner = _mention(mention)
            return {"type": "mention", "mention": inner, **look} if inner else None
        case _:
            return None


def _mention(mention: Mapping[str, Any]) -> dict[str, Any] | None:
    match dict(mention):
        case {"type": str() as kind, **rest} if kind in _NAMED_BY_ID and isinstance(rest.get(kind), Mapping):
            return {kind: {"id": rest[kind]["id"]}}
        case {"type": "date", "date": dict() as date}:
            return {"date": _interval(date)}
        case {"type": "template_mention", "template_mention": dict() as template}:
            return {"template_mention": template}
        case _:
            return None
