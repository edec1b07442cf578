"""What a request does is read from the request alone, and what is not understood does nothing we know."""

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.operations import Kind, Request, classify, touched
from lakelight.operations.operation import Method, request

ID = "11111111-2222-3333-4444-555555555555"
OTHER = "aaaaaaaa-2222-3333-4444-555555555555"
PARENT = {"page_id": ID}
TEXT = {"rich_text": []}

KNOWN: list[tuple[Method, str, dict[str, Any], set[Kind]]] = [
    ("POST", "/pages", {"parent": PARENT}, {Kind.PAGE_CREATE}),
    ("POST", "/pages", {"parent": PARENT, "properties": {}, "children": []}, {Kind.PAGE_CREATE}),
    ("POST", "/pages", {"parent": PARENT, "markdown": "#", "icon": {}, "cover": {}}, {Kind.PAGE_CREATE}),
    ("PATCH", f"/pages/{ID}", {"properties": {"Name": {}}}, {Kind.PAGE_PROPERTIES_UPDATE}),
    ("PATCH", f"/pages/{ID}", {"icon": None}, {Kind.PAGE_META_UPDATE}),
    ("PATCH", f"/pages/{ID}", {"cover": {"type": "external"}}, {Kind.PAGE_META_UPDATE}),
    ("PATCH", f"/pages/{ID}", {"in_trash": True}, {Kind.PAGE_ARCHIVE}),
    ("PATCH", f"/pages/{ID}", {"is_archived": True}, {Kind.PAGE_ARCHIVE}),
    ("PATCH", f"/pages/{ID}", {"in_trash": False}, {Kind.PAGE_RESTORE}),
    ("PATCH", f"/pages/{ID}", {"is_archived": False}, {Kind.PAGE_RESTORE}),
    ("PATCH", f"/pages/{ID}", {"is_locked": True}, {Kind.PAGE_LOCK}),
    ("PATCH", f"/pages/{ID}", {"is_locked": False}, {Kind.PAGE_LOCK}),
    ("PATCH", f"/pages/{ID}", {"erase_content": True}, {Kind.PAGE_ERASE}),
    (
        "PATCH",
        f"/pages/{ID}",
        {"properties": {}, "in_trash": True, "erase_content": True},
        {Kind.PAGE_PROPERTIES_UPDATE, Kind.PAGE_ARCHIVE, Kind.PAGE_ERASE},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "insert_content", "insert_content": {"content": "x"}},
        {Kind.BLOCK_APPEND},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "update_content", "update_content": {"content_updates": []}},
        {Kind.MARKDOWN_EDIT},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "update_content", "update_content": {"allow_deleting_content": False}},
        {Kind.MARKDOWN_EDIT},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "update_content", "update_content": {"allow_deleting_content": True}},
        {Kind.MARKDOWN_REPLACE},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "update_content", "update_content": {"allow_deleting_content": "no"}},
        {Kind.MARKDOWN_REPLACE},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "replace_content", "replace_content": {"new_str": ""}},
        {Kind.MARKDOWN_REPLACE},
    ),
    (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "replace_content_range", "replace_content_range": {}},
        {Kind.MARKDOWN_REPLACE},
    ),
    ("POST", f"/pages/{ID}/move", {"parent": PARENT}, {Kind.PAGE_MOVE}),
    ("PATCH", f"/blocks/{ID}/children", {"children": []}, {Kind.BLOCK_APPEND}),
    ("PATCH", f"/blocks/{ID}/children", {"children": [], "position": {}}, {Kind.BLOCK_APPEND}),
    ("PATCH", f"/blocks/{ID}", {"paragraph": TEXT}, {Kind.BLOCK_UPDATE}),
    ("PATCH", f"/blocks/{ID}", {"to_do": {"checked": True}}, {Kind.BLOCK_UPDATE}),
    ("PATCH", f"/blocks/{ID}", {"in_trash": True}, {Kind.BLOCK_DELETE}),
    ("PATCH", f"/blocks/{ID}", {"in_trash": False}, {Kind.BLOCK_RESTORE}),
    ("DELETE", f"/blocks/{ID}", {}, {Kind.BLOCK_DELETE}),
    ("POST", "/databases", {"parent": PARENT, "title": []}, {Kind.DATABASE_CREATE}),
    ("POST", "/data_sources", {"parent": {"database_id": ID}, "properties": {}}, {Kind.DATABASE_CREATE}),
    ("PATCH", f"/databases/{ID}", {"title": []}, {Kind.DATABASE_UPDATE}),
    ("PATCH", f"/databases/{ID}", {"in_trash": True}, {Kind.DATABASE_ARCHIVE}),
    ("PATCH", f"/databases/{ID}", {"in_trash": False}, {Kind.DATABASE_UPDATE}),
    ("PATCH", f"/databases/{ID}", {"parent": PARENT}, {Kind.DATABASE_MOVE}),
    ("PATCH", f"/databases/{ID}", {"title": [], "parent": {}}, {Kind.DATABASE_UPDATE, Kind.DATABASE_MOVE}),
    ("PATCH", f"/data_sources/{ID}", {"properties": {"Name": None}}, {Kind.SCHEMA_ALTER}),
    ("PATCH", f"/data_sources/{ID}", {"properties": {"New": {"number": {}}}}, {Kind.SCHEMA_ALTER}),
    ("POST", "/comments", {"parent": PARENT, "rich_text": []}, {Kind.COMMENT_CREATE}),
    ("POST", "/comments", {"discussion_id": ID, "markdown": "hi"}, {Kind.COMMENT_CREATE}),
    ("PATCH", f"/comments/{ID}", {"rich_text": []}, {Kind.COMMENT_UPDATE}),
    ("DELETE", f"/comments/{ID}", {}, {Kind.COMMENT_DELETE}),
]

NOT_UNDERSTOOD: dict[str, tuple[str, str, Any]] = {
    "a page without a parent": ("POST", "/pages", {"properties": {}}),
    "a page from a template": ("POST", "/pages", {"parent": PARENT, "template": {}}),
    "an empty update": ("PATCH", f"/pages/{ID}", {}),
    "an unknown key of a page": ("PATCH", f"/pages/{ID}", {"surprise": 1}),
    "a known and an unknown key": ("PATCH", f"/pages/{ID}", {"icon": {}, "surprise": 1}),
    "properties that are no object": ("PATCH", f"/pages/{ID}", {"properties": []}),
    "a trash flag that is a word": ("PATCH", f"/pages/{ID}", {"in_trash": "true"}),
    "a trash flag that is 1": ("PATCH", f"/pages/{ID}", {"in_trash": 1}),
    "a trash flag that is 0": ("PATCH", f"/pages/{ID}", {"is_archived": 0}),
    "a trash flag that is null": ("PATCH", f"/pages/{ID}", {"in_trash": None}),
    "a lock that is a word": ("PATCH", f"/pages/{ID}", {"is_locked": "yes"}),
    "erase_content: false": ("PATCH", f"/pages/{ID}", {"erase_content": False}),
    "an old trash flag": ("PATCH", f"/pages/{ID}", {"archived": True}),
    "an unknown Markdown mode": ("PATCH", f"/pages/{ID}/markdown", {"type": "upsert", "upsert": {}}),
    "a Markdown mode that is a list": (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": ["insert_content"], "insert_content": {}},
    ),
    "a Markdown mode without its command": ("PATCH", f"/pages/{ID}/markdown", {"type": "insert_content"}),
    "two Markdown commands": (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "insert_content", "insert_content": {}, "replace_content": {}},
    ),
    "a Markdown command that is text": (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "insert_content", "insert_content": "x"},
    ),
    "a permission to delete beside the command": (
        "PATCH",
        f"/pages/{ID}/markdown",
        {"type": "update_content", "update_content": {}, "allow_deleting_content": True},
    ),
    "a move with more": ("POST", f"/pages/{ID}/move", {"parent": PARENT, "icon": {}}),
    "an append of no list": ("PATCH", f"/blocks/{ID}/children", {"children": {}}),
    "an append of nothing": ("PATCH", f"/blocks/{ID}/children", {}),
    "an append with more": ("PATCH", f"/blocks/{ID}/children", {"children": [], "in_trash": True}),
    "a block of two types": ("PATCH", f"/blocks/{ID}", {"paragraph": TEXT, "quote": TEXT}),
    "a block and its trash flag": ("PATCH", f"/blocks/{ID}", {"paragraph": TEXT, "in_trash": True}),
    "a block's trash flag that is 1": ("PATCH", f"/blocks/{ID}", {"in_trash": 1}),
    "a block's content that is text": ("PATCH", f"/blocks/{ID}", {"paragraph": "x"}),
    "a block's other key": ("PATCH", f"/blocks/{ID}", {"parent": PARENT}),
    "a block of an unknown type": ("PATCH", f"/blocks/{ID}", {"hologram": {}}),
    "an empty block": ("PATCH", f"/blocks/{ID}", {}),
    "a DELETE of a block with a body": ("DELETE", f"/blocks/{ID}", {"in_trash": True}),
    "a DELETE of a comment with a body": ("DELETE", f"/comments/{ID}", {"rich_text": []}),
    "a DELETE of a page": ("DELETE", f"/pages/{ID}", {}),
    "a database without a parent": ("POST", "/databases", {"title": []}),
    "a database with more": ("POST", "/databases", {"parent": PARENT, "surprise": 1}),
    "an unknown key of a database": ("PATCH", f"/databases/{ID}", {"title": [], "is_locked": True}),
    "a database's trash flag that is a word": ("PATCH", f"/databases/{ID}", {"in_trash": "yes"}),
    "an empty comment": ("POST", "/comments", {}),
    "a comment with more": ("POST", "/comments", {"parent": PARENT, "rich_text": [], "as_user": ID}),
    "a file upload": ("POST", "/file_uploads", {"mode": "single_part"}),
    "a sign-in": ("POST", "/oauth/token", {"grant_type": "refresh_token"}),
    "a method in lower case": ("patch", f"/pages/{ID}", {"in_trash": True}),
    "a read": ("GET", f"/pages/{ID}", {}),
    "a PUT": ("PUT", f"/pages/{ID}", {"properties": {}}),
    "a POST where a PATCH belongs": ("POST", f"/pages/{ID}", {"properties": {}}),
    "no method": ("", f"/pages/{ID}", {"properties": {}}),
    "a version in the path": ("PATCH", f"/v1/pages/{ID}", {"properties": {}}),
    "a path that climbs": ("PATCH", f"/pages/../databases/{ID}", {"in_trash": True}),
    "a path that climbs behind the id": ("PATCH", f"/pages/{ID}/../{OTHER}", {"icon": {}}),
    "a query": ("PATCH", f"/pages/{ID}?x=1", {"properties": {}}),
    "a fragment": ("PATCH", f"/pages/{ID}#x", {"properties": {}}),
    "a slash at the end": ("PATCH", f"/pages/{ID}/", {"properties": {}}),
    "two slashes": ("PATCH", f"//pages/{ID}", {"properties": {}}),
    "a line end": ("PATCH", f"/pages/{ID}\n", {"properties": {}}),
    "a percent sign": ("PATCH", f"/pages%2f{ID}", {"properties": {}}),
    "an id in upper case": ("PATCH", f"/pages/{OTHER.upper()}", {"properties": {}}),
    "an id without dashes": ("PATCH", f"/pages/{ID.replace('-', '')}", {"properties": {}}),
    "an address": ("PATCH", f"https://evil.example/pages/{ID}", {"properties": {}}),
    "an unknown place": ("PATCH", f"/views/{ID}", {"properties": {}}),
}

BROKEN_BODIES = {
    "a list": "[]",
    "a word": '"in_trash"',
    "null": "null",
    "a number": "1",
    "nothing": "",
    "half an object": '{"in_trash":',
    "a body too deep to read": '{"in_trash":' + "[" * 100_000,
}


@pytest.mark.parametrize(("method", "path", "body", "kinds"), KNOWN)
def test_a_request_is_all_that_it_does(
    method: Method, path: str, body: dict[str, Any], kinds: set[Kind]
) -> None:
    assert classify(request(method, path, body)) == kinds


@pytest.mark.parametrize(("method", "path", "body"), NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_what_is_not_wholly_understood_has_no_known_effect(method: Any, path: str, body: Any) -> None:
    assert classify(Request(method, path, json.dumps(body))) == frozenset()


@pytest.mark.parametrize("body", BROKEN_BODIES.values(), ids=BROKEN_BODIES)
@pytest.mark.parametrize("path", ["/pages", f"/pages/{ID}", f"/blocks/{ID}/children"])
def test_a_body_that_is_no_object_has_no_known_effect(path: str, body: str) -> None:
    odd = Request("PATCH", path, body)

    assert classify(odd) == frozenset()
    assert touched(odd) in {None, ID}


def test_every_kind_but_the_engines_own_mark_and_a_new_column_can_be_read_from_a_request() -> None:
    """A mark is told from its content by the guard; a new column cannot be told from a changed one."""
    seen = set().union(*(kinds for _, _, _, kinds in KNOWN))

    assert set(Kind) - seen == {Kind.TICKET_MARK, Kind.SCHEMA_EXTEND}


@pytest.mark.parametrize(
    ("path", "body", "target"),
    [
        (f"/pages/{ID}", {"parent": {"page_id": OTHER}}, ID),
        (f"/blocks/{ID}/children", {}, ID),
        ("/pages", {"parent": {"type": "page_id", "page_id": OTHER}}, OTHER),
        ("/pages", {"parent": {"data_source_id": OTHER}}, OTHER),
        ("/pages", {"parent": {"page_id": OTHER, "database_id": ID}}, None),
        ("/pages", {"parent": {"workspace": True}}, None),
        ("/pages", {"parent": {"page_id": 7}}, None),
        ("/pages", {"parent": OTHER}, None),
        ("/comments", {"discussion_id": OTHER}, None),
    ],
)
def test_the_target_is_the_id_in_the_path_else_the_one_parent(
    path: str, body: dict[str, Any], target: str | None
) -> None:
    assert touched(request("POST", path, body)) == target


KEYS = sorted({key for _, _, body, _ in KNOWN for key in body} | {"surprise"})
PATHS = sorted({path for _, path, _, _ in KNOWN} | {"", "/", "/pages/../x", f"/pages/{ID}?a"})
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(KEYS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=1000)
@given(
    method=st.sampled_from(["POST", "PATCH", "DELETE", "GET", "patch", ""]),
    path=st.sampled_from(PATHS) | st.text(max_size=60),
    body=anything.map(json.dumps) | st.text(max_size=30),
)
def test_no_request_can_make_the_classifier_fail(method: Any, path: str, body: str) -> None:
    odd = Request(method, path, body)

    assert classify(odd) <= set(Kind)
    assert isinstance(touched(odd), str | None)


@given(
    body=st.dictionaries(st.sampled_from(KEYS), anything, min_size=1, max_size=4), path=st.sampled_from(PATHS)
)
def test_one_more_unknown_key_leaves_nothing_understood(body: dict[str, Any], path: str) -> None:
    assert classify(Request("PATCH", path, json.dumps({**body, "ünknown": True}))) == frozenset()
