"""No secret of this process survives cleaning, however it was written down."""

import base64
import json
import string
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.redaction import Secrets, describe

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in upper case": str.upper,
    "in lower case": str.lower,
    "backwards": lambda secret: secret[::-1],
    "in an address": lambda secret: quote(secret, safe=""),
    "in a path": quote,
    "in a form": quote_plus,
    "hexadecimal": lambda secret: secret.encode().hex(),
    "hexadecimal in upper case": lambda secret: secret.encode().hex().upper(),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 without its end": lambda secret: base64.b64encode(secret.encode()).decode().rstrip("="),
    "base64 for addresses": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "base32": lambda secret: base64.b32encode(secret.encode()).decode(),
    "in JSON": lambda secret: json.dumps(secret)[1:-1],
    "in JSON as it is": lambda secret: json.dumps(secret, ensure_ascii=False)[1:-1],
    "as Python shows it": lambda secret: repr(secret)[1:-1],
    "with escapes": lambda secret: secret.encode("unicode_escape").decode(),
}
secrets = st.text(st.characters(codec="utf-8", exclude_characters="\0[]"), min_size=6, max_size=40)
tokens = st.text(string.ascii_letters + string.digits + "_-./+=", min_size=12, max_size=60)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@settings(max_examples=40)
@given(secret=secrets | tokens, before=st.text(max_size=5), after=st.text(max_size=5))
def test_no_form_of_a_secret_survives(
    form: Callable[[str], str], secret: str, before: str, after: str
) -> None:
    written = form(secret)
    held = Secrets([secret])

    cleaned = held.clean(f"{before}{written}{after}")

    assert held.holds(written)
    assert written not in cleaned or written in "[secret]"


@given(secret=tokens, before=st.binary(max_size=6), after=st.binary(max_size=6))
def test_a_secret_inside_something_else_in_base64_does_not_survive(
    secret: str, before: bytes, after: bytes
) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        written = encode(before + secret.encode() + after).decode()
        cleaned = Secrets([secret]).clean(written)

        assert "[secret]" in cleaned
        assert len(cleaned) - len("[secret]") <= len(written) - len(secret) * 4 // 3 + 4


def test_a_secret_between_words_is_replaced_and_the_words_stay() -> None:
    secrets_held = Secrets(["ntn_token_of_mine", "sk-key-of-mine"])

    assert secrets_held.clean("Bearer ntn_token_of_mine, then sk-key-of-mine.") == (
        "Bearer [secret], then [secret]."
    )


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Secrets(["abcdef", "abcdefghijkl"]).clean("abcdefghijkl") == "[secret]"


@pytest.mark.parametrize("nothing", [None, "", "12345"])
def test_what_is_too_short_to_be_a_secret_is_left(nothing: str | None) -> None:
    assert Secrets([nothing]).clean("12345 is a number") == "12345 is a number"


def test_text_without_secrets_is_left_as_it_is() -> None:
    held = Secrets(["ntn_token_of_mine"])

    assert held.clean("录册A02 已接手") == "录册A02 已接手"
    assert not held.holds("录册A02 已接手")


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("n" * 46 + "3f9a", "set (environment, 50 characters, ends …3f9a)"),
        ("n" * 20 + "3f9a", "set (environment, 24 characters, ends …3f9a)"),
        ("n" * 19 + "3f9a", "set (environment, 23 characters)"),
        ("", "set (environment, 0 characters)"),
    ],
)
def test_a_secret_is_described_by_at_most_its_last_four_characters(secret: str, shown: str) -> None:
    assert describe(secret, "environment") == shown
