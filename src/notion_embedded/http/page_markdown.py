"""Pages as Markdown: read whole, and edited by commands on the text.

An edit is made on the text; blocks that come out as they were keep their ids and times, so
that only what changed is written.
"""

from collections.abc import Sequence
from typing import Any

from notion_embedded.http.call import Call
from notion_embedded.http.desk import Desk
from notion_embedded.http.markdown_files import MarkdownFiles
from notion_embedded.http.writing import put_in, throw_away, touch_around
from notion_embedded.markdown import (
    ENHANCED,
    FLAVORED,
    MAX_RECORDS,
    Dialect,
    EditRefused,
    Insert,
    Keep,
    Step,
    edit,
    lost_children,
    reconcile,
    shortened,
)
from notion_embedded.model.blocks import Reading, read_children
from notion_embedded.model.checks import UNDEFINED, Json, a_boolean, an_object, one_of
from notion_embedded.model.errors import guessed
from notion_embedded.store import nodes
from notion_embedded.store.nodes import Node
from notion_embedded.store.outline import trees_in

VERSIONS = {"v1": ENHANCED, "v2": FLAVORED}
COMMANDS = ("insert_content", "replace_content_range", "update_content", "replace_content")


def get_markdown(desk: Desk, call: Call) -> Json:
    """The page's content as Markdown; the id may be a block's as well."""
    given = next(iter(call.query.get("markdown_version", [])), None)
    dialect = read_version(given, "query.markdown_version")
    page = desk.find(call.id("page_id"), "page", ("page", "block"))
    return _shown(desk, page, dialect, call.origin)


def update_markdown(desk: Desk, call: Call) -> Json:
    """Edit the page's content by a command on its Markdown.

    `allow_async` allows a task and does not ask for one: the answer here is always the edited page.
    """
    call.only("type", *COMMANDS, "allow_async", "markdown_version")
    page = desk.find(call.id("page_id"), "page", ("page",))
    desk.check_editable(page)
    command = one_of(call.given("type"), "body.type", COMMANDS)
    body = an_object(call.given(command), f"body.{command}")
    if body.get("position") is not None:
        position = an_object(body["position"], f"body.{command}.position")
        one_of(position.get("type", UNDEFINED), f"body.{command}.position.type", ("start", "end"))
    dialect = read_version(call.body.get("markdown_version"), "body.markdown_version")
    if call.body.get("allow_async") is not None:
        a_boolean(call.body["allow_async"], "body.allow_async")
    files = MarkdownFiles(desk)
    old = files.named(trees_in(desk.connection, page.id))
    try:
        text = edit(dialect.render(old).markdown, {**files.known(call.body), "type": command}, dialect)
    except EditRefused as refused:
        raise guessed(refused.message) from refused
    new = dialect.read(text)
    plan = reconcile(old, new.trees, dialect)
    if body.get("allow_deleting_content") is not True:
        _check_none_lost(lost_children(old, plan))
    plan = [step if isinstance(step, Keep) else Insert(files.stored(step.tree)) for step in plan]
    _carry_out(desk, page, old, plan)
    touch_around(desk, page.id)
    return {
        **_shown(desk, page, dialect, call.origin),
        **({"warnings": new.warnings} if new.warnings else {}),
    }


def read(text: str, reading: Reading, dialect: Dialect = ENHANCED) -> list[Json]:
    """The blocks that a Markdown text makes, ready to be stored."""
    return _stored(dialect.read(text).trees, Reading(reading.directory, limited=False))


def read_version(value: Any, path: str) -> Dialect:
    """The version of Markdown that a request names; the first one when it names none."""
    return ENHANCED if value is None else VERSIONS[one_of(value, path, tuple(VERSIONS))]


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


def _shown(desk: Desk, page: Node, dialect: Dialect, origin: str) -> Json:
    trees, truncated = shortened(trees_in(desk.connection, page.id), MAX_RECORDS)
    rendered = dialect.render(MarkdownFiles(desk).addressed(trees, origin))
    return {
        "object": "page_markdown",
        "id": page.id,
        "markdown": rendered.markdown,
        "truncated": truncated,
        "unknown_block_ids": list(rendered.unknown_block_ids),
    }


def _stored(trees: Sequence[Json], reading: Reading) -> list[Json]:
    """Parsed trees, read like a request's blocks."""
    return read_children([_request(tree, reading) for tree in trees], "body.markdown", reading)


def _request(tree: Json, reading: Reading) -> Json:
    payload = {key: _with_known_users(value, reading) for key, value in tree[tree["type"]].items()}
    children = [_request(child, reading) for child in tree.get("children", ())]
    if children:
        payload["children"] = children
    known = {"id": tree["id"]} if "id" in tree else {}
    return {**known, "type": tree["type"], tree["type"]: payload}


def _with_known_users(value: Any, reading: Reading) -> Any:
    """The same rich text; whoever is mentioned and is not here is a plain name."""
    if isinstance(value, list):
        return [_with_known_users(item, reading) for item in value]
    user = ((value.get("mention") or {}).get("user") or {}) if isinstance(value, dict) else {}
    if not user or reading.directory.user(user["id"]) is not None:
        return value
    text = {"content": value["plain_text"] or "@Anonymous", "link": None}
    return {"type": "text", "text": text, "annotations": value["annotations"]}


def _check_none_lost(lost: Sequence[Json]) -> None:
    if lost:
        listed = ", ".join(f'"{tree[tree["type"]].get("title", "")}" ({tree.get("id")})' for tree in lost)
        raise guessed(
            f"This operation would delete {len(lost)} child page(s) or database(s): {listed}. "
            "Set allow_deleting_content to true to delete them."
        )
