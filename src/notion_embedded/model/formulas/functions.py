"""The functions and operators of the subset: which kinds they take, and what they make of them.

Each is given values that its signature let through, none of them empty unless it says so: an empty
argument makes an empty result.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from notion_embedded.model.formulas.kinds import Kind, UnsupportedFormula, Value
from notion_embedded.model.formulas.whens import UNITS, When, added, between, formatted, in_words

MAX_TEXT = 100_000
MAX_PLACES = 15

_PATTERN_SIGNS = frozenset(r"\^$.|?*+()[]{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function: how many arguments of which kinds, the kind of its result, and how it is worked out."""

    takes: tuple[tuple[Kind, ...], ...]
    """The kinds that each argument may have; the last one counts for all that follow."""
    gives: Kind
    apply: Callable[..., Any]
    least: int
    most: int | None
    same: bool = False
    """Whether all arguments must be of one kind."""
    takes_empty: bool = False


def is_empty(value: Value) -> bool:
    """Whether a value counts as nothing: so do zero, `false` and no words."""
    return value is None or value in ("", ()) or value == 0


def words(value: Value) -> str:
    """The value as text."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case When():
            return in_words(value)
        case tuple():
            return ", ".join(value)
        case _:
            number = tidy(value)
            return "" if number is None else str(number)


def tidy(number: float) -> float | int | None:
    """The number, whole where it can be; nothing for what is no number that JSON knows."""
    if isinstance(number, int):
        return number if abs(number) < 2**63 else tidy(float(number)) if abs(number) < 10**308 else None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _power(base: float, exponent: float) -> float | None:
    try:
        result = float(base) ** float(exponent)
    except (OverflowError, ZeroDivisionError):
        return None
    return result if isinstance(result, float) else None


def _divided(number: float, by: float) -> float | None:
    return None if by == 0 else number / by


def _remainder(number: float, by: float) -> float | None:
    return None if by == 0 else math.fmod(number, by)


def _rounded(number: float, places: float = 0) -> float | None:
    if not -MAX_PLACES <= places <= MAX_PLACES:
        return number if places > 0 else 0
    scale = 10.0 ** int(places)
    return math.floor(number * scale + 0.5) / scale if math.isfinite(number * scale) else number


def _plain(pattern: str) -> str:
    if not _PATTERN_SIGNS.isdisjoint(pattern):
        raise UnsupportedFormula
    return pattern


def _short(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise UnsupportedFormula
    return text


def _replaced(text: str, pattern: str, by: str) -> str:
    return _short(text.replace(_plain(pattern), by, 1))


def _all_replaced(text: str, pattern: str, by: str) -> str:
    if len(text) * (len(by) + 1) > MAX_TEXT * 10:
        raise UnsupportedFormula
    return _short(text.replace(_plain(pattern), by))


def _part(text: str, start: float, end: float | None = None) -> str:
    first = max(0, int(start))
    return text[first:] if end is None else text[first : max(first, int(end))]


def _number(value: Value) -> float | int | None:
    match value:
        case bool():
            return int(value)
        case str():
            try:
                return tidy(float(value)) if len(value) < MAX_TEXT and "_" not in value else None
            except ValueError:
                return None
        case When():
            return round(value.start.timestamp() * 1000)
        case int() | float():
            return value
        case _:
            return None


def _unit(unit: str) -> str:
    plural = unit if unit.endswith("s") else f"{unit}s"
    if plural not in UNITS:
        raise UnsupportedFormula
    return plural


def _formatted(when: When, pattern: str) -> str:
    text = formatted(when, pattern)
    if text is None:
        raise UnsupportedFormula
    return _short(text)


def _contains(within: str | Sequence[str], part: str) -> bool:
    return part in within


_NUMBER: tuple[Kind, ...] = ("number",)
_STRING: tuple[Kind, ...] = ("string",)
_BOOLEAN: tuple[Kind, ...] = ("boolean",)
_DATE: tuple[Kind, ...] = ("date",)
_LIST: tuple[Kind, ...] = ("list",)
_ORDERED: tuple[Kind, ...] = ("number", "string", "date")
_SINGLE: tuple[Kind, ...] = ("number", "string", "boolean", "date")
_ANY: tuple[Kind, ...] = (*_SINGLE, "list")


def _numeric(apply: Callable[..., Any], least: int, most: int | None) -> Function:
    return Function(takes=(_NUMBER,), gives="number", apply=apply, least=least, most=most)


def _compared(apply: Callable[..., Any]) -> Function:
    return Function(takes=(_ORDERED,), gives="boolean", apply=apply, least=2, most=2, same=True)


def _textual(apply: Callable[..., Any], gives: Kind, count: int) -> Function:
    return Function(takes=(_STRING,), gives=gives, apply=apply, least=count, most=count)


FUNCTIONS: Mapping[str, Function] = {
    "-": _numeric(lambda one, two: one - two, 2, 2),
    "*": _numeric(lambda one, two: one * two, 2, 2),
    "/": _numeric(_divided, 2, 2),
    "%": _numeric(_remainder, 2, 2),
    "^": _numeric(_power, 2, 2),
    "mod": _numeric(_remainder, 2, 2),
    "pow": _numeric(_power, 2, 2),
    "unaryMinus": _numeric(lambda number: -number, 1, 1),
    "unaryPlus": Function(takes=(_SINGLE,), gives="number", apply=_number, least=1, most=1),
    "toNumber": Function(takes=(_SINGLE,), gives="number", apply=_number, least=1, most=1),
    "round": _numeric(_rounded, 1, 2),
    "floor": _numeric(math.floor, 1, 1),
    "ceil": _numeric(math.ceil, 1, 1),
    "abs": _numeric(abs, 1, 1),
    "sqrt": _numeric(lambda number: None if number < 0 else math.sqrt(number), 1, 1),
    "sign": _numeric(lambda number: (number > 0) - (number < 0), 1, 1),
    "min": _numeric(lambda *numbers: min(numbers), 1, None),
    "max": _numeric(lambda *numbers: max(numbers), 1, None),
    "sum": _numeric(lambda *numbers: sum(numbers), 1, None),
    ">": _compared(lambda one, two: one > two),
    "<": _compared(lambda one, two: one < two),
    ">=": _compared(lambda one, two: one >= two),
    "<=": _compared(lambda one, two: one <= two),
    "==": Function(
        takes=(_SINGLE,), gives="boolean", apply=lambda one, two: one == two, least=2, most=2, same=True,
        takes_empty=True,
    ),
    "!=": Function(
        takes=(_SINGLE,), gives="boolean", apply=lambda one, two: one != two, least=2, most=2, same=True,
        takes_empty=True,
    ),
    "not": Function(
        takes=(_BOOLEAN,), gives="boolean", apply=lambda one: not one, least=1, most=1, takes_empty=True
    ),
    "empty": Function(takes=(_ANY,), gives="boolean", apply=is_empty, least=1, most=1, takes_empty=True),
    "format": Function(takes=(_ANY,), gives="string", apply=words, least=1, most=1, takes_empty=True),
    "concat": Function(
        takes=(_STRING,), gives="string", apply=lambda *texts: _short("".join(map(words, texts))), least=1,
        most=None, takes_empty=True,
    ),
    "length": Function(
        takes=(("string", "list"),), gives="number", apply=lambda of: len(of or ()), least=1, most=1,
        takes_empty=True,
    ),
    "contains": Function(
        takes=(("string", "list"), _STRING), gives="boolean", apply=_contains, least=2, most=2
    ),
    "includes": Function(takes=(_LIST, _STRING), gives="boolean", apply=_contains, least=2, most=2),
    "join": Function(
        takes=(_LIST, _STRING), gives="string", apply=lambda of, by: _short(by.join(of)), least=2, most=2
    ),
    "test": _textual(lambda text, pattern: _plain(pattern) in text, "boolean", 2),
    "replace": _textual(_replaced, "string", 3),
    "replaceAll": _textual(_all_replaced, "string", 3),
    "upper": _textual(str.upper, "string", 1),
    "lower": _textual(str.lower, "string", 1),
    "substring": Function(takes=(_STRING, _NUMBER), gives="string", apply=_part, least=2, most=3),
    "now": Function(takes=(), gives="date", apply=lambda: None, least=0, most=0),
    "today": Function(takes=(), gives="date", apply=lambda: None, least=0, most=0),
    "dateAdd": Function(
        takes=(_DATE, _NUMBER, _STRING), gives="date", least=3, most=3,
        apply=lambda when, amount, unit: added(when, amount, _unit(unit)),
    ),
    "dateSubtract": Function(
        takes=(_DATE, _NUMBER, _STRING), gives="date", least=3, most=3,
        apply=lambda when, amount, unit: added(when, -amount, _unit(unit)),
    ),
    "dateBetween": Function(
        takes=(_DATE, _DATE, _STRING), gives="number", least=3, most=3,
        apply=lambda one, other, unit: between(one, other, _unit(unit)),
    ),
    "formatDate": Function(takes=(_DATE, _STRING), gives="string", apply=_formatted, least=2, most=2),
}  # fmt: skip
"""All but `+`, `and`, `or`, `if` and `ifs`, whose kinds follow rules of their own."""
