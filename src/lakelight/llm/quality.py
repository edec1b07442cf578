"""Whether a model's text is an answer at all. Pure.

This is no judge of content: a short, plain or wrong answer passes. What fails is text
that no reader would take for an answer, so that the next model is asked instead.
"""

import re
import unicodedata
from typing import Literal

Fault = Literal[
    "empty", "reasoning_only", "cut_off", "filtered", "html", "garbled", "repeating", "error", "overlong"
]
"""Why an answer is unusable. `error`: the endpoint put an error where the answer should be."""

_REASONING = re.compile(r"\s*<(think|thinking|thought)>(?:.*?</\1>|.*\Z)", re.DOTALL | re.IGNORECASE)
# Some chat templates open the tag in the prompt, so that only its end reaches us. It must
# stand on its own line: an answer may well mention the tag in a sentence.
_ORPHAN_END = re.compile(
    r"\A.*^\s*</(?:think|thinking|thought)>[ \t]*$", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE)
_LOOP = re.compile(r"(\S.{0,59}?)\1{11,}", re.DOTALL)

_GARBLED_SHARE = 0.05
_LOOP_SHARE = 0.6
_MISREAD_FROM = 6
"""Shorter runs can be read in two encodings by chance."""
_EMOJI_FROM = 0x1F000
_DINGBATS = range(0x2600, 0x27C0)


def answer_in(text: str) -> str:
    """`text` without the reasoning that stands before the answer, and without outer space."""
    rest = text
    while match := _REASONING.match(rest):
        rest = rest[match.end() :]
    if rest is text:
        rest = _ORPHAN_END.sub("", text)
    return rest.strip()


def fault_of(text: str, finish: str | None) -> Fault | None:
    """What is wrong with `text`, reasoning included, as an answer; nothing when it can be used."""
    answer = answer_in(text)
    stopped = fault_of_call(finish)
    if stopped is not None:
        return stopped
    if not _says_something(answer):
        return "reasoning_only" if _says_something(text) else "empty"
    if _HTML.match(answer):
        return "html"
    if _is_garbled(answer):
        return "garbled"
    if _repeats(answer):
        return "repeating"
    return None


def fault_of_call(finish: str | None) -> Fault | None:
    """What is wrong with an answer that calls tools, whose text does not matter."""
    match finish:
        case "length":
            return "cut_off"
        case "content_filter":
            return "filtered"
        case _:
            return None


def _says_something(text: str) -> bool:
    """Whether there is a letter, a digit or an emoji in it."""
    return any(char.isalnum() or ord(char) >= _EMOJI_FROM or ord(char) in _DINGBATS for char in text)


def _is_garbled(answer: str) -> bool:
    broken = sum(_is_broken(char) for char in answer)
    return (broken > 1 and broken / len(answer) >= _GARBLED_SHARE) or _is_misread(answer)


def _is_broken(char: str) -> bool:
    return char == "\ufffd" or (unicodedata.category(char) in {"Cc", "Co", "Cs"} and char not in "\n\r\t")


def _is_misread(answer: str) -> bool:
    """Whether this is UTF-8 that somebody read as Latin or as GBK.

    Going back to the bytes and reading them as UTF-8 succeeds by accident for a word or two only.
    """
    if "锟斤拷" in answer:
        return True
    if sum(not char.isascii() for char in answer) < _MISREAD_FROM:
        return False
    for encoding in ("cp1252", "latin-1", "gbk"):
        try:
            answer.encode(encoding).decode()
        except UnicodeError:
            continue
        return True
    return False


def _repeats(answer: str) -> bool:
    """Whether most of it is one short piece with a letter or digit in it, over and over."""
    looped = sum(len(match[0]) for match in _LOOP.finditer(answer) if _says_something(match[1]))
    return looped / len(answer) >= _LOOP_SHARE
