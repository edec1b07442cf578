"""A hash of what an operation will change, to tell whether it changed since the preview. Pure.

Notion cuts its times to the minute, so a stamp alone does not show an edit made within it: content
enters as well wherever it was read.
"""

from collections.abc import Mapping
from typing import Any

from lakelight.digest import canonical, sha256
from lakelight.notion.canonical import blocks_content, properties_content
from lakelight.operations.kinds import Kind
from lakelight.operations.operation import Operation
from lakelight.operations.surroundings import Surroundings


def pre_state_hash(operation: Operation, around: Surroundings) -> str:
    """The same for the same state, and another one once anything that `operation` rests on is changed."""
    return sha256(canonical([operation.kind, _state(operation, around)]))


def _state(operation: Operation, around: Surroundings) -> Any:
    target = around.target
    if target is None:
        return None
    trashed = bool(target.get("in_trash"))
    match operation.kind:
        case Kind.TICKET_MARK | Kind.PAGE_PROPERTIES_UPDATE:
            touched = operation.request.content.get("properties")
            among = touched if isinstance(touched, Mapping) else {}
            return {"in_trash": trashed, "properties": _properties(target, among)}
        case Kind.BLOCK_APPEND:
            last = around.children[-1].get("id") if around.children else None
            return {"in_trash": trashed, "last": last, "count": len(around.children)}
        case Kind.PAGE_CREATE:
            return {"in_trash": trashed, "parent": target.get("id")}
        case _:
            return {
                "in_trash": trashed,
                "edited": target.get("last_edited_time"),
                "properties": _properties(target, None),
                "content": blocks_content([target], deep=False) if target.get("object") == "block" else None,
                "children": [
                    [child.get("id"), child.get("last_edited_time"), content]
                    for child, content in zip(
                        around.children, blocks_content(around.children, deep=False), strict=True
                    )
                ],
            }


def _properties(page: Mapping[str, Any], among: Mapping[str, Any] | None) -> dict[str, Any]:
    properties = page.get("properties")
    return properties_content(properties, among=among) if isinstance(properties, Mapping) else {}
