"""Discussions as the templates show them, by the page or block that they are about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from notion_embedded.store import talk
from notion_embedded.store.talk import Comment
from notion_embedded.viewer.cells import file_link
from notion_embedded.viewer.prose import prose
from notion_embedded.viewer.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One comment."""

    id: str
    author: str
    text: Markup
    time: int
    edited: bool
    files: list[Markup]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """Comments that answer one another."""

    id: str
    resolved: bool
    comments: list[Said] = field(default_factory=list)


Discussions = Mapping[str, list[Discussion]]


def discussions(ids: Iterable[str], visit: Visit) -> Discussions:
    """Return the discussions about these pages and blocks; those that are open first."""
    found: dict[str, dict[str, Discussion]] = {}
    for comment in talk.on_any(visit.eyes.connection, ids):
        on_one = found.setdefault(comment.parent, {})
        key = comment.discussion_id
        discussion = on_one.setdefault(key, Discussion(id=key, resolved=comment.resolved))
        discussion.comments.append(_said(comment, visit))
    return {parent: sorted(held.values(), key=lambda one: one.resolved) for parent, held in found.items()}


def counts(ids: Iterable[str], visit: Visit) -> dict[str, int]:
    """Return how many comments stand in the open discussions about each page."""
    counted: dict[str, int] = {}
    for comment in talk.on_any(visit.eyes.connection, ids):
        if not comment.resolved:
            counted[comment.parent] = counted.get(comment.parent, 0) + 1
    return counted


def _said(comment: Comment, visit: Visit) -> Said:
    return Said(
        id=comment.id,
        author=comment.display_name.get("resolved_name") or visit.user(comment.created_by),
        text=prose(comment.rich_text, visit),
        time=comment.created_time,
        edited=comment.edited_time > comment.created_time,
        files=[file_link(file, visit) for file in comment.attachments],
    )
