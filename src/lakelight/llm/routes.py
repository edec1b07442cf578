"""The routing table: for each kind of task a model, its stand-ins, a length and a temperature.

It is data. `models.toml` (or `models.json`) in the home changes any part of it:

    [reasoning]
    model = "qwen-plus"
    fallbacks = ["qwen-turbo"]
    max_tokens = 4000
    temperature = 0.7
"""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from lakelight.errors import ConfigurationError
from lakelight.llm.port import TaskKind
from lakelight.owner_file import read_owner_file

_MAX_TEMPERATURE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which models are asked for one kind of task, in order, and how."""

    model: str
    fallbacks: tuple[str, ...]
    max_tokens: int
    temperature: float
    weak_tools: bool | None = None
    """Whether the model plans once instead of calling tools freely; by default its name and provider tell."""

    @property
    def models(self) -> tuple[str, ...]:
        """Every model to try, the preferred one first, each once."""
        return tuple(dict.fromkeys((self.model, *self.fallbacks)))


Routes = Mapping[TaskKind, Route]

DEFAULT_ROUTES: Routes = {
    "reasoning": Route(model="qwen-plus", fallbacks=("qwen-turbo",), max_tokens=4000, temperature=0.7),
    "coding": Route(
        model="qwen-coder-turbo", fallbacks=("qwen-plus", "qwen-turbo"), max_tokens=8000, temperature=0.3
    ),
    "simple": Route(model="qwen-turbo", fallbacks=("qwen-plus",), max_tokens=1000, temperature=0.5),
    "thinking": Route(model="qwen-plus", fallbacks=("qwen-turbo",), max_tokens=8000, temperature=0.8),
}


def with_one_model(routes: Routes, model: str) -> Routes:
    """`routes` with `model` for every task and no stand-ins: for an endpoint that serves just one."""
    return {task: replace(route, model=model, fallbacks=()) for task, route in routes.items()}


def load_routes(path: Path, *, model: str | None = None) -> Routes:
    """The default routes as changed by the file at `path`, if there is one.

    Args:
        path: TOML, or JSON when its name ends so.
        model: Stands for all names when given.

    Raises:
        ConfigurationError: The file cannot be read or a key in it is unknown or has a wrong value;
            `key` in the facts names it.
    """
    routes = dict(DEFAULT_ROUTES)
    for task, table in _read(path).items():
        if task not in get_args(TaskKind):
            raise _wrong(path, task, f"one of {', '.join(get_args(TaskKind))}")
        if not isinstance(table, dict):
            raise _wrong(path, task, "a table")
        routes[task] = _changed(routes[task], table, path, task)
    return with_one_model(routes, model) if model else routes


def _read(path: Path) -> dict[Any, Any]:
    try:
        text = read_owner_file(path)
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(
            "config.models.unreadable",
            f"{path.name} cannot be read: {error}",
            file=path.name,
            reason=str(error),
        ) from error
    if not isinstance(content, dict):
        raise _wrong(path, "", "a table")
    return content


def _changed(route: Route, table: dict[str, Any], path: Path, task: str) -> Route:
    changes: dict[str, Any] = {}
    for key, value in table.items():
        expected = _EXPECTED.get(key)
        if expected is None:
            raise _wrong(path, f"{task}.{key}", f"one of {', '.join(_EXPECTED)}")
        if not _fits(key, value):
            raise _wrong(path, f"{task}.{key}", expected)
        changes[key] = tuple(value) if isinstance(value, list) else value
    return replace(route, **changes)


_EXPECTED = {
    "model": "the name of a model",
    "fallbacks": "a list of names of models",
    "max_tokens": "a whole number from 1 up",
    "temperature": f"a number from 0 to {_MAX_TEMPERATURE}",
    "weak_tools": "true or false",
}


def _fits(key: str, value: object) -> bool:
    match key, value:
        case "weak_tools", _:
            return isinstance(value, bool)
        case _, bool():
            return False
        case "model", str():
            return _is_name(value)
        case "fallbacks", list():
            return all(_is_name(name) for name in value)
        case "max_tokens", int():
            return value >= 1
        case "temperature", int() | float():
            return math.isfinite(value) and 0 <= value <= _MAX_TEMPERATURE
        case _:
            return False


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _wrong(path: Path, key: str, expected: str) -> ConfigurationError:
    return ConfigurationError(
        "config.models.wrong",
        f"{path.name}: {key!r} must be {expected}",
        file=path.name,
        key=key,
        expected=expected,
    )
