"""What a formula can be about: its kinds of value, and the one way in which it is given up."""

from typing import Literal

from notion_embedded.model.formulas.whens import When

Kind = Literal["number", "string", "boolean", "date", "list", "empty"]
"""`list` is a list of words, which can be asked about but is no result; `empty` fits every kind."""

Value = float | int | str | bool | When | tuple[str, ...] | None
"""A value of one of those kinds; nothing stands for an empty one of any kind."""


class UnsupportedFormula(Exception):
    """The formula is outside the subset, or its kinds do not fit together."""
