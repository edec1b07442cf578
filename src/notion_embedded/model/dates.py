"""Moments: how they are stored (milliseconds since 1970, UTC) and how Notion writes them."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from notion_embedded.model.checks import UNDEFINED, Json, a_string, an_object, failed, only_keys

MINUTE = 60_000
DAY = 86_400_000

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHOULD = "a valid ISO 8601 date string"


def milliseconds(moment: datetime) -> int:
    """The moment as stored."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def minute(moment: int) -> int:
    """The moment with its seconds cut off, as Notion keeps the times of pages and blocks."""
    return moment - moment % MINUTE


def stamp(moment: int) -> str:
    """`2026-07-04T09:08:00.000Z`: the form of pages, blocks and data sources."""
    return f"{_utc(moment):%Y-%m-%dT%H:%M:%S}.{moment % 1000:03d}Z"


def exact_stamp(moment: int) -> str:
    """`2026-07-04T09:08:53.017+00:00`: the form of databases."""
    return f"{_utc(moment):%Y-%m-%dT%H:%M:%S}.{moment % 1000:03d}+00:00"


def is_date_only(text: str) -> bool:
    """Whether the text names a whole day and no time in it."""
    return _DATE.fullmatch(text) is not None


def moment_of(text: str) -> int:
    """The moment that a stored date or date and time begins at; without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return milliseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def date_text(value: Any, path: str, zone: str | None = None) -> str:
    """The date as Notion gives it back: a bare date, or a time with milliseconds and an offset."""
    if not isinstance(value, str):
        raise failed(path, "a string", value)
    try:
        if is_date_only(value):
            return date.fromisoformat(value).isoformat()
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
        offset = moment.utcoffset() or timedelta()
        moment = moment.replace(tzinfo=timezone(offset))
        milliseconds(moment)
        return moment.isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        raise failed(path, _SHOULD, value) from None


def read_date(value: Any, path: str) -> Json:
    """A date value, checked and in the form that is stored and given back."""
    body = an_object(value, path)
    only_keys(body, path, ("start", "end", "time_zone"))
    zone = body.get("time_zone")
    if zone is not None:
        _check_zone(a_string(zone, f"{path}.time_zone"), f"{path}.time_zone")
    if body.get("start", UNDEFINED) is UNDEFINED:
        raise failed(f"{path}.start", "defined")
    start = date_text(body["start"], f"{path}.start", zone)
    end = None if body.get("end") is None else date_text(body["end"], f"{path}.end", zone)
    if end is not None and moment_of(end) < moment_of(start):
        raise failed(f"{path}.end", "on or after start", body["end"])
    return {"start": start, "end": end, "time_zone": None}


def _check_zone(zone: str, path: str) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise failed(path, "a valid IANA time zone", zone) from None


def _utc(moment: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment)
