"""Which model is asked, how often, after which wait, and what is written down about it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lakelight.llm import (
    DEFAULT_ROUTES,
    PROFILES,
    ChatRequest,
    Completion,
    Message,
    ModelError,
    ModelLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnreachable,
    ModelUnusable,
    Purpose,
    RawCall,
    RoutedModel,
    ToolCall,
    Usage,
    Utterance,
    with_one_model,
)

START = datetime(2026, 11, 30, 8, tzinfo=UTC)
ASK = [Message("user", "你好")]
PURPOSE = Purpose(agent="A05", ticket="T-1", run="run_1")


class SlowClock:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.moment = START

    def now(self) -> datetime:
        return self.moment

    async def sleep(self, wait: timedelta) -> None:
        self.waits.append(wait.total_seconds())
        self.moment += wait


class Script:
    """An endpoint that gives its answers in order, two seconds each, and notes who was asked."""

    def __init__(self, clock: SlowClock, *answers: str | tuple[str, str] | ModelError) -> None:
        self.clock = clock
        self.answers = list(answers)
        self.asked: list[str] = []

    async def chat(
        self, model: str, messages: Sequence[Message], *, max_tokens: int, temperature: float
    ) -> Completion:
        self.asked.append(model)
        self.clock.moment += timedelta(seconds=2)
        answer = self.answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        text, finish = answer if isinstance(answer, tuple) else (answer, "stop")
        return Completion(text=text, model=model, input_tokens=7, output_tokens=3, seconds=2, finish=finish)

    async def models(self) -> list[str]:
        return []

    async def aclose(self) -> None:
        pass


class Ledger:
    """Keeps what was recorded."""

    def __init__(self) -> None:
        self.rows: list[Usage] = []

    async def record(self, usage: Usage) -> None:
        self.rows.append(usage)


@pytest.fixture
def clock() -> SlowClock:
    return SlowClock()


def routed(script: Script, ledger: Ledger | None = None) -> RoutedModel:
    return RoutedModel(script, DEFAULT_ROUTES, usage=ledger or Ledger(), clock=script.clock)


DOWN = ModelUnreachable("h:1", "network")
PAGE = ModelUnreachable("h:1", "html", status=200)
OVERLOADED = ModelUnreachable("h:1", "status", status=503)
LATE = ModelTimeout("h:1", "m", 120)
BUSY = ModelLimited("h:1", "m", None)
BAD_KEY = ModelUnauthorized("h:1")
UNKNOWN = ModelRefused("h:1", "m", 404, "no such model")


async def test_a_good_answer_comes_without_its_reasoning_and_is_written_down(clock: SlowClock) -> None:
    script, ledger = Script(clock, "<think>嗯</think>\n\n好的。"), Ledger()

    answer = await routed(script, ledger).complete("reasoning", ASK, purpose=PURPOSE)

    assert answer == Completion(
        text="好的。", model="qwen-plus", input_tokens=7, output_tokens=3, seconds=2, finish="stop"
    )
    assert ledger.rows == [
        Usage(
            at=START,
            agent="A05",
            model="qwen-plus",
            ticket="T-1",
            run="run_1",
            input_tokens=7,
            output_tokens=3,
            seconds=2,
            ok=True,
        )
    ]


@pytest.mark.parametrize(
    ("answers", "asked", "waits"),
    [
        pytest.param([DOWN, "好"], ["plus"] * 2, [1], id="down once"),
        pytest.param([DOWN, PAGE, DOWN, "好"], ["plus"] * 4, [1, 2, 4], id="down three times"),
        pytest.param(
            [OVERLOADED] * 4 + ["好"], ["plus"] * 4 + ["turbo"], [1, 2, 4], id="one model overloaded"
        ),
        pytest.param([LATE, "好"], ["plus"] * 2, [0], id="late once"),
        pytest.param([BUSY, BUSY, "好"], ["plus"] * 3, [2, 4], id="busy"),
        pytest.param([BUSY] * 4 + ["好"], ["plus"] * 4 + ["turbo"], [2, 4, 8], id="one model busy for good"),
        pytest.param([ModelLimited("h", "m", 30.0), "好"], ["plus"] * 2, [30], id="busy for a named time"),
        pytest.param(
            [ModelLimited("h", "m", 0.5), "好"], ["plus"] * 2, [2], id="busy for less than our wait"
        ),
        pytest.param([ModelLimited("h", "m", 61.0), "好"], ["plus", "turbo"], [], id="busy for too long"),
        pytest.param(
            [DOWN, BUSY, LATE, DOWN, "好"], ["plus"] * 5, [1, 2, 0, 2], id="one thing after another"
        ),
        pytest.param([UNKNOWN, "好"], ["plus", "turbo"], [], id="unknown model"),
        pytest.param(["", "好"], ["plus", "turbo"], [], id="empty"),
        pytest.param([("好,但是", "length"), "好"], ["plus", "turbo"], [], id="cut off"),
        pytest.param(["<think>嗯</think>", "好"], ["plus", "turbo"], [], id="only reasoning"),
        pytest.param(["\ufffd\ufffd\ufffd乱", "好"], ["plus", "turbo"], [], id="garbled"),
        pytest.param([ModelUnusable("m", "error", "x"), "好"], ["plus", "turbo"], [], id="error in a 200"),
    ],
)
async def test_a_passing_trouble_ends_in_an_answer(
    clock: SlowClock, answers: list[str | ModelError], asked: list[str], waits: list[float]
) -> None:
    script = Script(clock, *answers)

    answer = await routed(script).complete("reasoning", ASK, purpose=PURPOSE)

    assert answer.text == "好"
    assert script.asked == [f"qwen-{name}" for name in asked]
    assert clock.waits == waits


@pytest.mark.parametrize(
    ("answers", "code", "tried"),
    [
        pytest.param([DOWN] * 4, "model.unreachable", ["qwen-plus: model.unreachable"], id="down"),
        pytest.param([PAGE] * 4, "model.unreachable", ["qwen-plus: model.unreachable"], id="another server"),
        pytest.param([LATE] * 2, "model.timeout", ["qwen-plus: model.timeout"], id="late twice"),
        pytest.param([BAD_KEY], "model.unauthorized", ["qwen-plus: model.unauthorized"], id="bad key"),
        pytest.param(
            [UNKNOWN, UNKNOWN],
            "model.refused",
            ["qwen-plus: model.refused", "qwen-turbo: model.refused"],
            id="no model known",
        ),
        pytest.param(
            [UNKNOWN, ""],
            "model.unusable",
            ["qwen-plus: model.refused", "qwen-turbo: model.unusable"],
            id="unknown, then empty",
        ),
        pytest.param(
            ["", BAD_KEY],
            "model.unauthorized",
            ["qwen-plus: model.unusable", "qwen-turbo: model.unauthorized"],
            id="empty, then a bad key",
        ),
    ],
)
async def test_a_lasting_trouble_ends_in_the_last_error(
    clock: SlowClock, answers: list[str | ModelError], code: str, tried: list[str]
) -> None:
    script, ledger = Script(clock, *answers), Ledger()

    with pytest.raises(ModelError) as caught:
        await routed(script, ledger).complete("reasoning", ASK, purpose=PURPOSE)

    assert caught.value.code == code
    assert caught.value.facts["tried"] == tried
    assert script.answers == []
    assert len(ledger.rows) == len(answers)
    assert not any(row.ok for row in ledger.rows)


async def test_an_answer_that_cannot_be_used_is_paid_for_all_the_same(clock: SlowClock) -> None:
    ledger = Ledger()

    await routed(Script(clock, "", DOWN, "好"), ledger).complete("reasoning", ASK, purpose=PURPOSE)

    assert [(row.model, row.input_tokens, row.output_tokens, row.ok) for row in ledger.rows] == [
        ("qwen-plus", 7, 3, False),
        ("qwen-turbo", 0, 0, False),
        ("qwen-turbo", 7, 3, True),
    ]


async def test_with_one_model_no_other_is_asked(clock: SlowClock) -> None:
    script = Script(clock, "")
    model = RoutedModel(script, with_one_model(DEFAULT_ROUTES, "qwen2.5:7b"), usage=Ledger(), clock=clock)

    with pytest.raises(ModelUnusable) as caught:
        await model.complete("coding", ASK, purpose=PURPOSE)

    assert script.asked == ["qwen2.5:7b"]
    assert caught.value.facts["fault"] == "empty"


FETCH = {
    "type": "function",
    "function": {
        "name": "fetch",
        "parameters": {"type": "object", "properties": {"page": {"type": "string"}}},
    },
}


class Talk:
    """An endpoint that shows pieces of its answers and then gives them, or fails; in order."""

    def __init__(self, clock: SlowClock, *answers: tuple[str, ModelError | Utterance]) -> None:
        self.clock = clock
        self.answers = list(answers)
        self.asked: list[tuple[str, ChatRequest]] = []
        self.profile = PROFILES["local"]

    async def converse(
        self,
        model: str,
        request: ChatRequest,
        *,
        max_tokens: int,
        temperature: float,
        on_text: Callable[[str], None] | None = None,
    ) -> Utterance:
        self.asked.append((model, request))
        piece, answer = self.answers.pop(0)
        if on_text:
            on_text(piece)
        if isinstance(answer, ModelError):
            raise answer
        return answer

    async def chat(
        self, model: str, messages: Sequence[Message], *, max_tokens: int, temperature: float
    ) -> Completion:
        raise AssertionError

    async def models(self) -> list[str]:
        return []

    async def aclose(self) -> None:
        pass


def answer(text: str, *calls: RawCall, finish: str = "stop") -> Utterance:
    completion = Completion(text=text, model="m", input_tokens=7, output_tokens=3, seconds=2, finish=finish)
    return Utterance(completion=completion, calls=calls)


def call(arguments: str, name: str = "fetch") -> RawCall:
    return RawCall(id="c", name=name, arguments=arguments)


def talking(
    clock: SlowClock, *answers: tuple[str, ModelError | Utterance]
) -> tuple[RoutedModel, Talk, Ledger]:
    talk, ledger = Talk(clock, *answers), Ledger()
    return RoutedModel(talk, DEFAULT_ROUTES, usage=ledger, clock=clock), talk, ledger


async def test_a_conversation_brings_text_and_calls_and_is_written_down(clock: SlowClock) -> None:
    model, talk, ledger = talking(clock, ("", answer("<think>嗯</think>我读。", call('{"page": "湖"}'))))

    said = await model.converse("reasoning", ASK, purpose=PURPOSE, tools=[FETCH])

    assert said.text == "我读。"
    assert said.tool_calls == (ToolCall(id="c", name="fetch", arguments={"page": "湖"}),)
    assert talk.asked == [("qwen-plus", ChatRequest(messages=ASK, tools=[FETCH]))]
    assert [(row.model, row.input_tokens, row.ok) for row in ledger.rows] == [("qwen-plus", 7, True)]


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        pytest.param(answer("", call("{}")), ["plus"], id="a call without text"),
        pytest.param(answer("<think>嗯</think>", call("{}")), ["plus"], id="a call and reasoning only"),
        pytest.param(answer("", call("{", "fetch")), ["plus"], id="a call that cannot be read"),
        pytest.param(answer("", call("{}"), finish="length"), ["plus", "turbo"], id="a call, cut off"),
        pytest.param(answer("", call("{}"), finish="content_filter"), ["plus", "turbo"], id="filtered"),
        pytest.param(answer(""), ["plus", "turbo"], id="nothing"),
        pytest.param(answer("<think>嗯</think>"), ["plus", "turbo"], id="reasoning only"),
        pytest.param(BUSY, ["plus", "plus"], id="busy"),
        pytest.param(DOWN, ["plus", "plus"], id="down"),
        pytest.param(ModelUnusable("m", "error", "x"), ["plus", "turbo"], id="an error in the stream"),
    ],
)
async def test_the_next_try_is_the_same_as_for_a_text(
    clock: SlowClock, first: ModelError | Utterance, asked: list[str]
) -> None:
    model, talk, _ = talking(clock, ("", first), ("", answer("好")))

    await model.converse("reasoning", ASK, purpose=PURPOSE, tools=[FETCH])

    assert [name for name, _ in talk.asked] == [f"qwen-{name}" for name in asked]


async def test_calls_do_not_save_an_answer_to_a_question_without_tools(clock: SlowClock) -> None:
    model, talk, _ = talking(clock, ("", answer("", call("{}"))), ("", answer("好")))

    said = await model.converse("reasoning", ASK, purpose=PURPOSE)

    assert said.text == "好"
    assert len(talk.asked) == 2


@pytest.mark.parametrize("error", [DOWN, BUSY, ModelUnusable("m", "error", "x"), UNKNOWN])
async def test_an_answer_that_was_shown_is_not_begun_again_in_silence(
    clock: SlowClock, error: ModelError
) -> None:
    shown: list[str] = []
    model, talk, _ = talking(clock, ("湖水", error), ("好", answer("好")))

    with pytest.raises(type(error)):
        await model.converse("reasoning", ASK, purpose=PURPOSE, on_text=shown.append)

    assert (shown, len(talk.asked)) == (["湖水"], 1)


async def test_who_can_be_told_hears_that_an_answer_begins_again(clock: SlowClock) -> None:
    shown: list[object] = []
    model, _, _ = talking(
        clock, ("湖水", DOWN), ("湖", answer("湖水清", finish="length")), ("好", answer("好的"))
    )

    said = await model.converse(
        "reasoning",
        ASK,
        purpose=PURPOSE,
        on_text=shown.append,
        on_restart=lambda error: shown.append(error.code),
    )

    assert shown == ["湖水", "model.unreachable", "湖", "model.unusable", "好", "的"]
    assert said.text == "好的"


async def test_an_answer_of_which_nothing_was_shown_begins_again_without_a_word(clock: SlowClock) -> None:
    shown: list[str] = []
    model, _, _ = talking(clock, ("<think>嗯", DOWN), ("好", answer("好")))

    await model.converse("reasoning", ASK, purpose=PURPOSE, on_text=shown.append)

    assert shown == ["好"]


async def test_no_voice_is_raised_when_nothing_begins_again(clock: SlowClock) -> None:
    told: list[ModelError] = []
    model, _, _ = talking(clock, ("湖", LATE), ("湖", BAD_KEY))

    with pytest.raises(ModelUnauthorized):
        await model.converse(
            "reasoning", ASK, purpose=PURPOSE, on_text=lambda _: None, on_restart=told.append
        )

    assert told == [LATE]


@pytest.mark.parametrize(
    ("name", "override", "weak"),
    [
        ("qwen2.5:1.5b", None, True),
        ("qwen2.5:7b", None, False),
        ("qwen2.5:7b", True, True),
        ("x", False, False),
    ],
)
async def test_the_route_has_the_last_word_on_who_is_weak_at_tools(
    clock: SlowClock, name: str, override: bool | None, weak: bool
) -> None:
    routes = {task: replace(route, model=name, weak_tools=override) for task, route in DEFAULT_ROUTES.items()}
    model = RoutedModel(Talk(clock), routes, usage=Ledger(), clock=clock)

    assert model.weak_at_tools("reasoning") == weak
