"""Puts blocks together from what a tag says, for both dialects."""

import re
from collections.abc import Sequence

from notion_embedded.markdown.blocks import Tree, text_blocks, tree
from notion_embedded.markdown.pieces import RichText, Text, link_target, to_rich_text
from notion_embedded.markdown.tags import find_id, read_colour

_EMOJI = re.compile(r"(?:[^\x00-\x7f]|[#*0-9](?=[^\x00-\x7f])){1,40}")


def media_blocks(kind: str, url: str, caption: list[RichText]) -> list[Tree]:
    """Return the block for something that stands elsewhere; without an absolute address its words."""
    if link_target(url) is None:
        return text_blocks("paragraph", caption or to_rich_text([Text(url)]), {"color": "default"})
    if kind in {"bookmark", "embed"}:
        return [tree(kind, {"url": url, "caption": caption})]
    return [tree(kind, {"type": "external", "external": {"url": url}, "caption": caption})]


def named_blocks(name: str, attributes: dict[str, str]) -> list[Tree] | None:
    """Return the block for a tag that stands alone, or `None` when it stands for nothing."""
    if name == "table_of_contents":
        return [tree(name, {"color": read_colour(attributes["color"]) or "default"})]
    identity = find_id(attributes.get("url", ""))
    if identity is None:
        return None
    return [tree("unsupported", {"block_type": attributes.get("alt", name)}, identity=identity)]


def child_blocks(name: str, attributes: dict[str, str], title: str) -> list[Tree] | None:
    """Return the child page or database that a tag names, or `None` when it names none."""
    identity = find_id(attributes.get("url", ""))
    if identity is None:
        return None
    return [tree(f"child_{name}", {"title": title}, identity=identity)]


def contain(
    name: str, attributes: dict[str, str], title: Sequence[RichText], children: Sequence[Tree]
) -> list[Tree]:
    """Return the block for a pair of tags, with what stood between them."""
    colour = read_colour(attributes.get("color", "")) or "default"
    blocks = list(children)
    match name:
        case "details":
            return text_blocks("toggle", title, {"color": colour}, without_columns(blocks))
        case "callout":
            return callout_blocks(attributes.get("icon"), colour, without_columns(blocks))
        case "column":
            return [tree("column", width_ratio(attributes.get("ratio", "")), without_columns(blocks))]
        case "columns":
            return column_blocks(blocks)
        case "synced_block":
            return [tree("synced_block", {"synced_from": None}, without_columns(blocks))]
        case _:
            original = find_id(attributes.get("url", ""))
            source = {"type": "block_id", "block_id": original} if original else None
            return [tree("synced_block", {"synced_from": source}, without_columns(blocks))]


def callout_blocks(icon: str | None, colour: str, children: list[Tree]) -> list[Tree]:
    """Return the callout whose text is the first paragraph of what is in it."""
    rich_text: list[RichText] = []
    if children and children[0]["type"] == "paragraph" and children[0]["paragraph"]["color"] == "default":
        first = children.pop(0)
        rich_text, children = first["paragraph"]["rich_text"], [*first["children"], *children]
    emoji = icon if icon and _EMOJI.fullmatch(icon) else None
    payload = {"icon": {"type": "emoji", "emoji": emoji} if emoji else None, "color": colour}
    return [tree("callout", {"rich_text": rich_text, **payload}, children)]


def width_ratio(written: str) -> dict[str, float]:
    """Return the payload of a column whose width is written in per cent."""
    ratio = float(written) / 100 if re.fullmatch(r"\d{1,3}(?:\.\d+)?", written) else 0.0
    return {"width_ratio": ratio} if 0 < ratio <= 1 else {}


def column_blocks(blocks: list[Tree]) -> list[Tree]:
    """Return a list of columns; of less than two, what is in them."""
    columns = [block for block in blocks if block["type"] == "column"]
    others = [block for block in blocks if block["type"] != "column"]
    if len(columns) > 1:
        return [tree("column_list", {}, columns), *others]
    return [*without_columns(columns), *others]


def without_columns(blocks: Sequence[Tree]) -> list[Tree]:
    """Return blocks that may stand anywhere: of columns, what is in them."""
    return [
        inner for block in blocks for inner in (block["children"] if block["type"] == "column" else [block])
    ]
