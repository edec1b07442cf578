"""Whether an effect stands in what was read: ours by creator, minute, place and content together."""

from typing import Any

import pytest

from lakelight.execution.intents import Anchor
from lakelight.execution.traces import answered, appended, differing_properties, properties_state
from lakelight.operations import Kind, Operation, request

BOT = "bot-user"
MINUTE = "2026-11-30T08:00:00.000Z"


def sent(*texts: str) -> Operation:
    return Operation(
        id="op_1",
        kind=Kind.BLOCK_APPEND,
        target="page-1",
        request=request(
            "PATCH",
            "/blocks/page-1/children",
            {"children": [{"paragraph": {"rich_text": [{"text": {"content": text}}]}} for text in texts]},
        ),
    )


def read(
    identifier: str, text: str, *, by: str = BOT, at: str = MINUTE, kind: str = "paragraph"
) -> dict[str, Any]:
    """A block as Notion gives it back, with all that it adds."""
    look = {"bold": False, "italic": False, "code": False, "color": "default"}
    run = {
        "type": "text",
        "text": {"content": text, "link": None},
        "annotations": look,
        "plain_text": text,
        "href": None,
    }
    return {
        "object": "block",
        "id": identifier,
        "type": kind,
        "created_by": {"object": "user", "id": by},
        "created_time": at,
        "has_children": False,
        kind: {"rich_text": [run], "color": "default"},
    }


last = Anchor(last_child="b1", notion_minute=MINUTE)
FOUND: dict[str, tuple[Anchor, list[dict[str, Any]], tuple[str, ...] | None]] = {
    "both, behind the anchor": (last, [read("b1", "x"), read("b2", "甲"), read("b3", "乙")], ("b2", "b3")),
    "both, on a page that was empty": (
        Anchor(notion_minute=MINUTE),
        [read("b2", "甲"), read("b3", "乙")],
        ("b2", "b3"),
    ),
    "in a later minute": (last, [read("b1", "x"), read("b2", "甲", at="2026-11-30T08:01:00.000Z")], ("b2",)),
    "the first alone, the second removed since": (last, [read("b1", "x"), read("b2", "甲")], ("b2",)),
    "the second alone, the first removed since": (last, [read("b1", "x"), read("b3", "乙")], ("b3",)),
    "with somebody's block between": (
        last,
        [read("b1", "x"), read("b2", "甲"), read("b9", "丙", by="person"), read("b3", "乙")],
        ("b2", "b3"),
    ),
    "with the anchor removed since": (
        last,
        [read("b0", "w"), read("b2", "甲"), read("b3", "乙")],
        ("b2", "b3"),
    ),
    "without a clock of Notion's": (
        Anchor(last_child="b1"),
        [read("b1", "x"), read("b2", "甲", at="2020-01-01T00:00:00.000Z")],
        ("b2",),
    ),
    "nothing": (last, [read("b1", "x")], None),
    "an empty page": (last, [], None),
    "before the anchor": (last, [read("b2", "甲"), read("b3", "乙"), read("b1", "x")], None),
    "the anchor itself": (last, [read("b1", "甲")], None),
    "by somebody else": (last, [read("b1", "x"), read("b2", "甲", by="person")], None),
    "by nobody": (last, [read("b1", "x"), {**read("b2", "甲"), "created_by": {}}], None),
    "in an earlier minute": (last, [read("b1", "x"), read("b2", "甲", at="2026-11-30T07:59:00.000Z")], None),
    "other words": (last, [read("b1", "x"), read("b2", "甲乙")], None),
    "another type": (last, [read("b1", "x"), read("b2", "甲", kind="quote")], None),
}


@pytest.mark.parametrize(("anchor", "children", "ids"), FOUND.values(), ids=FOUND)
def test_an_append_is_ours_when_everything_fits(
    anchor: Anchor, children: list[dict[str, Any]], ids: tuple[str, ...] | None
) -> None:
    assert appended(sent("甲", "乙"), anchor, children, BOT) == ids


def test_equal_blocks_are_told_apart_by_their_order() -> None:
    children = [read("b1", "x"), read("b2", "甲"), read("b3", "甲")]

    assert appended(sent("甲", "甲"), last, children, BOT) == ("b2", "b3")


def test_runs_that_notion_joined_are_the_same_words() -> None:
    cut = Operation(
        id="op_1",
        kind=Kind.BLOCK_APPEND,
        target="page-1",
        request=request(
            "PATCH",
            "/blocks/page-1/children",
            {
                "children": [
                    {"paragraph": {"rich_text": [{"text": {"content": "甲"}}, {"text": {"content": "乙"}}]}}
                ]
            },
        ),
    )

    assert appended(cut, last, [read("b1", "x"), read("b2", "甲乙")], BOT) == ("b2",)


def test_what_lies_below_a_block_is_not_compared() -> None:
    nested = Operation(
        id="op_1",
        kind=Kind.BLOCK_APPEND,
        target="page-1",
        request=request(
            "PATCH",
            "/blocks/page-1/children",
            {
                "children": [
                    {
                        "type": "paragraph",
                        "paragraph": {
                            "rich_text": [{"text": {"content": "甲"}}],
                            "children": [{"divider": {}}],
                        },
                    }
                ]
            },
        ),
    )

    assert appended(nested, last, [read("b1", "x"), read("b2", "甲")], BOT) == ("b2",)


@pytest.mark.parametrize(
    ("results", "ids", "differences"),
    [
        ([read("b2", "甲"), read("b3", "乙")], ("b2", "b3"), ()),
        ([read("b2", "甲"), read("b3", "丙")], ("b2", "b3"), ("children[1]",)),
        ([read("b2", "甲")], ("b2",), ("children: 1 of 2",)),
        ([], (), ("children: 0 of 2",)),
        ([read("b2", "甲"), read("b3", "乙"), read("b4", "之后")], ("b2", "b3"), ()),
    ],
)
def test_an_answer_gives_the_new_blocks_and_where_they_differ(
    results: list[dict[str, Any]], ids: tuple[str, ...], differences: tuple[str, ...]
) -> None:
    assert answered(sent("甲", "乙"), results) == (ids, differences)


done = Operation(
    id="op_2",
    kind=Kind.PAGE_PROPERTIES_UPDATE,
    target="page-1",
    request=request("PATCH", "/pages/page-1", {"properties": {"状态": {"status": {"name": "已完成"}}}}),
)


def page(status: str | None, editor: str = "person") -> dict[str, Any]:
    value = {"id": "1", "name": status, "color": "green"} if status else None
    return {
        "last_edited_by": {"id": editor},
        "properties": {
            "状态": {"id": "s", "type": "status", "status": value},
            "编号": {"id": "n", "type": "number", "number": 7},
        },
    }


from_before = Anchor(before={"状态": "待开发"})


@pytest.mark.parametrize(
    ("anchor", "current", "state"),
    [
        (from_before, page("已完成"), "ours"),
        (from_before, page("待开发"), "before"),
        (from_before, page("待开发", BOT), "before"),
        (from_before, page("作废"), "other"),
        (from_before, page("作废", BOT), "other"),
        (from_before, page(None), "other"),
        (from_before, {"properties": {}}, "other"),
        (Anchor(), page("已完成"), "ours"),
        (Anchor(), page("待开发", BOT), "before"),
        (Anchor(), page("待开发"), "other"),
        (Anchor(), {"properties": {}}, "other"),
    ],
)
def test_the_touched_properties_tell_ours_from_before_from_others(
    anchor: Anchor, current: dict[str, Any], state: str
) -> None:
    assert properties_state(done, anchor, current, BOT) == state


@pytest.mark.parametrize(
    ("current", "names"),
    [(page("已完成"), ()), (page("待开发"), ("状态",)), ({"properties": {}}, ("状态",))],
)
def test_properties_that_are_not_as_sent_are_named(current: dict[str, Any], names: tuple[str, ...]) -> None:
    assert differing_properties(done, current) == names
