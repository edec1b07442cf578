"""Search: pages and data sources whose title has the words in it, as far as the caller may see them."""

from notion_embedded.http.call import (
    SINGLE_SOURCE,
    Call,
    listing,
    page_size,
    start_cursor,
    wrong_cursor,
)
from notion_embedded.http.desk import Desk
from notion_embedded.http.places import read_cursor, write_cursor
from notion_embedded.http.shapes import show_data_source, show_page, show_single_source
from notion_embedded.model.checks import UNDEFINED, Json, a_boolean, a_string, an_object, one_of, only_keys
from notion_embedded.store import nodes
from notion_embedded.store.found import Hits, found_by_title
from notion_embedded.store.lag import SearchedTitles
from notion_embedded.store.nodes import Kind, Node

MAX_INTEGER = 2**62

_KINDS: dict[str, tuple[Kind, ...]] = {"page": ("page",), "data_source": ("data_source",)}
_OLD_KINDS: dict[str, tuple[Kind, ...]] = {"page": ("page",), "database": ("data_source",)}


def search(desk: Desk, call: Call) -> Json:
    """What is found, the last edited first unless asked otherwise."""
    call.only("query", "sort", "filter", "start_cursor", "page_size")
    words = call.body.get("query")
    hits = Hits(
        words="" if words is None else a_string(words, "body.query"),
        kinds=_kinds(call),
        trashed=_trashed(call),
        newest_first=_newest_first(call),
        start=_start(call),
    )
    size = page_size(call, in_body=True)
    shown: list[Json] = []
    for node in found_by_title(desk.connection, hits, SearchedTitles(desk.connection, desk.asker.now)):
        if not desk.sees(node.id) or (not hits.trashed and _lost(desk, node)):
            continue
        if call.version == SINGLE_SOURCE and not _alone(desk, node):
            continue
        if len(shown) == size:
            return listing("page_or_data_source", shown, write_cursor([node.edited_time, node.seq]))
        shown.append(_shown(desk, call, node))
    return listing("page_or_data_source", shown)


def _lost(desk: Desk, node: Node) -> bool:
    """Whether something that the node stands in is in the trash."""
    return any(trashed for _, _, trashed in nodes.ancestors(desk.connection, node.id))


def _alone(desk: Desk, node: Node) -> bool:
    """Whether the oldest version can show the node: it has no words for one data source of several."""
    return node.kind == "page" or len(nodes.children(desk.connection, node.parent or "")) == 1


def _shown(desk: Desk, call: Call, node: Node) -> Json:
    if node.kind == "page":
        return show_page(node, desk)
    database = nodes.find(desk.connection, node.parent or "")
    if call.version == SINGLE_SOURCE and database is not None:
        return show_single_source(database, node, desk)
    return show_data_source(node, desk)


def _kinds(call: Call) -> tuple[Kind, ...]:
    given = call.body.get("filter")
    if given is None:
        return ("page", "data_source")
    body = an_object(given, "body.filter")
    only_keys(body, "body.filter", ("property", "value", "in_trash"))
    if "value" not in body and "property" not in body:
        return ("page", "data_source")
    one_of(body.get("property", UNDEFINED), "body.filter.property", ("object",))
    kinds = _OLD_KINDS if call.version == SINGLE_SOURCE else _KINDS
    return kinds[one_of(body.get("value", UNDEFINED), "body.filter.value", tuple(kinds))]


def _trashed(call: Call) -> bool:
    given = (call.body.get("filter") or {}).get("in_trash")
    return given is not None and a_boolean(given, "body.filter.in_trash")


def _newest_first(call: Call) -> bool:
    given = call.body.get("sort")
    if given is None:
        return True
    body = an_object(given, "body.sort")
    if body.get("property") == "relevance":
        return True
    one_of(body.get("timestamp", UNDEFINED), "body.sort.timestamp", ("last_edited_time",))
    direction = one_of(
        body.get("direction", "descending"), "body.sort.direction", ("ascending", "descending")
    )
    return direction == "descending"


def _start(call: Call) -> tuple[int, int] | None:
    cursor = start_cursor(call, in_body=True)
    if cursor is None:
        return None
    match read_cursor(cursor):
        case [int() as moment, int() as seq] if max(abs(moment), abs(seq)) < MAX_INTEGER:
            return moment, seq
        case _:
            raise wrong_cursor(cursor)
