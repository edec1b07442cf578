"""Rich text as HTML. Everything from the workspace is escaped here; only the tags are ours."""

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from notion_embedded.viewer.visit import Visit

NOTHING = Markup()
COLOURS = frozenset({"gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red"})
_OUTSIDE = re.compile(r"(?:https?://|mailto:|tel:)[^\s]+", re.IGNORECASE)
_TAGS = (("bold", "strong"), ("italic", "em"), ("strikethrough", "s"), ("underline", "u"), ("code", "code"))


def colour_class(colour: str | None) -> str:
    """Return the class for one of Notion's colours; none for the default and for what is no colour."""
    name = colour or ""
    if name.removesuffix("_background") in COLOURS and name.endswith("_background"):
        return f"on-{name.removesuffix('_background')}"
    return f"in-{name}" if name in COLOURS else ""


def prose(rich_text: Sequence[dict[str, Any]], visit: Visit) -> Markup:
    """Return rich text as HTML."""
    return Markup("").join(_run(run, visit) for run in rich_text or ())


def outside_link(url: str, words: str | Markup) -> Markup:
    """Return a link that leads out of the workspace, or the words alone when it is no web address."""
    if not _OUTSIDE.fullmatch(url):
        return escape(words)
    return Markup('<a href="{}" rel="noopener noreferrer nofollow" class="outside">{}</a>').format(url, words)


def _run(run: dict[str, Any], visit: Visit) -> Markup:
    annotations = run.get("annotations") or {}
    text = _content(run, visit)
    for mark, tag in _TAGS:
        if annotations.get(mark):
            text = Markup(f"<{tag}>{{}}</{tag}>").format(text)  # noqa: S704 - the tags are the literals above
    if colour := colour_class(annotations.get("color")):
        text = Markup('<span class="{}">{}</span>').format(colour, text)
    return text


def _content(run: dict[str, Any], visit: Visit) -> Markup:
    plain = str(run.get("plain_text") or "")
    if run.get("type") == "equation":
        return Markup('<span class="formula">{}</span>').format(run["equation"]["expression"])
    if run.get("type") == "mention":
        return _mention(run["mention"], plain, visit)
    words = Markup("<br>").join(plain.split("\n"))
    href = run.get("href")
    if not href:
        return words
    inside = visit.own(href)
    return Markup('<a href="{}">{}</a>').format(inside, words) if inside else outside_link(href, words)


def _mention(mention: dict[str, Any], plain: str, visit: Visit) -> Markup:
    kind = mention.get("type")
    if kind in {"page", "database"}:
        target = mention[kind]["id"]
        if visit.eyes.place(target):
            return Markup('<a class="mention" href="{}">{}</a>').format(
                visit.href(target), visit.title(target)
            )
    if kind == "user":
        user = visit.eyes.user(mention["user"].get("id", ""))
        name = str(user["name"] if user else plain).removeprefix("@")
        return Markup('<span class="mention">@{}</span>').format(name)
    return Markup('<span class="mention">{}</span>').format(plain)
