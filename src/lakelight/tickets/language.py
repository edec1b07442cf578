"""Which of our two languages a text is in."""

import re
from typing import Literal

Language = Literal["zh", "en"]

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


def language_of(*texts: str) -> Language:
    """The language of `texts` together; Chinese when they hold no word at all.

    Chinese prose is full of English terms and hardly the other way round, so two characters outweigh
    a word.
    """
    text = "\n".join(texts)
    return "zh" if len(_HAN.findall(text)) * 2 >= len(_WORD.findall(text)) else "en"
