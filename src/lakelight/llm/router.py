"""The only place that retries a model call.

| What came | What happens |
|---|---|
| nobody there, HTML, garbage | again after 1, 2 and 4 s, then the error: all models share the address |
| a 5xx | again likewise, then the next model: one model may be overloaded alone |
| 429 | again after 2, 4 and 8 s or as long as it says, up to a minute, then the next model |
| time-out | once more, then the error |
| refused, or an unusable answer | the next model |
| key refused | the error |

What was shown of an answer while it came is void when another one begins: then whoever shows it is
told, and where nobody can be told nothing is begun again.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from lakelight.clock import Clock
from lakelight.llm.calls import said_of
from lakelight.llm.errors import (
    ModelError,
    ModelLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
    ModelUnusable,
)
from lakelight.llm.port import (
    ChatEndpoint,
    ChatMessage,
    ChatRequest,
    Completion,
    Message,
    Purpose,
    Said,
    TaskKind,
)
from lakelight.llm.provider import weak_at_tools
from lakelight.llm.quality import answer_in, fault_of, fault_of_call
from lakelight.llm.routes import Route, Routes
from lakelight.llm.showing import Showing
from lakelight.llm.usage import Usage, UsageLog

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """How long to wait before each further try of the same model; as many tries as waits."""

    unreachable: tuple[timedelta, ...] = (timedelta(seconds=1), timedelta(seconds=2), timedelta(seconds=4))
    limited: tuple[timedelta, ...] = (timedelta(seconds=2), timedelta(seconds=4), timedelta(seconds=8))
    timeout: tuple[timedelta, ...] = (timedelta(),)
    longest: timedelta = timedelta(seconds=60)
    """An endpoint that asks for more than this is not waited for."""


class RoutedModel:
    """A `Model` and a `ChatModel`: picks the model by the task, tries again, turns to the stand-ins."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        routes: Routes,
        *,
        usage: UsageLog,
        clock: Clock,
        waits: Waits | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._routes = routes
        self._usage = usage
        self._clock = clock
        self._waits = waits or Waits()

    async def complete(self, task: TaskKind, messages: Sequence[Message], *, purpose: Purpose) -> Completion:
        """The first usable answer along the route of `task`, without the model's reasoning.

        Raises:
            ModelError: What the last model tried came to; `tried` in the facts lists every
                model with the code of its error.
            StorageError: The usage could not be recorded.
        """
        route = self._routes[task]
        return await self._along(route, lambda model: self._complete_once(model, route, messages, purpose))

    async def aclose(self) -> None:
        """Let go of the connections to the endpoint."""
        await self._endpoint.aclose()

    def weak_at_tools(self, task: TaskKind) -> bool:
        """True when the preferred model of `task` should plan once; see `ChatModel.weak_at_tools`."""
        route = self._routes[task]
        if route.weak_tools is not None:
            return route.weak_tools
        return weak_at_tools(self._endpoint.profile, route.model)

    async def converse(
        self,
        task: TaskKind,
        messages: Sequence[ChatMessage],
        *,
        purpose: Purpose,
        tools: Sequence[Mapping[str, Any]] = (),
        tool: str | None = None,
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
        on_restart: Callable[[ModelError], None] | None = None,
    ) -> Said:
        """The first usable answer along the route of `task`; see `ChatModel.converse`.

        Raises:
            ModelError, StorageError: As for `complete`.
        """
        route = self._routes[task]
        request = ChatRequest(messages=messages, tools=tools, tool=tool, schema=schema)
        stage = _Stage(on_text, on_restart, tools=bool(tools))
        return await self._along(
            route,
            lambda model: self._converse_once(model, route, request, purpose, stage),
            may_go_on=stage.clear,
        )

    async def _along(
        self,
        route: Route,
        ask: Callable[[str], Awaitable[_Answer]],
        may_go_on: Callable[[ModelError], bool] = lambda _error: True,
    ) -> _Answer:
        """The first answer that `ask` brings from a model of `route`.

        Args:
            may_go_on: Whether another try is allowed after an error.
        """
        failures: list[tuple[str, ModelError]] = []
        for model in route.models:
            try:
                return await self._patiently(model, ask, may_go_on)
            except ModelError as error:
                failures.append((model, error))
                if model == route.models[-1] or not _another_may_do(error) or not may_go_on(error):
                    break
        _, last = failures[-1]
        last.facts["tried"] = [f"{model}: {error.code}" for model, error in failures]
        raise last

    async def _patiently(
        self, model: str, ask: Callable[[str], Awaitable[_Answer]], may_go_on: Callable[[ModelError], bool]
    ) -> _Answer:
        patience = _Patience(self._waits)
        while True:
            try:
                return await ask(model)
            except (ModelUnreachable, ModelLimited, ModelTimeout) as error:
                wait = patience.wait_after(error)
                if wait is None or not may_go_on(error):
                    raise
            await self._clock.sleep(wait)

    async def _complete_once(
        self, model: str, route: Route, messages: Sequence[Message], purpose: Purpose
    ) -> Completion:
        at = self._clock.now()
        try:
            completion = await self._endpoint.chat(
                model, messages, max_tokens=route.max_tokens, temperature=route.temperature
            )
        except ModelError:
            await self._record(model, purpose, at)
            raise
        fault = fault_of(completion.text, completion.finish)
        await self._record(model, purpose, at, completion, ok=fault is None)
        if fault is not None:
            raise ModelUnusable(model, fault)
        return replace(completion, text=answer_in(completion.text))

    async def _converse_once(
        self, model: str, route: Route, request: ChatRequest, purpose: Purpose, stage: "_Stage"
    ) -> Said:
        at = self._clock.now()
        try:
            utterance = await self._endpoint.converse(
                model,
                request,
                max_tokens=route.max_tokens,
                # What is held to a form has one best answer.
                temperature=0 if request.schema is not None else route.temperature,
                on_text=stage.open(),
            )
        except ModelError:
            await self._record(model, purpose, at)
            raise
        said = said_of(utterance, request.tools, in_text=self._endpoint.profile.calls_in_text)
        completion = utterance.completion
        called = bool(said.tool_calls or said.unread) and bool(request.tools)
        fault = fault_of_call(completion.finish) if called else fault_of(completion.text, completion.finish)
        await self._record(model, purpose, at, completion, ok=fault is None)
        if fault is not None:
            raise ModelUnusable(model, fault)
        stage.close(said.text)
        return said

    async def _record(
        self,
        model: str,
        purpose: Purpose,
        at: datetime,
        completion: Completion | None = None,
        *,
        ok: bool = False,
    ) -> None:
        usage = Usage(
            at=at,
            agent=purpose.agent,
            model=model,
            ticket=purpose.ticket,
            run=purpose.run,
            input_tokens=completion.input_tokens if completion else 0,
            output_tokens=completion.output_tokens if completion else 0,
            seconds=(self._clock.now() - at).total_seconds(),
            ok=ok,
        )
        await self._usage.record(usage)


class _Stage:
    """Where the answer is shown while it comes. What was shown is never taken back in silence."""

    def __init__(
        self,
        on_text: Callable[[str], None] | None,
        on_restart: Callable[[ModelError], None] | None,
        *,
        tools: bool,
    ) -> None:
        self._on_text = on_text
        self._on_restart = on_restart
        self._tools = tools
        self._showing: Showing | None = None

    def open(self) -> Callable[[str], None] | None:
        """Where the next answer goes."""
        if self._on_text is None:
            return None
        self._showing = Showing(self._on_text, tools=self._tools)
        return self._showing.feed

    def clear(self, error: ModelError) -> bool:
        """Whether another answer may begin after `error`; who was shown text is told that it does."""
        if self._showing is None or not self._showing.shown:
            return True
        if self._on_restart is None:
            return False
        self._showing = None
        self._on_restart(error)
        return True

    def close(self, text: str) -> None:
        """Show the rest of `text`, the answer that counts."""
        if self._showing is not None:
            self._showing.finish(text)


class _Patience:
    """What is left of the waits for one model."""

    def __init__(self, waits: Waits) -> None:
        self._unreachable = iter(waits.unreachable)
        self._limited = iter(waits.limited)
        self._timeout = iter(waits.timeout)
        self._longest = waits.longest

    def wait_after(self, error: ModelUnreachable | ModelLimited | ModelTimeout) -> timedelta | None:
        """How long to wait before the next try; nothing when there is to be none."""
        match error:
            case ModelUnreachable():
                return next(self._unreachable, None)
            case ModelTimeout():
                return next(self._timeout, None)
            case ModelLimited():
                return self._as_asked(error.retry_after or 0.0)

    def _as_asked(self, seconds: float) -> timedelta | None:
        wait = next(self._limited, None)
        if wait is None or seconds > self._longest.total_seconds():
            return None
        return max(wait, timedelta(seconds=seconds))


def _another_may_do(error: ModelError) -> bool:
    match error:
        case ModelRefused() | ModelUnusable() | ModelLimited():
            return True
        case ModelUnreachable():
            return error.what == "status"
        case _:
            return False
