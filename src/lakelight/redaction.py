"""Takes the secrets that this process holds out of text that is about to be shown or logged.

The audit trail does not rely on it: its sink stores only what a table names.
"""

import base64
import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

_SHORTEST = 6


class Secrets:
    """The secrets that must never be seen, in the forms in which they could be written."""

    def __init__(self, secrets: Iterable[str | None] = ()) -> None:
        self.plain = tuple(secret for secret in secrets if secret)
        self._forms = sorted(
            {form for secret in self.plain if len(secret) >= _SHORTEST for form in _forms(secret)},
            key=len,
            reverse=True,
        )

    def clean(self, text: str) -> str:
        """`text` with every form of every secret replaced by `[secret]`."""
        for form in self._forms:
            text = text.replace(form, "[secret]")
        return text

    def holds(self, text: str) -> bool:
        """True when some form of a secret stands in `text`."""
        return any(form in text for form in self._forms)


def describe(secret: str, origin: str) -> str:
    """`set (environment, 50 characters, ends …3f9a)`: how a secret is shown in settings."""
    ending = f", ends …{secret[-4:]}" if len(secret) >= 4 * _SHORTEST else ""
    return f"set ({origin}, {len(secret)} characters{ending})"


def _forms(secret: str) -> set[str]:
    raw = secret.encode()
    plain = {
        secret,
        secret.upper(),
        secret.lower(),
        secret[::-1],
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        raw.hex(),
        raw.hex().upper(),
        base64.b32encode(raw).decode().rstrip("="),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        secret.encode("unicode_escape").decode(),
        *_in_base64(raw),
    }
    return {form for form in plain if len(form) >= _SHORTEST}


def _in_base64(raw: bytes) -> set[str]:
    # Three bytes make four characters, so what stands before a secret shifts it in one of three ways; the
    # characters that it shares with its neighbours are left out. A whole one comes with its padding.
    forms = {base64.b64encode(raw).decode()}
    for shift in range(3):
        encoded = base64.b64encode(bytes(shift) + raw).decode().rstrip("=")
        shared = (shift + len(raw)) % 3 != 0
        forms.add(encoded[(0, 2, 3)[shift] : len(encoded) - shared])
    return forms | {form.replace("+", "-").replace("/", "_") for form in forms}
