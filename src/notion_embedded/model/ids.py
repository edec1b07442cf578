"""Ids and addresses in the forms that Notion takes and gives."""

import re
from urllib.parse import quote

NIL = "00000000-0000-0000-0000-000000000000"
SITE = "https://app.notion.com/p/"

_UUID = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[1-8][0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII
)
_NOT_IN_A_SLUG = re.compile(r"[^A-Za-z0-9]+")


def parse_uuid(text: str) -> str | None:
    """The dashed, lower-case form of an id given in any form, or nothing when it is no UUID.

    The version and variant digits are checked, as Notion does; the nil UUID passes.
    """
    if text.replace("-", "") != NIL.replace("-", "") and not _UUID.fullmatch(text):
        return None
    return dashed(text.replace("-", "").lower())


def dashed(digits: str) -> str:
    """32 hex digits with the dashes of a UUID."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def page_url(page_id: str, title: str) -> str:
    """Where the page is said to stand: its title as a slug, then its id."""
    slug = _NOT_IN_A_SLUG.sub("-", title).strip("-")
    digits = page_id.replace("-", "")
    return f"{SITE}{slug}-{digits}" if slug else f"{SITE}{digits}"


def encoded(property_id: str) -> str:
    """A property id as responses carry it: URL-encoded."""
    return quote(property_id, safe="-_.!~*'()")
