"""The guard's rules are the table in docs/guard.md, in every combination of facts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.guard import Cap, Decision, Facts, Reason, decide
from lakelight.guard.policy import RULES
from lakelight.operations import Kind, Level, Risk

MANUAL = (Path(__file__).parents[3] / "docs" / "guard.md").read_text(encoding="utf-8")
ANSWERS = ("deny", "preview_only", "confirm_required", "allow")
"""From the lowest to the highest."""

AXES: dict[str, tuple[Any, ...]] = {
    "effect": ("known", "unknown", "other"),
    "needs": tuple(Level),
    "risk": tuple(Risk),
    "level": tuple(Level),
    "scope": ("in", "out", "unresolved"),
    "auth": ("ready", "missing", "expired", "forbidden"),
    "trail": (True, False),
    "mode": ("normal", "preview", "frozen"),
    "actor": ("user", "ai", "system"),
    "targets": (1, 20, 21, 100, 101),
    "ask": (False, True),
    "approval": ("none", "valid", "invalid"),
}

fine = Facts(
    effect="known",
    needs=Level.STANDARD,
    risk=Risk.LOW,
    level=Level.STANDARD,
    scope="in",
    auth="ready",
    trail=True,
    mode="normal",
    actor="ai",
    targets=1,
    ask=False,
    approval="none",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the manual's table of rules, as it is written there."""

    answer: str
    clauses: tuple[str, ...]
    reason: str


def table(heading: str) -> list[list[str]]:
    """The cells of the first table below `heading`, without its head."""
    lines = MANUAL.split(f"\n## {heading}\n", 1)[1].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
    return rows


ROWS = [Row(answer, tuple(when.split(" and ")), reason) for answer, when, reason in table("The rules")]


def in_words(axis: str, value: Any) -> tuple[str, str]:
    """The word that the manual has for an axis, and for its value."""
    match axis:
        case "auth":
            return "sign-in", value
        case "trail":
            return "trail", "available" if value else "unavailable"
        case "ask":
            return "question", "wanted" if value else "not wanted"
        case "risk":
            return "risk", value.name.lower()
        case _:
            return axis, value


def contradicts(clause: str, axis: str, value: Any) -> bool:
    """True when the manual's `clause` speaks of `axis` and does not hold for `value`."""
    name, said = clause.split(" is ", 1)
    word, spelled = in_words(axis, value)
    if name != word or said == "below the level needed":
        return False
    if found := re.fullmatch(r"above (\d+)", said):
        return value <= int(found[1])
    return spelled not in said.split(" or ")


def rows_left(axis: str, value: Any) -> int:
    """The rows that `value` does not rule out, one bit a row."""
    return sum(
        1 << number
        for number, row in enumerate(ROWS)
        if not any(contradicts(clause, axis, value) for clause in row.clauses)
    )


def rows_left_by_levels(level: Level, needs: Level) -> int:
    return sum(
        1 << number
        for number, row in enumerate(ROWS)
        if not any(
            "below the level needed" in clause and level.value >= needs.value for clause in row.clauses
        )
    )


@cache
def expected(rows: int, approval: str) -> tuple[str, str | None]:
    """The manual's answer where just `rows` hold."""
    held = [row for number, row in enumerate(ROWS) if rows >> number & 1]
    answer = min((row.answer for row in held), key=ANSWERS.index, default="allow")
    if answer == "confirm_required" and approval == "valid":
        return "allow", None
    return answer, next((row.reason for row in held if row.answer == answer), None)


def grid(axes: dict[str, Sequence[Any]]) -> Iterator[tuple[Facts, int]]:
    """Every combination of values, with the manual's rows that hold for it."""
    bits = {(axis, value): rows_left(axis, value) for axis, values in axes.items() for value in values}
    levels = {pair: rows_left_by_levels(*pair) for pair in product(Level, Level)}
    for values in product(*axes.values()):
        named = dict(zip(axes, values, strict=True))
        rows = levels[named["level"], named["needs"]]
        for item in named.items():
            rows &= bits[item]
        yield Facts(**named), rows


def differences(axes: dict[str, Sequence[Any]]) -> Iterator[tuple[Facts, Decision, tuple[str, str | None]]]:
    for facts, rows in grid(axes):
        decision = decide(facts)
        wanted = expected(rows, facts.approval)
        if (decision.word, decision.reason) != wanted:
            yield facts, decision, wanted


def test_the_manual_has_a_row_for_every_rule_and_reason() -> None:
    assert [(row.answer, row.reason) for row in ROWS] == [
        (Decision(rule.cap).word, rule.reason.value) for rule in RULES
    ]
    assert sorted(row.reason for row in ROWS) == sorted(Reason)


@pytest.mark.parametrize("row", ROWS, ids=[row.reason for row in ROWS])
def test_every_clause_of_the_manual_speaks_of_a_fact(row: Row) -> None:
    """A clause that named no axis would rule nothing out, and hold always."""
    for clause in row.clauses:
        assert "below the level needed" in clause or any(
            contradicts(clause, axis, value) for axis, values in AXES.items() for value in values
        )


def test_the_guard_answers_as_the_manual_says_wherever_one_or_two_facts_are_odd() -> None:
    for one in AXES:
        for other in AXES:
            axes = {
                axis: values if axis in {one, other} else (getattr(fine, axis),)
                for axis, values in AXES.items()
            }
            assert next(differences(axes), None) is None


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_guard_answers_as_the_manual_says_in_every_combination_of_facts() -> None:
    assert next(differences(AXES), None) is None


facts_of_any_kind = st.builds(Facts, **{axis: st.sampled_from(values) for axis, values in AXES.items()})


@settings(max_examples=300)
@given(facts_of_any_kind, st.permutations(RULES))
def test_the_order_of_the_rules_does_not_matter(facts: Facts, rules: Sequence[Any]) -> None:
    lowest = Cap.ALLOW
    for rule in rules:
        if rule.cap < lowest and rule.holds(facts):
            lowest = rule.cap

    assert decide(replace(facts, approval="invalid" if facts.approval == "invalid" else "none")).cap == lowest


WORSE: dict[str, tuple[tuple[Any, ...], ...]] = {
    "effect": (("known", "unknown"), ("known", "other")),
    "needs": (tuple(Level),),
    "risk": (tuple(Risk),),
    "level": (tuple(reversed(Level)),),
    "scope": (("in", "out"), ("in", "unresolved")),
    "auth": (("ready", "missing", "forbidden"), ("ready", "expired", "forbidden")),
    "trail": ((True, False),),
    "mode": (("normal", "preview", "frozen"),),
    "actor": (("user", "system"), ("ai", "system")),
    "targets": (AXES["targets"],),
    "ask": ((False, True),),
    "approval": (("valid", "none", "invalid"),),
}
"""For each axis, its values from good to bad."""


@pytest.mark.parametrize(
    ("axis", "values"), [(axis, values) for axis, chains in WORSE.items() for values in chains]
)
@given(facts=facts_of_any_kind)
def test_a_worse_fact_never_gets_a_better_answer(axis: str, values: tuple[Any, ...], facts: Facts) -> None:
    answers = [decide(replace(facts, **{axis: value})).cap for value in values]

    assert answers == sorted(answers, reverse=True)


@settings(max_examples=500)
@given(facts_of_any_kind)
def test_an_approval_lifts_a_question_and_nothing_else(facts: Facts) -> None:
    without = decide(replace(facts, approval="none"))
    with_one = decide(replace(facts, approval="valid"))

    assert with_one == (Decision(Cap.ALLOW) if without.cap is Cap.CONFIRM else without)


def test_a_plain_write_is_allowed_without_a_reason() -> None:
    assert decide(fine) == Decision(Cap.ALLOW, None)


@pytest.mark.parametrize(("value", "name"), list(zip(Cap, ANSWERS, strict=True)), ids=ANSWERS)
def test_an_answer_has_its_word(value: Cap, name: str) -> None:
    assert Decision(value).word == name


def test_the_manual_lists_every_kind_with_its_level_and_risk() -> None:
    listed = [cells[:3] for cells in table("What can be written")]

    assert sorted(listed) == sorted(
        [kind.value, f"{kind.level.value} {kind.level.name.lower()}", kind.risk.name.lower()] for kind in Kind
    )
