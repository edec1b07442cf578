"""An operation's body as fields of a form, and the body that a submitted form makes. Pure.

Only what is simple has a field of its own; the rest has its JSON. What was not touched stays exactly as
it was, with its formatting.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal
from unicodedata import east_asian_width

from lakelight.console.card import as_text
from lakelight.notion.limits import block_type
from lakelight.notion.text import rich_text
from lakelight.operations.visible import hidden

Input = Literal["text", "lines", "number", "date", "names", "check", "json"]

_WORDS = frozenset({"url", "email", "phone_number"})
_PLAIN_RUN = frozenset({"type", "text", "plain_text"})


class _Unfit(ValueError):
    """What was typed cannot be the value of a field; the text is the key of the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One thing that can be changed."""

    name: str
    """In the form."""
    label: str
    """A column's name, or a block's type."""
    part: Literal["property", "block", "text"]
    input: Input
    value: str
    kept: Callable[[dict[str, Any], str], None] = field(repr=False)
    """Puts a changed value into a body."""

    @property
    def rows(self) -> int:
        """How high the field is."""
        # A Chinese character is as wide as two others.
        lines = sum(1 + _width(line) // 44 for line in self.value.split("\n"))
        return min(lines, 14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What a submitted form makes of a body."""

    body: dict[str, Any]
    problems: Mapping[str, str]
    """By a field's name, the key of the sentence that says what is wrong."""


def fields_of(body: Mapping[str, Any]) -> list[Field]:
    """The fields for `body`, in its order."""
    return [*_property_fields(body), *_block_fields(body), *_text_fields(body)]


def edit_body(body: Mapping[str, Any], submitted: Mapping[str, str]) -> Edited:
    """`body` with what was changed in its fields."""
    edited = deepcopy(dict(body))
    problems = {}
    for each in fields_of(body):
        given = _given(each, submitted)
        if given == each.value:
            continue
        try:
            each.kept(edited, given)
        except _Unfit as error:
            problems[each.name] = str(error)
    _take_out_emptied(edited)
    return Edited(body=edited, problems=problems)


def read_json(text: str) -> dict[str, Any]:
    """The JSON object that somebody typed.

    Raises:
        ValueError: It is none; where, is in the message where that is known.
    """
    try:
        found = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} ({error.lineno}:{error.colno})") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(found, dict):
        raise ValueError("{…}")  # noqa: TRY004 - malformed JSON is a ValueError too
    return found


# Fields


def _width(line: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line)


def _property_fields(body: Mapping[str, Any]) -> Iterator[Field]:
    properties = body.get("properties")
    if not isinstance(properties, Mapping):
        return
    for index, (name, value) in enumerate(properties.items()):
        kind = _value_type(value)
        found = _simple(kind, value.get(kind)) if isinstance(value, Mapping) else None
        shown, text = found or ("json", as_text(value))
        yield Field(
            name=f"p{index}",
            label=name,
            part="property",
            input=shown,
            value=text,
            kept=_keep_property(name, kind, shown),
        )


def _value_type(value: object) -> str:
    if not isinstance(value, Mapping):
        return ""
    if isinstance(value.get("type"), str):
        return str(value["type"])
    return next((key for key in value if key not in {"id", "name"}), "")


def _simple(kind: str, inner: object) -> tuple[Input, str] | None:
    """The input and its text for a value; None where a plain field could not hold all of it."""
    match kind, inner:
        case "title" | "rich_text", list():
            text = _plain(inner)
            return None if text is None else ("lines", text)
        case "number", None:
            return "number", ""
        case "number", int() | float() if not isinstance(inner, bool):
            return "number", json.dumps(inner)
        case "checkbox", bool():
            return "check", "on" if inner else ""
        case "select" | "status", None:
            return "text", ""
        case "select" | "status", {"name": str() as name, **rest} if not rest and _typed(name):
            return "text", name
        case "multi_select", list():
            names = [each.get("name") for each in inner if isinstance(each, dict) and each.keys() == {"name"}]
            whole = len(names) == len(inner) and all(
                isinstance(each, str) and _typed(each) and "," not in each for each in names
            )
            return ("names", ", ".join(map(str, names))) if whole else None
        case "date", None:
            return "date", ""
        case "date", {"start": str() as start, **rest} if not any(rest.values()) and _typed(start):
            return "date", start
        case _ if kind in _WORDS and (inner is None or (isinstance(inner, str) and _typed(inner))):
            return "text", inner if isinstance(inner, str) else ""
        case _:
            return None


def _plain(runs: list[Any]) -> str | None:
    """The text of rich text without any formatting; None when it has some, or holds what does not show."""
    texts = []
    for run in runs:
        match run:
            case {"text": {"content": str() as content, **rest}, **more} if (
                not any(rest.values()) and more.keys() <= _PLAIN_RUN and more.get("type", "text") == "text"
            ):
                texts.append(content)
            case _:
                return None
    text = "".join(texts)
    return text if _typed(text, lines=True) else None


def _typed(text: str, *, lines: bool = False) -> bool:
    """True when a person who types sees all of `text`, and a browser gives it back as it was."""
    return not hidden(text) and "\t" not in text and (lines or "\n" not in text)


def _block_fields(body: Mapping[str, Any]) -> Iterator[Field]:
    waiting: list[tuple[tuple[int, ...], Any]] = [
        ((index,), block) for index, block in enumerate(_children(body))
    ]
    waiting.reverse()
    while waiting:
        path, block = waiting.pop()
        if not isinstance(block, Mapping):
            continue
        kind = block_type(block)
        content = block.get(kind)
        if isinstance(content, Mapping):
            runs = content.get("rich_text")
            text = _plain(runs) if isinstance(runs, list) else None
            if text is not None:
                name = "b" + ".".join(map(str, path))
                keep = _keep_block(path, kind)
                yield Field(name=name, label=kind, part="block", input="lines", value=text, kept=keep)
            below = _children(content)
            waiting.extend(((*path, index), child) for index, child in reversed(list(enumerate(below))))


def _children(holder: Mapping[str, Any]) -> list[Any]:
    found = holder.get("children")
    return found if isinstance(found, list) else []


def _text_fields(body: Mapping[str, Any]) -> Iterator[Field]:
    markdown = body.get("markdown")
    if isinstance(markdown, str) and _typed(markdown, lines=True):
        yield Field(
            name="markdown", label="", part="text", input="lines", value=markdown, kept=_keep_markdown
        )
    runs = body.get("rich_text")
    text = _plain(runs) if isinstance(runs, list) else None
    if text is not None:
        yield Field(name="text", label="", part="text", input="lines", value=text, kept=_keep_text)


# What was typed


def _given(each: Field, submitted: Mapping[str, str]) -> str:
    if each.input == "check":
        return "on" if submitted.get(each.name) else ""
    if each.name not in submitted:
        return each.value
    # Browsers send a line's end as CR and LF.
    given = submitted[each.name].replace("\r\n", "\n").replace("\r", "\n")
    return given if each.input in {"lines", "json"} else given.strip()


def _keep_property(name: str, kind: str, shown: Input) -> Callable[[dict[str, Any], str], None]:
    def keep(body: dict[str, Any], given: str) -> None:
        if shown == "json":
            try:
                body["properties"][name] = read_json(given)
            except ValueError:
                raise _Unfit("console.edit.bad_json_value") from None
        else:
            body["properties"][name][kind] = _value(kind, given)

    return keep


def _value(kind: str, given: str) -> Any:
    match kind:
        case "title" | "rich_text":
            return rich_text(given)
        case "number":
            return _number(given)
        case "checkbox":
            return bool(given)
        case "select" | "status":
            return {"name": given} if given else None
        case "multi_select":
            names = [name.strip() for name in given.replace("，", ",").split(",")]
            return [{"name": name} for name in names if name]
        case "date":
            return _date(given)
        case _:
            return given or None


def _number(given: str) -> int | float | None:
    if not given:
        return None
    try:
        return int(given)
    except ValueError:
        pass
    try:
        number = float(given)
    except ValueError:
        raise _Unfit("console.edit.bad_number") from None
    if not math.isfinite(number):
        raise _Unfit("console.edit.bad_number")
    return number


def _date(given: str) -> dict[str, str] | None:
    if not given:
        return None
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            read(given)
        except ValueError:
            continue
        return {"start": given}
    raise _Unfit("console.edit.bad_date")


def _keep_block(path: tuple[int, ...], kind: str) -> Callable[[dict[str, Any], str], None]:
    def keep(body: dict[str, Any], given: str) -> None:
        block = body["children"][path[0]]
        for index in path[1:]:
            block = block[block_type(block)]["children"][index]
        text = given if given.strip() else ""
        block[kind]["rich_text"] = rich_text(text)
        if not text and not _children(block[kind]):
            # Marked, and taken out at the end: the paths of the others count on its place.
            block[_EMPTIED] = True

    return keep


_EMPTIED = "\x00emptied"


def _take_out_emptied(holder: dict[str, Any]) -> None:
    children = holder.get("children")
    if not isinstance(children, list):
        return
    left = [child for child in children if not (isinstance(child, dict) and child.pop(_EMPTIED, False))]
    if len(left) != len(children):
        holder["children"] = left
    for child in left:
        content = child.get(block_type(child)) if isinstance(child, dict) else None
        if isinstance(content, dict):
            _take_out_emptied(content)


def _keep_markdown(body: dict[str, Any], given: str) -> None:
    body["markdown"] = given


def _keep_text(body: dict[str, Any], given: str) -> None:
    body["rich_text"] = rich_text(given)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(next(name for name in names if names.count(name) > 1))
    return found
