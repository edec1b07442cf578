"""The words of a formula's text."""

import re
from dataclasses import dataclass
from typing import Literal

from notion_embedded.model.formulas.kinds import UnsupportedFormula

MAX_LENGTH = 10_000

TokenKind = Literal["number", "string", "name", "sign", "end"]

_WORD = re.compile(
    r"""
      (?P<space>\s+|/\*.*?\*/)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>==|!=|<=|>=|&&|\|\||[-+*/%^<>?:(),.!])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ESCAPES = {"n": "\n", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word: what it is, what it says, and where in the text it stands."""

    kind: TokenKind
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """The words of the text, and one that marks its end.

    Raises:
        UnsupportedFormula: There is something in it that is no word of this language, or too much of it.
    """
    if len(text) > MAX_LENGTH:
        raise UnsupportedFormula
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None:
            raise UnsupportedFormula
        tokens += _token(word)
        at = word.end()
    return [*tokens, Token("end", "", at, at)]


def _token(word: re.Match[str]) -> list[Token]:
    match word.lastgroup:
        case "number" | "string" | "name" | "sign" as kind:
            said = _unquoted(word.group()) if kind == "string" else word.group()
            return [Token(kind, said, word.start(), word.end())]
        case _:
            return []


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1], flags=re.DOTALL)


def quoted(words: str) -> str:
    """The words as a formula writes them."""
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'


def renamed(text: str, old: str, new: str) -> str:
    """The formula after the column `old` is called `new`."""
    try:
        tokens = tokens_of(text)
    except UnsupportedFormula:
        return text
    for at in range(len(tokens) - 3, -1, -1):
        name, bracket, column = tokens[at : at + 3]
        if (name.text, bracket.text, column.kind, column.text) == ("prop", "(", "string", old):
            text = text[: column.start] + quoted(new) + text[column.end :]
    return text
