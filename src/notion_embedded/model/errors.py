"""The answers that say no, as Notion words them.

Every refusal is one `ApiError`. Where neither a recording nor the documentation shows Notion's
own wording, the refusal is made by `guessed`, so that the guesses can be counted and listed.
"""

from http import HTTPStatus
from typing import Any

VALIDATION = "validation_error"
NOT_FOUND = "object_not_found"
FORBIDDEN = "restricted_resource"


class ApiError(Exception):
    """A request that is refused: what the response's status and body say."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        additional_data: dict[str, Any] | None = None,
        guess: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.additional_data = additional_data
        self.guess = guess


def invalid(message: str) -> ApiError:
    """A 400 `validation_error` with Notion's own words."""
    return ApiError(HTTPStatus.BAD_REQUEST, VALIDATION, message)


def guessed(message: str, *, status: int = HTTPStatus.BAD_REQUEST, code: str = VALIDATION) -> ApiError:
    """A refusal whose words (or status) nobody has seen from Notion itself."""
    return ApiError(status, code, message, guess=True)
