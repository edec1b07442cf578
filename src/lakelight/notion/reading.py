"""The reading side of a workspace: a port, and the values it answers with.

Objects stay Notion's own JSON. An old answer's `archived` is also found as `in_trash`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

Json = dict[str, Any]
Kind = Literal["page", "data_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMarkdown:
    """A page's content as Notion's Markdown."""

    markdown: str = field(repr=False)
    truncated: bool = False
    unknown_block_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """The first level below a block, whole and in order."""

    blocks: list[Json] = field(repr=False)
    date: datetime | None = None
    """When the last of them was read, by Notion's own clock."""


class NotionReader(Protocol):
    """Reads a workspace. Every method may be repeated at will, and retries by itself.

    All of them raise `NotionRefused` (also for what is not shared with the token), `NotionLimited` and
    `NotionUnreachable`, and `BadReference` for an id that is none.
    """

    async def me(self) -> Json:
        """The token's own user."""
        ...

    async def page(self, page_id: str) -> Json:
        """A page with its properties; long relations may be cut short (`property_items` has them whole)."""
        ...

    async def page_markdown(self, page_id: str) -> PageMarkdown:
        """A page's content in one request."""
        ...

    async def property_items(self, page_id: str, property_id: str) -> list[Json]:
        """Every item of one property of a page; a property of one value gives a list of one."""
        ...

    async def children(self, block_id: str) -> Children:
        """The first level below a page or block, all of it."""
        ...

    async def block(self, block_id: str) -> Json:
        """One block, without what is below it."""
        ...

    async def database(self, database_id: str) -> Json:
        """A database: the container, with the list of its data sources."""
        ...

    async def data_source(self, data_source_id: str) -> Json:
        """A data source with its schema."""
        ...

    def query(
        self,
        data_source_id: str,
        # Notion's own word.
        filter: Mapping[str, object] | None = None,  # noqa: A002
        sorts: Sequence[Mapping[str, object]] | None = None,
        page_size: int = 100,
    ) -> AsyncIterator[Json]:
        """The rows of a data source, page after page as they are consumed.

        Raises:
            NotionIncomplete: After the last row, when Notion says that there would have been more.
        """
        ...

    async def search(self, text: str, kind: Kind | None = None, limit: int = 100) -> list[Json]:
        """At most `limit` pages and data sources whose title holds `text`. Never exhaustive."""
        ...

    async def users(self) -> list[Json]:
        """Every member and bot that the token may see."""
        ...

    def now(self) -> datetime | None:
        """Notion's own clock at its last answer; None before the first."""
        ...
