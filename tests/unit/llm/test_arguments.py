"""The arguments of a call, in every form that models and servers have sent them."""

from typing import Any

import pytest

from lakelight.llm.arguments import arguments_in


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        pytest.param('{"page": "湖"}', {"page": "湖"}, id="as they should be"),
        pytest.param({"page": "湖"}, {"page": "湖"}, id="an object, not a text"),
        pytest.param("", {}, id="empty"),
        pytest.param("  ", {}, id="blank"),
        pytest.param(None, {}, id="none"),
        pytest.param("null", {}, id="null as text"),
        pytest.param("None", {}, id="Python's null"),
        pytest.param("{}", {}, id="an empty object"),
        pytest.param("[]", {}, id="an empty list"),
        pytest.param('"{\\"page\\": \\"湖\\"}"', {"page": "湖"}, id="a text in a text"),
        pytest.param('"\\"{\\\\\\"a\\\\\\": 1}\\""', {"a": 1}, id="a text in a text in a text"),
        pytest.param('[{"page": "湖"}]', {"page": "湖"}, id="in a list"),
        pytest.param('```json\n{"a": 1}\n```', {"a": 1}, id="fenced"),
        pytest.param("{'a': True, 'b': None}", {"a": True, "b": None}, id="a Python literal"),
        pytest.param('{"a": "one\ntwo"}', {"a": "one\ntwo"}, id="a bare line break"),
        pytest.param('{"a": 1}{"a": 1}', {"a": 1}, id="sent twice"),
        pytest.param(
            '{"a": "\\ud83d", "\\u0000": ["\\u0000"]}', {"a": "\ufffd", "\ufffd": ["\ufffd"]}, id="unstorable"
        ),
        pytest.param('{"a": 1', "cut_off", id="cut off"),
        pytest.param('{"a": "half a te', "cut_off", id="cut off in a text"),
        pytest.param('"{\\"a\\": 1', "cut_off", id="cut off in a text in a text"),
        pytest.param('{"a": 1}{"a": 2}', "cut_off", id="two objects"),
        pytest.param('{"a": 1} and so on', "cut_off", id="with a tail"),
        pytest.param("the page", "no_object", id="prose"),
        pytest.param("5", "no_object", id="a number"),
        pytest.param("[1, 2]", "no_object", id="a list"),
        pytest.param(True, "no_object", id="a yes"),
    ],
)
def test_arguments_are_read_or_refused_and_never_mended(raw: object, arguments: Any) -> None:
    assert arguments_in(raw) == arguments
