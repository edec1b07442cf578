"""What the house knows of language models: a `Model` to ask, a `ChatModel` to work with, one endpoint.

`Model` and `ChatModel` are what agents and tickets are given; `ChatEndpoint` is what an adapter
provides and only the router uses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from lakelight.llm.errors import ModelError
from lakelight.llm.provider import Profile

TaskKind = Literal["reasoning", "coding", "simple", "thinking"]
"""What a call is for; the routes turn it into a model, a length and a temperature."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that a model wants made; its arguments have been read, not checked."""

    id: str
    """Unique within the answer, whatever the model called it."""
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Called:
    """A turn in which the model called tools, as it is put back into a conversation."""

    content: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """What a call brought."""

    call: str
    """The id of the call in the `Called` before it."""
    content: str


ChatMessage = Message | Called | Returned


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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadCall:
    """A call that cannot be made as the model wrote it; it never goes back into a conversation."""

    name: str
    why: Literal["unknown_tool", "cut_off", "no_object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a `ChatModel` answered: a text, calls, or both."""

    completion: Completion
    """Its text is the answer alone, without reasoning and without calls that were written into it."""
    tool_calls: tuple[ToolCall, ...] = ()
    unread: tuple[UnreadCall, ...] = ()

    @property
    def text(self) -> str:
        """The text of the answer; empty when it only calls."""
        return self.completion.text


class Model(Protocol):
    """Answers a conversation with a text that can be used."""

    async def complete(self, task: TaskKind, messages: Sequence[Message], *, purpose: Purpose) -> Completion:
        """The answer to `messages`.

        Raises:
            ModelError: No model of the task's route gave an answer that can be used.
        """
        ...


class ChatModel(Protocol):
    """Carries a conversation on: with text, with calls of tools, or with JSON to a schema."""

    def weak_at_tools(self, task: TaskKind) -> bool:
        """True when the model of `task` should plan once, to a schema, and not call tools freely."""
        ...

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
        """What the model says next.

        Args:
            tools: Tool schemas of the chat completions protocol.
            tool: The only tool that the model is to call; not every endpoint holds it to that.
            schema: The text shall be JSON that fits it; not every endpoint holds the model to that.
            on_text: Is given the text of the answer in pieces, while it comes.
            on_restart: Is told that the text shown so far is void, since another answer begins, and
                why. Without it an answer that broke off after text was shown is not begun again.

        Raises:
            ModelError: No model of the task's route gave an answer that can be used.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What an endpoint is asked; see `ChatModel.converse`."""

    messages: Sequence[ChatMessage]
    tools: Sequence[Mapping[str, Any]] = ()
    tool: str | None = None
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCall:
    """A call as it came, with whatever stood where the arguments should be."""

    id: str
    name: str
    arguments: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """An endpoint's answer as it came."""

    completion: Completion
    calls: tuple[RawCall, ...] = ()


class ChatEndpoint(Protocol):
    """One OpenAI-compatible address: asks once, judges nothing, retries nothing."""

    @property
    def profile(self) -> Profile:
        """How its provider differs from the others."""
        ...

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

    async def converse(
        self,
        model: str,
        request: ChatRequest,
        *,
        max_tokens: int,
        temperature: float,
        on_text: Callable[[str], None] | None = None,
    ) -> Utterance:
        """Whatever `model` answers, as text and calls.

        Args:
            on_text: Is given the text as it comes, and what a model writes into it; with it the
                answer is streamed.

        Raises:
            ModelError: As for `chat`.
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
