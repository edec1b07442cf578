"""Dates in formulas: moments in UTC, whole days where no time was given."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

MONTHS = 12
QUARTER = 3
NOON = 12

_MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TOKEN = re.compile(
    r"\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|A|a|[A-Za-z]|[^A-Za-z\[]|\["
)
_IN_MILLISECONDS = {
    "weeks": 604_800_000, "days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1000,
    "milliseconds": 1,
}  # fmt: skip
_IN_MONTHS = {"years": MONTHS, "quarters": QUARTER, "months": 1}

UNITS = (*_IN_MONTHS, *_IN_MILLISECONDS)


@dataclass(frozen=True, slots=True, order=True)
class When:
    """A day or a moment, and where it ends if it is a range."""

    start: datetime
    whole: bool = False
    end: datetime | None = None

    def stored(self) -> dict[str, str | None]:
        """The date as a value shows it."""
        end = None if self.end is None else _text(self.end, whole=self.whole)
        return {"start": _text(self.start, whole=self.whole), "end": end, "time_zone": None}


def when_of(start: str, end: str | None = None) -> When:
    """The date that a value holds."""
    return When(_moment(start), "T" not in start, None if end is None else _moment(end))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        # The first or last hours of the calendar, which another zone pushes out of it.
        return moment.replace(tzinfo=UTC)


def _text(moment: datetime, *, whole: bool) -> str:
    return moment.date().isoformat() if whole else moment.isoformat(timespec="milliseconds")


def added(when: When, amount: float, unit: str) -> When | None:
    """The date so much later; nothing where the calendar ends. A whole day stays one, but for hours."""
    whole = when.whole and unit not in ("hours", "minutes", "seconds", "milliseconds")
    try:
        start = _shifted(when.start, amount, unit)
        end = None if when.end is None else _shifted(when.end, amount, unit)
    except (OverflowError, ValueError):
        return None
    return replace(when, start=start, end=end, whole=whole)


def _shifted(moment: datetime, amount: float, unit: str) -> datetime:
    if unit in _IN_MONTHS:
        months = moment.year * MONTHS + moment.month - 1 + int(amount) * _IN_MONTHS[unit]
        year, month = divmod(months, MONTHS)
        date(year, month + 1, 1)
        last = monthrange(year, month + 1)[1]
        return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
    return moment + timedelta(milliseconds=int(amount) * _IN_MILLISECONDS[unit])


def between(one: When, other: When, unit: str) -> int:
    """How many whole units lie from `other` to `one`; below zero where `one` is the earlier."""
    if unit in _IN_MONTHS:
        months = _whole_months(other.start, one.start)
        return int(months / _IN_MONTHS[unit])
    apart = (one.start - other.start) // timedelta(milliseconds=1)
    return int(apart / _IN_MILLISECONDS[unit])


def _whole_months(first: datetime, last: datetime) -> int:
    if last < first:
        return -_whole_months(last, first)
    months = (last.year - first.year) * MONTHS + last.month - first.month
    started = (first.day, first.timetz()) > (last.day, last.timetz())
    return months - 1 if started else months


def formatted(when: When, pattern: str) -> str | None:
    """The date in a pattern of `YYYY`, `MMM`, `DD`, `HH` and their like; nothing for another letter."""
    parts: list[str] = []
    for token in _TOKEN.finditer(pattern):
        word = token.group()
        if token.group(1) is not None:
            parts.append(token.group(1))
        elif word in _TOKENS:
            parts.append(_TOKENS[word](when.start))
        elif word.isascii() and word.isalpha():
            return None
        else:
            parts.append(word)
    return "".join(parts)


def in_words(when: When) -> str:
    """The date as `format` writes it."""
    pattern = "MMMM D, YYYY" if when.whole else "MMMM D, YYYY h:mm A"
    ends = (when.start,) if when.end is None else (when.start, when.end)
    return " → ".join(formatted(When(end), pattern) or "" for end in ends)


_TOKENS: Mapping[str, Callable[[datetime], str]] = {
    "YYYY": lambda at: f"{at.year:04}",
    "YY": lambda at: f"{at.year % 100:02}",
    "MMMM": lambda at: _MONTH_NAMES[at.month - 1],
    "MMM": lambda at: _MONTH_NAMES[at.month - 1][:3],
    "MM": lambda at: f"{at.month:02}",
    "M": lambda at: str(at.month),
    "DD": lambda at: f"{at.day:02}",
    "D": lambda at: str(at.day),
    "dddd": lambda at: _DAY_NAMES[at.weekday()],
    "ddd": lambda at: _DAY_NAMES[at.weekday()][:3],
    "HH": lambda at: f"{at.hour:02}",
    "H": lambda at: str(at.hour),
    "hh": lambda at: f"{(at.hour % NOON) or NOON:02}",
    "h": lambda at: str((at.hour % NOON) or NOON),
    "mm": lambda at: f"{at.minute:02}",
    "m": lambda at: str(at.minute),
    "ss": lambda at: f"{at.second:02}",
    "s": lambda at: str(at.second),
    "A": lambda at: "AM" if at.hour < NOON else "PM",
    "a": lambda at: "am" if at.hour < NOON else "pm",
}
