"""A call's arguments: checked against a model, and the model told as a small JSON Schema.

Models send objects as JSON strings; where the schema says object or array, such a string is read once.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, WithJsonSchema

from lakelight.tools.port import Fault

_SAID = frozenset({"title", "default"})
"""What pydantic says beside the type, and a model needs no telling."""

Value = Annotated[
    str | bool | int | float | list[str] | None,
    WithJsonSchema({"type": ["string", "number", "boolean", "array", "null"], "items": {"type": "string"}}),
]
"""What a column can be given: an option by its name, a date in ISO 8601, several as a list."""


class Arguments(BaseModel):
    """Base of every tool's arguments: nothing unknown is taken."""

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=Arguments)


def schema_of(model: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema of `model`, without what a planner does not need."""
    whole = model.model_json_schema()
    definitions = whole.pop("$defs", {})
    found: dict[str, Any] = _small(whole, definitions)
    found.pop("description", None)
    return found


def parse(tool: str, model: type[A], given: Mapping[str, Any], schema: Mapping[str, Any]) -> A | Fault:
    """The arguments as `model`, or what is wrong with them in a sentence's facts.

    Args:
        schema: What `schema_of` says of `model`; made once, since it takes longer than all the rest.
    """
    fields = schema["properties"]
    read = {name: _read(fields.get(name, {}), value) for name, value in given.items()}
    try:
        return model.model_validate(read)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "arguments"
        facts = {"tool": tool, "field": where, "problem": first["msg"], "fields": ", ".join(fields)}
        return Fault(key="tool.bad_arguments", facts=facts)


def _small(part: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(part, list):
        return [_small(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _small(definitions[part["$ref"].rsplit("/", 1)[-1]], definitions)
    choices = [choice for choice in part.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        rest = {key: value for key, value in part.items() if key != "anyOf"}
        return _small({**choices[0], **rest}, definitions)
    return {
        key: {name: _small(inner, definitions) for name, inner in value.items()}
        if key == "properties"
        else _small(value, definitions)
        for key, value in part.items()
        if key not in _SAID
    }


def _read(field: Mapping[str, Any], value: Any) -> Any:
    kind = field.get("type")
    if isinstance(value, str) and kind in ("array", "object"):
        value = _parsed(value, list if kind == "array" else dict)
    if kind == "array" and isinstance(value, dict):
        value = [value]
    if kind == "array" and isinstance(value, list) and field.get("items", {}).get("type") == "object":
        return [_parsed(item, dict) if isinstance(item, str) else item for item in value]
    return value


def _parsed(text: str, wanted: type) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, wanted | dict) else text
