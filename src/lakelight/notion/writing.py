"""The writing side of a workspace: the port that only `lakelight.execution` holds."""

from collections.abc import Mapping
from typing import Protocol

from lakelight.notion.answer import Answer


class NotionWriter(Protocol):
    """Sends a request that changes something, once."""

    async def send(self, method: str, path: str, body: Mapping[str, object]) -> Answer:
        """Send `body` to `path` (without `/v1`, such as `/blocks/<id>/children`) and return the answer.

        Sent again only where Notion surely has not seen it: 429, 529, no connection.

        Raises:
            NotionTooLarge: Over a limit; nothing was sent.
            BadReference: `path` is none of the API's; nothing was sent.
            NotionRefused: Notion said no; nothing was changed. A `NotionConflict` may be sent again if
                the body is a full set.
            NotionLimited: Asked to slow down; nothing was changed.
            NotionUnreachable: Look at `maybe_written` before anything is sent again.
        """
        ...
