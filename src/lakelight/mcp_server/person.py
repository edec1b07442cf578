"""The person behind a client: whether he can be asked within a call, and how.

Older clients are sent a request of our own in the middle of a call. Since 2026-07-28 a call ends with what
is asked, and the client calls again with the answer.
"""

import logging
from typing import Literal

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from lakelight.operations.visible import visible

log = logging.getLogger(__name__)

Decision = Literal["accept", "decline", "cancel"]
Asked = Literal["now", "by_calling_again", "not"]

_FORM = {"type": "object", "properties": {}}
"""Yes or no is all that is asked; the client has its own buttons for that."""
_MOST_NAME = 60


class Person:
    """Whoever sits at the client of one call."""

    def __init__(self, context: ServerRequestContext) -> None:
        self._context = context

    @property
    def name(self) -> str:
        """`mcp:<client>`: as whose decision his answer is recorded."""
        known = self._context.session.client_params
        name = known.client_info.name if known else ""
        return f"mcp:{visible(name)[:_MOST_NAME] or 'client'}"

    @property
    def asked(self) -> Asked:
        """How he can be asked."""
        capabilities = self._context.session.client_capabilities
        able = capabilities.elicitation if capabilities else None
        # A capability without a mode is the form: there was no other when it was made up.
        if able is None or (able.form is None and able.url is not None):
            return "not"
        modern = self._context.protocol_version in MODERN_PROTOCOL_VERSIONS
        return "by_calling_again" if modern else "now"

    async def ask(self, message: str) -> Decision:
        """What he says to `message`; a client that fails to ask him has asked nothing."""
        try:
            answer = await self._context.session.elicit_form(
                message, _FORM, related_request_id=self._context.request_id
            )
        except (MCPError, ValidationError) as error:
            log.info("mcp.not_asked", extra={"cause": type(error).__name__})
            return "cancel"
        return answer.action


def form(message: str) -> ElicitRequest:
    """`message` as what a call ends with."""
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=_FORM))
