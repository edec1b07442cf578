"""One visit: its language, its links, and the workspace as it was asked for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from notion_embedded.viewer.eyes import Eyes
from notion_embedded.viewer.messages import CATALOGUE, Language, ago

_ID_IN_URL = re.compile(
    r"https?://(?:[\w-]+\.)*notion\.(?:com|so|site)/(?:[^?#\s]*?[-/])?([0-9a-f]{32})(?:[?#].*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What every part of a page needs to know about the request for it."""

    language: Language
    kept: Mapping[str, str]
    """The settings in the address that its links carry on."""
    eyes: Eyes

    def say(self, name: str, /, **values: object) -> str:
        """Return a sentence in the visitor's language."""
        return CATALOGUE[self.language][name].format(**values)

    def href(self, node_id: str | None = None, **changes: str | None) -> str:
        """Return the address of a page, or of the home page, with the visitor's settings."""
        return self.link(f"/view/{node_id.replace('-', '')}" if node_id else "/", **changes)

    def link(self, path: str, **changes: str | None) -> str:
        """Return the address of a path with the visitor's settings."""
        query = {name: value for name, value in {**self.kept, **changes}.items() if value}
        return f"{path}?{urlencode(query)}" if query else path

    def own(self, url: str) -> str | None:
        """Return where a Notion address of this workspace is shown here, if it is."""
        match = _ID_IN_URL.fullmatch(url)
        if match is None:
            return None
        digits = match.group(1).lower()
        found = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        return self.href(found) if self.eyes.place(found) else None

    def title(self, node_id: str) -> str:
        """Return the title of a page, or the word for none."""
        return self.eyes.page_title(node_id) or self.say("untitled")

    def user(self, user_id: str) -> str:
        """Return a user's name, or the start of the id of one who is gone."""
        user = self.eyes.user(user_id)
        return str(user["name"]) if user else user_id[:8]

    def moment(self, milliseconds: int) -> datetime:
        """Return a stored time as a moment."""
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)

    def ago(self, milliseconds: int) -> str:
        """Say how long ago a stored time was."""
        return ago(self.moment(milliseconds), self.eyes.now, self.language)
