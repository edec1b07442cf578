"""What can come of a request to Notion, other than an answer.

    NotionError
      NotionRefused        Notion said no, for good; nothing was changed
        NotionConflict     409: someone else was saving; a full set may be sent again
      NotionUnreachable    no answer that can be trusted; `maybe_written` says what that means for a write
      NotionLimited        asked to slow down, more often than we may try again; nothing was changed
      NotionIncomplete     a list that Notion itself calls incomplete
      NotionTooLarge       not sent: over one of Notion's limits
      BadReference         not sent: no page, block or data source is named by this text
      BadProperty          not sent: the column cannot take the value
        UnknownColumn      no such column
        UnknownOption      the column has no such option, and none is ever created
        ReadOnlyColumn     Notion computes this column itself

A message may hold what Notion said or what the caller gave; never a token.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime

from lakelight.errors import LakelightError

NARROWED = frozenset(
    {
        "conflict_error",
        "internal_server_error",
        "invalid_request_url",
        "object_not_found",
        "restricted_resource",
        "row_limit_exceeded",
        "unauthorized",
        "validation_error",
    }
)
"""Notion's error codes that have a sentence of their own: `notion.<code>`."""


class NotionError(LakelightError):
    """Base of everything that goes wrong between us and Notion."""

    code = "notion.error"


class NotionRefused(NotionError):
    """Notion understood the request and said no; nothing was changed, and asking again changes nothing."""

    code = "notion.refused"

    def __init__(
        self,
        *,
        status: int,
        notion_code: str,
        message: str,
        request_id: str | None = None,
        additional_data: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(
            f"notion refused ({status} {notion_code}): {message}",
            status=status,
            notion_code=notion_code,
            message=message,
            request_id=request_id,
        )
        self.status = status
        self.notion_code = notion_code
        self.message = message
        self.request_id = request_id
        self.additional_data: Mapping[str, object] = dict(additional_data or {})

    @property
    def message_key(self) -> str:
        """`notion.<Notion's own code>` where that has its own sentence, else `notion.refused`."""
        return f"notion.{self.notion_code}" if self.notion_code in NARROWED else self.code

    @property
    def nothing_there(self) -> bool:
        """Whether nothing of the kind asked for has this id: not there, not shared, or of another kind.

        A page's id at a database's address, and the reverse, is a `validation_error`.
        """
        return self.notion_code in ("object_not_found", "validation_error")


class NotionConflict(NotionRefused):
    """Someone else was saving at the same moment. A write that is a full set may be sent again as it is."""

    code = "notion.conflict"


class NotionUnreachable(NotionError):
    """No answer that can be trusted: time-out, reset, no connection, 5xx, something that is no JSON."""

    code = "notion.unreachable"

    def __init__(
        self,
        cause: str,
        *,
        maybe_written: bool = False,
        status: int | None = None,
        request_id: str | None = None,
        committed_id: str | None = None,
        committed_child_ids: Sequence[str] = (),
    ) -> None:
        super().__init__(
            f"notion cannot be reached: {cause}", cause=cause, status=status, maybe_written=maybe_written
        )
        self.cause = cause
        self.maybe_written = maybe_written
        """The request was a write and may have reached Notion: look before sending it again."""
        self.status = status
        self.request_id = request_id
        self.committed_id = committed_id
        """What Notion says it had saved when it gave up."""
        self.committed_child_ids = tuple(committed_child_ids)
        """The blocks Notion says it had appended, in the order of the request."""


class NotionLimited(NotionError):
    """Notion asked us to slow down, and kept asking; nothing was changed."""

    code = "notion.limited"

    def __init__(
        self, retry_after: float, *, until: datetime, reason: str = "", blocked: bool = False
    ) -> None:
        super().__init__(
            f"limited by notion; retry after {retry_after:g} s",
            retry_after=math.ceil(retry_after),
            # For people, who read their own clock.
            until=f"{until.astimezone():%Y-%m-%d %H:%M:%S}",
            reason=reason,
        )
        self.retry_after = retry_after
        """Seconds."""
        self.reason = reason
        self.blocked = blocked
        """Notion refuses this token for now, whoever waits."""

    @property
    def message_key(self) -> str:
        """`notion.blocked` for a token that Notion does not serve at all."""
        return "notion.blocked" if self.blocked else self.code


class NotionIncomplete(NotionError):
    """Notion ended a list before its end."""

    code = "notion.incomplete"

    def __init__(self, reason: str) -> None:
        super().__init__(f"notion ended the list early: {reason}", reason=reason)
        self.reason = reason


class NotionTooLarge(NotionError):
    """The request is over one of Notion's limits, so it was not sent."""

    code = "notion.too_large"

    def __init__(self, field: str, limit: int, size: int) -> None:
        super().__init__(f"{field} is {size}, at most {limit}", field=field, limit=limit, size=size)
        self.field = field
        self.limit = limit
        self.size = size


class BadReference(NotionError):
    """The text names nothing in Notion."""

    code = "notion.bad_reference"

    def __init__(self, text: str) -> None:
        super().__init__(f"not a Notion link or id: {text[:200]!r}", text=text[:200])
        self.text = text


class BadProperty(NotionError):
    """The column cannot take the value, so nothing was sent."""

    code = "notion.bad_value"

    def __init__(self, column: str, message: str, /, **facts: object) -> None:
        super().__init__(message, column=column, **facts)
        self.column = column


class UnknownColumn(BadProperty):
    """The data source has no such column."""

    code = "notion.unknown_column"

    def __init__(self, column: str, columns: Sequence[str]) -> None:
        super().__init__(column, f"no column {column!r}; there are {list(columns)}", columns=tuple(columns))
        self.columns = tuple(columns)


class UnknownOption(BadProperty):
    """The column has no such option; options are never created on the way."""

    code = "notion.unknown_option"

    def __init__(self, column: str, option: str, options: Sequence[str]) -> None:
        super().__init__(
            column,
            f"column {column!r} has no option {option!r}; there are {list(options)}",
            option=option,
            options=tuple(options),
        )
        self.option = option
        self.options = tuple(options)


class ReadOnlyColumn(BadProperty):
    """Notion computes this column itself, or its values are no business of ours."""

    code = "notion.read_only_column"

    def __init__(self, column: str, column_type: str) -> None:
        super().__init__(column, f"column {column!r} ({column_type}) cannot be written", type=column_type)
        self.type = column_type
