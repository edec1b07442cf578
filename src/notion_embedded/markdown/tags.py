"""The tag-like parts of enhanced Markdown: attributes, colours, and ids inside URLs."""

import re
from collections.abc import Mapping

COLOURS = ("gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")

ATTRIBUTES = r'(?:\s+[\w-]+(?:="(?:[^"\\\n]|\\.)*")?)*\s*'
"""A pattern for the attributes of one tag. Every repetition starts with white space, so it stays linear."""

_ATTRIBUTE = re.compile(r'([\w-]+)(?:="((?:[^"\\\n]|\\.)*)")?')
_BLOCK_ATTRIBUTES = re.compile(r'(?:(?<=\s)|^)\{((?:(?:color|toggle)="[^"\\]*"\s*)+)\}$')
_ID = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}(?![0-9a-f])", re.IGNORECASE
)


def read_attributes(source: str) -> dict[str, str]:
    """Return the attributes written in a tag; one without a value reads as `"true"`."""
    return {
        name: "true" if value is None else re.sub(r"\\(.)", r"\1", value)
        for name, value in (match.groups() for match in _ATTRIBUTE.finditer(source))
    }


def write_attributes(attributes: Mapping[str, str | None]) -> str:
    """Return attributes as they stand in a tag, each with a leading space; `None` leaves one out."""
    written = []
    for name, value in attributes.items():
        if value is not None:
            safe = re.sub(r"[\r\n]+", " ", value.replace("\\", "\\\\").replace('"', '\\"'))
            written.append(f' {name}="{safe}"')
    return "".join(written)


def take_block_attributes(line: str) -> tuple[str, dict[str, str]]:
    """Split a line into its text and the `{color="…" toggle="…"}` at its end.

    Attributes with a colour that Notion does not have are text like any other.
    """
    match = _BLOCK_ATTRIBUTES.search(line) if line.endswith("}") else None
    if match is None:
        return line, {}
    attributes = read_attributes(match.group(1))
    if "color" in attributes and read_colour(attributes["color"]) is None:
        return line, {}
    return line[: match.start()].rstrip(" \t"), attributes


def write_block_attributes(*, colour: str, toggle: bool = False) -> str:
    """Return the attribute list for the end of a block's first line, or nothing when all is default."""
    pairs = {"toggle": "true" if toggle else None, "color": write_colour(colour)}
    written = write_attributes(pairs)
    return f" {{{written.strip()}}}" if written else ""


def read_colour(name: str) -> str | None:
    """Return the API's name of a colour in Markdown, or `None` when there is no such colour."""
    if name == "default":
        return name
    plain, background = (name.removesuffix(end) for end in ("_background", "_bg"))
    if name in COLOURS:
        return name
    shade = plain if plain != name else background
    return f"{shade}_background" if shade in COLOURS and shade != name else None


def write_colour(name: str) -> str | None:
    """Return the Markdown name of one of the API's colours, or `None` for the default."""
    if name in {"", "default", "default_background"}:
        return None
    return name.removesuffix("_background") + "_bg" if name.endswith("_background") else name


def find_id(url: str) -> str | None:
    """Return the last id in a URL, dashed and lower case; a block's fragment so wins over its page."""
    found = _ID.findall(url)
    if not found:
        return None
    plain = found[-1].replace("-", "").lower()
    return f"{plain[:8]}-{plain[8:12]}-{plain[12:16]}-{plain[16:20]}-{plain[20:]}"


def page_url(identity: str) -> str:
    """Return the address under which Notion shows a page, a database or a block."""
    return f"https://app.notion.com/p/{identity.replace('-', '')}"
