"""An edited operation: the same effect on the same thing, with another content. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lakelight.notion.errors import NotionTooLarge
from lakelight.notion.limits import check
from lakelight.notion.schema import plain_text
from lakelight.operations import Kind, Operation, classify, request, touched


@dataclass(frozen=True, slots=True)
class NoEdit:
    """Why an edited body is not what it should be."""

    key: str
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def denied(self) -> bool:
        """True for a change that the guard would deny; False for one that is malformed, or is none."""
        return self.key == "console.edit.other_effect"


def edited_operation(old: Operation, body: Mapping[str, Any], new_id: str) -> Operation | NoEdit:
    """`old` with `body` in the place of its own, under a new id."""
    try:
        sent = request(old.request.method, old.request.path, body)
        check(sent.method, sent.path, body)
    # Half of a surrogate pair is no text that can be sent.
    except UnicodeEncodeError:
        return NoEdit("console.edit.bad_text")
    except RecursionError:
        return NoEdit("console.edit.bad_json", {"problem": "nested too deep"})
    except NotionTooLarge as error:
        return NoEdit(error.message_key, error.facts)
    if sent == old.request:
        return NoEdit("console.edit.same")
    strange = _of_another_sort(body, old.request.content)
    if strange:
        return NoEdit("console.edit.bad_shape", {"field": strange})
    # The guard would deny it in any case; said here, nothing is decided yet.
    if classify(sent) != classify(old.request) or touched(sent) != touched(old.request):
        return NoEdit("console.edit.other_effect")
    if body.get("children") == [] and old.request.content.get("children"):
        return NoEdit("console.edit.nothing_left")
    return Operation(id=new_id, kind=old.kind, target=old.target, request=sent)


def title_in(operation: Operation) -> str:
    """The title that a new page would have; empty for anything else."""
    if operation.kind is not Kind.PAGE_CREATE:
        return ""
    properties = operation.request.content.get("properties")
    for value in properties.values() if isinstance(properties, Mapping) else ():
        if isinstance(value, Mapping) and isinstance(value.get("title"), list):
            return plain_text(value["title"])
    return ""


def _of_another_sort(body: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """The first field that Notion could not take, because it is no object or list where it has to be."""
    for name, value in body.items():
        if name in asked and type(value) is not type(asked[name]):
            return name
        if name == "children" and not all(isinstance(block, Mapping) for block in value):
            return name
    return ""
