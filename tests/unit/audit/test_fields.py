"""The sink stores what its table names, and of that only what fits the field."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.audit import Sink
from lakelight.audit.fields import FIELDS
from lakelight.guard import Cap, Decision, Reason
from lakelight.ids import fresh
from lakelight.operations import Kind, Level, Risk

SECRET = "ntn_4711SuperSecretTokenOfTheOwner0815"
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": str.upper,
    "reversed": lambda text: text[::-1],
    "hexadecimal": lambda text: text.encode().hex(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in a header": lambda text: f"Bearer {text}",
    "in an address": lambda text: f"https://evil.example/?t={text}",
    "behind a line end": lambda text: f"录册A02\n{text}",
}
sink = Sink(key=b"k" * 32, names=frozenset({"录册A02"}))


def test_a_field_of_its_kind_is_stored_as_it_is() -> None:
    fields: dict[str, object] = {
        "agent": "录册A02",
        "run": fresh("run"),
        "approval": 7,
        "guard.decision": "allow",
        "guard.reason": "level",
        "guard.permissionLevel": "standard",
        "guard.confirmation": "not_required",
        "guard.policyHash": "0" * 64,
        "operation.id": fresh("op"),
        "operation.name": "block.append",
        "operation.risk": "low",
        "payload.hash": "f" * 64,
        "payload.blocks": 3,
        "result.status": "success",
        "result.statusCode": 200,
        "result.code": "validation_error",
    }

    assert sink.clean(fields) == (fields, [])


def test_an_id_is_stored_as_a_reference_that_is_the_same_each_time() -> None:
    kept, redacted = sink.clean({"target.ref": "page-1", "ticket.ref": "page-1", "result.request": "req"})

    assert kept["target.ref"] == kept["ticket.ref"] == sink.reference("page-1")
    assert redacted == ["result.request", "target.ref", "ticket.ref"]


def test_another_installation_has_other_references() -> None:
    other = Sink(key=b"l" * 32, names=frozenset())

    assert other.reference("page-1") != sink.reference("page-1")


def test_a_name_that_the_roster_does_not_have_is_stored_as_a_reference() -> None:
    kept, redacted = sink.clean({"agent": "录册A03"})

    assert (kept, redacted) == ({"agent": sink.reference("录册A03")}, ["agent"])


def test_a_field_without_a_place_is_dropped_and_neither_value_nor_name_is_kept() -> None:
    kept, redacted = sink.clean({"title": "my page", SECRET: 1, "count": 2})

    assert (kept, redacted) == ({"count": 2}, ["other"])


WRONG: dict[str, list[object]] = {
    "agent": ["", 7, ["录册A02"]],
    "run": ["run_1", "run_" + "0" * 27, "RUN_" + "0" * 26, "run_" + "0" * 25 + "\n", 1],
    "operation.id": ["op-1", "token_" + "0" * 26],
    "approval": ["7", 7.0, True, 2**53],
    "count": ["2", -(2**60), False],
    "guard.decision": ["allowed", "ALLOW", True, ["allow"]],
    "guard.reason": ["because", SECRET],
    "guard.policyHash": ["0" * 63, "0" * 65, "G" * 64, "F" * 64, "0" * 64 + "\n"],
    "operation.name": ["block.explode", "BLOCK_APPEND"],
    "result.code": ["teapot", "validation_error: body.x should be defined"],
    "result.statusCode": ["200"],
    "target.ref": [7, ""],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_a_value_that_is_not_of_its_fields_kind_is_dropped(name: str, value: object) -> None:
    assert sink.clean({name: value}) == ({}, [name])


def test_a_field_that_says_nothing_is_not_called_redacted() -> None:
    assert sink.clean({"agent": None, "result.code": None}) == ({}, [])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_secret_planted_in_any_field_is_not_stored(form: Callable[[str], str]) -> None:
    written = form(SECRET)
    fields: dict[str, object] = dict.fromkeys(FIELDS, written) | {written: written, "other": [written]}

    stored = json.dumps(sink.clean(fields), ensure_ascii=False)

    for shape in FORMS.values():
        assert shape(SECRET) not in stored


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)) | st.text(max_size=8), anything, max_size=6))
def test_whatever_comes_in_only_listed_fields_come_out(fields: dict[str, Any]) -> None:
    kept, redacted = sink.clean(fields)

    assert kept.keys() <= FIELDS & fields.keys()
    assert set(redacted) <= FIELDS | {"other"}
    assert {name for name in fields if kept.get(name) != fields[name]} - FIELDS <= set(fields) - FIELDS
    json.dumps(kept, allow_nan=False)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("guard.reason", [reason.value for reason in Reason]),
        ("guard.decision", [Decision(cap).word for cap in Cap]),
        ("guard.permissionLevel", [level.name.lower() for level in Level]),
        ("guard.requiredLevel", [level.name.lower() for level in Level]),
        ("operation.name", [kind.value for kind in Kind]),
        ("operation.risk", [risk.name.lower() for risk in Risk]),
    ],
)
def test_every_word_that_the_guard_has_can_be_stored(field: str, words: list[str]) -> None:
    for word in words:
        assert sink.clean({field: word}) == ({field: word}, [])
