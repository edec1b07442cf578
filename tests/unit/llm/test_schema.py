"""Fitting a value to a schema, and saying what does not fit."""

from typing import Any

import pytest

from lakelight.llm.schema import fit, parse, problems_in

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
LIST = {"type": "array", "items": TEXT}
PAGE = {
    "type": "object",
    "properties": {
        "page": TEXT,
        "tags": LIST,
        "limit": WHOLE,
        "order": {"type": "string", "enum": ["Up", "Down"]},
    },
    "required": ["page"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "schema", "fitted"),
    [
        pytest.param('["a", "b"]', LIST, ["a", "b"], id="an array as text"),
        pytest.param("['a', 'b']", LIST, ["a", "b"], id="an array as a Python literal"),
        pytest.param("红", LIST, ["红"], id="one thing for a list"),
        pytest.param("", LIST, "", id="nothing for a list"),
        pytest.param('{"page": "x"}', PAGE, {"page": "x"}, id="an object as text"),
        pytest.param("[1", {"type": "array", "items": TEXT}, ["[1"], id="no array after all"),
        pytest.param("5", WHOLE, 5, id="a number as text"),
        pytest.param("5.0", WHOLE, 5, id="a whole number with a point"),
        pytest.param(5.0, WHOLE, 5, id="a float that is whole"),
        pytest.param(5.5, WHOLE, 5.5, id="a float that is not"),
        pytest.param("1.5", NUMBER, 1.5, id="a fraction as text"),
        pytest.param("True", {"type": "boolean"}, True, id="a yes as text"),
        pytest.param("maybe", {"type": "boolean"}, "maybe", id="no yes"),
        pytest.param(5, TEXT, "5", id="a number for a text"),
        pytest.param(True, TEXT, "true", id="a yes for a text"),
        pytest.param("5", {"type": ["string", "number"]}, "5", id="what fits stays"),
        pytest.param({"page": "x", "limit": None}, PAGE, {"page": "x"}, id="null for what may be missing"),
        pytest.param({"page": None}, PAGE, {"page": None}, id="null for what may not"),
        pytest.param(
            {"page": "x", "tags": '["a"]'}, PAGE, {"page": "x", "tags": ["a"]}, id="within an object"
        ),
        pytest.param(
            {"page": "x", "order": " down"},
            PAGE,
            {"page": "x", "order": "Down"},
            id="an option in other letters",
        ),
        pytest.param(["1", 2], {"type": "array", "items": NUMBER}, [1, 2], id="within a list"),
        pytest.param(
            {"a": "5"}, {"type": "object", "additionalProperties": WHOLE}, {"a": 5}, id="free names"
        ),
        pytest.param("NaN", NUMBER, "NaN", id="not a number"),
    ],
)
def test_forms_are_changed_and_meanings_are_not(value: Any, schema: dict[str, Any], fitted: Any) -> None:
    assert fit(value, schema) == fitted


@pytest.mark.parametrize(
    ("value", "schema", "problems"),
    [
        pytest.param({"page": "x"}, PAGE, [], id="good"),
        pytest.param("x", PAGE, ["the arguments must be object"], id="no object"),
        pytest.param({}, PAGE, ["page is missing"], id="missing"),
        pytest.param({"page": "x", "limit": True}, PAGE, ["limit must be integer"], id="a yes is no number"),
        pytest.param({"page": "x", "tags": ["a", 1]}, PAGE, ["tags[1] must be string"], id="in a list"),
        pytest.param(
            {"page": "x", "order": "left"}, PAGE, ['order must be one of "Up", "Down"'], id="no option"
        ),
        pytest.param(
            {"page": "x", "url": "y"},
            PAGE,
            ["url is not known; known are page, tags, limit, order"],
            id="unknown",
        ),
        pytest.param(
            {"a": 1}, {"type": "object", "additionalProperties": TEXT}, ["a must be string"], id="free"
        ),
        pytest.param(
            [], {"type": "array", "minItems": 1}, ["the arguments must have 1 items or more"], id="few"
        ),
        pytest.param(
            [1, 2], {"type": "array", "maxItems": 1}, ["the arguments must have 1 items or fewer"], id="many"
        ),
        pytest.param(None, {"type": ["string", "null"]}, [], id="null where it may be"),
        pytest.param("b", {"const": "a"}, ['the arguments must be "a"'], id="another constant"),
        pytest.param(1, {"anyOf": [TEXT, NUMBER]}, [], id="one of two"),
        pytest.param([], {"anyOf": [TEXT, NUMBER]}, ["the arguments must be string"], id="none of two"),
    ],
)
def test_what_does_not_fit_is_named(value: Any, schema: dict[str, Any], problems: list[str]) -> None:
    assert problems_in(value, schema) == problems


@pytest.mark.parametrize("text", ["", "{", '{"a": NaN}', "{'a': {1}}", "[" * 100_000, "print(1)"])
def test_what_writes_down_no_value_is_refused(text: str) -> None:
    # The promise is this class and no more.
    with pytest.raises(ValueError):  # noqa: PT011
        parse(text)
