"""Comments, as stored."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

ParentKind = Literal["page_id", "block_id"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """Something said on a page or block."""

    id: str
    discussion_id: str
    parent: str
    parent_kind: ParentKind
    rich_text: list[dict[str, Any]]
    display_name: dict[str, Any]
    created_time: int
    created_by: str
    edited_time: int
    attachments: list[dict[str, Any]] = field(default_factory=list)
    """Files on it, as `Desk.upload` gives them."""
    resolved: bool = False


_FIELDS = (
    "SELECT id, discussion_id, parent, parent_kind, rich_text, display_name, created_time, created_by,"
    " edited_time, attachments, resolved FROM comment "
)


def add(connection: sqlite3.Connection, comment: Comment) -> None:
    """Store a comment."""
    connection.execute(
        "INSERT INTO comment (id, discussion_id, parent, parent_kind, rich_text, display_name, created_time,"
        " created_by, edited_time, attachments, resolved) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            comment.id,
            comment.discussion_id,
            comment.parent,
            comment.parent_kind,
            json.dumps(comment.rich_text, ensure_ascii=False),
            json.dumps(comment.display_name, ensure_ascii=False),
            comment.created_time,
            comment.created_by,
            comment.edited_time,
            json.dumps(comment.attachments, ensure_ascii=False),
            int(comment.resolved),
        ),
    )


def find(connection: sqlite3.Connection, comment_id: str) -> Comment | None:
    """The comment with this id."""
    row = connection.execute(_FIELDS + "WHERE id = ?", (comment_id,)).fetchone()
    return None if row is None else _comment(row)


def on(connection: sqlite3.Connection, parent: str) -> list[Comment]:
    """The comments on a page or block in discussions that are open, the oldest first."""
    rows = connection.execute(_FIELDS + "WHERE parent = ? AND resolved = 0 ORDER BY seq", (parent,))
    return [_comment(row) for row in rows]


def on_any(connection: sqlite3.Connection, parents: Iterable[str]) -> list[Comment]:
    """Every comment on these pages and blocks, in closed discussions too, the oldest first."""
    # Both parts are this file's own words; the ids are a parameter.
    statement = _FIELDS + "WHERE parent IN (SELECT value FROM json_each(?)) ORDER BY seq"  # noqa: S608
    rows = connection.execute(statement, (json.dumps(list(parents)),))
    return [_comment(row) for row in rows]


def in_discussion(connection: sqlite3.Connection, discussion_id: str) -> list[Comment]:
    """The comments of a discussion, the oldest first."""
    rows = connection.execute(_FIELDS + "WHERE discussion_id = ? ORDER BY seq", (discussion_id,))
    return [_comment(row) for row in rows]


def resolve(connection: sqlite3.Connection, discussion_id: str) -> bool:
    """Close the discussion; whether there is one is returned."""
    changed = connection.execute(
        "UPDATE comment SET resolved = 1 WHERE discussion_id = ?", (discussion_id,)
    ).rowcount
    return changed > 0


def reword(
    connection: sqlite3.Connection, comment: Comment, rich_text: list[dict[str, Any]], moment: int
) -> Comment:
    """Store another text for the comment."""
    connection.execute(
        "UPDATE comment SET rich_text = ?, edited_time = ? WHERE id = ?",
        (json.dumps(rich_text, ensure_ascii=False), moment, comment.id),
    )
    return replace(comment, rich_text=rich_text, edited_time=moment)


def remove(connection: sqlite3.Connection, comment: Comment) -> None:
    """Take the comment away."""
    connection.execute("DELETE FROM comment WHERE id = ?", (comment.id,))


def _comment(row: sqlite3.Row) -> Comment:
    values = dict(row)
    values["rich_text"] = json.loads(values["rich_text"])
    values["display_name"] = json.loads(values["display_name"])
    values["attachments"] = json.loads(values["attachments"])
    values["resolved"] = bool(values["resolved"])
    return Comment(**values)
