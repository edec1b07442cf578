"""What is shown of an answer while it comes."""

import pytest

from lakelight.llm.showing import Showing

CALL = '{"name": "fetch", "arguments": {}}'


def shown(text: str, *, tools: bool, size: int) -> str:
    """What is shown before the end, when `text` comes in pieces of `size`."""
    pieces: list[str] = []
    showing = Showing(pieces.append, tools=tools)
    for start in range(0, len(text), size):
        showing.feed(text[start : start + size])
    assert "".join(pieces) == showing.shown
    return showing.shown


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("text", "tools", "early"),
    [
        pytest.param("你好。 再见", True, "你好。 再见", id="plain"),
        pytest.param("\n 你好 \n", True, "你好", id="outer space"),
        pytest.param("<think>嗯</think>\n\n你好", False, "你好", id="a thought"),
        pytest.param("<Thinking>a</think>b</THINKING>你好", False, "你好", id="a thought in capitals"),
        pytest.param("<think>嗯</think><think>哦</think>好", False, "好", id="two thoughts"),
        pytest.param("<think>嗯", False, "", id="a thought without end"),
        pytest.param("<thin 你好", False, "<thin 你好", id="no thought"),
        pytest.param("a < b, [TOOL] `x` <x", True, "a < b, [TOOL] `x` <x", id="near misses"),
        pytest.param(f"我读。\n```json\n{CALL}\n```", True, "我读。", id="a fenced call"),
        pytest.param(f"我读。\n{CALL}", True, "我读。", id="a bare call"),
        pytest.param(CALL, True, "", id="nothing but a call"),
        pytest.param(f"<think>嗯</think><tool_call>{CALL}", True, "", id="a tagged call"),
        pytest.param("如下:\n```py\nx\n```\n完", True, "如下:", id="code, when it may be a call"),
        pytest.param(
            "如下:\n```py\nx\n```\n完", False, "如下:\n```py\nx\n```\n完", id="code, when it cannot be"
        ),
    ],
)
def test_neither_reasoning_nor_calls_are_shown(text: str, tools: bool, early: str, size: int) -> None:
    assert shown(text, tools=tools, size=size) == early


def test_the_rest_is_shown_at_the_end() -> None:
    pieces: list[str] = []
    showing = Showing(pieces.append, tools=True)
    showing.feed("如下:\n```py\nx\n```\n完")

    showing.finish("如下:\n```py\nx\n```\n完")

    assert pieces == ["如下:", "\n```py\nx\n```\n完"]


def test_nothing_is_shown_twice_when_the_answer_turned_out_to_be_another() -> None:
    pieces: list[str] = []
    showing = Showing(pieces.append, tools=False)
    showing.feed("嗯,我想想。\n</think>\n你好")

    showing.finish("你好")

    assert "".join(pieces) == "嗯,我想想。\n</think>\n你好"
