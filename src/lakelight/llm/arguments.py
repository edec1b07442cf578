"""Reading the arguments of a call, in whichever way a model wrapped, quoted or broke them. Pure.

What is cut off is not mended: half a text must not be written anywhere.
"""

import json
import re
from typing import Any, Literal

from lakelight.llm.schema import parse

_MOST_LAYERS = 4
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_FENCE = re.compile(r"\A```\w*\s*\n?(.*?)\n?```\Z", re.DOTALL)


def arguments_in(raw: object) -> dict[str, Any] | Literal["cut_off", "no_object"]:
    """The arguments that `raw` holds, or why there are none."""
    value = raw
    for _ in range(_MOST_LAYERS):
        match value:
            case None | "" | []:
                return {}
            case dict():
                return {_storable(name): _storable(item) for name, item in value.items()}
            case [single]:
                value = single
            case str():
                text = value.strip()
                fenced = _FENCE.match(text)
                text = fenced[1].strip() if fenced else text
                if text in {"", "None"}:
                    return {}
                try:
                    value = _value_of(text)
                except ValueError:
                    return "cut_off" if text.startswith(("{", '"{')) else "no_object"
            case _:
                return "no_object"
    return "no_object"


def _value_of(text: str) -> Any:
    """The value that `text` writes down, be it several times over, as broken streams have it.

    Raises:
        ValueError: It writes down none, or several.
    """
    try:
        return parse(text)
    except ValueError:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
        again = text[end:].strip()
        if not again or _value_of(again) != value:
            raise
        return value


def _storable(value: Any) -> Any:
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case dict():
            return {_storable(key): _storable(item) for key, item in value.items()}
        case list():
            return [_storable(item) for item in value]
        case _:
            return value
