"""Links to Notion's pages and blocks, and the ids in them."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from lakelight.notion.errors import BadReference

_HOSTS = frozenset({"notion.so", "www.notion.so", "notion.com", "www.notion.com", "app.notion.com"})
_SITE = ".notion.site"
_DASHED = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID = re.compile(rf"{_DASHED}|[0-9a-f]{{32}}", re.IGNORECASE)
_LAST_ID = re.compile(rf"({_DASHED}|[0-9a-f]{{32}})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a link points at."""

    page_id: str
    """A page or a database: the link does not tell which."""
    block_id: str | None = None
    """The block on it, if the link names one."""


def object_id(text: str) -> str:
    """`text`, which is a bare id in any spelling, dashed and in lower case.

    Raises:
        BadReference: It is no UUID.
    """
    if not _ID.fullmatch(text):
        raise BadReference(text)
    digits = text.replace("-", "").lower()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def reference(text: str) -> Reference:
    """The page and block that `text` names: a bare id, or a link in any form Notion has used.

    The id in the path comes first, then the page opened beside it (`p`); a view (`v`) never counts.

    Raises:
        BadReference: It names nothing, or the link leads elsewhere than to Notion.
    """
    bare = text.strip().strip("<>")
    if _ID.fullmatch(bare):
        return Reference(object_id(bare))
    link = _split(bare)
    found = _from_path(link) or _from_query(link)
    if link is None or found is None:
        raise BadReference(text)
    return Reference(object_id(found), _from_fragment(link))


def page_id_from(text: str) -> str:
    """The id of the page (or database) that `text` names; see `reference`.

    Raises:
        BadReference: It names none.
    """
    return reference(text).page_id


def page_url(page_id: str) -> str:
    """A link that opens the page in Notion.

    Raises:
        BadReference: `page_id` is no UUID.
    """
    return f"https://app.notion.com/p/{object_id(page_id).replace('-', '')}"


def _split(text: str) -> SplitResult | None:
    try:
        link = urlsplit(text if "://" in text else f"https://{text}")
        host = (link.hostname or "").rstrip(".")
    except ValueError:
        return None
    if link.scheme not in {"https", "http", "notion"}:
        return None
    return link if host in _HOSTS or host.endswith(_SITE) else None


def _from_path(link: SplitResult | None) -> str | None:
    segments = [segment for segment in unquote(link.path).split("/") if segment] if link else []
    found = _LAST_ID.search(segments[-1]) if segments else None
    return found[1] if found else None


def _from_query(link: SplitResult | None) -> str | None:
    values = parse_qs(link.query).get("p", []) if link else []
    return values[0] if values and _ID.fullmatch(values[0]) else None


def _from_fragment(link: SplitResult) -> str | None:
    return object_id(link.fragment) if _ID.fullmatch(link.fragment) else None
