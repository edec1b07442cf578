"""A streamed answer, put together from the pieces that endpoints send."""

from typing import Any

import pytest

from lakelight.llm.stream import Gathering


def text(content: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": content}}]}


def call(**entry: Any) -> dict[str, Any]:
    function = {key: entry.pop(key) for key in ("name", "arguments") if key in entry}
    return {"choices": [{"delta": {"tool_calls": [{**entry, "function": function}]}}]}


def gathered(*chunks: Any) -> Gathering:
    gathering = Gathering()
    for chunk in chunks:
        gathering.feed(chunk)
    return gathering


def calls_of(*chunks: Any) -> list[tuple[str, str, Any]]:
    message = gathered(*chunks).body()["choices"][0]["message"]
    return [
        (entry["id"], entry["function"]["name"], entry["function"]["arguments"])
        for entry in message.get("tool_calls", [])
    ]


ONE = ("a", "fetch", '{"p": 1}')
TWO = ("b", "search", '{"q": 2}')


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        pytest.param(
            [
                call(index=0, id="a", name="fetch", arguments=""),
                call(index=0, arguments='{"p":'),
                call(index=0, arguments=" 1}"),
                call(index=1, id="b", name="search", arguments='{"q": 2}'),
            ],
            [ONE, TWO],
            id="as it should be",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="fetch", arguments='{"p"'),
                call(index=0, id="", name="", arguments=": 1}"),
                call(index=1, id="b", name="search", arguments=""),
                call(index=1, id="", arguments='{"q": 2}'),
            ],
            [ONE, TWO],
            id="an empty id in later pieces",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="fetch", arguments='{"p"'),
                call(index=0, id="a", name="fetch", arguments=": 1}"),
            ],
            [ONE],
            id="id and name in each piece",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="fetch", arguments='{"p": 1}'),
                call(index=0, id="b", name="search", arguments='{"q": 2}'),
            ],
            [ONE, TWO],
            id="one index for all",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="fetch", arguments='{"p": 1}'),
                call(index=0, id="a", name="fetch", arguments='{"p": 2}'),
            ],
            [ONE, ("a", "fetch", '{"p": 2}')],
            id="one id for all",
        ),
        pytest.param(
            [
                call(index=0, id="a", name="fetch", arguments=""),
                call(index=0, id="b", name="search", arguments='{"q":'),
                call(index=1, arguments=" 2}"),
                call(index=0, id="a", arguments='{"p": 1}'),
            ],
            [ONE, TWO],
            id="an index that runs on under the wrong head",
        ),
        pytest.param(
            [
                call(id="a", name="fetch", arguments='{"p":'),
                call(arguments=" 1}"),
                call(id="b", name="search", arguments='{"q": 2}'),
            ],
            [ONE, TWO],
            id="no index",
        ),
        pytest.param(
            [call(name="fetch", arguments='{"p": 1}'), call(name="fetch", arguments='{"p": 2}')],
            [("", "fetch", '{"p": 1}'), ("", "fetch", '{"p": 2}')],
            id="neither index nor id",
        ),
        pytest.param(
            [call(index=0, name="fetch", arguments=""), call(index=1, name="search", arguments='{"q": 2}')],
            [("", "fetch", ""), ("", "search", '{"q": 2}')],
            id="no arguments, no id",
        ),
        pytest.param(
            [call(index=1, id="a", name="fetch", arguments='{"p": 1}')], [ONE], id="counted from one"
        ),
        pytest.param(
            [call(index=0, name="fetch"), call(index=0, id="a", arguments='{"p": 1}')],
            [ONE],
            id="the id later",
        ),
        pytest.param(
            [call(index=0, id="a", name="fetch", arguments={"p": 1})],
            [("a", "fetch", {"p": 1})],
            id="an object",
        ),
        pytest.param(
            [{"choices": [{"delta": {"function_call": {"name": "fetch", "arguments": "{}"}}}]}],
            [("", "fetch", "{}")],
            id="the old form",
        ),
        pytest.param(
            [
                None,
                [],
                {"choices": None},
                {"choices": ["x"]},
                {"choices": [{"delta": {"tool_calls": [None, 5]}}]},
            ],
            [],
            id="rubbish",
        ),
    ],
)
def test_the_pieces_of_calls_find_together(chunks: list[Any], calls: list[Any]) -> None:
    assert calls_of(*chunks) == calls


def test_text_reasoning_usage_and_end_are_kept() -> None:
    gathering = gathered(
        {"model": "qwen-plus", "choices": [{"delta": {"role": "assistant", "reasoning_content": "嗯"}}]},
        text("好"),
        text([{"type": "text", "text": "的"}]),
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3}},
    )

    assert gathering.finished
    assert gathering.body() == {
        "model": "qwen-plus",
        "usage": {"prompt_tokens": 3},
        "choices": [
            {
                "message": {"role": "assistant", "content": "好的", "reasoning_content": "嗯"},
                "finish_reason": "stop",
            }
        ],
    }


def test_a_stream_that_just_stops_is_not_finished() -> None:
    assert not gathered(text("好")).finished


def test_an_error_in_a_choice_is_kept_as_the_answer() -> None:
    body = gathered(text("好"), {"choices": [{"error": {"message": "upstream"}}]}).body()

    assert body["error"] == {"message": "upstream"}
