"""What an HTTP answer from Notion means, and whether the request may be sent again. Pure."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from lakelight.notion.answer import Answer
from lakelight.notion.errors import (
    NotionConflict,
    NotionError,
    NotionLimited,
    NotionRefused,
    NotionUnreachable,
)

_SLOW_DOWN = frozenset({429, 529})
_BLOCKED = "public_api_request_blocked"
_FIRST_REDIRECT = 300
_FIRST_ERROR = 400
_FIRST_SERVER_ERROR = 500
_DEFAULT_RETRY_AFTER = 1.0
_LONGEST_RETRY_AFTER = 86_400.0
_SAID_NO = {401: "unauthorized", 413: "payload_too_large"}
"""Answers that mean a no even when something in front of Notion gave them."""
_REQUEST_TIMEOUT = 408


def judge(status: int, headers: Mapping[str, str], content: bytes, *, writing: bool, now: datetime) -> Answer:
    """The answer, if it is one.

    Raises:
        NotionRefused: Notion said no.
        NotionLimited: Asked to slow down.
        NotionUnreachable: Anything else; for a write it may have been done.
    """
    body = _parse(content)
    request_id = headers.get("x-notion-request-id") or _text(body, "request_id") or None
    if status in _SLOW_DOWN:
        raise _limited(body, headers, now)
    if body is not None and status < _FIRST_REDIRECT:
        return Answer(status=status, body=body, request_id=request_id, date=_date(headers.get("date")))
    if _FIRST_ERROR <= status < _FIRST_SERVER_ERROR and (code := _refusal(status, body)):
        raise (NotionConflict if code == "conflict_error" else NotionRefused)(
            status=status,
            notion_code=code,
            message=_text(body, "message"),
            request_id=request_id,
            additional_data=_additional(body),
        )
    committed = _additional(body)
    children = committed.get("committed_child_ids")
    raise NotionUnreachable(
        _cause(status, body),
        maybe_written=writing,
        status=status,
        request_id=request_id,
        committed_id=_text(committed, "committed_resource_id") or None,
        committed_child_ids=[str(child) for child in children] if isinstance(children, list) else (),
    )


def may_repeat(error: NotionError, *, writing: bool) -> bool:
    """Whether the very request that ended in `error` may be sent again without looking first."""
    match error:
        case NotionLimited():
            return not error.blocked
        case NotionConflict():
            return not writing
        case NotionUnreachable() if writing:
            return not error.maybe_written
        case NotionUnreachable():
            return error.status is None or _passing(error.status)
        case _:
            return False


def _passing(status: int) -> bool:
    """Whether another try may well end otherwise: a server's fault, or a success that made no sense."""
    return status < _FIRST_REDIRECT or status == _REQUEST_TIMEOUT or status >= _FIRST_SERVER_ERROR


def _parse(content: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _refusal(status: int, body: dict[str, Any] | None) -> str:
    """Notion's code for its no; empty where it was not Notion that answered."""
    if body is not None and body.get("object") == "error":
        return _text(body, "code") or f"http_{status}"
    return _SAID_NO.get(status, "")


def _limited(body: dict[str, Any] | None, headers: Mapping[str, str], now: datetime) -> NotionLimited:
    more = _additional(body)
    reason = _text(more, "rate_limit_reason")
    wait = _seconds(headers.get("retry-after"), now)
    if wait is None:
        wait = _seconds(_text(more, "retry_after"), now)
    wait = _DEFAULT_RETRY_AFTER if wait is None else min(wait, _LONGEST_RETRY_AFTER)
    until = now + timedelta(seconds=wait)
    return NotionLimited(wait, until=until, reason=reason, blocked=reason == _BLOCKED)


def _seconds(given: str | None, now: datetime) -> float | None:
    """A `Retry-After`: seconds, or the date when the wait ends."""
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        until = _date(given)
        seconds = (until - now).total_seconds() if until else math.nan
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _date(given: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(given or "")
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _text(body: Mapping[str, Any] | None, key: str) -> str:
    value = body.get(key) if body else None
    return value if isinstance(value, str) else ""


def _additional(body: Mapping[str, Any] | None) -> Mapping[str, Any]:
    value = body.get("additional_data") if body else None
    return value if isinstance(value, dict) else {}


def _cause(status: int, body: Mapping[str, Any] | None) -> str:
    if body is None:
        return f"status {status}, and no JSON"
    said = ": ".join(part for part in (_text(body, "code"), _text(body, "message")) if part)
    return f"status {status} {said}".strip()
