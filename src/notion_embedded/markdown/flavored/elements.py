"""Finds the block tags of a text and which closing tag belongs to which opening one, in one pass."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass

from notion_embedded.markdown.tags import ATTRIBUTES

NAMES = (
    "synced-block-reference", "synced-block", "table-of-contents", "meeting-notes", "columns", "column",
    "callout", "database", "bookmark", "equation", "unknown", "toggle", "image", "quote", "table", "audio",
    "video", "embed", "todo", "tabs", "file", "page", "tab", "pdf", "h1", "h2", "h3", "h4", "ul", "ol", "li",
    "p",
)  # fmt: skip
"""Every tag that stands for a block. Another tag is text."""

_TOKEN = re.compile(
    rf"\\.|(?P<ticks>`+)|<(?P<closing>/?)(?P<name>{'|'.join(NAMES)})(?P<attributes>{ATTRIBUTES})(?P<alone>/?)>"
)
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A tag that stands alone, or a pair of tags; the offsets are those of the text."""

    name: str
    attributes: str
    start: int
    end: int
    inner: tuple[int, int] | None = None
    """Where what is between the tags begins and ends; nothing for a tag that stands alone."""


def find_elements(source: str) -> dict[int, Element]:
    """Return the elements of a text by the offset at which each begins; an unpaired tag is none."""
    found: dict[int, Element] = {}
    opened: list[re.Match[str]] = []
    names: Counter[str] = Counter()
    for match in _tags(source):
        name = match["name"]
        if match["alone"] and not match["closing"]:
            found[match.start()] = Element(
                name=name, attributes=match["attributes"], start=match.start(), end=match.end()
            )
        elif not match["closing"]:
            opened.append(match)
            names[name] += 1
        elif names[name]:
            while (opening := opened.pop())["name"] != name:
                names[opening["name"]] -= 1
            names[name] -= 1
            found[opening.start()] = Element(
                name=name,
                attributes=opening["attributes"],
                start=opening.start(),
                end=match.end(),
                inner=(opening.end(), match.start()),
            )
    return found


def split_elements(source: str, wanted: tuple[str, ...]) -> list[Element | str]:
    """Return the outermost elements of some names in a text, and the text between them."""
    elements = find_elements(source)
    parts: list[Element | str] = []
    at = 0
    for start in sorted(elements):
        element = elements[start]
        if start < at or element.name not in wanted:
            continue
        parts += [source[at:start], element]
        at = element.end
    parts.append(source[at:])
    return [part for part in parts if not isinstance(part, str) or part.strip()]


def _tags(source: str) -> list[re.Match[str]]:
    """Every tag outside code."""
    found: list[re.Match[str]] = []
    offset, fence = 0, ""
    for line in source.split("\n"):
        end = offset + len(line)
        opening = _FENCE.match(line)
        if fence:
            text = line.strip(" \t>")
            if text.startswith(fence) and not text.strip(fence[0]):
                fence = ""
        elif opening:
            fence = opening["fence"]
        elif "<" in line:
            found += _tags_of_line(source, offset, end)
        offset = end + 1
    return found


def _tags_of_line(source: str, start: int, end: int) -> list[re.Match[str]]:
    runs: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", source[start:end]):
        runs[len(run[0])].append(start + run.start())
    found = []
    while (match := _TOKEN.search(source, start, end)) is not None:
        start = match.end()
        if ticks := match["ticks"]:
            places = runs[len(ticks)]
            after = bisect_right(places, match.start())
            if after < len(places):
                start = places[after] + len(ticks)
        elif match["name"]:
            found.append(match)
    return found
