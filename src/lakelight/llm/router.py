"""The only place that retries a model call.

| What came | What happens |
|---|---|
| nobody there, HTML, garbage | again after 1, 2 and 4 s, then the error: all models share the address |
| a 5xx | again likewise, then the next model: one model may be overloaded alone |
| 429 | again after 2, 4 and 8 s or as long as it says, up to a minute, then the next model |
| time-out | once more, then the error |
| refused, or an unusable answer | the next model |
| key refused | the error |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lakelight.clock import Clock
from lakelight.llm.errors import (
    ModelError,
    ModelLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
    ModelUnusable,
)
from lakelight.llm.port import ChatEndpoint, Completion, Message, Purpose, TaskKind
from lakelight.llm.quality import answer_in, fault_of
from lakelight.llm.routes import Route, Routes
from lakelight.llm.usage import Usage, UsageLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """How long to wait before each further try of the same model; as many tries as waits."""

    unreachable: tuple[timedelta, ...] = (timedelta(seconds=1), timedelta(seconds=2), timedelta(seconds=4))
    limited: tuple[timedelta, ...] = (timedelta(seconds=2), timedelta(seconds=4), timedelta(seconds=8))
    timeout: tuple[timedelta, ...] = (timedelta(),)
    longest: timedelta = timedelta(seconds=60)
    """An endpoint that asks for more than this is not waited for."""


class RoutedModel:
    """A `Model` that picks the model by the task, tries again, and turns to the stand-ins."""

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
        failures: list[tuple[str, ModelError]] = []
        for model in route.models:
            try:
                return await self._ask(model, route, messages, purpose)
            except ModelError as error:
                failures.append((model, error))
                if not _another_may_do(error):
                    break
        _, last = failures[-1]
        last.facts["tried"] = [f"{model}: {error.code}" for model, error in failures]
        raise last

    async def _ask(
        self, model: str, route: Route, messages: Sequence[Message], purpose: Purpose
    ) -> Completion:
        patience = _Patience(self._waits)
        while True:
            try:
                return await self._ask_once(model, route, messages, purpose)
            except (ModelUnreachable, ModelLimited, ModelTimeout) as error:
                wait = patience.wait_after(error)
                if wait is None:
                    raise
            await self._clock.sleep(wait)

    async def _ask_once(
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
