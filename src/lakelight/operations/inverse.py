"""What would undo an operation, as operations again: guarded and carried out like any other. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lakelight.operations.kinds import Kind
from lakelight.operations.operation import Method, Operation, request
from lakelight.operations.writable import Unwritable, writable

Why = Literal["kind", "not_known", "cut_short", "uploaded_file", "not_writable"]
"""`kind`: none is known for this effect. `not_known`: what was there was not read. The others: a value
that was there cannot be written back whole."""


@dataclass(frozen=True, slots=True)
class CannotUndo:
    """There is no way back that would leave everything as it was."""

    why: Why


_SWITCHES = {
    Kind.PAGE_ARCHIVE: (Kind.PAGE_RESTORE, "/pages/", False),
    Kind.PAGE_RESTORE: (Kind.PAGE_ARCHIVE, "/pages/", True),
    Kind.BLOCK_DELETE: (Kind.BLOCK_RESTORE, "/blocks/", False),
}


def inverse(
    operation: Operation,
    *,
    ids: Sequence[str],
    before: Mapping[str, Any] | None,
    new_id: Callable[[], str],
) -> list[Operation] | CannotUndo:
    """The operations that take back what `operation` did, in the order to carry them out.

    Args:
        ids: What the operation wrote, as its outcome says.
        before: The page as it was read before.
        new_id: Gives each of them its own id.
    """

    def make(kind: Kind, method: Method, path: str, target: str, body: Mapping[str, object]) -> Operation:
        return Operation(
            id=new_id(), kind=kind, target=target, request=request(method, f"{path}{target}", body)
        )

    match operation.kind:
        case Kind.BLOCK_APPEND if ids:
            return [make(Kind.BLOCK_DELETE, "DELETE", "/blocks/", block, {}) for block in reversed(ids)]
        case Kind.PAGE_CREATE if ids:
            return [make(Kind.PAGE_ARCHIVE, "PATCH", "/pages/", ids[0], {"in_trash": True})]
        case Kind.PAGE_PROPERTIES_UPDATE | Kind.TICKET_MARK:
            values = properties_before(operation, before)
            if isinstance(values, CannotUndo):
                return values
            body = {"properties": values}
            return [make(Kind.PAGE_PROPERTIES_UPDATE, "PATCH", "/pages/", operation.target, body)]
        case Kind.PAGE_ARCHIVE | Kind.PAGE_RESTORE | Kind.BLOCK_DELETE:
            kind, path, trash = _SWITCHES[operation.kind]
            if before is not None and bool(before.get("in_trash")) is not trash:
                return CannotUndo("not_known")
            return [make(kind, "PATCH", path, operation.target, {"in_trash": trash})]
        case Kind.BLOCK_APPEND | Kind.PAGE_CREATE:
            return CannotUndo("not_known")
        case _:
            return CannotUndo("kind")


def undo_prospect(operation: Operation, before: Mapping[str, Any] | None) -> Why | None:
    """Why `operation` could not be undone, as far as that can be told beforehand; None when it can."""
    found = inverse(operation, ids=(operation.target,), before=before, new_id=str)
    return found.why if isinstance(found, CannotUndo) else None


def properties_before(operation: Operation, before: Mapping[str, Any] | None) -> dict[str, Any] | CannotUndo:
    """The values that the properties touched by `operation` had, in the shape of a request."""
    known = before.get("properties") if before else None
    touched = operation.request.content.get("properties")
    if not isinstance(known, Mapping) or not isinstance(touched, Mapping):
        return CannotUndo("not_known")
    values: dict[str, Any] = {}
    for name in touched:
        value = known.get(name)
        if not isinstance(value, Mapping):
            return CannotUndo("not_known")
        found = writable(value)
        if isinstance(found, Unwritable):
            return CannotUndo(found.why)
        values[name] = found
    return values
