"""From the words of a formula to its tree, by the strength of its operators."""

from collections.abc import Sequence
from dataclasses import dataclass

from notion_embedded.model.formulas.kinds import UnsupportedFormula, Value
from notion_embedded.model.formulas.tokens import Token, tokens_of

MAX_DEPTH = 100

_STRENGTHS = {
    "?": 1, "or": 2, "||": 2, "and": 3, "&&": 3, "==": 4, "!=": 4, ">": 5, "<": 5, ">=": 5, "<=": 5,
    "+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "^": 9, ".": 10,
}  # fmt: skip
_UNARY = 8
_SAME = {"||": "or", "&&": "and", "!": "not"}
_CONSTANTS: dict[str, Value] = {
    "true": True,
    "false": False,
    "pi": 3.141592653589793,
    "e": 2.718281828459045,
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that stands in the formula itself."""

    value: Value
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Prop:
    """The row's value in a column."""

    name: str
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Apply:
    """A function or an operator, and what it is applied to."""

    name: str
    arguments: tuple["Tree", ...]
    depth: int


Tree = Literal | Prop | Apply


def parse(text: str) -> Tree:
    """The tree of a formula.

    Raises:
        UnsupportedFormula: The text is no formula of the subset, or is nested too deep.
    """
    return _Parser(tokens_of(text)).whole()


def _number(text: str) -> float | int:
    number = float(text)
    if number == float("inf"):
        raise UnsupportedFormula
    return int(number) if number.is_integer() else number


def _apply(name: str, *arguments: Tree) -> Apply:
    depth = 1 + max((argument.depth for argument in arguments), default=0)
    if depth > MAX_DEPTH:
        raise UnsupportedFormula
    return Apply(_SAME.get(name, name), arguments, depth)


class _Parser:
    """A place in the words, from which the tree is read."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._open = 0

    def whole(self) -> Tree:
        tree = self._expression(0)
        if self._next().kind != "end":
            raise UnsupportedFormula
        return tree

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def _expect(self, sign: str) -> None:
        token = self._next()
        if token.kind != "sign" or token.text != sign:
            raise UnsupportedFormula

    def _expression(self, strength: int) -> Tree:
        # The tree's depth is known too late to guard the reading of `((((…`.
        self._open += 1
        if self._open > MAX_DEPTH:
            raise UnsupportedFormula
        left = self._first()
        while (token := self._peek()).kind in ("sign", "name") and _STRENGTHS.get(token.text, 0) > strength:
            self._next()
            left = self._joined(left, token.text)
        self._open -= 1
        return left

    def _joined(self, left: Tree, sign: str) -> Tree:
        if sign == "?":
            then = self._expression(0)
            self._expect(":")
            return _apply("if", left, then, self._expression(0))
        if sign == ".":
            name = self._next()
            if name.kind != "name" or name.text == "prop":
                raise UnsupportedFormula
            return _apply(name.text, left, *self._arguments())
        strength = _STRENGTHS[sign]
        # `2 ^ 3 ^ 2` is read from the right; every other chain from the left.
        return _apply(sign, left, self._expression(strength - 1 if sign == "^" else strength))

    def _first(self) -> Tree:
        token = self._next()
        if token.kind == "number":
            return Literal(_number(token.text))
        if token.kind == "string":
            return Literal(token.text)
        if token.kind == "name":
            return self._named(token.text)
        if token.text == "(":
            inner = self._expression(0)
            self._expect(")")
            return inner
        if token.text in ("-", "+", "!"):
            name = {"-": "unaryMinus", "+": "unaryPlus", "!": "not"}[token.text]
            return _apply(name, self._expression(_UNARY))
        raise UnsupportedFormula

    def _named(self, name: str) -> Tree:
        called = self._peek().kind == "sign" and self._peek().text == "("
        if name == "prop":
            match self._arguments():
                case [Literal(str() as column)]:
                    return Prop(column)
                case _:
                    raise UnsupportedFormula
        if name == "not":
            return _apply("not", self._expression(_UNARY))
        if called:
            return _apply(name, *self._arguments())
        if name in _CONSTANTS:
            return Literal(_CONSTANTS[name])
        raise UnsupportedFormula

    def _arguments(self) -> list[Tree]:
        self._expect("(")
        arguments: list[Tree] = []
        if self._peek().text == ")" and self._peek().kind == "sign":
            self._next()
            return arguments
        while True:
            arguments.append(self._expression(0))
            token = self._next()
            if token.kind == "sign" and token.text == ")":
                return arguments
            if token.kind != "sign" or token.text != ",":
                raise UnsupportedFormula
