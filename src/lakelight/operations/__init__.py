"""Operations: writes as values, their kinds, and what came of them. Pure."""

from lakelight.operations.classify import classify, touched
from lakelight.operations.kinds import Kind, Level, Risk
from lakelight.operations.operation import Operation, Request, request
from lakelight.operations.outcome import (
    Outcome,
    Overtaken,
    Parked,
    Refused,
    Stopped,
    Unsettled,
    Written,
)

__all__ = [
    "Kind",
    "Level",
    "Operation",
    "Outcome",
    "Overtaken",
    "Parked",
    "Refused",
    "Request",
    "Risk",
    "Stopped",
    "Unsettled",
    "Written",
    "classify",
    "request",
    "touched",
]
