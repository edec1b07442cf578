"""The small questions that every part of a request is asked, answered as Notion answers them.

Each takes the value and the path by which a refusal names it (`body.children[0].paragraph`).
"""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

from notion_embedded.model.errors import ApiError, invalid
from notion_embedded.model.ids import parse_uuid

Json = dict[str, Any]

MAX_ITEMS = 100
MAX_URL = 2000
MAX_SHOWN = 2000


class _Undefined:
    pass


UNDEFINED: Any = _Undefined()
"""A key that the request does not have, which is not the same as `null`."""


def shown(value: Any) -> str:
    """The value as a refusal quotes it."""
    if value is UNDEFINED:
        return "undefined"
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))[:MAX_SHOWN]
    except RecursionError:
        return "…"


def failed(path: str, should: str, value: Any = UNDEFINED) -> ApiError:
    """`body failed validation: body.x should be …, instead was …`."""
    part = path.partition(".")[0]
    return invalid(f"{part} failed validation: {path} should be {should}, instead was `{shown(value)}`.")


def failed_all(lines: list[tuple[str, str, Any]]) -> ApiError:
    """The form with several ways out, each on a line of its own."""
    if len(lines) == 1:
        return failed(*lines[0])
    part = lines[0][0].partition(".")[0]
    listed = "\n".join(
        f"{path} should be {should}, instead was `{shown(value)}`." for path, should, value in lines
    )
    return invalid(f"{part} failed validation. Fix one:\n{listed}")


def utf16_length(text: str) -> int:
    """The length that Notion counts: UTF-16 code units, so that an emoji is two."""
    return len(text) + sum(1 for character in text if character > "\uffff")


def an_object(value: Any, path: str) -> Json:
    """The value, which must be a JSON object."""
    if value is UNDEFINED:
        raise failed(path, "defined")
    if not isinstance(value, dict):
        raise failed(path, "an object", value)
    return value


def an_array(value: Any, path: str, *, at_most: int = MAX_ITEMS) -> list[Any]:
    """The value, which must be an array of at most `at_most` elements."""
    if value is UNDEFINED:
        raise failed(path, "defined")
    if not isinstance(value, list):
        raise failed(path, "an array", value)
    if len(value) > at_most:
        raise failed(f"{path}.length", f"≤ `{at_most}`", len(value))
    return value


def a_string(value: Any, path: str, *, at_most: int | None = None) -> str:
    """The value, which must be a string of at most `at_most` UTF-16 code units."""
    if value is UNDEFINED:
        raise failed(path, "defined")
    if not isinstance(value, str):
        raise failed(path, "a string", value)
    if at_most is not None and (length := utf16_length(value)) > at_most:
        raise failed(f"{path}.length", f"≤ `{at_most}`", length)
    return value


def a_boolean(value: Any, path: str) -> bool:
    """The value, which must be true or false."""
    if value is UNDEFINED:
        raise failed(path, "defined")
    if not isinstance(value, bool):
        raise failed(path, "a boolean", value)
    return value


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def a_number(value: Any, path: str) -> float | int:
    """The value, which must be a finite number."""
    if value is UNDEFINED:
        raise failed(path, "defined")
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        raise failed(path, "a number", value)
    return value


def an_integer(value: Any, path: str) -> int:
    """The value, which must be a whole number."""
    number = a_number(value, path)
    if isinstance(number, float) and not number.is_integer():
        raise failed(path, "an integer", value)
    return int(number)


def one_of(value: Any, path: str, allowed: Collection[str]) -> str:
    """The value, which must be one of the words in `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        words = [f'`"{word}"`' for word in allowed]
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])}, or {words[-1]}"
        raise failed(path, listed, value)
    return value


def a_uuid(value: Any, path: str) -> str:
    """The value as a dashed, lower-case UUID."""
    if value is UNDEFINED:
        raise failed(path, "defined")
    uuid = parse_uuid(value) if isinstance(value, str) else None
    if uuid is None:
        raise failed(path, "a valid uuid", value)
    return uuid


def a_url(value: Any, path: str) -> str:
    """The value, which must be a string short enough for a URL."""
    url = a_string(value, path, at_most=MAX_URL)
    if not url:
        raise failed(path, "populated", value)
    return url


def only_keys(value: Mapping[str, Any], path: str, allowed: Collection[str]) -> None:
    """Refuse a key that Notion does not know at this place."""
    for key, inner in value.items():
        if key not in allowed:
            raise failed(f"{path}.{key}", "not present", inner)
