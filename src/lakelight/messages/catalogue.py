"""The catalogue: one TOML file a language with the same keys, and a voice that speaks one of them.

A sentence says what happened, what did not, and the next step. Facts are filled in by name.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any, Literal

from lakelight.errors import LakelightError

Language = Literal["zh", "en"]
languages: tuple[Language, ...] = ("zh", "en")

_SEPARATORS: Mapping[Language, str] = {"zh": "、", "en": ", "}
_COMMAND = re.compile(
    r"\blakelight(?= (?:approvals|ask|audit|chat|config|demo|doctor|mcp|tickets|undo|up)\b)"
)


class Messages:
    """Speaks one language.

    Args:
        command: How the command line is called here, for the sentences that name a command to type.
    """

    def __init__(self, language: Language, command: str = "lakelight") -> None:
        self.language = language
        self.command = command
        self._texts = catalogue(language)

    def say(self, key: str, /, **facts: object) -> str:
        """The sentence of `key` with `facts` filled in; the key and its facts when there is no sentence."""
        text = self._texts.get(key)
        if text is None:
            details = ", ".join(f"{name}={value}" for name, value in facts.items())
            return f"{key} ({details})" if details else key
        if self.command != "lakelight":
            text = _COMMAND.sub(lambda _: self.command.replace("{", "{{").replace("}", "}}"), text)
        return _Lenient(_SEPARATORS[self.language]).format(text, **facts)

    def has(self, key: str) -> bool:
        """True when there is a sentence for `key`."""
        return key in self._texts

    def explain(self, error: LakelightError) -> str:
        """The sentence for an error of ours."""
        key = error.message_key if error.message_key in self._texts else error.code
        return self.say(key, **error.facts)


def language_for(wanted: str | None, environment: Mapping[str, str]) -> Language:
    """The language to speak: the one that was asked for, else the environment's, else English."""
    candidates = (
        wanted,
        *(environment.get(name) for name in ("LAKELIGHT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")),
    )
    for candidate in candidates:
        if candidate and candidate != "auto":
            return "zh" if candidate.lower().startswith("zh") else "en"
    return "en"


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """Every key of a language with its text."""
    file = resources.files("lakelight.messages") / f"{language}.toml"
    return dict(_flatten(tomllib.loads(file.read_text(encoding="utf-8")), ""))


def _flatten(content: Mapping[str, Any], above: str) -> list[tuple[str, str]]:
    texts: list[tuple[str, str]] = []
    for name, value in content.items():
        if isinstance(value, dict):
            texts.extend(_flatten(value, f"{above}{name}."))
        else:
            texts.append((f"{above}{name}", str(value)))
    return texts


class _Lenient(Formatter):
    # A sentence must come out also when a fact is missing: an error while telling an error helps nobody.
    def __init__(self, separator: str) -> None:
        self._separator = separator

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        if isinstance(key, str):
            return self._shown(kwargs.get(key, "?"))
        return super().get_value(key, args, kwargs)

    def _shown(self, value: Any) -> Any:
        match value:
            case float():
                return f"{value:g}"
            case tuple() | list() | set() | frozenset():
                return self._separator.join(str(self._shown(part)) for part in value)
            case _:
                return value
