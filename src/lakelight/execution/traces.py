"""Whether an operation's effect stands in what was read from Notion. Pure.

An append is ours when it is a later sibling of the child that was last before the send, made
by our own bot, not before the send's minute by Notion's clock, with the same content. Creator
and content together, since either could be somebody else's. A created page is told the same way, with its
title.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from lakelight.clock import parse_iso
from lakelight.execution.intents import Anchor
from lakelight.notion.canonical import block_content, properties_content
from lakelight.operations import Operation
from lakelight.operations.surroundings import title_of

Json = Mapping[str, Any]


def appended(
    operation: Operation,
    anchor: Anchor,
    children: Sequence[Json],
    bot_id: str,
    committed: Sequence[str] = (),
) -> tuple[str, ...] | None:
    """The ids of the blocks that `operation` appended, when they are among `children`, else None.

    The first block is enough when later ones were removed or changed by somebody since: to
    send again would double what is left.

    Args:
        committed: The blocks that Notion itself says it had appended; it may have stored them in another
            shape than they were sent in.
    """
    later = _after(children, anchor.last_child)
    since = parse_iso(anchor.notion_minute) if anchor.notion_minute else None
    mine = [child for child in later if is_ours(child, bot_id, since)]
    found: list[str] = []
    position = 0
    for block in operation.request.content["children"]:
        for index in range(position, len(mine)):
            if same_block(block, mine[index]):
                found.append(str(mine[index]["id"]))
                position = index + 1
                break
    found = found or [str(block["id"]) for block in mine if block["id"] in committed]
    return tuple(found) if found else None


def created(operation: Operation, anchor: Anchor, siblings: Sequence[Json], bot_id: str) -> tuple[str, ...]:
    """The ids of the pages among `siblings` that may be the one that `operation` made.

    Other properties than the title count as long as nobody else has edited the page since.
    """
    sent = operation.request.content.get("properties", {})
    since = parse_iso(anchor.notion_minute) if anchor.notion_minute else None
    return tuple(
        str(page["id"])
        for page in siblings
        if page["id"] not in anchor.known
        and is_ours(page, bot_id, since)
        and title_of(page) == title_of({"properties": sent})
        and (_properties_same(sent, page) or page.get("last_edited_by", {}).get("id") != bot_id)
    )


def answered(operation: Operation, results: Sequence[Json]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids that an append's answer gives, and where its content is not what was sent."""
    sent = operation.request.content["children"]
    new = results[: len(sent)]
    differences = [
        f"children[{index}]"
        for index, (wanted, got) in enumerate(zip(sent, new, strict=False))
        if not same_block(wanted, got)
    ]
    if len(new) < len(sent):
        differences.append(f"children: {len(new)} of {len(sent)}")
    return tuple(str(block["id"]) for block in new), tuple(differences)


def properties_state(
    operation: Operation, anchor: Anchor, page: Json, bot_id: str
) -> Literal["ours", "before", "other"]:
    """Whether the touched properties of `page` are as sent, as they were before, or somebody else's."""
    sent = operation.request.content["properties"]
    wanted = properties_content(sent)
    current = properties_content(
        {name: page["properties"][name] for name in sent if name in page["properties"]}
    )
    if current == wanted:
        return "ours"
    if anchor.before:
        return "before" if current == dict(anchor.before) else "other"
    return "before" if page.get("last_edited_by", {}).get("id") == bot_id else "other"


def differing_properties(operation: Operation, page: Json) -> tuple[str, ...]:
    """The names of the properties of `page` that are not what was sent."""
    sent = operation.request.content["properties"]
    return tuple(
        name
        for name, value in sent.items()
        if properties_content({name: value})
        != properties_content({name: page["properties"][name]} if name in page["properties"] else {})
    )


def _properties_same(sent: Json, page: Json) -> bool:
    # A page as its parent's block shows nothing of its properties but the title.
    known = page.get("properties")
    return known is None or properties_content(sent) == properties_content(known, among=sent)


def _after(children: Sequence[Json], last_child: str | None) -> Sequence[Json]:
    # When the remembered child is gone, every sibling is a candidate: creator, time and
    # content still have to fit.
    for index, child in enumerate(children):
        if child.get("id") == last_child:
            return children[index + 1 :]
    return children


def is_ours(block: Json, bot_id: str, since: datetime | None) -> bool:
    """Whether our bot made a block or page, and not before `since`."""
    by_us = block.get("created_by", {}).get("id") == bot_id
    return by_us and (since is None or parse_iso(block["created_time"]) >= since)


def same_block(wanted: Json, got: Json) -> bool:
    """True when a block as Notion gives it says what a block as it was sent said."""
    # What lies below a block is not part of an answer, so only the first level is compared.
    return bool(block_content(_flat(wanted)) == block_content(_flat(got)))


def _flat(block: Json) -> dict[str, Any]:
    kind = block.get("type") or next(key for key in block if key != "object")
    payload = {key: value for key, value in block[kind].items() if key != "children"}
    return {"type": kind, kind: payload}
