"""Fresh identifiers."""

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fresh(prefix: str) -> str:
    """A new identifier such as `op_01k2…`: sorts by time, 80 random bits."""
    number = (time.time_ns() // 1_000_000 << 80) | secrets.randbits(80)
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return f"{prefix}_{''.join(reversed(digits))}"
