"""One request to the API, as its handlers see it: who asks, in which version, for what."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from notion_embedded.http.forms import Field
from notion_embedded.model.checks import UNDEFINED, Json, a_uuid, failed
from notion_embedded.model.errors import ApiError, guessed, invalid

NEWEST = "2026-03-11"
WITH_ARCHIVED = "2025-09-03"
SINGLE_SOURCE = "2022-06-28"
"""The version in which a database is itself the table."""
VERSIONS = (SINGLE_SOURCE, WITH_ARCHIVED, NEWEST)

MAX_BODY = 500_000
MAX_PAGE = 100

_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a request says, past its headers."""

    version: str
    path: Mapping[str, str]
    query: Mapping[str, list[str]]
    body: Json
    form: Mapping[str, Field] = field(default_factory=dict)
    """The fields of a form, where the body is one."""
    origin: str = ""
    """The server's address, as the caller knows it."""

    def id(self, name: str) -> str:
        """The id in the path, checked."""
        return a_uuid(self.path[name], f"path.{name}")

    def given(self, key: str) -> Any:
        """What the body says under this key, or that it says nothing."""
        return self.body.get(key, UNDEFINED)

    def only(self, *allowed: str) -> None:
        """Refuse a body with other keys than these."""
        archived = ("archived",) if self.version != NEWEST else ()
        for key, value in self.body.items():
            if key not in allowed and key not in archived:
                raise failed(f"body.{key}", "not present", value)

    def trash(self) -> bool | None:
        """Whether the body says to trash or to restore; nothing when it says neither."""
        keys = ("in_trash", "archived") if self.version != NEWEST else ("in_trash",)
        for key in keys:
            value = self.body.get(key)
            if value is not None:
                if not isinstance(value, bool):
                    raise failed(f"body.{key}", "a boolean or `undefined`", value)
                return value
        return None


def read_query(raw: bytes) -> dict[str, list[str]]:
    """The query string; `key[]` counts as `key`."""
    query: dict[str, list[str]] = {}
    for key, value in parse_qsl(raw.decode("latin-1"), keep_blank_values=True):
        query.setdefault(key.removesuffix("[]"), []).append(value)
    return query


def read_version(header: str | None) -> str:
    """The version that the request asks for."""
    name = "Notion-Version header"
    if header is None:
        raise ApiError(
            HTTPStatus.BAD_REQUEST,
            "missing_version",
            f"{name} failed validation: {name} should be defined, instead was `undefined`.",
        )
    if header not in VERSIONS:
        listed = [f'`"{version}"`' for version in VERSIONS]
        allowed = f"{', '.join(listed[:-1])}, or {listed[-1]}"
        raise guessed(f'{name} failed validation: {name} should be {allowed}, instead was `"{header}"`.')
    return header


def read_body(raw: bytes) -> Json:
    """The body as a JSON object; an empty one is an empty object."""
    if not raw.strip():
        return {}
    if len(raw) > MAX_BODY:
        raise guessed(
            f"Request body too large. The limit is {MAX_BODY} bytes.",
            status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        )
    try:
        body = json.loads(raw, parse_constant=_no_constant, parse_float=_finite)
        if _LONE_SURROGATE.search(raw):
            body = _mended(body)
    except (ValueError, RecursionError):
        raise ApiError(HTTPStatus.BAD_REQUEST, "invalid_json", "Error parsing JSON body.") from None
    if not isinstance(body, dict):
        raise guessed("body failed validation: body should be an object.")
    return body


def _no_constant(word: str) -> NoReturn:
    raise ValueError(word)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _mended(value: Any) -> Any:
    """The value with half characters, which no file can hold, replaced."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def page_size(call: Call, *, in_body: bool) -> int:
    """How many results are asked for: at most, and by default, 100."""
    part = "body" if in_body else "query"
    path = f"{part}.page_size"
    given = call.body.get("page_size") if in_body else next(iter(call.query.get("page_size", [])), None)
    if given is None:
        return MAX_PAGE
    if not in_body:
        given = int(given) if re.fullmatch(r"-?\d{1,9}", given, re.ASCII) else given
    if isinstance(given, bool) or not isinstance(given, int):
        raise failed(path, "a number or `undefined`", given)
    if given > MAX_PAGE:
        raise failed(path, f"≤ `{MAX_PAGE}` or `undefined`", given)
    if given < 0:
        raise failed(path, "≥ `0` or `undefined`", given)
    return given


def start_cursor(call: Call, *, in_body: bool) -> str | None:
    """Where the last page of results ended."""
    given = call.body.get("start_cursor") if in_body else next(iter(call.query.get("start_cursor", [])), None)
    if given is None:
        return None
    if not isinstance(given, str) or not given:
        raise failed(f"{'body' if in_body else 'query'}.start_cursor", "a valid cursor or `undefined`", given)
    return given


def wrong_cursor(cursor: str) -> ApiError:
    """A cursor that this server did not hand out, or whose place is gone."""
    return invalid(f"The start_cursor provided is invalid: {cursor}")


def listing(kind: str, results: list[Json], next_cursor: str | None = None, **more: Any) -> Json:
    """The envelope of every list."""
    return {
        "object": "list",
        "results": results,
        "next_cursor": next_cursor,
        "has_more": next_cursor is not None,
        "type": kind,
        kind: {},
        **more,
    }
