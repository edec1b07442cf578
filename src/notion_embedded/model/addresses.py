"""Addresses that a caller names, looked at before anything is kept or called under them."""

from urllib.parse import SplitResult, urlsplit

MAX_PORT = 65_535


def split_address(text: str) -> SplitResult | None:
    """The parts of an address with a host that can be one; nothing if it has none or is malformed."""
    # urlsplit drops line breaks without a word, so they have to be seen before it.
    if not text.isprintable() or " " in text:
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
        # As a name server is asked: a label that is empty or too long cannot be.
        (parts.hostname or "").encode("idna")
    except ValueError:
        return None
    return parts if parts.scheme and parts.hostname and port != 0 else None


def split_web_address(text: str) -> SplitResult | None:
    """The same of an http or https address only."""
    parts = split_address(text)
    return parts if parts is not None and parts.scheme in ("http", "https") else None
