"""What was said, once reasoning is gone and calls are read, wherever they stood."""

import json
from typing import Any

import pytest

from lakelight.llm.calls import said_of
from lakelight.llm.port import Completion, RawCall, Said, Utterance


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": properties}},
    }


TOOLS = [
    tool("fetch", page={"type": "string"}, tags={"type": "array"}),
    tool("search", query={"type": "string"}),
]
CALL = '{"name": "fetch", "arguments": {"page": "湖"}}'
FETCH = [("fetch", {"page": "湖"})]


def said(text: str, *calls: RawCall, in_text: bool = True, tools: list[dict[str, Any]] = TOOLS) -> Said:
    completion = Completion(text=text, model="m", input_tokens=1, output_tokens=1, seconds=0, finish="stop")
    return said_of(Utterance(completion=completion, calls=calls), tools, in_text=in_text)


def raw(name: str, arguments: object, id_: str = "") -> RawCall:
    return RawCall(id=id_, name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("text", "rest", "calls"),
    [
        pytest.param(f"```json\n{CALL}\n```", "", FETCH, id="fenced"),
        pytest.param(
            f"我先读一下。\n```json\n{CALL}\n```\n", "我先读一下。", FETCH, id="fenced behind a remark"
        ),
        pytest.param(f"```\n{CALL}", "", FETCH, id="a fence left open"),
        pytest.param(CALL, "", FETCH, id="bare"),
        pytest.param(f"I read it.\n{CALL}", "I read it.", FETCH, id="bare behind a remark"),
        pytest.param(f"<tool_call>\n{CALL}\n</tool_call>", "", FETCH, id="tagged"),
        pytest.param(f"<tool_call>{CALL}", "", FETCH, id="a tag left open"),
        pytest.param(f"<tool_call>{CALL}</tool_call> 好了", "好了", FETCH, id="tagged before a remark"),
        pytest.param(f"<think>```json\n{CALL}\n```</think>读", "读", [], id="only thought of"),
        pytest.param(f"<think>嗯</think>{CALL}", "", FETCH, id="behind a thought"),
        pytest.param('{"tool": "fetch", "args": {"page": "湖"}}', "", FETCH, id="other keys"),
        pytest.param('{"function": {"name": "fetch", "arguments": {"page": "湖"}}}', "", FETCH, id="nested"),
        pytest.param(json.dumps({"tool_calls": [json.loads(CALL)]}), "", FETCH, id="a list of calls"),
        pytest.param(f"[{CALL}]", "", FETCH, id="a list"),
        pytest.param(f"<|python_tag|>{CALL}", "", FETCH, id="Llama"),
        pytest.param(f"[TOOL_CALLS][{CALL}]", "", FETCH, id="Mistral"),
        pytest.param('<function=fetch>{"page": "湖"}</function>', "", FETCH, id="function tag"),
        pytest.param(
            "<tool_call><function=fetch>\n<parameter=page>\n湖\n</parameter>\n</function></tool_call>",
            "",
            FETCH,
            id="parameter tags",
        ),
        pytest.param(
            f'```json\n{CALL}\n```\n```json\n{{"name": "search", "arguments": {{"query": "x"}}}}\n```',
            "",
            [*FETCH, ("search", {"query": "x"})],
            id="two fences",
        ),
        pytest.param(f"{CALL}\n{CALL}", "", FETCH, id="the same twice"),
        pytest.param(f"```json\n{CALL}\n```\n就是这样写的。", ..., [], id="shown in an answer"),
        pytest.param('```json\n{"name": "lake", "version": "1"}\n```', ..., [], id="other JSON"),
        pytest.param('{"name": "drop", "arguments": {}}', ..., [], id="bare, no such tool"),
        pytest.param("{'name': 'fetch', 'arguments': {'page': '湖'}}", "", FETCH, id="a Python literal"),
        pytest.param("[] 空的", ..., [], id="brackets"),
    ],
)
def test_calls_in_the_text_are_found_and_taken_out(text: str, rest: Any, calls: list[Any]) -> None:
    answer = said(text)

    assert [(call.name, call.arguments) for call in answer.tool_calls] == calls
    assert answer.text == (text if rest is ... else rest)
    assert answer.unread == ()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(said(CALL, in_text=False), id="a provider whose models never do it"),
        pytest.param(said(CALL, tools=[]), id="no tools given"),
        pytest.param(said(f"<tool_call>{CALL}</tool_call>", in_text=False), id="tagged, likewise"),
    ],
)
def test_a_text_is_a_text_where_no_calls_are_looked_for(answer: Said) -> None:
    assert answer.tool_calls == ()
    assert CALL in answer.text


def test_calls_beside_the_text_leave_the_text_alone() -> None:
    answer = said(CALL, raw("search", '{"query": "x"}'))

    assert [call.name for call in answer.tool_calls] == ["search"]
    assert answer.text == CALL


@pytest.mark.parametrize(
    ("calls", "ids"),
    [
        pytest.param(
            [raw("fetch", '{"page": "a"}', "c"), raw("fetch", '{"page": "b"}', "c")],
            ["c", "c_1"],
            id="one id",
        ),
        pytest.param(
            [raw("fetch", '{"page": "a"}'), raw("fetch", '{"page": "b"}')], ["call_0", "call_1"], id="no id"
        ),
        pytest.param(
            [raw("fetch", "", "call_1"), raw("search", "")],
            ["call_1", "call_2"],
            id="a made id that is taken",
        ),
        pytest.param([raw("fetch", "{}", "c"), raw("fetch", "", "d")], ["c"], id="one call twice"),
    ],
)
def test_every_call_has_an_id_of_its_own(calls: list[RawCall], ids: list[str]) -> None:
    assert [call.id for call in said("", *calls).tool_calls] == ids


@pytest.mark.parametrize(
    ("call", "name", "arguments"),
    [
        pytest.param(raw("functions.fetch", "{}"), "fetch", {}, id="a namespace"),
        pytest.param(raw("Fetch()", "{}"), "fetch", {}, id="brackets and a capital"),
        pytest.param(
            raw("fetch", '{"arguments": {"page": "x"}}'), "fetch", {"page": "x"}, id="called within itself"
        ),
        pytest.param(raw("fetch", '{"tags": "[\\"a\\"]"}'), "fetch", {"tags": ["a"]}, id="an array as text"),
        pytest.param(raw("fetch", '{"page": null}'), "fetch", {}, id="null for nothing"),
    ],
)
def test_a_call_is_brought_into_the_form_of_its_tool(
    call: RawCall, name: str, arguments: dict[str, Any]
) -> None:
    [found] = said("", call).tool_calls

    assert (found.name, found.arguments) == (name, arguments)


@pytest.mark.parametrize(
    ("answer", "name", "why"),
    [
        pytest.param(said("", raw("drop", "{}")), "drop", "unknown_tool", id="no such tool"),
        pytest.param(said("", raw("fetch", '{"page": "ha')), "fetch", "cut_off", id="cut off"),
        pytest.param(said("", raw("fetch", "the lake")), "fetch", "no_object", id="prose"),
        pytest.param(said('<tool_call>{"name": "fetch", "argu'), "fetch", "cut_off", id="cut off in a tag"),
        pytest.param(said("<tool_call>fetch it"), "", "unknown_tool", id="prose in a tag"),
        pytest.param(
            said('<tool_call>{"name": "drop", "arguments": {}}'), "drop", "unknown_tool", id="in a tag"
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_named_and_not_made(answer: Said, name: str, why: str) -> None:
    assert answer.tool_calls == ()
    assert [(call.name, call.why) for call in answer.unread] == [(name, why)]
