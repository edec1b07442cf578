"""Other people's text inside our own Markdown: shown as it is, acted on by nobody.

Escaped is what CommonMark or Notion's own Markdown would read as formatting, a link, a formula or
a mention.
"""

import re

_ACTIVE = re.compile(r"[\\`*~$\[\]<>{}|^]|(?<!\w)_|_(?!\w)")
_LINE_START = re.compile(r"^(?:[ \t]*(?:#+|[-+*]|>+)(?=[ \t]|$))+[ \t]*")


def escape(text: str) -> str:
    """`text` on one line, without effect on the Markdown around it."""
    return _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))


def quote(text: str) -> str:
    """`text` as a quotation, line by line; marks of headings, lists and quotations at a line's start go."""
    lines = [escape(_LINE_START.sub("", line)) for line in text.splitlines()]
    return "\n".join(f"> {line}" for line in lines if line)
