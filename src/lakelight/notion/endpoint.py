"""Where the API is, and which paths may be asked for. Pure.

Ids come from people, models and Notion itself; a path is only ever made of known words
and UUIDs, so that no id can lead to another endpoint.
"""

from urllib.parse import quote, unquote, urlsplit

from lakelight.errors import ConfigurationError
from lakelight.notion.errors import BadReference
from lakelight.notion.links import object_id

_WORDS = frozenset(
    {
        "async_tasks",
        "blocks",
        "children",
        "comments",
        "complete",
        "custom_emojis",
        "data_sources",
        "databases",
        "file_uploads",
        "markdown",
        "me",
        "meeting_notes",
        "move",
        "pages",
        "properties",
        "queries",
        "query",
        "search",
        "send",
        "templates",
        "users",
        "views",
    }
)
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def api_root(base_url: str) -> str:
    """`base_url`, given with or without `/v1` and a last slash, as the address that paths are added to.

    Raises:
        ConfigurationError: It is no plain http or https address.
    """
    try:
        link = urlsplit(base_url.strip())
        valid = bool(link.hostname) and link.port != 0
    except ValueError:
        valid = False
    if not valid or link.scheme not in {"http", "https"} or "@" in link.netloc or link.query or link.fragment:
        raise ConfigurationError("config.notion_base_url", "not an http or https address of Notion's API")
    path = link.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return f"{link.scheme}://{link.netloc}{path}/v1"


def on_this_machine(root: str) -> bool:
    """Whether `root` never leaves this machine, so that no proxy has any business with it."""
    return urlsplit(root).hostname in _LOOPBACK


def checked(path: str) -> str:
    """`path` with its ids dashed and in lower case.

    Raises:
        BadReference: A part of it is neither a word of the API nor an id.
    """
    if not path.startswith("/"):
        raise BadReference(path)
    parts = path[1:].split("/")
    return "/" + "/".join(part if part in _WORDS else object_id(part) for part in parts)


def property_part(property_id: str) -> str:
    """A property id as a part of a path; Notion's answers have it encoded already."""
    return quote(unquote(property_id), safe="")
