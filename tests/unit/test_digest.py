"""A value has one canonical form, which its hash is made of."""

import json
from typing import Any

from hypothesis import given, strategies as st

from lakelight.digest import canonical, sha256

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_canonical_json_says_the_same_as_the_value(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), values, max_size=5))
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))

    assert canonical(turned) == canonical(value)


def test_canonical_json_is_compact_and_in_utf_8() -> None:
    assert canonical({"b": [1, 2], "a": "页"}) == '{"a":"页","b":[1,2]}'.encode()


def test_the_hash_is_sha_256() -> None:
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
