"""Characters that do not show, made to show: what a person approves is what he can see. Pure."""

import unicodedata

_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_ORDINARY = frozenset("\n\t")
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and symbols that are drawn as nothing."""
_JOINER = "\u200d"
_EMOJI_FORM = "\ufe0f"


def visible(text: str) -> str:
    """`text` with every character that does not show written out, as in `⟨U+200B⟩`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"⟨U+{ord(character):04X}⟩" if _hides(text, index) else character
        for index, character in enumerate(text)
    )


def one_line(text: str) -> str:
    """`visible` for a line of its own: what would end the line or steer the terminal is written out too."""
    return visible(text).replace("\n", "⟨U+000A⟩").replace("\t", " ")


def shortened(text: str, most: int) -> str:
    """`text`, and of one that is longer than `most` its beginning and its end."""
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end - 1]}…{text[-end:]}"


def hidden(text: str) -> int:
    """How many characters of `text` do not show."""
    if text.isascii() and text.isprintable():
        return 0
    return sum(_hides(text, index) for index in range(len(text)))


def _hides(text: str, index: int) -> bool:
    character = text[index]
    if character in _ORDINARY:
        return False
    if character == _JOINER:
        return not _joins_emoji(text, index)
    # Variation selectors can carry a message; only the two that choose a form are in honest use.
    selects = "\ufe00" <= character <= "\ufe0d" or "\U000e0100" <= character <= "\U000e01ef"
    return selects or character in _BLANK or unicodedata.category(character) in _HIDING


def _joins_emoji(text: str, index: int) -> bool:
    before, after = text[:index][-1:], text[index + 1 : index + 2]
    return _pictures(before) and _pictures(after)


def _pictures(character: str) -> bool:
    return bool(character) and (character == _EMOJI_FORM or unicodedata.category(character) in {"So", "Sk"})
