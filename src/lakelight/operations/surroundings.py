"""What an operation will change, as it was read from Notion: what a preview is made of. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lakelight.notion.schema import plain_text

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The state before an operation, as far as showing it and telling a change from it need."""

    target: Json | None = field(default=None, repr=False)
    """The page or block that the effect falls on, or what a new page is to stand in; None when it is gone."""
    children: tuple[Json, ...] = field(default=(), repr=False)
    """The first level below the target, for an append and an archive."""
    place: str = ""
    """The title of what the target stands in; of a new page, of its parent."""


def title_of(thing: Json | None) -> str:
    """The title of a page, data source, database or child block; empty when it has none."""
    if thing is None:
        return ""
    if isinstance(thing.get("title"), list):
        return plain_text(thing["title"])
    kind = thing.get("type")
    inner = thing.get(kind) if isinstance(kind, str) else None
    if isinstance(inner, Mapping) and isinstance(inner.get("title"), str):
        return str(inner["title"])
    properties = thing.get("properties")
    for value in properties.values() if isinstance(properties, Mapping) else ():
        if isinstance(value, Mapping) and isinstance(value.get("title"), list):
            return plain_text(value["title"])
    return ""
