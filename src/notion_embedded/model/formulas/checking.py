"""Which kind of value a formula gives, found before any row is looked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from notion_embedded.model.formulas.functions import FUNCTIONS
from notion_embedded.model.formulas.kinds import Kind, UnsupportedFormula
from notion_embedded.model.formulas.parser import MAX_DEPTH, Apply, Literal, Prop, Tree, parse
from notion_embedded.model.formulas.whens import When

REFERENCE = 4
"""What one formula's mention of another adds to its depth, beside the other's own."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a formula learns about a column: the kind of its values, and how deep its own formula is."""

    kind: Kind
    depth: int = 0
    rolls_up: bool = False
    """Whether values of other rows go into it."""


Named = Callable[[str], Source | None]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that can be worked out."""

    tree: Tree
    kind: Kind
    depth: int
    rolls_up: bool


def read_formula(text: str, named: Named) -> Formula:
    """The formula, its columns looked up by `named`.

    Raises:
        UnsupportedFormula: It is outside the subset, names an unknown column, or mixes kinds.
    """
    check = _Check(named)
    tree = parse(text)
    kind = check.kind(tree)
    if kind in ("list", "empty") or check.depth > MAX_DEPTH:
        raise UnsupportedFormula
    return Formula(tree, kind, check.depth, check.rolls_up)


class _Check:
    """One walk through a tree; it keeps what the columns add to it."""

    def __init__(self, named: Named) -> None:
        self._named = named
        self.depth = 0
        self.rolls_up = False

    def kind(self, tree: Tree, above: int = 0) -> Kind:
        """The kind of value that the tree gives."""
        self.depth = max(self.depth, above + 1)
        match tree:
            case Literal(value):
                return _kind_of(value)
            case Prop(name):
                return self._column(name, above)
            case Apply(name, arguments):
                return _result(name, [self.kind(argument, above + 1) for argument in arguments])

    def _column(self, name: str, above: int) -> Kind:
        source = self._named(name)
        if source is None:
            raise UnsupportedFormula
        if source.depth:
            self.depth = max(self.depth, above + REFERENCE + source.depth)
        self.rolls_up = self.rolls_up or source.rolls_up
        return source.kind


def _kind_of(value: object) -> Kind:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            return "number"
        case When():
            return "date"
        case _:
            return "empty"


def _result(name: str, kinds: Sequence[Kind]) -> Kind:
    match name:
        case "+":
            return _sum(kinds)
        case "and" | "or":
            return _all_of(kinds, "boolean")
        case "if":
            return _branches(kinds) if len(kinds) == 3 else _refuse()  # noqa: PLR2004  condition, then, else
        case "ifs":
            return _branches(kinds)
    function = FUNCTIONS.get(name)
    if function is None or len(kinds) < function.least:
        return _refuse()
    if function.most is not None and len(kinds) > function.most:
        return _refuse()
    for at, kind in enumerate(kinds):
        allowed = function.takes[min(at, len(function.takes) - 1)]
        if kind not in allowed and kind != "empty":
            return _refuse()
    if function.same:
        _one_kind(kinds)
    return function.gives


def _sum(kinds: Sequence[Kind]) -> Kind:
    if len(kinds) != 2 or "list" in kinds:  # noqa: PLR2004  it stands between two
        return _refuse()
    return "string" if "string" in kinds else _all_of(kinds, "number")


def _all_of(kinds: Sequence[Kind], wanted: Kind) -> Kind:
    return wanted if kinds and all(kind in (wanted, "empty") for kind in kinds) else _refuse()


def _branches(kinds: Sequence[Kind]) -> Kind:
    """Conditions and results in turn, with one result at the end."""
    if len(kinds) < 3 or len(kinds) % 2 == 0:  # noqa: PLR2004  the least is condition, then, else
        return _refuse()
    _all_of(kinds[:-1:2], "boolean")
    return _one_kind([*kinds[1::2], kinds[-1]])


def _one_kind(kinds: Sequence[Kind]) -> Kind:
    found = {kind for kind in kinds if kind != "empty"}
    if len(found) > 1:
        return _refuse()
    return found.pop() if found else "empty"


def _refuse() -> Kind:
    raise UnsupportedFormula
