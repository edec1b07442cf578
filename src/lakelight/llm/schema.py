"""Holding a value to a JSON Schema: the part of JSON Schema that our tools use, and no more. Pure.

Known are `type`, `enum`, `const`, `anyOf`, `properties`, `required`, `additionalProperties`, `items`,
`minItems` and `maxItems`. `fit` first brings into the wanted form what a model wrote in another one;
it changes forms, never meanings. `problems_in` then says what is still wrong, for a model to read.
"""

import ast
import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST_LITERAL = 20_000


def fit(value: Any, schema: Mapping[str, Any]) -> Any:
    """`value` in the form that `schema` asks for, as far as its meaning is plain."""
    kinds = _kinds(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        value = _converted(value, kinds)
    if isinstance(value, str) and "enum" in schema:
        value = _option(value, schema["enum"])
    if isinstance(value, dict):
        return _fit_object(value, schema)
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [fit(item, schema["items"]) for item in value]
    return value


def problems_in(value: Any, schema: Mapping[str, Any], path: str = "") -> list[str]:
    """What keeps `value` from fitting `schema`; nothing when it does."""
    if "anyOf" in schema:
        branches = [problems_in(value, branch, path) for branch in schema["anyOf"]]
        if all(branches):
            return min(branches, key=len)
    where = path or "the arguments"
    kinds = _kinds(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        return [f"{where} must be {' or '.join(kinds)}"]
    if "const" in schema and value != schema["const"]:
        return [f"{where} must be {_shown(schema['const'])}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where} must be one of {', '.join(_shown(option) for option in schema['enum'])}"]
    if isinstance(value, dict):
        return _problems_in_object(value, schema, path)
    if isinstance(value, list):
        return _problems_in_array(value, schema, path, where)
    return []


def parse(text: str) -> Any:
    """The value that `text` writes down, as JSON or as the literal of a careless model.

    Raises:
        ValueError: It is neither, or it is cut off.
    """
    try:
        # Models write bare line breaks into strings.
        return json.loads(text, strict=False, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError(str(error)) from None
    except ValueError as error:
        if len(text) > _LONGEST_LITERAL or text.lstrip()[:1] not in {"{", "["}:
            raise
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a stray backslash, which is the model's affair
                return _plain(ast.literal_eval(text.strip()))
        except (SyntaxError, ValueError, MemoryError, RecursionError, TypeError):
            raise error from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _plain(value: Any) -> Any:
    """`value` when it is made of what JSON has.

    Raises:
        ValueError: It holds something else.
    """
    match value:
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case str() | int() | float() | None:
            return value
        case _:
            raise ValueError("no JSON")


def _kinds(schema: Mapping[str, Any]) -> Sequence[str]:
    kinds = schema.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return True


def _converted(value: Any, kinds: Sequence[str]) -> Any:
    """`value` as the first of `kinds` that it can be read as; as it is when it cannot."""
    for kind in kinds:
        match kind, value:
            case "integer", float() if value.is_integer():
                return int(value)
            case "string", bool():
                return "true" if value else "false"
            case "string", int() | float():
                return str(value)
            case "array" | "object" | "integer" | "number" | "boolean", str():
                read = _read(value, kind)
                if _is(read, kind):
                    return read
    # One thing where a list of such things is wanted.
    return [value] if "array" in kinds and isinstance(value, str | dict) and value else value


def _read(text: str, kind: str) -> Any:
    try:
        value = parse(text if kind in {"array", "object"} else text.strip().lower())
    except ValueError:
        return text
    return int(value) if kind == "integer" and isinstance(value, float) and value.is_integer() else value


def _option(value: str, options: Sequence[Any]) -> Any:
    if value in options:
        return value
    folded = value.strip().casefold()
    same = [option for option in options if isinstance(option, str) and option.strip().casefold() == folded]
    return same[0] if len(same) == 1 else value


def _fit_object(value: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties")
    others = others if isinstance(others, Mapping) else {}
    required = schema.get("required", ())
    fitted = {}
    for name, item in value.items():
        part = properties.get(name, others)
        kinds = _kinds(part)
        # A null for what may be left out says that it is left out.
        if item is None and name in properties and name not in required and "null" not in kinds:
            continue
        fitted[name] = fit(item, part)
    return fitted


def _problems_in_object(value: dict[str, Any], schema: Mapping[str, Any], path: str) -> list[str]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    problems = [f"{_at(path, name)} is missing" for name in schema.get("required", ()) if name not in value]
    for name, item in value.items():
        if name in properties:
            problems += problems_in(item, properties[name], _at(path, name))
        elif isinstance(others, Mapping):
            problems += problems_in(item, others, _at(path, name))
        elif not others:
            problems.append(f"{_at(path, name)} is not known; known are {', '.join(properties) or 'none'}")
    return problems


def _problems_in_array(value: list[Any], schema: Mapping[str, Any], path: str, where: str) -> list[str]:
    if len(value) < schema.get("minItems", 0):
        return [f"{where} must have {schema['minItems']} items or more"]
    if len(value) > schema.get("maxItems", len(value)):
        return [f"{where} must have {schema['maxItems']} items or fewer"]
    items = schema.get("items")
    if not isinstance(items, Mapping):
        return []
    return [
        problem
        for index, item in enumerate(value)
        for problem in problems_in(item, items, f"{path}[{index}]")
    ]


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
