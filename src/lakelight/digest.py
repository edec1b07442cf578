"""The canonical form of values, and the hashes that are made of it. Pure."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> bytes:
    """`value` as JSON in one form only: keys sorted, no spaces, UTF-8."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha256(data: bytes) -> str:
    """The hexadecimal SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()
