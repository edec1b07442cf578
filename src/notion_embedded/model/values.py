"""Property values: from a request into what is stored, and from there into a response.

Stored values are lean: an option is its id, a person or a related page its id, a text the
whole rich text. What a response shows of them comes from the column and the directory, so
that renaming an option or a person shows at once.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from notion_embedded.model.artwork import read_file
from notion_embedded.model.checks import (
    MAX_ITEMS,
    MAX_URL,
    UNDEFINED,
    Json,
    a_boolean,
    a_number,
    a_string,
    a_uuid,
    an_array,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.columns import (
    CHOICES,
    COMPUTED,
    Column,
    Columns,
    default_status,
    option_name,
    with_option,
)
from notion_embedded.model.dates import DAY, is_date_only, milliseconds, moment_of, read_date, stamp
from notion_embedded.model.errors import ApiError, guessed, invalid
from notion_embedded.model.ids import encoded
from notion_embedded.model.rich_text import no_such_user, plain_text, read_rich_text, text_run

MAX_SHORT = 200
SHOWN_RELATIONS = 25
EMPTY: Any = None


class Desk(Protocol):
    """What reading and showing values asks of the workspace."""

    def user(self, user_id: str) -> Json | None:
        """The user as responses show it."""
        ...

    def page_title(self, page_id: str) -> str | None:
        """The title of a page that the caller may see."""
        ...

    def is_row_of(self, page_id: str, data_source_id: str) -> bool:
        """Whether the page is a row of that data source that the caller may see."""
        ...

    def option_id(self) -> str:
        """A new id for an option."""
        ...

    @property
    def caller(self) -> str:
        """The id of the user who asks."""
        ...

    @property
    def now(self) -> datetime:
        """The moment of the request, in UTC."""
        ...

    def columns(self, data_source_id: str) -> Columns:
        """The columns of a data source; none if there is no such thing."""
        ...

    def present(self, page_ids: Sequence[str]) -> list[str]:
        """Those of the pages that are not in the trash, in the same order."""
        ...

    def rows(self, page_ids: Sequence[str]) -> list["Row"]:
        """The pages with these ids, in the same order."""
        ...

    def computed(self, column: Column, row: "Row") -> Json:
        """The outcome of a formula or rollup for a row, as responses show it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the values of one page are computed from."""

    id: str
    values: Mapping[str, Any]
    created_time: int
    created_by: str
    last_edited_time: int
    last_edited_by: str
    seq: int = 0
    """The order in which pages were made; it breaks ties."""
    data_source: str = ""
    """What the page is a row of, if it is one."""

    def value(self, column_id: str) -> Any:
        """What is stored in that column, or nothing."""
        return self.values.get(column_id)


def read_value(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    """The stored form of a value, and the column, which may have gained an option by it."""
    if column.type == "title" and isinstance(value, list):
        value = {"title": value}
    if value is None and column.type not in COMPUTED:
        return _cleared(column), column
    problem = mismatch(column, value, path)
    if problem is not None:
        raise problem
    body: Json = value
    if column.type not in body:
        body = {column.type: body}
    only_keys(body, path, (column.type, "type", "id", "name"))
    return _READERS[column.type](column, body[column.type], f"{path}.{column.type}", desk)


def mismatch(column: Column, value: Any, path: str) -> ApiError | None:
    """Why a value cannot be one of the column's, judged by its type alone."""
    if value is None and column.type not in COMPUTED:
        return None
    if isinstance(value, list) and column.type == "title":
        return None
    body = an_object(value, path)
    kinds = [key for key in body if key not in ("type", "id", "name")]
    if column.type in body and column.type not in COMPUTED:
        return None
    if not kinds and "name" in body and column.type in ("select", "status"):
        return None
    if not any(kind in _READERS for kind in kinds):
        # Values of computed columns have no place in a request at all, so Notion misses the ones that have.
        return failed_all([(f"{path}.{kind}", "defined", UNDEFINED) for kind in _READERS])
    return wrong_type(column)


def wrong_type(column: Column) -> ApiError:
    """A value or filter of another type than the column's."""
    return invalid(f"{column.name} is expected to be {column.type}.")


def first_value(column: Column) -> Any:
    """What a new row holds in a column that the request leaves out."""
    return default_status(column) if column.type == "status" else _EMPTIES.get(column.type)


def is_empty(column: Column, value: Any) -> bool:
    """Whether nothing is stored; an option that was deleted from the column is nothing."""
    if column.type in ("select", "status"):
        return value is None or column.option(value) is None
    if column.type == "multi_select":
        return not any(column.option(option) for option in value or ())
    if column.type == "verification":
        return value is None or value["state"] == "unverified"
    return value is None or value == []


def _cleared(column: Column) -> Any:
    return first_value(column)


_EMPTIES: Mapping[str, Any] = {
    "title": [], "rich_text": [], "multi_select": [], "people": [], "files": [], "relation": [],
    "checkbox": False,
}  # fmt: skip


Reader = Callable[[Column, Any, str, Desk], tuple[Any, Column]]


def _text(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    return read_rich_text(value, path, desk), column


def _number(column: Column, value: Any, path: str, _desk: Desk) -> tuple[Any, Column]:
    return None if value is None else a_number(value, path), column


def _checkbox(column: Column, value: Any, path: str, _desk: Desk) -> tuple[Any, Column]:
    return a_boolean(value, path), column


def _date(column: Column, value: Any, path: str, _desk: Desk) -> tuple[Any, Column]:
    return None if value is None else read_date(value, path), column


def _short(at_most: int) -> Reader:
    def read(column: Column, value: Any, path: str, _desk: Desk) -> tuple[Any, Column]:
        if value is None:
            return None, column
        if value == "":
            raise failed(path, "populated or `null`", value)
        return a_string(value, path, at_most=at_most), column

    return read


def _select(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    if value is None:
        return None, column
    return _option(column, an_object(value, path), path, desk)


def _status(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    if value is None:
        return default_status(column), column
    return _option(column, an_object(value, path), path, desk)


def _multi_select(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    chosen: list[str] = []
    for at, item in enumerate(an_array(value, path, at_most=MAX_ITEMS)):
        option, column = _option(column, an_object(item, f"{path}[{at}]"), f"{path}[{at}]", desk)
        if option not in chosen:
            chosen.append(option)
    return chosen, column


def _option(column: Column, body: Json, path: str, desk: Desk) -> tuple[str, Column]:
    only_keys(body, path, ("id", "name", "color", "description"))
    if "id" in body:
        by_id = a_string(body["id"], f"{path}.id")
        for option in column.config["options"]:
            if option["id"] == by_id:
                return by_id, column
        raise guessed(f'{column.type.capitalize()} option with ID "{by_id}" does not exist.')
    name = option_name(body.get("name", UNDEFINED), f"{path}.name")
    known = column.option(name)
    if known is not None:
        return known["id"], column
    if column.type == "status":
        listed = ", ".join(f'"{option["name"]}"' for option in column.config["options"])
        raise guessed(f'Invalid status option. Status option "{name}" does not exist. Options: {listed}.')
    option_id = desk.option_id()
    return option_id, with_option(column, name, option_id)


def _people(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    people: list[str] = []
    for at, item in enumerate(an_array(value, path, at_most=MAX_ITEMS)):
        body = an_object(item, f"{path}[{at}]")
        user_id = a_uuid(body.get("id", UNDEFINED), f"{path}[{at}].id")
        if desk.user(user_id) is None:
            raise no_such_user(user_id)
        if user_id not in people:
            people.append(user_id)
    return people, column


def _relation(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    pages: list[str] = []
    for at, item in enumerate(an_array(value, path, at_most=MAX_ITEMS)):
        body = an_object(item, f"{path}[{at}]")
        page_id = a_uuid(body.get("id", UNDEFINED), f"{path}[{at}].id")
        if not desk.is_row_of(page_id, column.config["data_source_id"]):
            raise guessed(f"Could not find page with ID: {page_id}, or it is not in the related data source.")
        if page_id not in pages:
            pages.append(page_id)
    return pages, column


def _files(column: Column, value: Any, path: str, _desk: Desk) -> tuple[Any, Column]:
    files: list[Json] = []
    for at, item in enumerate(an_array(value, path, at_most=MAX_ITEMS)):
        where = f"{path}[{at}]"
        body = an_object(item, where)
        only_keys(body, where, ("type", "name", "external", "file_upload"))
        file = read_file(body, where)
        # The name of an uploaded file is its own, where the request gives none.
        unnamed = file["external"]["url"] if "external" in file else None
        name = unnamed if body.get("name") is None else a_string(body["name"], f"{where}.name")
        files.append({"name": name, **file})
    return files, column


_PLACE = ("name", "address", "aws_place_id", "google_place_id")


def _place(column: Column, value: Any, path: str, _desk: Desk) -> tuple[Any, Column]:
    if value is None:
        return None, column
    body = an_object(value, path)
    only_keys(body, path, ("lat", "lon", *_PLACE))
    place: Json = {key: a_number(body.get(key, UNDEFINED), f"{path}.{key}") for key in ("lat", "lon")}
    for key in _PLACE:
        text = body.get(key)
        place[key] = None if text is None else a_string(text, f"{path}.{key}", at_most=MAX_URL)
    return place, column


_UNVERIFIED: Json = {"state": "unverified", "date": None, "verified_by": None}


def _verification(column: Column, value: Any, path: str, desk: Desk) -> tuple[Any, Column]:
    if value is None:
        return None, column
    body = an_object(value, path)
    state = one_of(body.get("state", UNDEFINED), f"{path}.state", ("verified", "unverified"))
    only_keys(body, path, ("state", "date") if state == "verified" else ("state",))
    if state == "unverified":
        return None, column
    date = None if body.get("date") is None else read_date(body["date"], f"{path}.date")
    return {"state": state, "date": date, "verified_by": desk.caller}, column


def verification_state(value: Json | None, now: datetime) -> str:
    """`verified`, `expired` once its date is past, or `unverified`."""
    if value is None or value["state"] == "unverified":
        return "unverified"
    end = (value["date"] or {}).get("end")
    if end is None:
        return "verified"
    over = moment_of(end) + (DAY if is_date_only(end) else 0)
    return "expired" if over <= milliseconds(now) else "verified"


_READERS: Mapping[str, Reader] = {
    "title": _text,
    "rich_text": _text,
    "number": _number,
    "url": _short(MAX_URL),
    "select": _select,
    "multi_select": _multi_select,
    "people": _people,
    "email": _short(MAX_SHORT),
    "phone_number": _short(MAX_SHORT),
    "date": _date,
    "checkbox": _checkbox,
    "relation": _relation,
    "files": _files,
    "status": _status,
    "place": _place,
    "verification": _verification,
}
"""By type, in the order in which Notion lists them."""


def show_value(column: Column, row: Row, desk: Desk) -> Json:
    """The value as a page shows it, under the column's name."""
    shown: Json = {"id": encoded(column.id), **typed_value(column, row, desk)}
    if column.type == "relation":
        shown["has_more"] = len(related(column, row, desk)) > SHOWN_RELATIONS
    return shown


def typed_value(column: Column, row: Row, desk: Desk) -> Json:
    """The value with its type alone, as it stands in a list of a rollup."""
    return {"type": column.type, column.type: _content(column, row, desk)}


def related(column: Column, row: Row, desk: Desk) -> list[str]:
    """The ids of the related pages that are not in the trash."""
    stored = row.value(column.id)
    return desk.present(stored) if stored else []


def _content(column: Column, row: Row, desk: Desk) -> Any:
    kind, value = column.type, row.value(column.id)
    if value is None:
        value = _EMPTIES.get(kind)
    if kind in COMPUTED:
        return _computed(column, row, desk)
    if kind in ("select", "status"):
        return None if value is None else shown_option(column, value)
    if kind == "multi_select":
        return [option for option in (shown_option(column, chosen) for chosen in value) if option]
    if kind == "people":
        return [shown_user(user_id, desk) for user_id in value]
    if kind == "relation":
        return [{"id": page_id} for page_id in related(column, row, desk)[:SHOWN_RELATIONS]]
    if kind == "verification":
        return _shown_verification(value, desk)
    return value


def _shown_verification(value: Json | None, desk: Desk) -> Json:
    if value is None:
        return _UNVERIFIED
    by = {"object": "user", "id": value["verified_by"]}
    return {"state": verification_state(value, desk.now), "date": value["date"], "verified_by": by}


def shown_option(column: Column, option_id: str) -> Json | None:
    """An option as a value shows it."""
    option = column.option(option_id)
    return None if option is None else {key: option[key] for key in ("id", "name", "color")}


def shown_user(user_id: str, desk: Desk) -> Json:
    """The whole user, or what is left of one."""
    return desk.user(user_id) or {"object": "user", "id": user_id}


def _computed(column: Column, row: Row, desk: Desk) -> Any:
    match column.type:
        case "created_time":
            return stamp(row.created_time)
        case "last_edited_time":
            return stamp(row.last_edited_time)
        case "created_by":
            return shown_user(row.created_by, desk)
        case "last_edited_by":
            return shown_user(row.last_edited_by, desk)
        case "unique_id":
            return {"prefix": column.config["prefix"], "number": row.value(column.id)}
        case "button":
            return {}
        case _:
            return desk.computed(column, row)


def converted(before: Column, after: Column, value: Any) -> Any:
    """What is left of a stored value when its column gets another type."""
    if before.type == after.type == "relation":
        return value if before.config["data_source_id"] == after.config["data_source_id"] else []
    if before.type == after.type and after.type not in CHOICES:
        return value
    if is_empty(before, value) or after.type in COMPUTED:
        return first_value(after)
    if before.type in CHOICES and after.type in CHOICES:
        chosen = [option for option in _option_ids(value) if after.option(option)]
        if after.type == "multi_select":
            return chosen
        return chosen[0] if chosen else first_value(after)
    words = as_words(before, value)
    if after.type == "rich_text":
        return [text_run(words)] if words else []
    if after.type in ("url", "email", "phone_number"):
        return words or None
    if after.type == "number":
        return _as_number(words)
    if after.type in ("select", "status"):
        option = after.option(words)
        return option["id"] if option else first_value(after)
    return first_value(after)


def as_words(column: Column, value: Any) -> str:
    """A stored value as plain words: what stays of it in a text column."""
    if value is None:
        return ""
    match column.type:
        case "title" | "rich_text":
            return plain_text(value)
        case "select" | "status" | "multi_select":
            names = (column.option(option) for option in _option_ids(value))
            return ", ".join(option["name"] for option in names if option)
        case "number":
            return f"{value:g}"
        case "checkbox":
            return "Yes" if value else "No"
        case "date":
            return value["start"] if value["end"] is None else f"{value['start']} → {value['end']}"
        case "url" | "email" | "phone_number":
            return str(value)
        case _:
            return ""


def _option_ids(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _as_number(words: str) -> float | int | None:
    try:
        number = float(words)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
