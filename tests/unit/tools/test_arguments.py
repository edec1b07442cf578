"""Arguments as models send them: strings where objects belong, names that are not there, too much."""

from typing import Any

import pytest

from lakelight.tools import Fault
from lakelight.tools.arguments import Arguments, Value, parse, schema_of


class Inner(Arguments):
    column: str
    value: Value = None


class Model(Arguments):
    name: str
    filters: list[Inner] | None = None
    names: list[str] | None = None
    properties: dict[str, Value] | None = None


def test_the_schema_is_flat_and_says_nothing_twice() -> None:
    value = {"type": ["string", "number", "boolean", "array", "null"], "items": {"type": "string"}}
    inner = {
        "additionalProperties": False,
        "properties": {"column": {"type": "string"}, "value": value},
        "required": ["column"],
        "type": "object",
    }

    assert schema_of(Model) == {
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "filters": {"type": "array", "items": inner},
            "names": {"type": "array", "items": {"type": "string"}},
            "properties": {"type": "object", "additionalProperties": value},
        },
        "required": ["name"],
        "type": "object",
    }


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"filters": '[{"column":"状态"}]'}, {"filters": [{"column": "状态", "value": None}]}),
        ({"filters": ['{"column":"状态"}']}, {"filters": [{"column": "状态", "value": None}]}),
        ({"filters": {"column": "状态"}}, {"filters": [{"column": "状态", "value": None}]}),
        ({"filters": '{"column":"状态","value":3}'}, {"filters": [{"column": "状态", "value": 3}]}),
        ({"properties": '{"状态":"完成"}'}, {"properties": {"状态": "完成"}}),
        (
            {"properties": {"数": 3, "勾": True, "空": None}},
            {"properties": {"数": 3, "勾": True, "空": None}},
        ),
        ({"names": '["甲"]'}, {"names": ["甲"]}),
        ({"names": ['{"a":1}']}, {"names": ['{"a":1}']}),
        ({"name": '{"a":1}'}, {"name": '{"a":1}'}),
        ({"filters": None}, {}),
    ],
)
def test_what_arrives_as_a_json_string_is_read_once_where_the_schema_has_an_object_or_list(
    given: dict[str, Any], read: dict[str, Any]
) -> None:
    found = parse("tool", Model, {"name": "x", **given}, schema_of(Model))

    assert isinstance(found, Model)
    assert found.model_dump() == {"name": "x", "filters": None, "names": None, "properties": None, **read}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "name"),
        ({"name": 3}, "name"),
        ({"name": "x", "colour": "red"}, "colour"),
        ({"name": "x", "filters": "no json"}, "filters"),
        ({"name": "x", "filters": '"\\"twice\\""'}, "filters"),
        ({"name": "x", "filters": [{"value": 1}]}, "filters.0.column"),
        ({"name": "x", "names": [3]}, "names.0"),
        ({"name": "x", "properties": "[1]"}, "properties"),
        ({"name": "x", "filters": "[" * 100_000}, "filters"),
    ],
)
def test_what_does_not_fit_is_told_by_the_field(given: dict[str, Any], field: str) -> None:
    found = parse("tool", Model, given, schema_of(Model))

    assert isinstance(found, Fault)
    assert found.key == "tool.bad_arguments"
    assert found.facts["field"] == field
