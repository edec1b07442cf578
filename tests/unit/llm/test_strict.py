"""The strict form of a schema: what it demands, and what has none."""

from typing import Any

import pytest

from lakelight.llm.strict import strict_form

TEXT = {"type": "string"}


def test_what_may_be_left_out_may_be_null_instead() -> None:
    schema = {
        "type": "object",
        "properties": {
            "page": TEXT,
            "limit": {"type": "integer"},
            "order": {"type": "string", "enum": ["up", "down"]},
            "where": {"anyOf": [TEXT, {"type": "object", "properties": {"a": TEXT}}]},
        },
        "required": ["page"],
    }

    assert strict_form(schema) == {
        "type": "object",
        "properties": {
            "page": TEXT,
            "limit": {"type": ["integer", "null"]},
            "order": {"type": ["string", "null"], "enum": ["up", "down", None]},
            "where": {
                "anyOf": [
                    TEXT,
                    {
                        "type": "object",
                        "properties": {"a": {"type": ["string", "null"]}},
                        "required": ["a"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ]
            },
        },
        "required": ["page", "limit", "order", "where"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "object"}, id="an object of anything"),
        pytest.param({"type": "object", "properties": {}, "additionalProperties": TEXT}, id="free names"),
        pytest.param({"type": "array", "items": {"type": "object"}}, id="a list of such"),
        pytest.param({"type": "object", "properties": {"a": {"type": "object"}}}, id="with such in it"),
        pytest.param({"anyOf": [TEXT, {"type": "object"}]}, id="one or such"),
        pytest.param({"oneOf": [TEXT]}, id="one of"),
    ],
)
def test_what_cannot_be_listed_has_no_strict_form(schema: dict[str, Any]) -> None:
    assert strict_form(schema) is None
