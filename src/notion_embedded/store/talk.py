"""Comments, as stored."""

import json
import sqlite3
from dataclasses import dataclass, replace
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


_FIELDS = (
    "SELECT id, discussion_id, parent, parent_kind, rich_text, display_name, created_time, created_by,"
    " edited_time FROM comment "
)


def add(connection: sqlite3.Connection, comment: Comment) -> None:
    """Store a comment."""
    connection.execute(
        "INSERT INTO comment (id, discussion_id, parent, parent_kind, rich_text, display_name, created_time,"
        " created_by, edited_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        ),
    )


def find(connection: sqlite3.Connection, comment_id: str) -> Comment | None:
    """The comment with this id."""
    row = connection.execute(_FIELDS + "WHERE id = ?", (comment_id,)).fetchone()
    return None if row is None else _comment(row)


def on(connection: sqlite3.Connection, parent: str) -> list[Comment]:
    """The comments on a page or block, the oldest first."""
    return [_comment(row) for row in connection.execute(_FIELDS + "WHERE parent = ? ORDER BY seq", (parent,))]


def in_discussion(connection: sqlite3.Connection, discussion_id: str) -> list[Comment]:
    """The comments of a discussion, the oldest first."""
    rows = connection.execute(_FIELDS + "WHERE discussion_id = ? ORDER BY seq", (discussion_id,))
    return [_comment(row) for row in rows]


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
    return Comment(**values)
