"""Formulas: a stated subset of Notion's, read once for a column and worked out for each row.

What is in: numbers, texts, `true`, `false`, `prop("Name")`, the operators, the conditions, and the functions
that `functions` lists, called as `f(a, b)` or as `a.f(b)`. Whatever else Notion knows (`let`, lists in
brackets, `map`, patterns in `test` and `replace`) makes a formula `unsupported`; nothing is ever half right.
Nothing here does I/O, and nothing is evaluated as code.
"""

from notion_embedded.model.formulas.checking import Formula, Named, Source, read_formula
from notion_embedded.model.formulas.evaluation import work_out
from notion_embedded.model.formulas.kinds import Kind, UnsupportedFormula, Value
from notion_embedded.model.formulas.tokens import renamed
from notion_embedded.model.formulas.whens import When, when_of

__all__ = [
    "Formula",
    "Kind",
    "Named",
    "Source",
    "UnsupportedFormula",
    "Value",
    "When",
    "read_formula",
    "renamed",
    "when_of",
    "work_out",
]
