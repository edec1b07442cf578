"""Where an embedded workspace shows its pages: links that a browser on this machine can open.

The links that its API gives are Notion's own, as they must be, and lead nowhere for such a workspace.
"""

import re

from lakelight.notion.errors import BadReference
from lakelight.notion.links import object_id, page_id_from

_VIEW = re.compile(r"https?://(?:127\.0\.0\.1|localhost)(?::\d+)?/view/([0-9a-fA-F-]{32,36})(?:\?.*)?")


def view_url(url: str, base_url: str) -> str:
    """Where the embedded workspace at `base_url` shows the page of `url`; `url` where it is no page's."""
    try:
        return f"{base_url}/view/{page_id_from(url).replace('-', '')}"
    except BadReference:
        return url


def viewed_id(text: str) -> str | None:
    """The id in a link that `view_url` made; None for anything else."""
    found = _VIEW.fullmatch(text.strip())
    try:
        return object_id(found[1]) if found else None
    except BadReference:
        return None
