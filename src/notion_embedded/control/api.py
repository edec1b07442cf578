"""The control API: JSON over HTTP under `/control`, for the one token that `serve --control` prints."""

import hmac
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from notion_embedded.control.budget import Budget
from notion_embedded.control.faults import MAX_FAULTS, read_fault
from notion_embedded.control.outside import is_loopback
from notion_embedded.control.state import State, Visit
from notion_embedded.control.webhooks import API_VERSIONS, EVENTS, Handshakes
from notion_embedded.http.answers import Answers
from notion_embedded.http.call import MAX_BODY, NEWEST, read_body
from notion_embedded.http.forms import read_capped
from notion_embedded.model.addresses import split_web_address
from notion_embedded.model.checks import (
    UNDEFINED,
    Json,
    a_boolean,
    a_number,
    a_string,
    an_array,
    an_integer,
    failed,
    one_of,
    only_keys,
)
from notion_embedded.model.dates import milliseconds, stamp
from notion_embedded.model.errors import NOT_FOUND, ApiError, invalid
from notion_embedded.store import lag, minting, settings, tokens, webhooks
from notion_embedded.store.webhooks import Event, Knobs, Webhook

BUDGET = 180
MAX_LAG = 86_400
MAX_FILE = 5 * 1024 * 1024 * 1024
MAX_DUPLICATES = 10

Handler = Callable[["_Control", Request, Json], Awaitable[Json]]


def control_app(state: State, token: str) -> ASGIApp:
    """The control API of this state, for the holder of this token."""
    control, answers = _Control(state), Answers(state.workspace)

    def route(method: str, path: str, handler: Handler) -> Route:
        async def answer(request: Request) -> Response:
            try:
                _check_token(request, token)
                raw = await read_capped(request, MAX_BODY)
                body = read_body(raw) if method in ("POST", "PUT", "PATCH") else {}
                return answers.response(HTTPStatus.OK, await handler(control, request, body))
            except ApiError as error:
                return answers.refusal(error)
            except ClientDisconnect:
                return Response(status_code=HTTPStatus.BAD_REQUEST)
            except Exception as error:  # noqa: BLE001  the edge of the server: a client gets JSON, whatever happens
                return answers.failure(error)

        return Route(f"/control{path}", answer, methods=[method])

    async def lost(_request: Request) -> Response:
        listed = ", ".join(f"{method} /control{path}" for method, path, _ in _ROUTES)
        return answers.refusal(
            ApiError(HTTPStatus.BAD_REQUEST, "invalid_request_url", f"There is: {listed}.")
        )

    return Starlette(
        routes=[
            *(route(*entry) for entry in _ROUTES),
            Route("/control{rest:path}", lost, methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
        ]
    )


def _check_token(request: Request, token: str) -> None:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise ApiError(HTTPStatus.UNAUTHORIZED, "unauthorized", "The control token is invalid.")


class _Control:
    """The handlers, on one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._workspace = state.workspace
        self._handshakes = Handshakes()

    async def show(self, _request: Request, _body: Json) -> Json:
        return {
            "object": "control",
            "faults": self._faults(),
            "budget": self._budget(),
            "clock": self._clock(),
            **await run_in_threadpool(self._stored),
            "requests": len(self._state.visits),
        }

    async def clear(self, request: Request, body: Json) -> Json:
        self._state.clear()
        await run_in_threadpool(self._unset)
        self._workspace.bell.ring()
        return await self.show(request, body)

    # Faults

    async def list_faults(self, _request: Request, _body: Json) -> Json:
        return {"object": "list", "results": self._faults()}

    async def add_fault(self, _request: Request, body: Json) -> Json:
        if len(self._state.faults) >= MAX_FAULTS:
            raise invalid(f"There are {MAX_FAULTS} faults already; DELETE /control/faults clears them.")
        fault = read_fault(body, self._state.fault_id())
        self._state.faults.append(fault)
        return fault.show()

    async def drop_faults(self, _request: Request, _body: Json) -> Json:
        self._state.faults.clear()
        return {"object": "list", "results": []}

    async def drop_fault(self, request: Request, _body: Json) -> Json:
        fault_id = request.path_params["fault_id"]
        found = next((fault for fault in self._state.faults if fault.id == fault_id), None)
        if found is None:
            raise _missing("fault", fault_id)
        self._state.faults.remove(found)
        return found.show()

    def _faults(self) -> list[Json]:
        return [fault.show() for fault in self._state.faults]

    # Budget

    async def put_budget(self, _request: Request, body: Json) -> Json:
        only_keys(body, "body", ("per_minute",))
        self._state.budget = Budget(
            _between(
                1, 1_000_000, an_integer(body.get("per_minute", BUDGET), "body.per_minute"), "per_minute"
            )
        )
        return {"budget": self._budget()}

    async def drop_budget(self, _request: Request, _body: Json) -> Json:
        self._state.budget = None
        return {"budget": None}

    def _budget(self) -> Json | None:
        return None if self._state.budget is None else {"per_minute": self._state.budget.per_minute}

    # Clock

    async def show_clock(self, _request: Request, _body: Json) -> Json:
        return self._clock()

    async def put_clock(self, _request: Request, body: Json) -> Json:
        only_keys(body, "body", ("set", "advance", "frozen"))
        clock = self._state.clock
        if clock is None:
            raise invalid("The workspace was opened with a clock of its own, which cannot be set from here.")
        if not body:
            raise invalid(
                "body failed validation: one of body.set, body.advance and body.frozen should be given."
            )
        moment = None if "set" not in body else _moment(body["set"])
        seconds = 0.0
        if "advance" in body:
            seconds = float(a_number(body["advance"], "body.advance"))
            _between(-_CENTURY, _CENTURY, seconds, "advance")
        frozen = a_boolean(body["frozen"], "body.frozen") if "frozen" in body else clock.frozen
        try:
            if moment is not None:
                clock.set(moment)
            clock.advance(seconds)
            (clock.freeze if frozen else clock.thaw)()
            _check_year(clock())
        except OverflowError:
            clock.clear()
            raise invalid(
                "body failed validation: that is before 1970 or beyond all years; the clock goes by itself."
            ) from None
        self._workspace.bell.ring()
        return self._clock()

    async def drop_clock(self, _request: Request, _body: Json) -> Json:
        if self._state.clock is not None:
            self._state.clock.clear()
        self._workspace.bell.ring()
        return self._clock()

    def _clock(self) -> Json:
        clock = self._state.clock
        return {
            "now": stamp(milliseconds(self._workspace.now())),
            "frozen": clock is not None and clock.frozen,
        }

    # Settings in the file

    async def put_search(self, _request: Request, body: Json) -> Json:
        only_keys(body, "body", ("lag_seconds",))
        seconds = float(a_number(body.get("lag_seconds", UNDEFINED), "body.lag_seconds"))
        _between(0, MAX_LAG, seconds, "lag_seconds")

        def put() -> Json:
            with self._workspace.writing() as connection:
                lag.set_search_lag(connection, seconds)
            return self._stored()

        return await run_in_threadpool(put)

    async def put_files(self, _request: Request, body: Json) -> Json:
        only_keys(body, "body", ("max_bytes",))
        size = an_integer(body.get("max_bytes", UNDEFINED), "body.max_bytes")
        _between(1, MAX_FILE, size, "max_bytes")

        def put() -> Json:
            with self._workspace.writing() as connection:
                settings.put(connection, settings.MAX_FILE_BYTES, size)
            return self._stored()

        return await run_in_threadpool(put)

    def _stored(self) -> Json:
        with self._workspace.reading() as connection:
            return {
                "search": {"lag_seconds": lag.search_lag(connection).total_seconds()},
                "files": {"max_bytes": settings.max_file_bytes(connection)},
                "webhooks": [webhook.id for webhook in webhooks.all_webhooks(connection)],
            }

    def _unset(self) -> None:
        with self._workspace.writing() as connection:
            lag.set_search_lag(connection, 0)
            settings.forget(connection, settings.MAX_FILE_BYTES)

    # Requests

    async def list_requests(self, _request: Request, _body: Json) -> Json:
        visits = list(self._state.visits)

        def shown() -> list[Json]:
            with self._workspace.reading() as connection:
                names = {token.secret: token.name for token, _ in tokens.all_tokens(connection)}
            return [_show_visit(visit, names.get(visit.secret)) for visit in visits]

        return {"object": "list", "results": await run_in_threadpool(shown)}

    async def drop_requests(self, _request: Request, _body: Json) -> Json:
        self._state.visits.clear()
        return {"object": "list", "results": []}

    # Webhooks

    async def list_webhooks(self, _request: Request, _body: Json) -> Json:
        def found() -> list[Webhook]:
            with self._workspace.reading() as connection:
                return webhooks.all_webhooks(connection)

        return {"object": "list", "results": [_show(webhook) for webhook in await run_in_threadpool(found)]}

    async def add_webhook(self, _request: Request, body: Json) -> Json:
        only_keys(body, "body", ("url", "token_id", "events", "api_version", "verified", *_KNOBS))
        verified = a_boolean(body.get("verified", False), "body.verified")
        url, events = _url(body), _events(body)
        version = one_of(body.get("api_version", NEWEST), "body.api_version", API_VERSIONS)
        knobs = _knobs(body, Knobs())

        def add() -> Webhook:
            with self._workspace.writing() as connection:
                webhook = Webhook(
                    id=minting.new_uuid(),
                    url=url,
                    token_id=self._token_id(connection, body),
                    verification_token=f"secret_{minting.token_secret().partition('_')[2]}",
                    status="active" if verified else "pending",
                    events=events,
                    api_version=version,
                    knobs=knobs,
                    created_time=milliseconds(self._workspace.now()),
                )
                webhooks.add(connection, webhook)
                return webhook

        webhook = await run_in_threadpool(add)
        handshake = await self._handshakes.offer(webhook)
        shown = {**_show(webhook), "handshake": handshake}
        return {**shown, "verification_token": webhook.verification_token} if verified else shown

    async def get_webhook(self, request: Request, _body: Json) -> Json:
        return _show(await run_in_threadpool(self._webhook, request))

    async def verify_webhook(self, request: Request, body: Json) -> Json:
        only_keys(body, "body", ("verification_token",))
        given = a_string(body.get("verification_token", UNDEFINED), "body.verification_token")
        webhook = await run_in_threadpool(self._webhook, request)
        if not hmac.compare_digest(given.encode("utf-8", "replace"), webhook.verification_token.encode()):
            raise invalid("The verification token is not the one that was sent to the URL.")

        def verify() -> None:
            with self._workspace.writing() as connection:
                webhooks.set_status(connection, webhook.id, "active")

        await run_in_threadpool(verify)
        self._workspace.bell.ring()
        return _show(replace(webhook, status="active"))

    async def turn_webhook(self, request: Request, body: Json) -> Json:
        only_keys(body, "body", _KNOBS)
        webhook = await run_in_threadpool(self._webhook, request)
        knobs = _knobs(body, webhook.knobs)

        def turn() -> None:
            with self._workspace.writing() as connection:
                webhooks.set_knobs(connection, webhook.id, knobs)

        await run_in_threadpool(turn)
        return _show(replace(webhook, knobs=knobs))

    async def drop_webhook(self, request: Request, _body: Json) -> Json:
        webhook = await run_in_threadpool(self._webhook, request)

        def drop() -> None:
            with self._workspace.writing() as connection:
                webhooks.remove(connection, webhook.id)

        await run_in_threadpool(drop)
        return _show(webhook)

    async def list_events(self, request: Request, _body: Json) -> Json:
        webhook = await run_in_threadpool(self._webhook, request)

        def events() -> list[Event]:
            with self._workspace.reading() as connection:
                return webhooks.events_of(connection, webhook.id)

        return {
            "object": "list",
            "results": [_show_event(event) for event in await run_in_threadpool(events)],
        }

    def _webhook(self, request: Request) -> Webhook:
        webhook_id = request.path_params["webhook_id"]
        with self._workspace.reading() as connection:
            webhook = webhooks.find(connection, webhook_id)
        if webhook is None:
            raise _missing("webhook", webhook_id)
        return webhook

    def _token_id(self, connection: sqlite3.Connection, body: Json) -> str:
        known = [token for token, _ in tokens.all_tokens(connection)]
        if "token_id" not in body:
            return next(token.id for token in known if token.secret == self._workspace.token)
        given = a_string(body["token_id"], "body.token_id")
        if given not in [token.id for token in known]:
            raise invalid(f"There is no token {given}; `notion-embedded token list` shows them.")
        return given


_KNOBS = ("aggregate_seconds", "duplicates", "reorder", "backoff_scale")
_CENTURY = 100 * 366 * 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _knobs(body: Json, now: Knobs) -> Knobs:
    aggregate = float(
        a_number(body.get("aggregate_seconds", now.aggregate_seconds), "body.aggregate_seconds")
    )
    duplicates = an_integer(body.get("duplicates", now.duplicates), "body.duplicates")
    scale = float(a_number(body.get("backoff_scale", now.backoff_scale), "body.backoff_scale"))
    _between(0, 3600, aggregate, "aggregate_seconds")
    _between(0, MAX_DUPLICATES, duplicates, "duplicates")
    _between(0, 1, scale, "backoff_scale")
    return Knobs(
        aggregate_seconds=aggregate,
        duplicates=duplicates,
        reorder=a_boolean(body.get("reorder", now.reorder), "body.reorder"),
        backoff_scale=scale,
    )


def _url(body: Json) -> str:
    url = a_string(body.get("url", UNDEFINED), "body.url", at_most=2000)
    parts = split_web_address(url)
    if parts is None or not (parts.scheme == "https" or is_loopback(parts.hostname)):
        raise failed("body.url", "an https URL, or an http URL on this machine", url)
    return url


def _events(body: Json) -> tuple[str, ...] | None:
    if body.get("events") is None:
        return None
    given = an_array(body["events"], "body.events")
    return tuple(one_of(event, f"body.events[{at}]", EVENTS) for at, event in enumerate(given))


def _moment(value: object) -> datetime:
    text = a_string(value, "body.set")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise failed("body.set", "a valid ISO 8601 date string", text) from None
    if moment.tzinfo is None:
        raise failed("body.set", "a time with an offset, or with Z", text)
    if moment < _EPOCH:
        raise failed("body.set", "a time after the beginning of 1970", text)
    return moment


def _check_year(moment: datetime) -> None:
    if moment < _EPOCH:
        raise OverflowError("before the beginning of what is stored")


def _between(least: float, most: float, value: float, name: str) -> int:
    if not least <= value <= most:
        raise failed(f"body.{name}", f"between `{least}` and `{most}`", value)
    return int(value)


def _missing(noun: str, name: str) -> ApiError:
    return ApiError(HTTPStatus.NOT_FOUND, NOT_FOUND, f"There is no {noun} {name}.")


def _show(webhook: Webhook) -> Json:
    return {
        "object": "webhook",
        "id": webhook.id,
        "url": webhook.url,
        "token_id": webhook.token_id,
        "status": webhook.status,
        "events": None if webhook.events is None else list(webhook.events),
        "api_version": webhook.api_version,
        **asdict(webhook.knobs),
    }


def _show_event(event: Event) -> Json:
    return {
        "id": event.id,
        "type": event.type,
        "entity": {"id": event.entity, "type": event.entity_type},
        "timestamp": stamp(event.moment),
        "attempts": event.attempt,
        "outcome": event.outcome,
        "next_attempt": None if event.due is None else stamp(event.due),
    }


def _show_visit(visit: Visit, token: str | None) -> Json:
    return {
        "at": stamp(milliseconds(visit.at)),
        "method": visit.method,
        "path": visit.path,
        "query": visit.query,
        "token": token,
        "status": visit.status,
        "fault": visit.fault,
    }


_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "", _Control.show),
    ("DELETE", "", _Control.clear),
    ("GET", "/faults", _Control.list_faults),
    ("POST", "/faults", _Control.add_fault),
    ("DELETE", "/faults", _Control.drop_faults),
    ("DELETE", "/faults/{fault_id}", _Control.drop_fault),
    ("PUT", "/budget", _Control.put_budget),
    ("DELETE", "/budget", _Control.drop_budget),
    ("GET", "/clock", _Control.show_clock),
    ("PUT", "/clock", _Control.put_clock),
    ("DELETE", "/clock", _Control.drop_clock),
    ("PUT", "/search", _Control.put_search),
    ("PUT", "/files", _Control.put_files),
    ("GET", "/requests", _Control.list_requests),
    ("DELETE", "/requests", _Control.drop_requests),
    ("GET", "/webhooks", _Control.list_webhooks),
    ("POST", "/webhooks", _Control.add_webhook),
    ("GET", "/webhooks/{webhook_id}", _Control.get_webhook),
    ("PATCH", "/webhooks/{webhook_id}", _Control.turn_webhook),
    ("DELETE", "/webhooks/{webhook_id}", _Control.drop_webhook),
    ("POST", "/webhooks/{webhook_id}/verify", _Control.verify_webhook),
    ("GET", "/webhooks/{webhook_id}/events", _Control.list_events),
)
