"""What a formula gives for one row."""

from collections.abc import Callable, Sequence
from datetime import datetime

from notion_embedded.model.formulas.checking import Formula
from notion_embedded.model.formulas.functions import FUNCTIONS, MAX_TEXT, tidy, words
from notion_embedded.model.formulas.kinds import UnsupportedFormula, Value
from notion_embedded.model.formulas.parser import Apply, Literal, Prop, Tree
from notion_embedded.model.formulas.whens import When

Held = Callable[[str], Value]
"""What the row holds in the column of that name."""


def work_out(formula: Formula, held: Held, now: datetime) -> Value:
    """The formula's value for a row.

    Raises:
        UnsupportedFormula: A pattern, a unit or a length that the subset does not know came up.
    """
    return _Evaluation(held, now).value(formula.tree)


class _Evaluation:
    """One row, at one moment."""

    def __init__(self, held: Held, now: datetime) -> None:
        self._held = held
        self._now = now

    def value(self, tree: Tree) -> Value:
        """The value of a tree that was checked."""
        match tree:
            case Literal(value):
                return value
            case Prop(name):
                return self._held(name)
            case Apply(name, arguments):
                return _bounded(self._applied(name, arguments))

    def _applied(self, name: str, arguments: Sequence[Tree]) -> Value:
        match name:
            case "if" | "ifs":
                return self._branch(arguments)
            case "and":
                return all(bool(self.value(argument)) for argument in arguments)
            case "or":
                return any(bool(self.value(argument)) for argument in arguments)
            case "now":
                return When(self._now.replace(second=0, microsecond=0))
            case "today":
                return When(self._now.replace(hour=0, minute=0, second=0, microsecond=0), whole=True)
        values = [self.value(argument) for argument in arguments]
        if name == "+":
            return _sum(values)
        function = FUNCTIONS[name]
        if None in values and not function.takes_empty:
            return False if function.gives == "boolean" else None
        result: Value = function.apply(*values)
        return result

    def _branch(self, arguments: Sequence[Tree]) -> Value:
        for condition, then in zip(arguments[:-1:2], arguments[1::2], strict=False):
            if self.value(condition):
                return self.value(then)
        return self.value(arguments[-1])


def _sum(values: Sequence[Value]) -> Value:
    if any(isinstance(value, str) for value in values):
        return "".join(map(words, values))
    one, two = values
    if isinstance(one, int | float) and isinstance(two, int | float):
        return one + two
    # The kinds are known to fit: what is missing is an empty number, or the text of `"a" + nothing`.
    return None


def _bounded(value: Value) -> Value:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise UnsupportedFormula
    if isinstance(value, int | float) and not isinstance(value, bool):
        return tidy(value)
    return value
