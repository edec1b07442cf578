"""A ticket: one row of the ticket database, read once into plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lakelight.clock import parse_iso
from lakelight.notion.schema import NOT_AVAILABLE, Column, plain
from lakelight.tickets.columns import Mapped, Role

Json = Mapping[str, Any]

_NEVER = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a ticket says. A column that is missing, empty or unreadable is the empty text."""

    page_id: str
    url: str
    number: str
    title: str
    assignee: tuple[str, ...]
    """Every name in the assignee column, as it stands there; a value that Notion does not tell stays one
    (`NOT_AVAILABLE`), so that it is not taken for an empty column."""
    status: str
    priority: str
    brief: str
    constraints: str
    branch: str
    repository: str
    handoff: str
    self_check: str
    created: datetime
    """When the page was made, by Notion's clock; a date column is asked only where that is absent."""
    last_edited: datetime
    """Truncated to the minute by Notion."""
    last_edited_by: str
    created_by: str
    in_trash: bool


def parse_ticket(page_json: Json, mapped: Mapped) -> Ticket:
    """Read a page of the ticket database; whatever is null or unknown in it becomes empty."""
    values = {role: _value(page_json, mapped[role]) for role in mapped}

    def text(role: Role) -> str:
        value = values.get(role)
        return "" if value == NOT_AVAILABLE else _text(value)

    created = _moment(page_json.get("created_time")) or _moment(text("created")) or _NEVER
    return Ticket(
        page_id=str(page_json.get("id") or ""),
        url=str(page_json.get("url") or ""),
        number=text("number"),
        title=text("title"),
        assignee=_names(values.get("assignee")),
        status=text("status"),
        priority=text("priority"),
        brief=text("brief"),
        constraints=text("constraints"),
        branch=text("branch"),
        repository=text("repository"),
        handoff=text("handoff"),
        self_check=text("self_check"),
        created=created,
        last_edited=_moment(page_json.get("last_edited_time")) or created,
        last_edited_by=_user(page_json.get("last_edited_by")),
        created_by=_user(page_json.get("created_by")),
        in_trash=bool(page_json.get("in_trash") or page_json.get("archived")),
    )


def _value(page_json: Json, column: Column) -> object:
    properties = page_json.get("properties")
    if not isinstance(properties, Mapping):
        return None
    # By id first: the column may have been renamed since the schema was read.
    for prop in properties.values():
        if isinstance(prop, Mapping) and prop.get("id") == column.id:
            return plain(dict(prop))
    prop = properties.get(column.name)
    return plain(dict(prop)) if isinstance(prop, Mapping) else None


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case float() if value.is_integer():
            return str(int(value))
        case list():
            return ", ".join(_text(part) for part in value if part)
        case _:
            return str(value).strip()


def _names(value: object) -> tuple[str, ...]:
    parts = value if isinstance(value, list) else [value]
    return tuple(name for name in (_text(part) for part in parts) if name)


def _user(value: object) -> str:
    return str(value.get("id") or "") if isinstance(value, Mapping) else ""


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return parse_iso(value).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
