"""An operation is its bytes: they survive a row, and each part of them counts."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.operations import Kind, Operation, Request, request

append = Operation(
    id="op_1",
    kind=Kind.BLOCK_APPEND,
    target="page-1",
    request=request("PATCH", "/blocks/page-1/children", {"children": [{"paragraph": {}}]}),
)

text = st.text(st.characters(codec="utf-8"), max_size=20)
bodies = st.dictionaries(text, st.none() | st.booleans() | st.integers() | text, max_size=4)
operations = st.builds(
    lambda identifier, kind, target, method, path, body: Operation(
        id=identifier, kind=kind, target=target, request=request(method, path, body)
    ),
    text,
    st.sampled_from(Kind),
    text,
    st.sampled_from(["POST", "PATCH", "DELETE"]),
    text,
    bodies,
)


@given(operations)
def test_an_operation_comes_back_from_its_row_as_it_was(operation: Operation) -> None:
    back = Operation.load(operation.dump())

    assert back == operation
    assert back.payload_hash == operation.payload_hash


@given(operations, operations)
def test_only_equal_effects_have_equal_hashes(one: Operation, other: Operation) -> None:
    assert (one.payload_hash == other.payload_hash) == (replace(one, id="") == replace(other, id=""))


CHANGES: dict[str, dict[str, Any]] = {
    "kind": {"kind": Kind.BLOCK_UPDATE},
    "target": {"target": "page-2"},
    "method": {"request": replace(append.request, method="POST")},
    "path": {"request": replace(append.request, path="/blocks/page-2/children")},
    "body": {"request": replace(append.request, body='{"children":[{"quote":{}}]}')},
    "a space in the body": {"request": replace(append.request, body='{"children": [{"paragraph":{}}]}')},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_hash_changes_with_each_part(change: dict[str, Any]) -> None:
    assert replace(append, **change).payload_hash != append.payload_hash


def test_the_hash_is_of_the_effect_and_not_of_the_operations_name() -> None:
    assert replace(append, id="op_2").payload_hash == append.payload_hash


def test_a_body_has_one_form_whatever_the_order_of_its_keys() -> None:
    one = request("PATCH", "/x", {"b": "页", "a": [1, 2]})
    other = request("PATCH", "/x", {"a": [1, 2], "b": "页"})

    assert one == other == Request("PATCH", "/x", '{"a":[1,2],"b":"页"}')
    assert one.content == {"a": [1, 2], "b": "页"}


def test_no_body_is_an_empty_object() -> None:
    assert request("DELETE", "/x") == Request("DELETE", "/x", "{}")


row = json.loads(append.dump())


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "[]",
        "null",
        "{}",
        json.dumps({**row, "method": "GET"}),
        json.dumps({**row, "kind": "page.explode"}),
        json.dumps({**row, "body": {}}),
        json.dumps({**row, "target": None}),
        json.dumps({name: row[name] for name in row if name != "path"}),
    ],
)
def test_a_row_that_holds_no_operation_is_refused(broken: str) -> None:
    # Any ValueError keeps the promise; its text is not ours to fix.
    with pytest.raises(ValueError):  # noqa: PT011
        Operation.load(broken)


@pytest.mark.parametrize("body", ["[]", "1", "null", "{"])
def test_a_body_that_is_no_object_is_not_read(body: str) -> None:
    # Any ValueError keeps the promise; its text is not ours to fix.
    with pytest.raises(ValueError):  # noqa: PT011
        _ = Request("PATCH", "/x", body).content
