"""How what was read is told: as data, shortened where it is long, and saying so. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lakelight.notion.schema import Plain, plain

MOST_VALUE = 300
"""Characters of one value that are told."""


def quoted(text: str) -> str:
    """`text` on one line and in quotation marks, so that no title can pass for a line of ours."""
    return json.dumps(text, ensure_ascii=False)


def shortened(text: str, most: int = MOST_VALUE) -> str:
    """`text`, or its beginning and how long it is."""
    return text if len(text) <= most else f"{text[:most]}… (first {most} of {len(text)} characters)"


def values(page: Mapping[str, Any]) -> dict[str, Plain]:
    """The properties of a page, by name."""
    properties = page.get("properties")
    return {name: plain(value) for name, value in (properties or {}).items()}


def said(value: Plain) -> str:
    """A value on one line; empty for nothing."""
    match value:
        case None | "" | []:
            return ""
        case str():
            return quoted(shortened(value))
        case _:
            return shortened(json.dumps(value, ensure_ascii=False))


def extent(shown: int, total: int, *, more: bool = False) -> str:
    """`3`, `first 20 of 143` or `first 20 of more than 500`."""
    if shown >= total and not more:
        return str(total)
    return f"first {shown} of {'more than ' if more else ''}{total}"


def bullets(lines: Sequence[str]) -> str:
    """A list of lines."""
    return "\n".join(f"- {line}" for line in lines)
