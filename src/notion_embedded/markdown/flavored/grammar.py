"""The grammar of Notion-flavored Markdown: CommonMark, GitHub's tables and strikethrough, and Notion's tags.

HTML is no part of it: a tag that Notion does not know is text. Beyond CommonMark, emphasis works
right beside Chinese, and a dollar before a price is no formula.
"""

import re
from collections.abc import MutableMapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, paragraph, reference
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token

from notion_embedded.markdown.flavored.elements import Element, find_elements
from notion_embedded.markdown.neighbours import flanking, is_formula, joins
from notion_embedded.markdown.tags import ATTRIBUTES

_DEEPEST = 1000
_INDENTED = 4
_DOLLAR = re.compile(r"\$(?!`)((?:[^\\$\n]|\\[^\n])+)\$")
_QUOTED_DOLLAR = re.compile(r"\$(`+)(?!`)([^\n]{1,1010}?)(?<!`)\1(?!`)\$")
_DISPLAY = re.compile(r"\$\$([^$\n]+)\$\$[ \t]*$")
_CITATION = re.compile(r"\[\^(\w+://[^\s\]]+)\]")
_INLINE_TAG = re.compile(rf"<(?P<closing>/?)(?P<name>span|b|i|s|u)(?P<attributes>{ATTRIBUTES})>")
_BREAK = re.compile(r"<br\s*/?>")
_MENTION = re.compile(
    rf"<(?P<name>mention|date)(?P<attributes>{ATTRIBUTES})(?:/>|>(?P<label>[^<\n]*)</(?P=name)>)"
)
_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_PIPE = re.compile(r"(?<!\\)\|")


def read_tokens(source: str) -> list[Token]:
    """Return the block tokens of a text; inline ones are left for `read_inline`.

    Args:
        source: Its lines end with a line feed only.
    """
    tokens: list[Token] = []
    grammar = _grammar()
    # Where the last `$$` is spares each opening one the search for a closing one that never comes.
    env: dict[str, Any] = {"elements": find_elements(source), "last_dollars": source.rfind("$$")}
    grammar.block.parse(source, grammar, env, tokens)
    for token in tokens:
        if token.type == "inline":
            token.meta["references"] = env.get("references", {})
    return tokens


def read_inline(source: str, references: MutableMapping[str, Any]) -> list[Token]:
    """Return the inline tokens of one block's text."""
    grammar = _grammar()
    return grammar.inline.parse(source, grammar, {"references": references}, [])


def split_row(row: str) -> list[str]:
    """Return the cells of a row of a pipe table."""
    inner = row.strip(" \t").removeprefix("|")
    cells = _PIPE.split(inner)
    if len(cells) > 1 and not cells[-1].strip(" \t"):
        cells.pop()
    return [cell.strip(" \t").replace("\\|", "|") for cell in cells]


class _Grammar(MarkdownIt):
    """Takes addresses as they are written: which of them can be links is not for the grammar to say."""

    # The names are the library's.
    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


class _State(StateInline):
    # The names are the library's.
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        plain = super().scanDelims(start, canSplitWord)
        if not canSplitWord:
            return plain
        end = start + plain.length
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        return Scanned(*flanking(before, after), plain.length)


class _Inline(ParserInline):
    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


@cache
def _grammar() -> _Grammar:
    """The grammar is built once: reading changes nothing in it."""
    grammar = _Grammar("commonmark", {"maxNesting": _DEEPEST})
    inline = _Inline()
    grammar.inline = inline
    inline.ruler.enableOnly([
        "text", "newline", "escape", "backticks", "strikethrough", "emphasis", "link", "image", "autolink",
        "entity",
    ])  # fmt: skip
    inline.ruler2.enableOnly(["balance_pairs", "strikethrough", "emphasis", "fragments_join"])
    inline.ruler.before("escape", "formula", _formula)
    inline.ruler.before("link", "citation", _citation)
    inline.ruler.before("autolink", "inline_tag", _inline_tag)
    block = grammar.block.ruler
    block.disable(["html_block", "table"])
    block.at("reference", _reference)
    block.at("paragraph", _paragraph)
    interrupting: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    within_text: RuleOptionsType = {"alt": ["paragraph", "reference"]}
    block.before("fence", "element", _element, interrupting)
    block.before("fence", "display_formula", _display_formula, interrupting)
    block.before("fence", "pipe_table", _pipe_table, within_text)
    return grammar


# Blocks


def _text_of(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _is_code(state: StateBlock, line: int) -> bool:
    return state.sCount[line] - state.blkIndent >= _INDENTED


def _push(state: StateBlock, kind: str, lines: tuple[int, int], content: str, **meta: Any) -> None:
    token = state.push(kind, "", 0)
    token.content, token.meta, token.map = content, meta, list(lines)
    state.line = lines[1]


# The signatures of the rules are the library's.
def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A definition; but `[^1]: …` is a note's text, which would vanish if it were one."""
    return not _text_of(state, start).startswith("[^") and reference(state, start, end, silent)


def _paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph, with the wide spaces that begin one in Chinese."""
    found = paragraph(state, start, end, silent)
    state.tokens[-2].content = state.getLines(start, state.line, state.blkIndent, False).strip(" \t\n\f\v")
    return found


def _element(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    at = state.bMarks[start] + state.tShift[start]
    element: Element | None = state.env["elements"].get(at)
    if element is None or _is_code(state, start):
        return False
    last = start
    while element.end > state.eMarks[last]:
        last += 1
        if last >= end or (state.sCount[last] < state.blkIndent and not state.isEmpty(last)):
            return False
    if state.src[element.end : state.eMarks[last]].strip(" \t"):
        return False
    if not silent:
        _push(
            state,
            "element",
            (start, last + 1),
            _inner(state, element, start, last),
            name=element.name,
            attributes=element.attributes,
        )
    return True


def _inner(state: StateBlock, element: Element, start: int, last: int) -> str:
    if element.inner is None:
        return ""
    first, behind = element.inner
    if last == start:
        return state.src[first:behind]
    ending = state.getLines(last, last + 1, state.blkIndent, False)
    ending = ending[: max(len(ending) - (state.eMarks[last] - behind), 0)]
    between = state.getLines(start + 1, last, state.blkIndent, True)
    return f"{state.src[first : state.eMarks[start]]}\n{between}{ending}"


def _display_formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    text = _text_of(state, start)
    if not text.startswith("$$") or _is_code(state, start):
        return False
    if match := _DISPLAY.match(text):
        if not silent:
            _push(state, "equation", (start, start + 1), match[1].strip())
        return True
    if text.rstrip(" \t") != "$$":
        return False
    closing = start + 1
    while closing < end and _text_of(state, closing).rstrip(" \t") != "$$":
        outside = state.sCount[closing] < state.blkIndent and not state.isEmpty(closing)
        if outside or state.bMarks[closing] > state.env["last_dollars"]:
            return False
        closing += 1
    if closing >= end or state.sCount[closing] < state.blkIndent:
        return False
    if not silent:
        content = state.getLines(start + 1, closing, state.sCount[start], False)
        _push(state, "equation", (start, closing + 1), content.strip())
    return True


def _pipe_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    under = start + 1
    if under >= end or _is_code(state, start) or _is_code(state, under):
        return False
    if state.sCount[under] < state.blkIndent:
        return False
    head, dashes = _text_of(state, start), _text_of(state, under)
    if not (_PIPE.search(head) or "|" in dashes) or not _DELIMITER_ROW.match(dashes):
        return False
    if len(split_row(head)) != len(split_row(dashes)):
        return False
    if silent:
        return True
    stops = state.md.block.ruler.getRules("blockquote")
    rows, line = [head], under + 1
    parent, state.parentType = state.parentType, "table"
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        if _is_code(state, line) or any(stop(state, line, end, True) for stop in stops):
            break
        rows.append(_text_of(state, line))
        line += 1
    state.parentType = parent
    _push(state, "pipe_table", (start, line), "", rows=rows, references=state.env.get("references", {}))
    return True


# Inline


def _formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "$":
        return False
    quoted = _QUOTED_DOLLAR.match(state.src, state.pos, state.posMax)
    match = quoted or _DOLLAR.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if quoted:
        expression = quoted[2]
        if expression.startswith(" ") and expression.endswith(" ") and expression.strip(" "):
            expression = expression[1:-1]
    else:
        expression = match[1]
        before = state.src[match.start() - 1 : match.start()]
        after = state.src[match.end() : match.end() + 1]
        if not is_formula(expression) or joins(before) or joins(after):
            return False
    if not silent:
        state.push("formula", "", 0).content = expression
    state.pos = match.end()
    return True


def _citation(state: StateInline, silent: bool) -> bool:
    match = _CITATION.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("citation", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _inline_tag(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    for kind, pattern in (("inline_tag", _INLINE_TAG), ("line_break", _BREAK), ("mention", _MENTION)):
        if match := pattern.match(state.src, state.pos, state.posMax):
            if not silent:
                token = state.push(kind, "", 0)
                token.content, token.meta = match[0], dict(match.groupdict())
            state.pos = match.end()
            return True
    return False
