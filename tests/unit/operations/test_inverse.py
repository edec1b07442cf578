"""What would take an operation back, and where there is no way back that leaves everything as it was."""

from typing import Any

import pytest

from lakelight.operations import Kind, Operation, classify, request, touched
from lakelight.operations.inverse import CannotUndo, inverse, undo_prospect
from lakelight.operations.writable import Unwritable, writable

PAGE = "11111111-2222-4333-8444-555555555555"
BLOCKS = ("21111111-2222-4333-8444-555555555555", "31111111-2222-4333-8444-555555555555")


class Ids:
    def __init__(self) -> None:
        self.given = 0

    def __call__(self) -> str:
        self.given += 1
        return f"op_{self.given}"


def operation(kind: Kind, method: Any, path: str, body: dict[str, Any]) -> Operation:
    return Operation(id="op_0", kind=kind, target=PAGE, request=request(method, path, body))


append = operation(Kind.BLOCK_APPEND, "PATCH", f"/blocks/{PAGE}/children", {"children": [{}, {}]})
create = operation(Kind.PAGE_CREATE, "POST", "/pages", {"parent": {"page_id": PAGE}})
archive = operation(Kind.PAGE_ARCHIVE, "PATCH", f"/pages/{PAGE}", {"in_trash": True})
update = operation(
    Kind.PAGE_PROPERTIES_UPDATE, "PATCH", f"/pages/{PAGE}", {"properties": {"数": {"number": 2}}}
)


def page(**more: Any) -> dict[str, Any]:
    return {"properties": {"数": {"id": "n", "type": "number", "number": 1}}, "in_trash": False, **more}


def back(of: Operation, ids: tuple[str, ...] = (), before: dict[str, Any] | None = None) -> Any:
    found = inverse(of, ids=ids, before=before, new_id=Ids())
    if isinstance(found, CannotUndo):
        return found.why
    return [(one.id, one.kind, one.request.method, one.request.path, one.request.body) for one in found]


def test_appended_blocks_are_deleted_last_first() -> None:
    assert back(append, BLOCKS) == [
        ("op_1", Kind.BLOCK_DELETE, "DELETE", f"/blocks/{BLOCKS[1]}", "{}"),
        ("op_2", Kind.BLOCK_DELETE, "DELETE", f"/blocks/{BLOCKS[0]}", "{}"),
    ]


def test_a_created_page_is_trashed_and_a_trashed_one_restored() -> None:
    assert back(create, BLOCKS[:1]) == [
        ("op_1", Kind.PAGE_ARCHIVE, "PATCH", f"/pages/{BLOCKS[0]}", '{"in_trash":true}')
    ]
    assert back(archive, before=page()) == [
        ("op_1", Kind.PAGE_RESTORE, "PATCH", f"/pages/{PAGE}", '{"in_trash":false}')
    ]
    assert back(archive) == back(archive, before=page())


def test_an_undoing_can_be_undone() -> None:
    (restore,) = inverse(archive, ids=(), before=None, new_id=Ids())  # type: ignore[misc]
    deletion = inverse(append, ids=BLOCKS, before=None, new_id=Ids())[0]  # type: ignore[index]

    assert [kind for _, kind, *_ in back(restore)] == [Kind.PAGE_ARCHIVE]
    assert [kind for _, kind, *_ in back(deletion)] == [Kind.BLOCK_RESTORE]


def test_touched_columns_get_back_what_they_held() -> None:
    assert back(update, before=page()) == [
        ("op_1", Kind.PAGE_PROPERTIES_UPDATE, "PATCH", f"/pages/{PAGE}", '{"properties":{"数":{"number":1}}}')
    ]


@pytest.mark.parametrize("of", [append, create, update, archive], ids=lambda of: of.kind.value)
def test_what_takes_back_does_what_it_says(of: Operation) -> None:
    found = inverse(of, ids=BLOCKS, before=page(), new_id=Ids())

    assert not isinstance(found, CannotUndo)
    assert all(classify(one.request) == {one.kind} for one in found)
    assert all(touched(one.request) == one.target for one in found)


@pytest.mark.parametrize(
    ("of", "ids", "before", "why"),
    [
        pytest.param(append, (), None, "not_known", id="an append of nothing known"),
        pytest.param(create, (), None, "not_known", id="a page of no known id"),
        pytest.param(update, (), None, "not_known", id="no page before"),
        pytest.param(update, (), {"properties": {}}, "not_known", id="not that column"),
        pytest.param(archive, (), page(in_trash=True), "not_known", id="trashed before"),
        pytest.param(
            update,
            (),
            {"properties": {"数": {"type": "relation", "relation": [], "has_more": True}}},
            "cut_short",
            id="half a relation",
        ),
        pytest.param(
            operation(Kind.PAGE_ERASE, "PATCH", f"/pages/{PAGE}", {"erase_content": True}),
            (),
            page(),
            "kind",
            id="a kind without a way back",
        ),
    ],
)
def test_where_there_is_no_way_back_it_is_said_why(
    of: Operation, ids: tuple[str, ...], before: dict[str, Any] | None, why: str
) -> None:
    assert back(of, ids, before) == why


def test_whether_it_can_be_undone_is_told_before_it_is_done() -> None:
    assert undo_prospect(append, None) is None
    assert undo_prospect(create, None) is None
    assert undo_prospect(update, page()) is None
    assert undo_prospect(update, None) == "not_known"


def run(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "plain_text": text, "href": None, "text": {"content": text, "link": None}, **more}


mention = {
    "type": "mention",
    "plain_text": "@甲",
    "href": None,
    "mention": {"type": "user", "user": {"object": "user", "id": "u1", "name": "甲"}},
}
preview_link = {"type": "mention", "mention": {"type": "link_preview", "link_preview": {"url": "x"}}}


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"type": "number", "number": None}, {"number": None}),
        ({"type": "checkbox", "checkbox": True}, {"checkbox": True}),
        ({"type": "url", "url": "https://a.example"}, {"url": "https://a.example"}),
        ({"type": "select", "select": None}, {"select": None}),
        (
            {"type": "status", "status": {"id": "1", "name": "x", "color": "red"}},
            {"status": {"id": "1", "name": "x"}},
        ),
        (
            {"type": "multi_select", "multi_select": [{"name": "a", "color": "red"}]},
            {"multi_select": [{"name": "a"}]},
        ),
        (
            {"type": "date", "date": {"start": "2026-03-01", "end": None, "time_zone": None}},
            {"date": {"start": "2026-03-01"}},
        ),
        ({"type": "date", "date": None}, {"date": None}),
        (
            {"type": "people", "people": [{"object": "user", "id": "u", "name": "x"}]},
            {"people": [{"id": "u"}]},
        ),
        ({"type": "relation", "relation": [{"id": "p"}], "has_more": False}, {"relation": [{"id": "p"}]}),
        (
            {"type": "files", "files": [{"name": "x", "type": "external", "external": {"url": "u"}}]},
            {"files": [{"name": "x", "external": {"url": "u"}}]},
        ),
        (
            {"type": "title", "title": [run("甲", annotations={"bold": True})]},
            {"title": [{"type": "text", "text": {"content": "甲"}, "annotations": {"bold": True}}]},
        ),
        (
            {"type": "rich_text", "rich_text": [mention]},
            {"rich_text": [{"type": "mention", "mention": {"user": {"id": "u1"}}}]},
        ),
        (
            {"type": "rich_text", "rich_text": [{"type": "equation", "equation": {"expression": "x"}}]},
            {"rich_text": [{"type": "equation", "equation": {"expression": "x"}}]},
        ),
        ({"type": "rich_text", "rich_text": [preview_link]}, Unwritable("not_writable")),
        ({"type": "rich_text", "rich_text": [run("x")] * 101}, Unwritable("cut_short")),
        ({"type": "people", "people": [{"id": "u"}] * 101}, Unwritable("cut_short")),
        ({"type": "files", "files": [{"type": "file", "file": {"url": "u"}}]}, Unwritable("uploaded_file")),
        ({"type": "formula", "formula": {"type": "number", "number": 1}}, Unwritable("not_writable")),
        ({"type": "created_time", "created_time": "x"}, Unwritable("not_writable")),
        ({}, Unwritable("not_writable")),
    ],
)
def test_a_value_as_read_becomes_what_writes_it_back(value: dict[str, Any], sent: object) -> None:
    assert writable(value) == sent
