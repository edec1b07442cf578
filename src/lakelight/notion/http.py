"""Notion over HTTP: both ports on one pool of connections.

A read is sent again when it fails in passing. A write is sent again only where Notion
surely has not done it; whatever else happens to a write goes up at once as it is, because
only the executor may look first and then send again.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta

import httpx2

from lakelight.clock import Clock
from lakelight.errors import ConfigurationError
from lakelight.notion.answer import Answer
from lakelight.notion.api_log import ApiLog
from lakelight.notion.budget import LONGEST_WAIT, Budget, OnWait
from lakelight.notion.endpoint import api_root, checked, on_this_machine, property_part
from lakelight.notion.errors import (
    NotionError,
    NotionIncomplete,
    NotionLimited,
    NotionUnreachable,
)
from lakelight.notion.limits import check, encode
from lakelight.notion.links import object_id
from lakelight.notion.reading import Children, Json, Kind, NotionReader, PageMarkdown
from lakelight.notion.verdict import judge, may_repeat
from lakelight.notion.writing import NotionWriter

VERSION = "2026-03-11"
BASE_URL = "https://api.notion.com"
_CONNECT_TIMEOUT = 10.0
_NEVER_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.LocalProtocolError,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class HttpNotion(NotionReader, NotionWriter):
    """Notion's API, the real one or any other at `base_url`, for one token.

    Raises:
        ConfigurationError: The token or the address cannot be one.
    """

    def __init__(
        self,
        token: str,
        *,
        clock: Clock,
        budget: Budget,
        base_url: str = BASE_URL,
        version: str = VERSION,
        api_log: ApiLog | None = None,
        read_timeout: float = 30.0,
        write_timeout: float = 60.0,
        waits: Sequence[float] = (1.0, 2.0, 4.0),
        on_wait: OnWait | None = None,
    ) -> None:
        self._token = token.strip()
        self._date: datetime | None = None
        if not self._token or not self._token.isascii() or not self._token.isprintable():
            raise ConfigurationError("config.notion_token", "the Notion token is empty or no token at all")
        self._root = api_root(base_url)
        self._clock = clock
        self._budget = budget
        self._api_log = api_log
        self._read_timeout = read_timeout
        self._write_timeout = write_timeout
        self._waits = tuple(waits)
        self._on_wait = on_wait
        self._client = httpx2.AsyncClient(
            headers={
                "Authorization": f"Bearer {self._token}",
                "Notion-Version": version,
                "User-Agent": "lakelight",
            },
            trust_env=not on_this_machine(self._root),
            # Loading the certificates takes a quarter of a second, which plain http has no use for.
            verify=self._root.startswith("https:"),
            limits=httpx2.Limits(max_connections=20, keepalive_expiry=5.0),
        )

    @property
    def base_url(self) -> str:
        """Where the API is, with `/v1`."""
        return self._root

    async def aclose(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    # Writing

    async def send(self, method: str, path: str, body: Mapping[str, object]) -> Answer:
        """Send one write; see `NotionWriter.send`."""
        check(method, path, body)
        return await self._exchange(method, checked(path), body=body, writing=True)

    # Reading

    def now(self) -> datetime | None:
        """Notion's own clock at its last answer; None before the first."""
        return self._date

    async def me(self) -> Json:
        """The token's own user."""
        return await self._get("/users/me")

    async def page(self, page_id: str) -> Json:
        """A page with its properties."""
        return await self._get(f"/pages/{object_id(page_id)}")

    async def page_markdown(self, page_id: str) -> PageMarkdown:
        """A page's content in one request."""
        body = await self._get(f"/pages/{object_id(page_id)}/markdown")
        unknown = body.get("unknown_block_ids")
        return PageMarkdown(
            markdown=str(body.get("markdown") or ""),
            truncated=bool(body.get("truncated")),
            unknown_block_ids=tuple(map(str, unknown)) if isinstance(unknown, list) else (),
        )

    async def property_items(self, page_id: str, property_id: str) -> list[Json]:
        """Every item of one property of a page."""
        path = f"/pages/{object_id(page_id)}/properties/{property_part(property_id)}"
        first = await self._exchange("GET", path)
        if first.body.get("object") != "list":
            return [first.body]
        return [item async for page in self._pages("GET", path, first=first) for item in _results(page)]

    async def children(self, block_id: str) -> Children:
        """The first level below a page or block, all of it."""
        blocks: list[Json] = []
        date = None
        async for page in self._pages("GET", f"/blocks/{object_id(block_id)}/children"):
            blocks += _results(page)
            date = page.date
        return Children(blocks=blocks, date=date)

    async def block(self, block_id: str) -> Json:
        """One block, without what is below it."""
        return await self._get(f"/blocks/{object_id(block_id)}")

    async def database(self, database_id: str) -> Json:
        """A database: the container, with the list of its data sources."""
        return await self._get(f"/databases/{object_id(database_id)}")

    async def data_source(self, data_source_id: str) -> Json:
        """A data source with its schema."""
        return await self._get(f"/data_sources/{object_id(data_source_id)}")

    async def query(
        self,
        data_source_id: str,
        # Notion's own word.
        filter: Mapping[str, object] | None = None,  # noqa: A002
        sorts: Sequence[Mapping[str, object]] | None = None,
        page_size: int = 100,
    ) -> AsyncIterator[Json]:
        """The rows of a data source, page after page as they are consumed."""
        body: dict[str, object] = {"page_size": page_size}
        if filter:
            body["filter"] = dict(filter)
        if sorts:
            body["sorts"] = list(sorts)
        async for page in self._pages("POST", f"/data_sources/{object_id(data_source_id)}/query", body=body):
            for row in _results(page):
                yield row

    async def search(self, text: str, kind: Kind | None = None, limit: int = 100) -> list[Json]:
        """At most `limit` pages and data sources whose title holds `text`."""
        body: dict[str, object] = {"query": text, "page_size": max(1, min(limit, 100))}
        if kind:
            body["filter"] = {"property": "object", "value": kind}
        found: list[Json] = []
        async for page in self._pages("POST", "/search", body=body, whole=False):
            found += _results(page)
            if len(found) >= limit:
                break
        return found[:limit]

    async def users(self) -> list[Json]:
        """Every member and bot that the token may see."""
        return [user async for page in self._pages("GET", "/users") for user in _results(page)]

    async def _get(self, path: str) -> Json:
        return _up_to_date((await self._exchange("GET", path)).body)

    async def _pages(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        first: Answer | None = None,
        whole: bool = True,
    ) -> AsyncIterator[Answer]:
        """Every page of a list; `whole` raises where Notion leaves the rest out."""
        page = first or await self._exchange(method, path, body=body, params=_page_params(method, None))
        seen: set[str] = set()
        while True:
            yield page
            cursor = page.body.get("next_cursor")
            if not page.body.get("has_more") or not isinstance(cursor, str) or not cursor:
                break
            if cursor in seen:
                raise NotionIncomplete("repeated_cursor")
            seen.add(cursor)
            further = {**body, "start_cursor": cursor} if body is not None else None
            page = await self._exchange(method, path, body=further, params=_page_params(method, cursor))
        state = page.body.get("request_status")
        if whole and isinstance(state, dict) and state.get("type") == "incomplete":
            raise NotionIncomplete(str(state.get("incomplete_reason") or "unknown"))

    # One request

    async def _exchange(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        params: Mapping[str, str] | None = None,
        writing: bool = False,
    ) -> Answer:
        content = encode(body or {}) if body or method not in {"GET", "DELETE"} else None
        tried = 0
        while True:
            await self._budget.acquire()
            try:
                return await self._once(method, path, content, params, writing=writing)
            except NotionError as error:
                pause = await self._pause_before(tried, error, writing=writing)
                if pause is None:
                    raise
            if self._on_wait is not None:
                self._on_wait(pause)
            await self._clock.sleep(timedelta(seconds=pause))
            tried += 1

    async def _pause_before(self, tried: int, error: NotionError, *, writing: bool) -> float | None:
        """The seconds after which to send again; None when `error` is the end of it."""
        asked = error.retry_after if isinstance(error, NotionLimited) else 0.0
        if asked:
            await self._budget.pause(asked)
        if tried >= len(self._waits) or asked > LONGEST_WAIT or not may_repeat(error, writing=writing):
            return None
        return max(asked, self._waits[tried])

    async def _once(
        self,
        method: str,
        path: str,
        content: bytes | None,
        params: Mapping[str, str] | None,
        *,
        writing: bool,
    ) -> Answer:
        started = self._clock.now()
        status: int | None = None
        request_id: str | None = None
        failure: str | None = None
        try:
            response = await self._fetch(method, path, content, params, writing=writing)
            status, request_id = response.status_code, response.headers.get("x-notion-request-id")
            answer = self._judge(response, writing=writing)
            request_id = answer.request_id
            self._date = answer.date or self._date
            return answer
        except NotionError as error:
            failure = str(error.facts.get("notion_code") or error.facts.get("cause") or error.code)
            request_id = getattr(error, "request_id", None) or request_id
            raise
        finally:
            if self._api_log is not None:
                ended = self._clock.now()
                self._api_log.record(
                    time=started,
                    method=method,
                    path=path,
                    status=status,
                    ms=(ended - started).total_seconds() * 1000,
                    request_id=request_id,
                    error=failure,
                )

    def _judge(self, response: httpx2.Response, *, writing: bool) -> Answer:
        content = response.content
        if response.is_error:
            # What becomes the text of an error must not hold the token, whoever sent it back.
            content = content.replace(self._token.encode(), b"[token]")
        return judge(response.status_code, response.headers, content, writing=writing, now=self._clock.now())

    async def _fetch(
        self,
        method: str,
        path: str,
        content: bytes | None,
        params: Mapping[str, str] | None,
        *,
        writing: bool,
    ) -> httpx2.Response:
        timeout = self._write_timeout if writing else self._read_timeout
        connect = min(_CONNECT_TIMEOUT, timeout)
        try:
            # The client's own time-outs are for each byte that is waited for; this one is for all of it.
            async with asyncio.timeout(timeout + 2 * connect):
                return await self._client.request(
                    method,
                    self._root + path,
                    content=content,
                    params=params,
                    headers={"Content-Type": "application/json"} if content is not None else None,
                    timeout=httpx2.Timeout(timeout, connect=connect, pool=connect),
                )
        except _NEVER_SENT as error:
            raise NotionUnreachable(type(error).__name__) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise NotionUnreachable(type(error).__name__, maybe_written=writing) from error


def _page_params(method: str, cursor: str | None) -> dict[str, str] | None:
    if method != "GET":
        return None
    return {"page_size": "100", **({"start_cursor": cursor} if cursor else {})}


def _results(page: Answer) -> list[Json]:
    found = page.body.get("results")
    if not isinstance(found, list):
        raise NotionUnreachable("a list without results", status=page.status, request_id=page.request_id)
    return [_up_to_date(item) for item in found if isinstance(item, dict)]


def _up_to_date(found: Json) -> Json:
    """`found` with `in_trash`, which older versions of the API call `archived`."""
    if "archived" in found and "in_trash" not in found:
        return {**found, "in_trash": found["archived"]}
    return found
