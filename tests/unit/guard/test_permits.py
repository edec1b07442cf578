"""A permit is a yes to one operation, once."""

from dataclasses import replace

import pytest

from lakelight.errors import PermitError
from lakelight.guard import Permit
from lakelight.operations import Kind, Operation, request

append = Operation(
    id="op_1",
    kind=Kind.BLOCK_APPEND,
    target="page-1",
    request=request("PATCH", "/blocks/page-1/children", {"children": []}),
)


def test_a_permit_is_used_up_by_its_operation() -> None:
    permit = Permit(append, "policy")

    permit.spend(append)

    with pytest.raises(PermitError):
        permit.spend(append)


@pytest.mark.parametrize(
    "other",
    [
        replace(append, id="op_2"),
        replace(append, kind=Kind.BLOCK_UPDATE),
        replace(append, target="page-2"),
        replace(append, request=request("PATCH", "/blocks/page-2/children", {"children": []})),
        replace(append, request=request("PATCH", "/blocks/page-1/children", {"children": [{}]})),
        replace(append, request=request("DELETE", "/blocks/page-1/children", {"children": []})),
    ],
    ids=[
        "another operation",
        "another kind",
        "another target",
        "another path",
        "another body",
        "another method",
    ],
)
def test_a_permit_does_not_serve_other_bytes_and_keeps_its_use(other: Operation) -> None:
    permit = Permit(append, "policy")

    with pytest.raises(PermitError):
        permit.spend(other)

    permit.spend(append)
