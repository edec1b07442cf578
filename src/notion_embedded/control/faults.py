"""Faults: which requests they meet, and what happens to those. Pure; `gate` carries them out."""

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from notion_embedded.model.checks import (
    Json,
    a_boolean,
    a_number,
    a_string,
    an_integer,
    an_object,
    failed,
    one_of,
    only_keys,
)
from notion_embedded.model.errors import invalid

METHODS = ("*", "GET", "POST", "PATCH", "DELETE")
REASONS = (
    "public_api_request_rate_limit",
    "public_api_space_request_rate_limit",
    "public_api_endpoint_rate_limit",
    "public_api_request_blocked",
)
MAX_SECONDS = 600
SERVICE_OVERLOAD = 529
MAX_FAULTS = 1000

_USUAL: dict[int, tuple[str, str]] = {
    400: ("validation_error", "body failed validation."),
    401: ("unauthorized", "API token is invalid."),
    403: ("restricted_resource", "Insufficient permissions for this endpoint."),
    404: ("object_not_found", "Could not find the object."),
    409: ("conflict_error", "Conflict occurred while saving. Please try again."),
    429: ("rate_limited", "You have been rate limited. Please try again in a few minutes."),
    500: ("internal_server_error", "Unexpected error occurred."),
    502: ("bad_gateway", "Bad gateway."),
    503: ("service_unavailable", "Service unavailable. Please try again later."),
    504: ("gateway_timeout", "Gateway timeout."),
    529: ("service_overload", "The service is overloaded. Please try again later."),
}
STATUSES = tuple(_USUAL)
RETRY_GUIDANCE = "The write was saved. Read the object again. Do not repeat the write."
PAGE = "<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<h1>{title}</h1>\r\n</body>\r\n</html>\r\n"

_KEYS = (
    "method", "path", "skip", "count", "when", "status", "code", "message", "reason", "retry_after", "html",
    "already_saved", "additional_data", "drop", "delay",
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Fault:
    """What happens to some requests. It counts those that it has met."""

    id: str
    method: str
    path: str
    skip: int
    """How many requests it lets pass first."""
    count: int | None
    """How many it meets after those; nothing means every one."""
    when: str
    status: int | None
    code: str | None
    message: str | None
    reason: str | None
    retry_after: int | None
    html: bool
    already_saved: bool
    additional_data: Json | None
    drop: bool
    delay: float
    passed: int = 0
    met: int = 0
    route: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        words = re.split(r"(\*\*|\*)", self.path)
        pattern = "".join({"**": ".*", "*": "[^/]+"}.get(word, re.escape(word)) for word in words)
        self.route = re.compile(pattern)

    def takes(self, method: str, path: str) -> bool:
        """Whether it meets this request, which it then counts."""
        if self.method not in ("*", method) or self.route.fullmatch(path) is None:
            return False
        if self.count is not None and self.met >= self.count:
            return False
        if self.passed < self.skip:
            self.passed += 1
            return False
        self.met += 1
        return True

    def show(self) -> Json:
        """The fault as it was given, with what it has met."""
        given = {key: getattr(self, key) for key in _KEYS}
        left = None if self.count is None else self.count - self.met
        return {"id": self.id, **given, "met": self.met, "left": left}


def read_fault(body: Json, fault_id: str) -> Fault:
    """The fault that a request describes.

    Raises:
        ApiError: It makes no sense, with what would.
    """
    only_keys(body, "body", _KEYS)
    path = a_string(body.get("path", "/v1/**"), "body.path", at_most=500)
    if not path.startswith("/v1/"):
        raise failed("body.path", "a path under `/v1/`, with `*` for one part and `**` for the rest", path)
    count = body.get("count", 1)
    fault = Fault(
        id=fault_id,
        method=one_of(body.get("method", "*"), "body.method", METHODS),
        path=path,
        skip=_at_least(0, body.get("skip", 0), "body.skip"),
        count=None if count is None else _at_least(1, count, "body.count"),
        when=one_of(body.get("when", "before"), "body.when", ("before", "after")),
        status=_status(body.get("status")),
        code=_words(body, "code"),
        message=_words(body, "message"),
        reason=None if body.get("reason") is None else one_of(body["reason"], "body.reason", REASONS),
        retry_after=None
        if body.get("retry_after") is None
        else _at_least(0, body["retry_after"], "body.retry_after"),
        html=a_boolean(body.get("html", False), "body.html"),
        already_saved=a_boolean(body.get("already_saved", False), "body.already_saved"),
        additional_data=None
        if body.get("additional_data") is None
        else an_object(body["additional_data"], "body.additional_data"),
        drop=a_boolean(body.get("drop", False), "body.drop"),
        delay=_seconds(body.get("delay", 0), "body.delay"),
    )
    return _checked(fault)


def _checked(fault: Fault) -> Fault:
    if fault.already_saved:
        fault.status, fault.when = fault.status or int(HTTPStatus.SERVICE_UNAVAILABLE), "after"
    if fault.drop and fault.status is not None:
        raise invalid("body failed validation: body.drop and body.status cannot be given together.")
    if not fault.drop and fault.status is None and not fault.delay:
        raise invalid("body failed validation: one of body.status, body.drop and body.delay should be given.")
    if fault.reason is not None and fault.status != HTTPStatus.TOO_MANY_REQUESTS:
        raise invalid("body failed validation: body.reason goes with body.status `429`.")
    if fault.html and fault.status is None:
        raise invalid("body failed validation: body.html goes with body.status.")
    return fault


def answer(fault: Fault, committed: Json | None = None) -> tuple[int, dict[str, str], Json | str]:
    """The response that the fault makes: status, headers, and JSON or HTML."""
    status = fault.status or int(HTTPStatus.INTERNAL_SERVER_ERROR)
    headers: dict[str, str] = {}
    code, message = _USUAL[status]
    more: Json = {}
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        more["rate_limit_reason"] = fault.reason or REASONS[0]
    wait = fault.retry_after
    if wait is None and status in (HTTPStatus.TOO_MANY_REQUESTS, SERVICE_OVERLOAD):
        wait = 1
    if wait is not None:
        headers["retry-after"] = str(wait)
        more["retry_after"] = str(wait)
    if fault.already_saved:
        more |= {"retry_guidance": RETRY_GUIDANCE, **(committed or {})}
    more |= fault.additional_data or {}
    if fault.html or (status == HTTPStatus.BAD_GATEWAY and fault.code is None and fault.message is None):
        title = f"{status} {message.removesuffix('.')}"
        return status, headers, PAGE.format(title=title)
    body: Json = {
        "object": "error",
        "status": status,
        "code": fault.code or code,
        "message": fault.message or message,
    }
    if more:
        body["additional_data"] = more
    return status, headers, body


def _status(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or value not in STATUSES:
        listed = ", ".join(f"`{status}`" for status in STATUSES)
        raise failed("body.status", f"one of {listed}", value)
    return int(value)


def _words(body: Json, key: str) -> str | None:
    return None if body.get(key) is None else a_string(body[key], f"body.{key}", at_most=2000)


def _at_least(least: int, value: Any, path: str) -> int:
    number = an_integer(value, path)
    if not least <= number <= 1_000_000:  # noqa: PLR2004  more than any test sends
        raise failed(path, f"between `{least}` and `1000000`", value)
    return number


def _seconds(value: Any, path: str) -> float:
    number = float(a_number(value, path))
    if not 0 <= number <= MAX_SECONDS:
        raise failed(path, f"between `0` and `{MAX_SECONDS}` seconds", value)
    return number
