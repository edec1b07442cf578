"""One visit: its language, its links, and the workspace as it was asked for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from notion_embedded.store import User
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
    now: datetime
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of pages and databases by id, for the links to them."""
    users: Mapping[str, User] = field(default_factory=dict)

    def say(self, name: str, **values: object) -> str:
        """Return a sentence in the visitor's language."""
        return CATALOGUE[self.language][name].format(**values)

    def href(self, node_id: str | None = None, **changes: str | None) -> str:
        """Return the address of a page, or of the home page, with the visitor's settings."""
        query = {name: value for name, value in {**self.kept, **changes}.items() if value}
        path = f"/view/{node_id.replace('-', '')}" if node_id else "/"
        return f"{path}?{urlencode(query)}" if query else path

    def own(self, url: str) -> str | None:
        """Return where a Notion address of this workspace is shown here, if it is."""
        match = _ID_IN_URL.fullmatch(url)
        if match is None:
            return None
        digits = match.group(1).lower()
        found = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        return self.href(found) if found in self.titles else None

    def title(self, node_id: str) -> str:
        """Return the title of a page, or the word for none."""
        return self.titles.get(node_id) or self.say("untitled")

    def user(self, user_id: str) -> str:
        """Return a user's name, or the start of the id of one who is gone."""
        user = self.users.get(user_id)
        return user.name if user else user_id[:8]

    def moment(self, milliseconds: int) -> datetime:
        """Return a stored time as a moment."""
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)

    def ago(self, milliseconds: int) -> str:
        """Say how long ago a stored time was."""
        return ago(self.moment(milliseconds), self.now, self.language)
