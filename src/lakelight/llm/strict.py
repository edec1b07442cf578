"""The strict form of a JSON Schema: every property required, none beside them. Pure."""

from collections.abc import Mapping
from typing import Any

_UNSUPPORTED = frozenset({"oneOf", "allOf", "not", "patternProperties", "minProperties", "maxProperties"})


def strict_form(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """`schema` in the strict form, what was optional as a value that may be null; nothing when it has none.

    An object whose properties are not listed has none.
    """
    if _UNSUPPORTED & schema.keys():
        return None
    form = dict(schema)
    if "anyOf" in schema:
        branches = [strict_form(branch) for branch in schema["anyOf"]]
        if None in branches:
            return None
        form["anyOf"] = branches
    if "items" in schema:
        form["items"] = strict_form(schema["items"])
        if form["items"] is None:
            return None
    if schema.get("type") == "object":
        return _strict_object(schema, form)
    return form


def _strict_object(schema: Mapping[str, Any], form: dict[str, Any]) -> dict[str, Any] | None:
    if "properties" not in schema or schema.get("additionalProperties"):
        return None
    properties: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        strict = strict_form(part)
        if strict is None:
            return None
        properties[name] = strict if name in schema.get("required", ()) else _nullable(strict)
    return {**form, "properties": properties, "required": list(properties), "additionalProperties": False}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    form = {**schema, "type": [*kinds, "null"]} if kinds and "null" not in kinds else dict(schema)
    if "enum" in form and None not in form["enum"]:
        form["enum"] = [*form["enum"], None]
    return form
