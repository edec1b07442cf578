"""Every OpenAI-compatible endpoint, by way of the `openai` SDK.

Requests are posted as they are: the SDK's typed methods walk the whole conversation on each
call. The SDK is imported when an endpoint is made, so that who has no model does not pay for
it, and its own retries are off: the router's are the only ones.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from lakelight.clock import Clock
from lakelight.errors import ConfigurationError
from lakelight.llm.answer import (
    Reply,
    broken_stream,
    completion_in,
    names_in,
    refusal_in,
    retry_after_in,
    utterance_in,
    utterance_of,
)
from lakelight.llm.bounds import ENCODINGS, MOST_BYTES, OverBounds, bounded
from lakelight.llm.errors import ModelOverlong, ModelTimeout, ModelUnreachable
from lakelight.llm.port import ChatRequest, Completion, Message, Utterance
from lakelight.llm.provider import PROFILES, Profile, is_local, profile_for
from lakelight.llm.request import chat_body, request_body
from lakelight.llm.stream import Gathering

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_CONNECT_SECONDS = 10.0
_NO_KEY = "no-key"


class OpenAIEndpoint:
    """A `ChatEndpoint` at one address, with one key."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        clock: Clock,
        timeout: timedelta = timedelta(seconds=120),
        provider: str | None = None,
    ) -> None:
        """Prepare the connection; nothing is sent yet.

        Args:
            base_url: With or without `/v1` when there is no other path.
            api_key: May be missing for a machine of the owner's own network.
            clock: Measures how long answers take.
            timeout: From the request to the last byte of the answer.
            provider: A name in `PROFILES`; by default the address tells.

        Raises:
            ConfigurationError: The address, the key or the proxy in the environment cannot be used.
        """
        address = _address(base_url)
        self._profile = _profile(address, provider)
        self._key = _checked_key(api_key, self._profile)
        self._host = address.netloc.rpartition("@")[2]
        self._clock = clock
        self._seconds = timeout.total_seconds()
        self._client = _client(address, self._key or _NO_KEY)

    @property
    def profile(self) -> Profile:
        """How the provider differs from the others."""
        return self._profile

    async def chat(
        self, model: str, messages: Sequence[Message], *, max_tokens: int, temperature: float
    ) -> Completion:
        """Whatever `model` answers; see `ChatEndpoint.chat`."""
        body = request_body(self._profile, model, messages, max_tokens=max_tokens, temperature=temperature)
        start = self._clock.now()
        reply = await self._whole(model, body)
        return completion_in(reply, (self._clock.now() - start).total_seconds())

    async def converse(
        self,
        model: str,
        request: ChatRequest,
        *,
        max_tokens: int,
        temperature: float,
        on_text: Callable[[str], None] | None = None,
    ) -> Utterance:
        """Whatever `model` answers, as text and calls; see `ChatEndpoint.converse`."""
        stream = on_text is not None or model.startswith(self._profile.stream_only)
        body = chat_body(
            self._profile, model, request, max_tokens=max_tokens, temperature=temperature, stream=stream
        )
        start = self._clock.now()
        if stream:
            reply, content = await self._streamed(model, body, on_text or _ignore)
        else:
            reply, content = await self._whole(model, body), None
        seconds = (self._clock.now() - start).total_seconds()
        return utterance_in(reply, seconds) if content is None else utterance_of(content, reply, seconds)

    async def models(self) -> list[str]:
        """The names of the models on offer; see `ChatEndpoint.models`."""
        import httpx2

        reply = await self._reply(
            "", lambda: self._client.get("/models", cast_to=httpx2.Response, options=self._options())
        )
        return names_in(reply)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _options(self) -> Any:
        import httpx2

        limits = httpx2.Timeout(self._seconds, connect=min(_CONNECT_SECONDS, self._seconds))
        return {"timeout": limits, "max_retries": 0}

    async def _whole(self, model: str, body: Mapping[str, Any]) -> Reply:
        import httpx2

        return await self._reply(
            model,
            lambda: self._client.post(
                "/chat/completions", body=body, cast_to=httpx2.Response, options=self._options()
            ),
        )

    async def _streamed(
        self, model: str, body: Mapping[str, Any], on_text: Callable[[str], None]
    ) -> tuple[Reply, Mapping[str, Any] | None]:
        """The reply to `body`, and what its stream came to; nothing when it did not stream after all."""
        from openai import AsyncStream
        from openai.types.chat import ChatCompletion

        gathering = Gathering()
        async with self._errors(model):
            chunks = await self._client.post(
                "/chat/completions",
                body=body,
                cast_to=ChatCompletion,
                stream=True,
                stream_cls=AsyncStream[object],
                options=self._options(),
            )
            async with chunks:
                if "event-stream" not in chunks.response.headers.get("content-type", "event-stream"):
                    await chunks.response.aread()
                    return self._read(model, chunks.response), None
                async for chunk in chunks:
                    if text := gathering.feed(chunk):
                        on_text(text)
                if not gathering.finished:
                    raise ModelUnreachable(self._host, "network")
                return self._bodiless(model), gathering.body()

    async def _reply(self, model: str, send: Callable[[], Awaitable["httpx2.Response"]]) -> Reply:
        """What `send` brings, when it is a success.

        Raises:
            ModelError: It is none.
        """
        async with self._errors(model):
            return self._read(model, await send())

    @asynccontextmanager
    async def _errors(self, model: str) -> AsyncIterator[None]:
        """Within it, every trouble of a call to `model` becomes an error of ours."""
        import httpx2
        import openai

        try:
            # The library's own limit starts anew with each byte; this one does not.
            async with asyncio.timeout(self._seconds):
                yield
        except TimeoutError:
            raise ModelTimeout(self._host, model, self._seconds) from None
        except openai.APITimeoutError as error:
            if isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout):
                raise ModelUnreachable(self._host, "network") from None
            raise ModelTimeout(self._host, model, self._seconds) from None
        except openai.APIStatusError as error:
            raise refusal_in(self._read(model, error.response)) from None
        except OverBounds:
            raise ModelOverlong(model, MOST_BYTES) from None
        except (openai.APIConnectionError, openai.APIResponseValidationError) as error:
            if isinstance(error.__cause__, OverBounds):
                raise ModelOverlong(model, MOST_BYTES) from None
            raise ModelUnreachable(self._host, "network") from None
        except openai.APIError as error:
            # Only a stream has these: an error in place of a piece of the answer.
            raise broken_stream(self._bodiless(model), error.body) from None
        except json.JSONDecodeError:
            raise ModelUnreachable(self._host, "json", status=HTTPStatus.OK) from None
        except openai.OpenAIError:
            raise ModelUnreachable(self._host, "network") from None

    def _bodiless(self, model: str) -> Reply:
        return Reply(host=self._host, model=model, status=HTTPStatus.OK, body=b"", secret=self._key)

    def _read(self, model: str, response: "httpx2.Response") -> Reply:
        return Reply(
            host=self._host,
            model=model,
            status=response.status_code,
            body=response.content,
            retry_after=retry_after_in(response.headers, self._clock.now()),
            secret=self._key,
        )


def _ignore(_text: str) -> None:
    pass


def _address(base_url: str) -> SplitResult:
    try:
        address = urlsplit(base_url.strip())
        usable = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError("config.model_url", "the model's address must be an http(s) URL")
    path = address.path.rstrip("/").removesuffix("/chat/completions")
    return address._replace(path=path or "/v1", query="", fragment="")


def _profile(address: SplitResult, provider: str | None) -> Profile:
    if provider is None:
        return profile_for(address.hostname or "")
    if provider not in PROFILES:
        raise ConfigurationError(
            "config.model_provider",
            f"unknown provider {provider!r}",
            provider=provider,
            expected=", ".join(PROFILES),
        )
    return PROFILES[provider]


def _checked_key(api_key: str | None, profile: Profile) -> str:
    key = (api_key or "").strip()
    if not key and not profile.key_optional:
        raise ConfigurationError("config.model_key_missing", "this provider needs a key")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationError("config.model_key", "the model's key holds characters that no key has")
    return key


def _client(address: SplitResult, key: str) -> "AsyncOpenAI":
    import httpx2
    from openai import AsyncOpenAI

    try:
        # A proxy of the environment cannot reach this machine's neighbours. Redirects are not
        # followed: they would take the conversation to an address that nobody set.
        http = httpx2.AsyncClient(
            trust_env=not is_local(address.hostname or ""),
            follow_redirects=False,
            headers={"accept-encoding": "gzip"},
            event_hooks={"response": [_bound]},
        )
    except (ImportError, ValueError) as error:
        raise ConfigurationError(
            "config.proxy", f"the proxy in the environment cannot be used: {type(error).__name__}"
        ) from None
    client = AsyncOpenAI(base_url=address.geturl(), api_key=key, max_retries=0, http_client=http)
    # The SDK takes these from the environment, where they belong to another account.
    client.organization = client.project = client.admin_api_key = None
    return client


async def _bound(response: "httpx2.Response") -> None:
    """Let only so much of `response` be read, whoever reads it, and however it is compressed."""
    import httpx2

    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if encoding not in ENCODINGS:
        raise httpx2.DecodingError(f"an encoding that was not asked for: {encoding}")
    received = response.stream
    if not isinstance(received, httpx2.AsyncByteStream):
        return
    response.stream = _bounded_stream(
        received,
        compressed=ENCODINGS[encoding],
        lines="event-stream" in response.headers.get("content-type", ""),
    )


def _bounded_stream(
    received: "httpx2.AsyncByteStream", *, compressed: bool, lines: bool
) -> "httpx2.AsyncByteStream":
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for piece in bounded(received, compressed=compressed, lines=lines):
                    yield piece
            except zlib.error as error:
                raise httpx2.DecodingError(str(error)) from None

        async def aclose(self) -> None:
            await received.aclose()

    return Bounded()
