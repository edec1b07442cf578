"""What the house knows of language models: one `Model` to ask, over one endpoint.

`Model` is what agents and tickets are given; `ChatEndpoint` is what an adapter provides
and only the router uses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

TaskKind = Literal["reasoning", "coding", "simple", "thinking"]
"""What a call is for; the routes turn it into a model, a length and a temperature."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """On whose account a call goes: the agent, and the ticket and run it works on."""

    agent: str
    ticket: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer, and what it took to get it.

    As an endpoint gives it, `text` may open with the model's reasoning in `<think>` tags;
    as a `Model` gives it, it is the answer alone.
    """

    text: str
    model: str
    """The model that answered, by the endpoint's own account."""
    input_tokens: int
    """0 when the endpoint does not say; likewise `output_tokens`."""
    output_tokens: int
    seconds: float
    finish: str | None
    """Why the model stopped: `stop`, `length`, `content_filter`, or nothing said."""


class Model(Protocol):
    """Answers a conversation with a text that can be used."""

    async def complete(self, task: TaskKind, messages: Sequence[Message], *, purpose: Purpose) -> Completion:
        """The answer to `messages`.

        Raises:
            ModelError: No model of the task's route gave an answer that can be used.
        """
        ...


class ChatEndpoint(Protocol):
    """One OpenAI-compatible address: asks once, judges nothing, retries nothing."""

    async def chat(
        self, model: str, messages: Sequence[Message], *, max_tokens: int, temperature: float
    ) -> Completion:
        """Whatever `model` answers, usable or not.

        Raises:
            ModelUnreachable: No answer, or one that is no chat completion.
            ModelTimeout: The answer took too long.
            ModelLimited: The endpoint asks to slow down.
            ModelUnauthorized: The key is missing or wrong.
            ModelRefused: The endpoint does not serve this request.
            ModelUnusable: An error stood where the answer should be.
        """
        ...

    async def models(self) -> list[str]:
        """The names of the models that the endpoint offers.

        Raises:
            ModelError: As for `chat`.
        """
        ...

    async def aclose(self) -> None:
        """Let go of the connections."""
        ...
