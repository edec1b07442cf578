"""The engine's own fixed texts for a ticket's self-check column, and how to recognise them.

A write of nothing but such a text is the one kind that needs no care, so `is_mark` accepts what
the functions here produce and nothing else: no free text, no link, no second line.
"""

import re
import unicodedata
from typing import Literal

from lakelight.clock import iso, parse_iso
from lakelight.tickets.language import Language

MOST_NAME = 60
"""Longer names are cut in a mark; the roster refuses them."""

Need = Literal["approval", "persona_missing", "persona_empty", "persona_in_trash", "changed", "budget"]
"""What a person is needed for."""

Failure = Literal["refused", "denied", "ticket_gone", "too_large", "no_usable_answer", "error"]
"""Why a ticket could not be finished for good."""

_NEEDS: dict[Need, dict[Language, str]] = {
    "approval": {"zh": "等待审批", "en": "approval due"},
    "persona_missing": {"zh": "读不到人格页", "en": "persona page can't be read"},
    "persona_empty": {"zh": "人格页是空的", "en": "persona page is empty"},
    "persona_in_trash": {"zh": "人格页在回收站里", "en": "persona page is in the trash"},
    "changed": {"zh": "内容已被他人修改", "en": "somebody else changed it"},
    "budget": {"zh": "预算已用完", "en": "budget is spent"},
}
_FAILURES: dict[Failure, dict[Language, str]] = {
    "refused": {"zh": "Notion 拒绝了写入", "en": "Notion refused the write"},
    "denied": {"zh": "守卫拒绝了写入", "en": "the guard denied the write"},
    "ticket_gone": {"zh": "工单页已不在", "en": "the ticket's page is gone"},
    "too_large": {"zh": "回执超出 Notion 的限制", "en": "the receipt exceeds Notion's limits"},
    "no_usable_answer": {"zh": "模型没有给出可用的回答", "en": "no usable answer from the model"},
    "error": {"zh": "内部错误", "en": "internal error"},
}
_NEEDS_YOU: dict[Language, str] = {"zh": "✋ 需要你处理", "en": "✋ Needs you"}
_FAILED: dict[Language, str] = {"zh": "❌ 未完成", "en": "❌ Not done"}
_FINISHED: dict[Language, str] = {"zh": "✅ 已完成 · 回执", "en": "✅ Done · Receipt"}
_TIMED_OUT: dict[Language, str] = {"zh": "⏳ 生成超时", "en": "⏳ 生成超时 (generation timed out)"}

_LANGUAGES: tuple[Language, ...] = ("zh", "en")
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
_LINK = re.compile(r"://|www\.|mailto:|\S@\S", re.IGNORECASE)
_PICKED_UP = re.compile(rf"⚡ 已接单 · (?P<name>.+) · {_MOMENT}")


def picked_up(agent_name: str, at_iso: str) -> str:
    """`⚡ 已接单 · <agent name> · <ISO time>`, the same in both languages.

    Raises:
        ValueError: `at_iso` is no ISO 8601 time.
    """
    return f"⚡ 已接单 · {_plain_name(agent_name)} · {_moment(at_iso)}"


def finished(receipt_number: int, at_iso: str, language: Language) -> str:
    """`✅ 已完成 · 回执 R-12 · <ISO time>`.

    Raises:
        ValueError: `at_iso` is no ISO 8601 time, or the number is no receipt's.
    """
    if not 1 <= receipt_number < 10**9:
        raise ValueError(f"no receipt number: {receipt_number!r}")
    return f"{_FINISHED[language]} R-{receipt_number} · {_moment(at_iso)}"


def timed_out(at_iso: str, language: Language) -> str:
    """`⏳ 生成超时 · <ISO time>`: the model did not answer in time.

    Raises:
        ValueError: `at_iso` is no ISO 8601 time.
    """
    return f"{_TIMED_OUT[language]} · {_moment(at_iso)}"


def needs_you(need: Need, language: Language) -> str:
    """`✋ 需要你处理 · <what for>`."""
    return f"{_NEEDS_YOU[language]} · {_NEEDS[need][language]}"


def failed(failure: Failure, at_iso: str, language: Language) -> str:
    """`❌ 未完成 · <why> · <ISO time>`.

    Raises:
        ValueError: `at_iso` is no ISO 8601 time.
    """
    return f"{_FAILED[language]} · {_FAILURES[failure][language]} · {_moment(at_iso)}"


def is_mark(text: str) -> bool:
    """True when `text` is, to the last character, one of the texts that this file makes."""
    found = _PICKED_UP.fullmatch(text)
    if found:
        return fits_mark(found["name"])
    return _FIXED.fullmatch(text) is not None


def fits_mark(name: str) -> bool:
    """True when an agent's name can stand in a mark as it is: one short line of visible text, no link."""
    return (
        0 < len(name) <= MOST_NAME
        and name == name.strip()
        and not _LINK.search(name)
        and all(_visible(char) for char in name)
    )


def _visible(char: str) -> bool:
    # A zero-width joiner makes one emoji of several; every other format character hides something.
    return char == "\u200d" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _plain_name(name: str) -> str:
    if fits_mark(name):
        return name
    plain = "".join(char if _visible(char) else " " for char in name)
    plain = _LINK.sub(" ", " ".join(plain.split()))[:MOST_NAME].strip()
    # Cutting one link out can leave two halves that make another.
    return plain if fits_mark(plain) else "?"


def _moment(text: str) -> str:
    return iso(parse_iso(text))


def _any_of(texts: list[str]) -> str:
    return "(?:" + "|".join(re.escape(text) for text in texts) + ")"


_FIXED = re.compile(
    "|".join(
        (
            _any_of(list(_FINISHED.values())) + rf" R-[1-9][0-9]{{0,8}} · {_MOMENT}",
            _any_of(list(_TIMED_OUT.values())) + f" · {_MOMENT}",
            _any_of([needs_you(need, language) for need in _NEEDS for language in _LANGUAGES]),
            _any_of([f"{_FAILED[lang]} · {why[lang]}" for why in _FAILURES.values() for lang in _LANGUAGES])
            + f" · {_MOMENT}",
        )
    )
)
