"""What can go wrong with a model call, by what can be done about it.

    ModelError
      ModelUnreachable      the network, a 5xx, HTML or garbage: try again, then wait
      ModelTimeout          no answer in time: once more, then wait
      ModelLimited          429: wait as long as it says
      ModelUnauthorized     the key is wrong: only its owner can help
      ModelRefused          this request or this model is not served: another model may
      ModelUnusable         an answer came and is no answer: another model may do better
        ModelOverlong       it did not end where any answer ends

`host` in the facts is the endpoint's host and port, never its whole address, which may
hold a password. No key is in any message or fact.
"""

from typing import Literal

from lakelight.errors import LakelightError
from lakelight.llm.quality import Fault


class ModelError(LakelightError):
    """A model call failed."""

    code = "model.failed"


class ModelUnreachable(ModelError):
    """Nobody answered, or what came is no answer of a model endpoint."""

    code = "model.unreachable"

    def __init__(
        self, host: str, what: Literal["network", "status", "html", "json"], *, status: int | None = None
    ) -> None:
        super().__init__(
            f"model endpoint {host!r} is out of reach: {what}", host=host, what=what, status=status
        )
        self.what = what
        self.status = status


class ModelTimeout(ModelError):
    """The model took longer than it may."""

    code = "model.timeout"

    def __init__(self, host: str, model: str, seconds: float) -> None:
        super().__init__(
            f"no answer from {model!r} in {seconds:g} s", host=host, model=model, seconds=seconds
        )


class ModelLimited(ModelError):
    """The endpoint asked us to slow down."""

    code = "model.limited"

    def __init__(self, host: str, model: str, retry_after: float | None) -> None:
        wait = "" if retry_after is None else f"; retry after {retry_after:g} s"
        super().__init__(f"rate limited by {host!r}{wait}", host=host, model=model, retry_after=retry_after)
        self.retry_after = retry_after
        """Seconds, when the endpoint named them."""


class ModelUnauthorized(ModelError):
    """The endpoint does not know our key."""

    code = "model.unauthorized"

    def __init__(self, host: str) -> None:
        super().__init__(f"model endpoint {host!r} refused the key", host=host)


class ModelRefused(ModelError):
    """The endpoint does not serve this request: unknown model, too long, no credit."""

    code = "model.refused"

    def __init__(self, host: str, model: str, status: int, reason: str) -> None:
        super().__init__(
            f"{host!r} refused {model!r} with {status}: {reason}",
            host=host,
            model=model,
            status=status,
            reason=reason,
        )


class ModelUnusable(ModelError):
    """An answer came that cannot be used; `fault` says why."""

    code = "model.unusable"

    def __init__(self, model: str, fault: Fault, reason: str = "") -> None:
        tail = f": {reason}" if reason else ""
        super().__init__(
            f"answer of {model!r} is unusable, {fault}{tail}", model=model, fault=fault, reason=reason
        )
        self.fault = fault


class ModelOverlong(ModelUnusable):
    """An answer was larger than any answer is, and was not read to its end."""

    code = "model.overlong"

    def __init__(self, model: str, most: int) -> None:
        super().__init__(model, "overlong", f"more than {most // 1_000_000} MB")
