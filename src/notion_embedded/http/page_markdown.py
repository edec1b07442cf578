"""Pages as Markdown: read whole, and edited by commands on the text.

An edit is made on the text; blocks that come out as they were keep their ids and times, so
that only what changed is written.
"""

from collections.abc import Sequence

from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.writing import put_in, throw_away, touch_around
from notion_embedded.markdown import EditRefused, Keep, Step, edit, lost_children, parse, reconcile, render
from notion_embedded.model.blocks import Reading, read_children
from notion_embedded.model.checks import UNDEFINED, Json, an_object, failed, one_of
from notion_embedded.model.errors import guessed
from notion_embedded.store import nodes
from notion_embedded.store.nodes import Node
from notion_embedded.store.outline import trees_in

COMMANDS = ("insert_content", "replace_content_range", "update_content", "replace_content")


def get_markdown(desk: Desk, call: Call) -> Json:
    """The page's content as Markdown; the id may be a block's as well."""
    page = desk.find(call.id("page_id"), "page", ("page", "block"))
    return _shown(desk, page)


def update_markdown(desk: Desk, call: Call) -> Json:
    """Edit the page's content by a command on its Markdown."""
    call.only("type", *COMMANDS, "allow_async", "markdown_version")
    page = desk.find(call.id("page_id"), "page", ("page",))
    desk.check_editable(page)
    command = one_of(call.given("type"), "body.type", COMMANDS)
    body = an_object(call.given(command), f"body.{command}")
    if body.get("position") is not None:
        position = an_object(body["position"], f"body.{command}.position")
        one_of(position.get("type", UNDEFINED), f"body.{command}.position.type", ("start", "end"))
    if call.body.get("markdown_version") not in (None, "v1"):
        raise failed("body.markdown_version", '`"v1"`', call.body["markdown_version"])
    old = trees_in(desk.connection, page.id)
    try:
        text = edit(render(old).markdown, {**call.body, "type": command})
    except EditRefused as refused:
        raise guessed(refused.message) from refused
    plan = reconcile(old, parse(text))
    if body.get("allow_deleting_content") is not True:
        _check_none_lost(lost_children(old, plan))
    _carry_out(desk, page, old, plan)
    touch_around(desk, page.id)
    return _shown(desk, page)


def read(text: str, reading: Reading) -> list[Json]:
    """The blocks that a Markdown text makes, ready to be stored."""
    return _stored(parse(text), Reading(reading.directory, limited=False))


def _carry_out(desk: Desk, page: Node, old: list[Json], plan: list[Step]) -> None:
    order: list[str] = []
    for step in plan:
        if isinstance(step, Keep):
            order.append(old[step.old_index]["id"])
        else:
            blocks = put_in(desk, page, _stored([step.tree], Reading(desk, limited=False)))
            order += [block.id for block in blocks]
    staying = set(order)
    going = nodes.find_all(desk.connection, [tree["id"] for tree in old if tree["id"] not in staying])
    for node in going.values():
        # What was put elsewhere on the page is not to go.
        if node.parent == page.id:
            throw_away(desk, node)
    if order != [tree["id"] for tree in old]:
        nodes.rerank(desk.connection, page.id, order)


def _shown(desk: Desk, page: Node) -> Json:
    rendered = render(trees_in(desk.connection, page.id))
    return {
        "object": "page_markdown",
        "id": page.id,
        "markdown": rendered.markdown,
        "truncated": False,
        "unknown_block_ids": list(rendered.unknown_block_ids),
    }


def _stored(trees: Sequence[Json], reading: Reading) -> list[Json]:
    """Parsed trees, read like a request's blocks."""
    return read_children([_request(tree) for tree in trees], "body.markdown", reading)


def _request(tree: Json) -> Json:
    payload = dict(tree[tree["type"]])
    children = [_request(child) for child in tree.get("children", ())]
    if children:
        payload["children"] = children
    known = {"id": tree["id"]} if "id" in tree else {}
    return {**known, "type": tree["type"], tree["type"]: payload}


def _check_none_lost(lost: Sequence[Json]) -> None:
    if lost:
        listed = ", ".join(f'"{tree[tree["type"]].get("title", "")}" ({tree.get("id")})' for tree in lost)
        raise guessed(
            f"This operation would delete {len(lost)} child page(s) or database(s): {listed}. "
            "Set allow_deleting_content to true to delete them."
        )
