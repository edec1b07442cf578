"""Fresh identifiers, and the canonical form that hashes are made of."""

import hashlib
import json
import secrets
import time
from typing import Any

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fresh(prefix: str) -> str:
    """A new identifier such as `op_01k2…`: sorts by time, 80 random bits."""
    number = (time.time_ns() // 1_000_000 << 80) | secrets.randbits(80)
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return f"{prefix}_{''.join(reversed(digits))}"


def canonical(value: Any) -> bytes:
    """`value` as JSON in one form only: keys sorted, no spaces, UTF-8."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha256(data: bytes) -> str:
    """The hexadecimal SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()
