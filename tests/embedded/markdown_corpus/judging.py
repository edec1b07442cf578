"""What the corpus asks of a converter: a sketch of its blocks to compare, and whether Notion would take them."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from notion_embedded.model.blocks import Reading, read_children
from notion_embedded.model.errors import ApiError

Block = Mapping[str, Any]
Case = Mapping[str, Any]

_MARKS = {"bold": "b", "italic": "i", "strikethrough": "s", "underline": "u", "code": "c"}
_SPACE = re.compile(r"\s+")


class Nobody:
    """Nobody to mention, and no page to point at."""

    def user(self, _user_id: str) -> None:
        """No user."""
        return

    def page_title(self, _page_id: str) -> None:
        """No title."""
        return


def cases() -> list[Case]:
    """The inputs, each with what must come of it."""
    found: list[Case] = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
    return found


def right(case: Case, blocks: Sequence[Block]) -> bool:
    """Whether the blocks are what the author of the text meant."""
    lines = list(sketch(blocks))
    words = " ".join(map(plain, walk(blocks)))
    wanted = [line for line in case.get("blocks", ()) if not line.startswith("|")]
    others = [line[1:] for line in case.get("blocks", ()) if line.startswith("|")]
    return (
        (not wanted or lines == wanted or (bool(others) and lines == others))
        and all(part in words for part in case.get("keeps", ()))
        and all(kind in [block["type"] for block in walk(blocks)] for kind in case.get("types", ()))
        and case.get("count", len(blocks)) == len(blocks)
        and not any(part in link for part in case.get("lacks_links", ()) for link in links(blocks))
        and _characters(case["markdown"]) <= _characters(words) + 40
    )


def _characters(text: str) -> int:
    """How many letters beyond ASCII a text has: none of them is syntax, so none may be lost."""
    return sum(1 for character in text if ord(character) > 127 and not character.isspace())


def valid(blocks: Sequence[Block]) -> str | None:
    """What the embedded workspace says against the blocks, each taken by itself; `None` when nothing."""
    for block in walk(blocks):
        if block["type"] in {"table_row", "column"}:
            continue
        whole = dict(block)
        inner = dict(whole[whole["type"]])
        below = children(block)
        inner.pop("children", None)
        whole.pop("children", None)
        if block["type"] == "table":
            # The rest of a table goes in later requests, a hundred rows at a time.
            inner["children"] = [_row(row) for row in below[:100]]
        whole[whole["type"]] = inner
        try:
            read_children([whole], "children", Reading(Nobody()))
        except ApiError as refused:
            return str(refused.message)
    return None


def _row(row: Block) -> dict[str, Any]:
    return {"type": "table_row", "table_row": row["table_row"]}


def children(block: Block) -> list[Block]:
    """What is in a block, in either shape."""
    found = block.get("children") or block[block["type"]].get("children") or []
    return list(found)


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """All blocks, the outer one first."""
    for block in blocks:
        yield block
        yield from walk(children(block))


def sketch(blocks: Sequence[Block], depth: int = 0) -> Iterator[str]:
    """One line for each block."""
    for block in blocks:
        yield "  " * depth + _line(block)
        yield from sketch(children(block), depth + 1)


def _line(block: Block) -> str:
    kind: str = block["type"]
    payload: Mapping[str, Any] = block[kind]
    match kind:
        case "divider":
            return kind
        case "table":
            return f"table {payload['table_width']}{' header' if payload.get('has_column_header') else ''}"
        case "table_row":
            return " ¦ ".join(_text(cell) for cell in payload["cells"])
        case "code":
            words = "".join(map(words_of, payload["rich_text"])).rstrip("\n").replace("\n", "⏎")
            return f"code {payload['language']}: {words}"
        case "equation":
            return f"equation: {payload['expression']}"
        case "to_do":
            return f"to_do {'done' if payload.get('checked') else 'open'}: {_text(payload['rich_text'])}"
        case "image":
            url = (payload.get("external") or {}).get("url")
            return f"image {url}: {_text(payload.get('caption') or [])}"
        case _:
            return f"{kind}: {_text(payload.get('rich_text') or [])}"


def _text(runs: Sequence[Block]) -> str:
    merged: list[list[str]] = []
    for run in runs:
        marks = _marks(run)
        if merged and merged[-1][0] == marks and marks != "eq":
            merged[-1][1] += words_of(run)
        else:
            merged.append([marks, words_of(run)])
    written = "".join(f"{{{marks}|{words}}}" if marks else words for marks, words in merged if words)
    return _squeezed(written)


def _squeezed(text: str) -> str:
    """A soft line break may be a space, a line break, or nothing between Chinese characters."""

    def between(space: re.Match[str]) -> str:
        around = text[: space.start()][-1:], text[space.end() :][:1]
        wide = all(side and unicodedata.east_asian_width(side) in "WF" for side in around)
        return "" if wide and "\n" in space[0] else " "

    return _SPACE.sub(between, text).strip()


def _marks(run: Block) -> str:
    if run.get("type") == "equation" or "equation" in run:
        return "eq"
    annotations = run.get("annotations") or {}
    short = "".join(letter for name, letter in _MARKS.items() if annotations.get(name))
    link = ((run.get("text") or {}).get("link") or {}).get("url")
    return " ".join(part for part in (short, f"link {link}" if link else "") if part)


def words_of(run: Block) -> str:
    """The words of one run."""
    if "equation" in run:
        return str(run["equation"]["expression"])
    return str((run.get("text") or {}).get("content", run.get("plain_text") or ""))


def plain(block: Block) -> str:
    """The words of one block."""
    payload = block[block["type"]]
    texts = [payload.get("rich_text") or [], payload.get("caption") or [], *(payload.get("cells") or [])]
    return str(payload.get("expression", "")) + " ".join("".join(map(words_of, text)) for text in texts)


def links(blocks: Sequence[Block]) -> list[str]:
    """Every address that a text leads to."""
    return [
        str(((run.get("text") or {}).get("link") or {}).get("url"))
        for block in walk(blocks)
        for run in block[block["type"]].get("rich_text") or []
    ]
