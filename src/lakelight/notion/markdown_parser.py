"""Markdown as people and models write it, read into a tree.

CommonMark, tables, strikethrough, footnotes and mathematics, with two differences: bold
works right beside Chinese, and a dollar before a digit is money.
"""

import re
import unicodedata
from collections.abc import MutableMapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

_DEEPEST = 1000
_BRACKETS = re.compile(r"\\\((?P<inline>.{1,1000}?)\\\)|\\\[(?P<display>.{1,1000}?)\\\]", re.DOTALL)
_LOOKS_LIKE_MATHS = re.compile(r"[\\^_=+{}<>]")


def parse(markdown: str) -> SyntaxTreeNode:
    """`markdown` as a tree."""
    return SyntaxTreeNode(_parser().parse(markdown))


def parse_inline(markdown: str) -> list[SyntaxTreeNode]:
    """The inline nodes of `markdown`, which is one paragraph's text."""
    root = SyntaxTreeNode(_parser().parseInline(markdown))
    return list(root.children[0].children) if root.children else []


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    inline = _Inline()
    inline.ruler, inline.ruler2 = parser.inline.ruler, parser.inline.ruler2
    parser.inline = inline
    parser.use(
        dollarmath_plugin, allow_digits=False, allow_space=False, allow_labels=False, double_inline=True
    )
    # Notes stay where they are written: the plugin would leave out those that nothing refers to.
    parser.use(footnote_plugin, inline=False).disable("footnote_tail")
    parser.inline.ruler.before("escape", "bracket_math", _bracket_math)
    return parser


class _State(StateInline):
    """Decides where emphasis may begin and end; Chinese has no spaces to tell it by."""

    # The name is the library's.
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        plain = super().scanDelims(start, canSplitWord)
        if not canSplitWord:
            return plain
        end = start + plain.length
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        return Scanned(_opens(before, after), _opens(after, before), plain.length)


class _Inline(ParserInline):
    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _opens(outside: str, inside: str) -> bool:
    """Whether a mark between `outside` and `inside` embraces what is inside."""
    if inside.isspace():
        return False
    return not _is_mark(inside) or outside.isspace() or _is_mark(outside) or _is_wide(outside)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS" and not _is_wide(character)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def _bracket_math(state: StateInline, silent: bool) -> bool:
    r"""`\(…\)` and `\[…\]`, which models write; an escaped bracket around anything else stays one."""
    found = _BRACKETS.match(state.src, state.pos, state.posMax)
    if not found or (found["display"] and not _LOOKS_LIKE_MATHS.search(found["display"])):
        return False
    if not silent:
        token = state.push("math_inline" if found["inline"] else "math_inline_double", "math", 0)
        token.content = (found["inline"] or found["display"]).strip()
    state.pos = found.end()
    return True
