"""A receipt: what an agent answers on a ticket's page, under a heading that bears its number.

The heading is ours alone: no text of a model, and nothing it was given to read, can show one.
"""

import html
import re
from dataclasses import dataclass
from itertools import takewhile

from lakelight.tickets.language import Language
from lakelight.tickets.matching import fold
from lakelight.tickets.quoting import escape

_HEADING: dict[Language, str] = {"zh": "回执 R-{number}", "en": "Receipt R-{number}"}
_BY_MODEL: dict[Language, str] = {"zh": "模型 {model}", "en": "model {model}"}
_BY_TEMPLATE: dict[Language, str] = {"zh": "未使用模型（模板）", "en": "no model (template)"}
_QUOTED: dict[Language, str] = {"zh": "（引述）", "en": "(quoted) "}

_NUMBER = re.compile(r"(?:回执|回執|receipt)\W{0,4}(?:no|number|编号|号)?\W{0,4}r?\W{0,4}\d+")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")
_MARKUP = re.compile(r"<[^<>]*>|\{[^{}]*\}|[#*_~`>|\\]")
_HEADING_LINE = re.compile(r"\s*(?:>\s*|[-+*]\s+|\d+[.)]\s+)*(?:#|\*\*|__|<)")
_SETEXT = re.compile(r"[\s>]*(?:=+|-+)\s*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Who wrote a receipt, with what and when; it is shown below the heading."""

    agent_name: str
    at_iso: str
    model: str | None
    """None when no model is set up and the text comes from a template."""


def heading(number: int, language: Language) -> str:
    """`回执 R-12` or `Receipt R-12`: how people and searches find a receipt."""
    return _HEADING[language].format(number=number)


def compose(number: int, maker: Maker, body: str, language: Language) -> str:
    """The receipt as Markdown; its first line is the heading, and no other line looks like one."""
    made_by = _BY_MODEL[language].format(model=maker.model) if maker.model else _BY_TEMPLATE[language]
    head = f"## {heading(number, language)}\n\n{escape(maker.agent_name)} · {maker.at_iso} · {made_by}"
    return f"{head}\n\n{without_headings(body, language)}".rstrip() + "\n"


def without_headings(body: str, language: Language) -> str:
    """`body` without receipt headings: left out at its start, shown as quoted text further down."""
    lines = _CONTROL.sub("", body.replace("\r\n", "\n").replace("\r", "\n")).strip().split("\n")
    kept: list[str] = []
    for line in lines:
        underlined = bool(_SETEXT.fullmatch(line))
        if _claims_a_number(line):
            # Text behind a word of ours starts no heading.
            kept += [f"{_QUOTED[language]}{_words(line)}"] if kept else []
        elif underlined and _names_a_receipt(_paragraph_above(kept)):
            kept += ["", line]
        elif kept or not (underlined or not line.strip()):
            kept.append(line)
    return "\n".join(kept).strip()


def _claims_a_number(line: str) -> bool:
    words = fold(_words(line))
    found = _NUMBER.search(words)
    if not found:
        return False
    # A sentence may speak of a receipt; a line of its own or a heading may not.
    alone = not re.search(r"\w", words[: found.start()] + words[found.end() :])
    return alone or bool(_HEADING_LINE.match(line))


def _names_a_receipt(lines: list[str]) -> bool:
    return _NUMBER.search(fold(_words("\n".join(lines)))) is not None


def _paragraph_above(lines: list[str]) -> list[str]:
    """The lines that an underline below `lines` would make a heading of."""
    above = takewhile(str.strip, reversed(lines))
    return list(above)[::-1]


def _words(line: str) -> str:
    """What a reader sees of a line of Markdown."""
    return _MARKUP.sub("", _LINK.sub(r"\1", html.unescape(line))).strip()
