"""What Notion answered, as a value."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A successful answer to one request."""

    status: int
    body: dict[str, Any] = field(repr=False)
    request_id: str | None = None
    date: datetime | None = None
    """The moment of the answer by Notion's own clock."""
