"""Notion's four commands on a page's Markdown, applied to the text.

What Notion says when it refuses an edit is not documented: every message here is guessed, the code
(`validation_error`) is not.
"""

from typing import Any

from notion_embedded.markdown.dialects import ENHANCED, Dialect

MAX_UPDATES = 100
_ELLIPSIS = "..."


class EditRefused(Exception):
    """The command does not fit the page or its own shape; nothing was changed."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def edit(current_markdown: str, command_body: dict[str, Any], dialect: Dialect = ENHANCED) -> str:
    """Return the page's Markdown after one command of `PATCH /v1/pages/{id}/markdown`.

    Raises:
        EditRefused: The command is unknown, incomplete, or does not match the text.
    """
    name = command_body.get("type")
    command = command_body.get(name) if isinstance(name, str) else None
    if not isinstance(command, dict):
        raise EditRefused(
            f"body failed validation: body.{name} should be an object, instead was `undefined`."
        )
    match name:
        case "insert_content":
            return _insert(current_markdown, command, dialect)
        case "update_content":
            return _update(current_markdown, command)
        case "replace_content":
            return _string(command, name, "new_str")
        case "replace_content_range":
            start, end = _select(current_markdown, _string(command, name, "content_range"))
            return current_markdown[:start] + _string(command, name, "content") + current_markdown[end:]
        case _:
            raise EditRefused(
                "body failed validation: body.type should be `insert_content`, `replace_content_range`, "
                f'`update_content` or `replace_content`, instead was `"{name}"`.'
            )


def deletion_allowed(command_body: dict[str, Any]) -> bool:
    """Say whether a command consents to child pages and databases going with the text."""
    command = command_body.get(str(command_body.get("type")))
    return isinstance(command, dict) and command.get("allow_deleting_content") is True


def _string(command: dict[str, Any], name: str, field: str) -> str:
    value = command.get(field)
    if not isinstance(value, str):
        shown = "undefined" if value is None else repr(value)
        raise EditRefused(
            f"body failed validation: body.{name}.{field} should be a string, instead was `{shown}`."
        )
    return value


def _insert(current: str, command: dict[str, Any], dialect: Dialect) -> str:
    content = _string(command, "insert_content", "content")
    position = command.get("position")
    if "after" in command and command["after"] is not None:
        if position is not None:
            raise EditRefused("body failed validation: `after` and `position` cannot be used together.")
        _, end = _select(current, _string(command, "insert_content", "after"))
        return _insert_after_block(current, content, end, dialect)
    where = position.get("type") if isinstance(position, dict) else position
    if where == "start":
        return _joined(content, current, dialect)
    if where in {None, "end"}:
        return _joined(current, content, dialect)
    raise EditRefused(
        "body failed validation: body.insert_content.position.type should be `start` or `end`, "
        f'instead was `"{where}"`.'
    )


def _insert_after_block(current: str, content: str, at: int, dialect: Dialect) -> str:
    line = current.count("\n", 0, max(at - 1, 0))
    lines = current.split("\n")
    end = next((end for end in dialect.read(current).ends if end > line), len(lines))
    before = _joined("\n".join(lines[:end]), content, dialect)
    return _joined(before, "\n".join(lines[end:]).lstrip("\n"), dialect)


def _joined(before: str, after: str, dialect: Dialect) -> str:
    return f"{before}{dialect.between}{after}" if before and after else before or after


def _update(current: str, command: dict[str, Any]) -> str:
    updates = command.get("content_updates")
    if not isinstance(updates, list) or not 1 <= len(updates) <= MAX_UPDATES:
        length = len(updates) if isinstance(updates, list) else "undefined"
        raise EditRefused(
            "body failed validation: body.update_content.content_updates.length should be "
            f"≥ `1` and ≤ `{MAX_UPDATES}`, instead was `{length}`."
        )
    for index, update in enumerate(updates):
        current = _apply(current, update if isinstance(update, dict) else {}, index)
    return current


def _apply(current: str, update: dict[str, Any], index: int) -> str:
    name = f"update_content.content_updates[{index}]"
    old, new = _string(update, name, "old_str"), _string(update, name, "new_str")
    if not old:
        raise EditRefused(
            f"body failed validation: body.{name}.old_str.length should be ≥ `1`, instead was `0`."
        )
    matches = current.count(old)
    if matches == 0:
        raise EditRefused(f"No matches found for old_str in content_updates[{index}]: {_excerpt(old)!r}.")
    if update.get("replace_all_matches") is True:
        return current.replace(old, new)
    if matches > 1 or current.find(old, current.find(old) + 1) >= 0:
        raise EditRefused(
            f"Multiple matches found for old_str in content_updates[{index}]: {_excerpt(old)!r}. "
            "Make it longer so that it is unique, or set replace_all_matches."
        )
    return current.replace(old, new)


def _select(current: str, selection: str) -> tuple[int, int]:
    """Return where a selection by its first and last words begins and ends: the first that fits."""
    first, ellipsis, last = selection.partition(_ELLIPSIS)
    start = current.find(first) if first else -1
    if start >= 0 and not ellipsis:
        return start, start + len(first)
    end = current.find(last, start + len(first)) if start >= 0 and last else -1
    if end < 0:
        raise EditRefused(f"No matches found for the selection {_excerpt(selection)!r}.")
    return start, end + len(last)


def _excerpt(text: str) -> str:
    limit = 100
    return text if len(text) <= limit else text[:limit] + "…"
