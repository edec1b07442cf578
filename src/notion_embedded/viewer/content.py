"""Blocks as the templates show them: lists gathered, text as HTML, hostile depth cut off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from notion_embedded.model.rich_text import plain_text
from notion_embedded.viewer.cells import emoji
from notion_embedded.viewer.prose import NOTHING, colour_class, outside_link, prose
from notion_embedded.viewer.talks import Discussion, Discussions
from notion_embedded.viewer.visit import Visit

Tree = dict[str, Any]

_MAX_DEPTH = 40
_TWELFTHS = 12
_LISTS = {"bulleted_list_item": "bullets", "numbered_list_item": "numbers", "to_do": "tasks"}
_FILES = frozenset({"image", "video", "audio", "pdf", "file"})
_LINKS = frozenset({"bookmark", "embed", "link_preview"})
_WITH_TEXT = frozenset({
    "paragraph", "heading_1", "heading_2", "heading_3", "heading_4", "quote", "callout", "toggle", "code",
    "bulleted_list_item", "numbered_list_item", "to_do", "template",
})  # fmt: skip
_ORDERED = {"letters": "a", "roman": "i"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A block, or a list of them, ready for its template."""

    kind: str
    id: str = ""
    text: Markup = NOTHING
    colour: str = ""
    parts: list["Part"] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)
    talks: Sequence[Discussion] = ()


def ids_in(trees: Sequence[Tree]) -> Iterator[str]:
    """Return the ids of the blocks, at any depth, that a discussion may be about."""
    for tree in trees:
        yield tree["id"]
        yield from ids_in(tree.get("children") or ())


def contents(
    trees: Sequence[Tree], visit: Visit, talks: Discussions, trail: Sequence[str] = ()
) -> list[Part]:
    """Return the parts for the blocks of a page; `trail` is what the page stands in, for breadcrumbs."""
    return _Reading(visit, talks, trail).parts(trees, 0)


class _Reading:
    """One page as it is read from top to bottom; its headings are gathered for its table of contents."""

    def __init__(self, visit: Visit, talks: Discussions, trail: Sequence[str]) -> None:
        self._visit = visit
        self._talks = talks
        self._trail = trail
        self._headings: list[dict[str, Any]] = []
        self._level = 1

    def parts(self, trees: Sequence[Tree], depth: int) -> list[Part]:
        """The parts for some blocks."""
        if depth > _MAX_DEPTH:
            return []
        parts: list[Part] = []
        for tree in trees:
            part = self._part(tree, depth)
            gathered = _LISTS.get(tree["type"])
            if gathered is None:
                parts.append(part)
            elif parts and parts[-1].kind == gathered:
                parts[-1].parts.append(part)
            else:
                parts.append(Part(kind=gathered, parts=[part], detail=_numbering(tree)))
        return parts

    def _part(self, tree: Tree, depth: int) -> Part:
        kind: str = tree["type"]
        payload: dict[str, Any] = tree.get(kind) or {}
        if kind.startswith("heading_"):
            # A page may begin with a small heading; for who listens to it, no level is left out.
            self._level = min(int(kind[-1]), self._level) + 1
            # Before what is inside it, so that the table of contents has the page's order.
            self._headings.append(
                {
                    "id": tree["id"],
                    "level": int(kind[-1]),
                    "words": plain_text(payload.get("rich_text") or []),
                }
            )
        found, text, detail = self._shown(kind, payload, tree)
        inner = [] if kind == "table" else self.parts(tree.get("children") or (), depth + 1)
        return Part(
            kind=found,
            id=tree["id"],
            text=text,
            colour=colour_class(payload.get("color")),
            parts=inner,
            detail=detail,
            talks=self._talks.get(tree["id"], ()),
        )

    def _shown(self, kind: str, payload: dict[str, Any], tree: Tree) -> tuple[str, Markup, dict[str, Any]]:
        visit = self._visit
        if kind in _WITH_TEXT:
            return kind, prose(payload.get("rich_text") or (), visit), self._with_text(payload)
        if kind in {"child_page", "child_database"}:
            return kind, NOTHING, self._to_place(tree["id"], payload.get("title"))
        if kind in _FILES:
            return self._file(kind, payload)
        if kind in _LINKS:
            return "card", *self._outside(str(payload.get("url") or ""), payload, "link")
        if kind == "link_to_page":
            return self._link_to_page(payload)
        return self._frame(kind, payload, tree)

    def _frame(self, kind: str, payload: dict[str, Any], tree: Tree) -> tuple[str, Markup, dict[str, Any]]:
        """What has no words of its own."""
        visit = self._visit
        match kind:
            case "table":
                return kind, NOTHING, self._table(tree, payload)
            case "column_list":
                return "columns", NOTHING, {}
            case "column":
                ratio = payload.get("width_ratio")
                return kind, NOTHING, {"share": max(1, round(ratio * _TWELFTHS)) if ratio else None}
            case "synced_block":
                return "synced", NOTHING, {"copy": payload.get("synced_from") is not None}
            case "equation":
                return kind, NOTHING, {"expression": payload.get("expression", "")}
            case "table_of_contents":
                return kind, NOTHING, {"headings": self._headings}
            case "breadcrumb":
                return kind, NOTHING, {"places": [(visit.href(i), visit.title(i)) for i in self._trail]}
            case "divider" | "tab":
                return kind, NOTHING, {}
            case _:
                return "unsupported", NOTHING, {"kind": payload.get("block_type") or kind}

    def _with_text(self, payload: dict[str, Any]) -> dict[str, Any]:
        return {
            "checked": payload.get("checked", False),
            "emoji": (payload.get("icon") or {}).get("emoji"),
            "language": payload.get("language"),
            "caption": prose(payload.get("caption") or (), self._visit),
            "level": self._level,
            "toggles": bool(payload.get("is_toggleable")),
        }

    def _table(self, tree: Tree, payload: dict[str, Any]) -> dict[str, Any]:
        rows = [
            [prose(cell, self._visit) for cell in row["table_row"]["cells"]]
            for row in tree.get("children") or ()
            if row["type"] == "table_row"
        ]
        return {"rows": rows, "head": payload.get("has_column_header"), "side": payload.get("has_row_header")}

    def _to_place(self, node_id: str, title: str | None) -> dict[str, Any]:
        node = self._visit.eyes.place(node_id)
        return {
            "href": self._visit.href(node_id),
            "title": title or self._visit.say("untitled"),
            "emoji": emoji(node) if node else None,
        }

    def _link_to_page(self, payload: dict[str, Any]) -> tuple[str, Markup, dict[str, Any]]:
        target = payload.get(payload.get("type", "")) or ""
        node = self._visit.eyes.place(target)
        if node is None:
            return "unsupported", NOTHING, {"kind": "link_to_page"}
        return f"child_{node.kind}", NOTHING, self._to_place(target, node.title)

    def _file(self, kind: str, payload: dict[str, Any]) -> tuple[str, Markup, dict[str, Any]]:
        if "file_upload" not in payload:
            return "card", *self._outside(str((payload.get("external") or {}).get("url", "")), payload, kind)
        stored = self._visit.eyes.file(payload["file_upload"]["id"])
        caption = payload.get("caption") or []
        name = payload.get("name") or (stored.name if stored else "") or self._visit.say("file")
        detail = {
            "caption": prose(caption, self._visit),
            "kind": kind,
            "url": stored.path if stored else "",
            "name": name,
            "alt": plain_text(caption) or name,
            "size": _size(stored.size) if stored else "",
        }
        if stored is not None and kind == stored.media and kind in {"image", "video", "audio"}:
            return kind, NOTHING, detail
        link = Markup('<a href="{}">{}</a>').format(stored.path, name) if stored else escape(name)
        return "card", link, detail

    def _outside(self, url: str, payload: dict[str, Any], kind: str) -> tuple[Markup, dict[str, Any]]:
        host = _host(url)
        link = outside_link(url, payload.get("name") or host or self._visit.say("file"))
        caption = prose(payload.get("caption") or (), self._visit)
        return link, {"caption": caption, "kind": kind, "size": url.removeprefix("https://") if host else ""}


def _numbering(tree: Tree) -> dict[str, Any]:
    payload = tree.get(tree["type"]) or {}
    return {"start": payload.get("list_start_index"), "type": _ORDERED.get(payload.get("list_format") or "")}


def _size(count: int) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:  # noqa: PLR2004  a thousand of one unit is one of the next
            return f"{count:.3g} {unit}"
        count /= 1000  # type: ignore[assignment]
    return f"{count:.3g} GB"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
