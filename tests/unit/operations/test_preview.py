"""What a person is shown of an operation: the exact change, whole, with nothing hidden."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.notion.limits import blocks_in
from lakelight.notion.markdown import to_blocks
from lakelight.operations import Kind, Operation, Request, request
from lakelight.operations.lines import Line, block_lines, block_text, value_text
from lakelight.operations.prestate import pre_state_hash
from lakelight.operations.preview import Preview, Row, preview
from lakelight.operations.surroundings import Surroundings, title_of
from lakelight.operations.visible import hidden, visible

PAGE = "11111111-2222-4333-8444-555555555555"


def operation(kind: Kind, body: dict[str, Any], path: str = f"/pages/{PAGE}") -> Operation:
    return Operation(id="op_1", kind=kind, target=PAGE, request=request("PATCH", path, body))


def append(*blocks: Any) -> Operation:
    return operation(Kind.BLOCK_APPEND, {"children": list(blocks)}, f"/blocks/{PAGE}/children")


def page(**properties: Any) -> dict[str, Any]:
    return {
        "object": "page",
        "id": PAGE,
        "in_trash": False,
        "last_edited_time": "2026-11-30T08:00:00.000Z",
        "url": "https://app.notion.com/p/x",
        "properties": {
            "任务标题": {"id": "title", "type": "title", "title": [{"plain_text": "修复登录"}]},
            "状态": {"id": "s", "type": "status", "status": {"id": "1", "name": "待开发"}},
            "勾": {"id": "c", "type": "checkbox", "checkbox": False},
            **properties,
        },
    }


def child(kind: str, text: str, id_: str = "b1") -> dict[str, Any]:
    content = {"title": text} if kind == "child_page" else {"rich_text": [{"plain_text": text}]}
    return {"object": "block", "id": id_, "type": kind, kind: content}


def test_an_update_shows_each_column_before_and_after() -> None:
    update = operation(
        Kind.PAGE_PROPERTIES_UPDATE,
        {
            "properties": {
                "状态": {"status": {"name": "已完成"}},
                "勾": {"checkbox": True},
                "数": {"number": 3.0},
            }
        },
    )

    shown = preview(update, Surroundings(target=page(), place="半体工单"))

    assert shown == Preview(
        kind="page.properties.update",
        target=PAGE,
        title="修复登录",
        place="半体工单",
        url="https://app.notion.com/p/x",
        rows=(
            Row(column="勾", before="☐", after="☑"),
            Row(column="数", before="", after="3"),
            Row(column="状态", before="待开发", after="已完成"),
        ),
        undo="not_known",
        counts={"properties": 3, "added": 0, "deleted": 0, "content": 0, "hidden": 0},
    )


def test_an_append_shows_every_block_with_its_type_and_depth() -> None:
    blocks = to_blocks(
        "# 甲\n\n- 一\n  - [x] 二\n\n[点这里](https://a.example/x)\n\n```python\nx = 1\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )

    shown = preview(append(*blocks), Surroundings(target=page()))

    assert shown.added == (
        Line(type="heading_1", text="甲"),
        Line(type="bulleted_list_item", text="一"),
        Line(type="to_do", text="☑ 二", depth=1),
        Line(type="paragraph", text="点这里 <https://a.example/x>"),
        Line(type="code", text="x = 1"),
        Line(type="divider", text=""),
        Line(type="table", text=""),
        Line(type="table_row", text="a | b", depth=1),
        Line(type="table_row", text="1 | 2", depth=1),
    )
    assert (shown.undo, shown.hosts, shown.notes) == ("possible", ("a.example",), ("preview.note.links",))
    assert shown.counts["added"] == 9


def test_an_archive_names_the_pages_that_go_along_and_counts_the_rest() -> None:
    archive = operation(Kind.PAGE_ARCHIVE, {"in_trash": True})
    children = (child("paragraph", "x"), child("child_page", "附录"), child("to_do", "y"))

    shown = preview(archive, Surroundings(target=page(), children=children, place="任务"))

    assert shown.deleted == (
        Line(type="page", text="修复登录"),
        Line(type="child_page", text="附录", depth=1),
    )
    assert (shown.counts["content"], shown.undo, shown.rows) == (2, "possible", ())


def test_a_new_page_shows_its_columns_and_content_under_its_parent() -> None:
    create = operation(
        Kind.PAGE_CREATE,
        {
            "parent": {"type": "data_source_id", "data_source_id": PAGE},
            "properties": {"任务标题": {"title": [{"text": {"content": "写月报"}}]}},
            "children": to_blocks("汇总"),
        },
        "/pages",
    )
    source = {
        "object": "data_source",
        "id": PAGE,
        "title": [{"plain_text": "任务"}],
        "properties": {"任务标题": {"id": "title", "type": "title", "title": {}}},
    }

    shown = preview(create, Surroundings(target=source, place="任务"), "写月报")

    assert (shown.title, shown.place, shown.undo) == ("写月报", "任务", "possible")
    assert shown.rows == (Row(column="任务标题", before="", after="写月报"),)
    assert shown.added == (Line(type="paragraph", text="汇总"),)


def test_what_is_gone_or_in_the_trash_or_so_already_is_noted() -> None:
    update = operation(Kind.PAGE_PROPERTIES_UPDATE, {"properties": {"勾": {"checkbox": False}}})

    gone = preview(update, Surroundings())
    trashed = preview(update, Surroundings(target={**page(), "in_trash": True}))

    assert gone.notes == ("preview.note.gone",)
    assert trashed.notes == ("preview.note.in_trash", "preview.note.unchanged")


def test_a_key_that_is_no_property_is_shown_as_it_would_be_sent() -> None:
    odd = operation(Kind.PAGE_META_UPDATE, {"icon": {"type": "emoji", "emoji": "📌"}, "in_trash": True})

    shown = preview(odd, Surroundings(target={**page(), "icon": None}))

    assert shown.rows == (
        Row(column="icon", before="", after='{"emoji": "📌", "type": "emoji"}'),
        Row(column="in_trash", before="false", after="true"),
    )


def test_characters_that_do_not_show_are_written_out_and_counted() -> None:
    zero, over = "\u200b", "\u202e"
    hiding = operation(
        Kind.PAGE_PROPERTIES_UPDATE,
        {"properties": {"说明": {"rich_text": [{"text": {"content": f"a{zero}b{over}c"}}]}}},
    )

    shown = preview(hiding, Surroundings(target=page(), place=f"x{zero}"), f"标{zero}题")

    assert shown.rows[0].after == "a⟨U+200B⟩b⟨U+202E⟩c"
    assert (shown.title, shown.place) == ("标⟨U+200B⟩题", "x⟨U+200B⟩")
    assert shown.counts["hidden"] == 3
    assert "preview.note.hidden" in shown.notes


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("中文\n\tok", "中文\n\tok"),
        ("a\u00adb", "a⟨U+00AD⟩b"),
        ("\ufeffx", "⟨U+FEFF⟩x"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("a\U000e0041", "a⟨U+E0041⟩"),
        ("a\ufe01", "a⟨U+FE01⟩"),
        ("a\U000e0101", "a⟨U+E0101⟩"),
        ("\u3164", "⟨U+3164⟩"),
        ("👩\u200d💻 ❤\ufe0f", "👩\u200d💻 ❤\ufe0f"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("bell\x07", "bell⟨U+0007⟩"),
    ],
)
def test_a_character_shows_or_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert (hidden(text) > 0) is (shown != text)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("https://a.example/x?y=1", ("a.example",)),
        ("siehe HTTPS://B.Example:443，dann", ("b.example",)),
        ("https://notion.so@evil.example/", ("evil.example",)),
        ("mailto:x@mail.example", ("mail.example",)),
        ("ftp://files.example", ("files.example",)),
        ("https://app.notion.com/p/1 and https://www.notion.so/x", ()),
        ("https://notnotion.so", ("notnotion.so",)),
        ("https://x.notion.site/p", ("x.notion.site",)),
        ("// a comment, no link", ()),
    ],
)
def test_the_hosts_of_outward_links_are_listed(text: str, hosts: tuple[str, ...]) -> None:
    block = {"paragraph": {"rich_text": [{"text": {"content": text}}]}}

    assert preview(append(block), Surroundings(target=page())).hosts == hosts


def test_a_host_is_listed_also_where_only_the_link_names_it() -> None:
    run = {"text": {"content": "hier", "link": {"url": "https://a.example"}}}
    create = operation(
        Kind.PAGE_CREATE,
        {"markdown": "![](https://c.example/i.png)", "cover": {"external": {"url": "https://d.example"}}},
    )

    shown = preview(append({"paragraph": {"rich_text": [run]}}), Surroundings(target=page()))

    assert shown.hosts == ("a.example",)
    assert preview(create, Surroundings(target=page())).hosts == ("c.example", "d.example")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (
            {
                "image": {
                    "external": {"url": "https://a.example/i.png"},
                    "caption": [{"text": {"content": "图"}}],
                }
            },
            "https://a.example/i.png (图)",
        ),
        ({"bookmark": {"url": "https://a.example"}}, "https://a.example"),
        ({"equation": {"expression": "x^2"}}, "x^2"),
        ({"link_to_page": {"page_id": PAGE}}, f'{{"page_id": "{PAGE}"}}'),
        ({"paragraph": {"rich_text": [{"mention": {"user": {"id": "u"}}}]}}, '{"user": {"id": "u"}}'),
        ({"paragraph": {"rich_text": [{"equation": {"expression": "y"}}]}}, "y"),
        (
            {"paragraph": {"rich_text": [{"plain_text": "a", "href": "https://b.example"}]}},
            "a <https://b.example>",
        ),
        ({"paragraph": {"rich_text": []}}, ""),
        ({"type": "paragraph"}, ""),
        ({"strange": {"a": 1}}, '{"a": 1}'),
    ],
)
def test_a_block_says_what_it_would_be(block: dict[str, Any], text: str) -> None:
    assert block_text(block) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"date": {"start": "2026-12-01", "end": "2026-12-31"}}, "2026-12-01/2026-12-31"),
        ({"multi_select": [{"name": "a"}, {"name": "b"}]}, "a, b"),
        ({"select": None}, ""),
        ({"number": 2.5}, "2.5"),
        ({"url": None}, ""),
        ({"people": [{"id": "u"}]}, "u"),
        ({"files": [{"name": "x", "external": {"url": "https://a.example"}}]}, "x"),
        ({"id": "p", "type": "rich_text", "rich_text": [{"text": {"content": "甲"}}]}, "甲"),
        ({"multi_select": 5}, '{"multi_select": 5}'),
        ({"unheard_of": {"a": 1}}, '{"unheard_of": {"a": 1}}'),
        ([{"text": {"content": "甲"}}], "甲"),
        (None, "null"),
    ],
)
def test_a_value_is_told_as_people_would_say_it(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_a_title_is_found_on_everything_that_has_one() -> None:
    assert title_of(page()) == "修复登录"
    assert title_of({"object": "database", "title": [{"plain_text": "任务"}]}) == "任务"
    assert title_of(child("child_page", "附录")) == "附录"
    assert title_of({"properties": {"x": {"number": 1}}}) == ""
    assert title_of(None) == ""


def test_a_body_that_cannot_be_read_is_shown_as_it_stands() -> None:
    deep = "[" * 5000 + "]" * 5000
    broken = [
        Operation(
            id="op_1",
            kind=Kind.BLOCK_APPEND,
            target=PAGE,
            request=Request("PATCH", f"/blocks/{PAGE}/children", body),
        )
        for body in ("no json", "[]", f'{{"children":{deep}}}')
    ]

    shown = [preview(each, Surroundings(target=page())) for each in broken]

    assert [each.added[0].text for each in shown] == [each.request.body for each in broken]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "paragraph",
                    "rich_text",
                    "text",
                    "content",
                    "link",
                    "url",
                    "children",
                    "properties",
                    "title",
                    "select",
                    "multi_select",
                    "date",
                    "relation",
                    "has_more",
                    "to_do",
                    "table_row",
                    "cells",
                    "mention",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    kind=st.sampled_from(Kind),
    body=st.dictionaries(
        st.sampled_from(["properties", "children", "markdown", "in_trash", "parent", "icon"])
        | st.text(max_size=3),
        json_values,
        max_size=4,
    ),
    before=st.none()
    | st.dictionaries(
        st.sampled_from(["properties", "title", "type", "in_trash", "url"]), json_values, max_size=3
    ),
    title=st.text(max_size=5),
)
def test_a_preview_never_fails_and_lists_every_block_at_the_top(
    kind: Kind, body: dict[str, Any], before: dict[str, Any] | None, title: str
) -> None:
    made = Operation(
        id="op_1", kind=kind, target=PAGE, request=Request("PATCH", f"/pages/{PAGE}", json.dumps(body))
    )

    shown = preview(made, Surroundings(target=before, place=title), title)

    children = body.get("children")
    assert len([line for line in shown.added if line.depth == 0]) >= (
        len(children) if isinstance(children, list) else 0
    )
    assert Preview.load(json.loads(json.dumps(shown.dump()))) == shown
    assert shown.counts["added"] == len(shown.added)


@given(
    st.lists(
        st.sampled_from(
            [
                "# 甲",
                "- 一\n  - 二\n    - 三",
                "段落",
                "> 引文",
                "```zig\nx\n```",
                "| a |\n|---|\n| 1 |",
                "$$\ny\n$$",
                "---",
                "1. 数",
                "<details><summary>t</summary>\n\nx\n\n</details>",
                "![a](https://e.example/i.png)",
            ]
        ),
        max_size=6,
    )
)
def test_no_added_block_is_dropped(parts: list[str]) -> None:
    blocks = to_blocks("\n\n".join(parts))

    lines = block_lines(blocks)

    assert len(lines) == sum(map(blocks_in, blocks))
    assert [line.type for line in lines if line.depth == 0] == [block["type"] for block in blocks]


# What it rests on

update = operation(Kind.PAGE_PROPERTIES_UPDATE, {"properties": {"状态": {"status": {"name": "已完成"}}}})
archive = operation(Kind.PAGE_ARCHIVE, {"in_trash": True})
create = operation(Kind.PAGE_CREATE, {"parent": {"page_id": PAGE}})
hello = append({"paragraph": {"rich_text": []}})
first, second = child("paragraph", "甲", "b1"), child("paragraph", "乙", "b2")
other_status = page(状态={"id": "s", "type": "status", "status": {"id": "2", "name": "进行中"}})
coloured = page(状态={"id": "s", "type": "status", "status": {"id": "1", "name": "待开发", "color": "red"}})
other_column = page(勾={"id": "c", "type": "checkbox", "checkbox": True})
later = {**page(), "last_edited_time": "2026-11-30T09:00:00.000Z"}
trashed = {**page(), "in_trash": True}


@pytest.mark.parametrize(
    ("of", "before", "after", "same"),
    [
        pytest.param(
            update, Surroundings(target=page()), Surroundings(target=later), True, id="an edit elsewhere"
        ),
        pytest.param(update, Surroundings(target=page()), Surroundings(target=coloured), True, id="a colour"),
        pytest.param(
            update, Surroundings(target=page()), Surroundings(target=other_column), True, id="another column"
        ),
        pytest.param(
            update, Surroundings(target=page()), Surroundings(target=other_status), False, id="the column"
        ),
        pytest.param(update, Surroundings(target=page()), Surroundings(target=trashed), False, id="trashed"),
        pytest.param(update, Surroundings(target=page()), Surroundings(), False, id="gone"),
        pytest.param(
            hello,
            Surroundings(target=page(), children=(first,)),
            Surroundings(target=later, children=(first,)),
            True,
            id="append, the same children",
        ),
        pytest.param(
            hello,
            Surroundings(target=page(), children=(first,)),
            Surroundings(target=page(), children=(first, second)),
            False,
            id="append, one more",
        ),
        pytest.param(
            hello,
            Surroundings(target=page(), children=(first, second)),
            Surroundings(target=page(), children=(second,)),
            False,
            id="append, one less",
        ),
        pytest.param(
            hello,
            Surroundings(target=page()),
            Surroundings(target=page(), children=(first,)),
            False,
            id="append, the first",
        ),
        pytest.param(
            archive,
            Surroundings(target=page()),
            Surroundings(target=page(), place="x"),
            True,
            id="archive, the place renamed",
        ),
        pytest.param(
            archive, Surroundings(target=page()), Surroundings(target=later), False, id="archive, edited"
        ),
        pytest.param(
            archive,
            Surroundings(target=page()),
            Surroundings(target=other_column),
            False,
            id="archive, any column",
        ),
        pytest.param(
            archive,
            Surroundings(target=page(), children=(first,)),
            Surroundings(target=page(), children=(child("paragraph", "改"),)),
            False,
            id="archive, content within the minute",
        ),
        pytest.param(
            create,
            Surroundings(target=page()),
            Surroundings(target=other_status),
            True,
            id="create, the parent's columns",
        ),
        pytest.param(
            create,
            Surroundings(target=page()),
            Surroundings(target=trashed),
            False,
            id="create, the parent trashed",
        ),
        pytest.param(
            create, Surroundings(target=page()), Surroundings(), False, id="create, the parent gone"
        ),
    ],
)
def test_the_hash_changes_with_what_the_operation_rests_on(
    of: Operation, before: Surroundings, after: Surroundings, same: bool
) -> None:
    assert (pre_state_hash(of, before) == pre_state_hash(of, after)) is same
