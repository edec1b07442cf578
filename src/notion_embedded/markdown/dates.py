"""Dates in a mention: one ISO value in the API, a day and a time of day in Markdown."""

import re
from datetime import datetime
from typing import Any

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?")
_TIME = re.compile(r"\d\d:\d\d")
_OFFSET = re.compile(r"[+-]\d\d:\d\d")


def read_date(attributes: dict[str, str]) -> dict[str, Any] | None:
    """Return the API's date for the attributes of a `<mention-date>`, or `None` when it has no start."""
    zone = attributes.get("timeZone")
    start = _read(attributes.get("start", ""), attributes.get("startTime", ""), zone)
    if start is None:
        return None
    end = _read(attributes.get("end", ""), attributes.get("endTime", ""), zone)
    named = zone if zone and not _OFFSET.fullmatch(zone) and "T" in start else None
    return {"start": start, "end": end, "time_zone": named}


def _read(day: str, time: str, zone: str | None) -> str | None:
    match = _MOMENT.fullmatch(day)
    if match is None or not _is_date(day):
        return None
    time = match.group(2) or (time if _TIME.fullmatch(time) else "")
    if not time:
        return match.group(1)
    if time and not _is_date(f"{match.group(1)}T{time}"):
        return None
    offset = match.group(3) or (zone if zone and _OFFSET.fullmatch(zone) else "")
    return f"{match.group(1)}T{time}:00.000{'+00:00' if offset == 'Z' else offset}"


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def write_date(date: dict[str, Any]) -> dict[str, str | None]:
    """Return the attributes of the `<mention-date>` for one of the API's dates."""
    attributes: dict[str, str | None] = {}
    zone = date.get("time_zone")
    for edge in ("start", "end"):
        match = _MOMENT.fullmatch(date.get(edge) or "")
        if match:
            day, time, offset = match.groups()
            attributes[edge] = day
            attributes[f"{edge}Time"] = time
            if time:
                zone = zone or (offset.replace("Z", "+00:00") if offset else None)
    attributes["timeZone"] = zone
    return attributes
