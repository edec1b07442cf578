"""What stands beside a mark decides what it is: emphasis or an asterisk, a formula or money.

Chinese, Japanese and Korean characters and their punctuation count as letters, so that
`**重要：**请看` is bold.
"""

import re
import unicodedata

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff“”‘’…—·]"
)


def flanking(before: str, after: str) -> tuple[bool, bool]:
    """Say whether a run of delimiters between two characters can open, and can close, emphasis."""

    def blocks(inner: str, outer: str) -> bool:
        if not is_punctuation(inner) or _CJK.match(inner):
            return False
        return not (outer.isspace() or is_punctuation(outer) or _CJK.match(outer))

    opens = not after.isspace() and not blocks(after, before)
    closes = not before.isspace() and not blocks(before, after)
    return opens, closes


def is_punctuation(character: str) -> bool:
    """Say whether a character is punctuation or a symbol."""
    return unicodedata.category(character)[0] in "PS"


def is_formula(expression: str) -> bool:
    """Say whether what stands between two dollars is a formula and not the text between two prices."""
    if not expression or expression[0].isspace() or expression[-1].isspace():
        return False
    return not (expression[0].isdigit() and _CJK.search(expression))


def joins(neighbour: str) -> bool:
    """Say whether a dollar that stands by this character is part of a word or of a price."""
    return neighbour == "$" or (neighbour.isascii() and neighbour.isalnum())


def is_wide(character: str) -> bool:
    """Say whether a character is written without spaces around it."""
    return bool(character) and _CJK.match(character) is not None
