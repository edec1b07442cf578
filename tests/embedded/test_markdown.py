"""Enhanced Markdown: what reads as which block, that nothing changes on a round trip, and edits."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from notion_embedded.markdown import (
    EditRefused,
    Insert,
    Keep,
    Tree,
    deletion_allowed,
    edit,
    lost_children,
    parse,
    reconcile,
    render,
)

PAGE = "393abc1e-edcd-80f3-813b-e205934558c6"
PAGE_URL = "https://app.notion.com/p/393abc1eedcd80f3813be205934558c6"


def outline(trees: list[Tree]) -> list[Any]:
    """A tree as `(type, words, children)`, which is what most tests are about."""
    return [
        (block["type"], words(block), outline(block["children"]))
        if block["children"]
        else (block["type"], words(block))
        for block in trees
    ]


def words(block: Tree) -> str:
    payload = block[block["type"]]
    return "".join(run["plain_text"] for run in payload.get("rich_text") or payload.get("caption") or [])


def runs(markdown: str) -> list[tuple[str, str]]:
    """The runs of the first block, each with the marks that it bears."""
    (block, *_) = parse(markdown)
    return [(run["plain_text"], marks(run)) for run in block[block["type"]]["rich_text"]]


def marks(run: dict[str, Any]) -> str:
    names = sorted(name for name, value in run["annotations"].items() if value is True)
    colour = run["annotations"]["color"]
    return " ".join(
        [*names, *([colour] if colour != "default" else []), *([run["href"]] if run["href"] else [])]
    )


def text_run(content: str, link: str | None = None, **annotations: Any) -> dict[str, Any]:
    return {
        "type": "text",
        "text": {"content": content, "link": {"url": link} if link else None},
        "annotations": annotations,
        "plain_text": content,
        "href": link,
    }


def paragraph(*rich_text: dict[str, Any], **more: Any) -> Tree:
    return {
        **more,
        "type": "paragraph",
        "paragraph": {"rich_text": list(rich_text), "color": "default"},
        "children": [],
    }


def test_a_recorded_insert_reads_back_as_notion_answered() -> None:
    body = {"type": "insert_content", "insert_content": {"content": "## New Section\n\nHello from markdown."}}

    assert render(parse(edit("", body))).markdown == "## New Section\nHello from markdown."


def test_ordinary_markdown_becomes_blocks() -> None:
    source = """\
# One
###### Six
Intro

* a
  - b
    1. c
  + d
1) first
2) second
- [ ] open
- [X] done
> said
***
"""

    assert outline(parse(source)) == [
        ("heading_1", "One"),
        ("heading_4", "Six"),
        ("paragraph", "Intro"),
        (
            "bulleted_list_item",
            "a",
            [("bulleted_list_item", "b", [("numbered_list_item", "c")]), ("bulleted_list_item", "d")],
        ),
        ("numbered_list_item", "first"),
        ("numbered_list_item", "second"),
        ("to_do", "open"),
        ("to_do", "done"),
        ("quote", "said"),
        ("divider", ""),
    ]


def test_a_page_in_enhanced_markdown_comes_back_as_it_was() -> None:
    source = """\
# Kick-off {toggle="true" color="blue"}
	inside the toggle
<callout icon="🎯" color="blue_bg">
	Ship by **Friday**.
	- with care
</callout>
<details color="red">
<summary>More *here*</summary>
	- a
		1. b
		2. c
</details>
- [x] Write spec {color="green_bg"}
> Line 1<br>Line 2
```python
def greet(name):
    return f"*{name}*"

```
$$
E=mc^2
$$
<table header-row="true" header-column="true">
<tr>
<td>A</td>
<td>`a|b`</td>
</tr>
<tr>
<td></td>
<td>**x**<br>y</td>
</tr>
</table>
<columns>
	<column ratio="30">
		left
	</column>
	<column ratio="70">
		right
	</column>
</columns>
![a *plan*](https://example.com/a.png)
<video src="https://example.com/a.mp4">film</video>
<page url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6">Sub \\*page\\*</page>
<database url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6">任务</database>
<table_of_contents color="gray"/>
<synced_block>
	shared
</synced_block>
<synced_block_reference url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6">
	shared
</synced_block_reference>
<empty-block/>
---
<unknown url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6" alt="bookmark"/>
<span underline="true">u</span> <span color="red_bg">r</span> ~~s~~ `c` $x^2$ [l](https://example.com/a)
<mention-user url="user://393abc1e-edcd-80f3-813b-e205934558c6">Ada</mention-user> on <mention-date start="2026-03-01"/>"""

    rendered = render(parse(source))

    assert rendered.markdown == source
    assert rendered.unknown_block_ids == [PAGE]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**重要：**请看", [("重要：", "bold"), ("请看", "")]),
        ("他说**“你好”**然后走了", [("他说", ""), ("“你好”", "bold"), ("然后走了", "")]),
        ("这是**重点（必读）**的内容", [("这是", ""), ("重点（必读）", "bold"), ("的内容", "")]),
        ("见**API(v2)**说明", [("见", ""), ("API(v2)", "bold"), ("说明", "")]),
        ("**注意**：*别忘*了", [("注意", "bold"), ("：", ""), ("别忘", "italic"), ("了", "")]),
        ("共~~三~~四个，3~5天", [("共", ""), ("三", "strikethrough"), ("四个，3~5天", "")]),
    ],
)
def test_marks_next_to_chinese_are_marks(source: str, expected: list[tuple[str, str]]) -> None:
    assert runs(source) == expected
    assert parse(render(parse(source)).markdown) == parse(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("costs $5 and $6", [("costs $5 and $6", "")]),
        ("价格$5，成本$3，共$8", [("价格$5，成本$3，共$8", "")]),
        ("公式$x^2$成立", [("公式", ""), ("x^2", ""), ("成立", "")]),
        ("snake_case and __init__x", [("snake_case and __init__x", "")]),
        ("_a_ __b__ ***c***", [("a", "italic"), (" ", ""), ("b", "bold"), (" ", ""), ("c", "bold italic")]),
        ("[a](./x.md) [b](#y)", [("a b", "")]),
        ("[a](javascript:alert(1))", [("a", "")]),
        ("[a](https://e.com/x_(y))", [("a", "https://e.com/x_(y)")]),
        ("见https://e.com/a。完", [("见", ""), ("https://e.com/a", "https://e.com/a"), ("。完", "")]),
        ("`https://e.com`", [("https://e.com", "code")]),
        ("a &amp; b <i>c</i>", [("a &amp; b ", ""), ("c", "italic")]),
        ("<script>alert(1)</script>", [("<script>alert(1)</script>", "")]),
        ("** not bold **", [("not bold **", "")]),
        (r"\*a\* \# 1\.", [("*a* # 1.", "")]),
        ("lead ** bold ** tail", [("lead ** bold ** tail", "")]),
    ],
)
def test_a_line_reads_as_its_author_meant_it(source: str, expected: list[tuple[str, str]]) -> None:
    if source.startswith("** "):
        assert outline(parse(source)) == [("paragraph", source)]
    else:
        assert runs(source) == expected


def test_a_dollar_amount_is_no_equation_and_an_equation_is_one() -> None:
    kinds = [
        [run["type"] for run in parse(line)[0]["paragraph"]["rich_text"]]
        for line in ("costs $5 and $6", "$x$")
    ]

    assert kinds == [["text"], ["equation"]]


def test_three_blocks_come_of_text_around_a_display_equation() -> None:
    assert [block["type"] for block in parse("text\n$$\nx = 1\n$$\ntext")] == [
        "paragraph",
        "equation",
        "paragraph",
    ]
    assert parse("$$a$$")[0]["equation"] == {"expression": "a"}


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("py", "python"),
        ("sh", "shell"),
        ("jsx", "javascript"),
        ("C++", "c++"),
        ("zig", "plain text"),
        ("", "plain text"),
    ],
)
def test_the_language_of_a_fence_is_one_that_notion_knows(info: str, language: str) -> None:
    (block,) = parse(f"```{info}\n*x* <b>\n```")

    assert block["code"]["language"] == language
    assert words(block) == "*x* <b>"


def test_code_that_contains_a_fence_survives() -> None:
    code = {
        "type": "code",
        "code": {"rich_text": [text_run("```\na\n```")], "language": "markdown"},
        "children": [],
    }

    assert words(parse(render([code]).markdown)[0]) == "```\na\n```"


def test_rows_on_single_lines_are_rows() -> None:
    one_line = '<table header-row="true"><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>'
    rows = "<table>\n<tr><td>A</td><td>B</td></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>"

    for source in (one_line, rows):
        assert [cells(row) for row in parse(source)[0]["children"]] == [["A", "B"], ["1", "2"]]


def test_ragged_pipe_tables_keep_every_cell() -> None:
    (table,) = parse("| a | b |\n|---|:-:|\n| `x|y` |\n| 1 | 2\\|3 | **c** |")

    assert table["table"] == {"table_width": 3, "has_column_header": True, "has_row_header": False}
    assert [cells(row) for row in table["children"]] == [["a", "b", ""], ["x|y", "", ""], ["1", "2|3", "c"]]


def cells(row: Tree) -> list[str]:
    return ["".join(run["plain_text"] for run in cell) for cell in row["table_row"]["cells"]]


def test_a_toggle_on_one_line_is_a_toggle() -> None:
    assert outline(parse("<details><summary>T</summary>body</details>after")) == [
        ("toggle", "T", [("paragraph", "body")]),
        ("paragraph", "after"),
    ]


def test_a_container_may_hold_lines_that_are_not_indented() -> None:
    assert outline(parse("<callout>Text\nmore\n</callout>\nafter")) == [
        ("callout", "Text", [("paragraph", "more")]),
        ("paragraph", "after"),
    ]


def test_an_icon_that_is_no_emoji_is_left_out() -> None:
    icons = [
        parse(f'<callout icon="{icon}">\n\tx\n</callout>')[0]["callout"]["icon"]
        for icon in ("💡", "1️⃣", "x", "")
    ]

    assert icons == [{"type": "emoji", "emoji": "💡"}, {"type": "emoji", "emoji": "1️⃣"}, None, None]


def test_long_text_is_cut_between_characters() -> None:
    source = "字" * 1999 + "😀" * 2000

    contents = [run["text"]["content"] for run in parse(source)[0]["paragraph"]["rich_text"]]

    assert "".join(contents) == source
    assert max(len(content.encode("utf-16-le")) // 2 for content in contents) <= 2000


def test_more_than_a_hundred_runs_go_on_in_the_next_block() -> None:
    source = " ".join(f"**b{number}** c" for number in range(150))

    blocks = parse(source)

    assert [len(block["paragraph"]["rich_text"]) for block in blocks] == [100, 100, 100]
    assert " ".join(" ".join(words(block).split()) for block in blocks).replace("  ", " ") == source.replace(
        "*", ""
    )


def test_more_than_a_hundred_runs_in_a_list_item_repeat_no_number() -> None:
    (item,) = parse("1. " + " ".join(f"**b{number}** c" for number in range(60)))

    assert [block["type"] for block in item["children"]] == ["paragraph"]


def test_text_from_the_block_api_is_escaped() -> None:
    texts = [
        "# no",
        "- no",
        "1. no",
        "> no",
        "---",
        "a*b*c",
        "<b>",
        "|x|",
        "a\nb",
        "$x$",
        '{color="red"}',
        "[a](b)",
        "- - -",
    ]

    for text in texts:
        assert outline(parse(render([paragraph(text_run(text))]).markdown)) == [("paragraph", text)]


@pytest.mark.parametrize(
    "rich_text",
    [
        [text_run("foo"), text_run("(bar)", bold=True), text_run("baz")],
        [text_run("a", bold=True), text_run("b", bold=True, italic=True), text_run("c", italic=True)],
        [text_run("a", code=True), text_run("b", code=True, bold=True), text_run("`c`", code=True)],
        [text_run("!"), text_run("x", link="https://e.com/")],
        [text_run("a", link="https://e.com/(x)", color="red_background"), text_run("b", underline=True)],
    ],
)
def test_marks_from_the_block_api_survive(rich_text: list[dict[str, Any]]) -> None:
    (block,) = parse(render([paragraph(*rich_text)]).markdown)

    read = [(run["plain_text"], marks(run)) for run in block["paragraph"]["rich_text"]]
    assert read == [
        (run["plain_text"], marks({**run, "annotations": {"color": "default", **run["annotations"]}}))
        for run in rich_text
    ]


def test_spaces_at_the_edge_of_a_bold_run_move_out() -> None:
    block = paragraph(text_run("lead"), text_run(" bold ", bold=True), text_run("tail"))

    assert render([block]).markdown == "lead **bold** tail"


def test_blocks_without_a_form_are_named_and_listed() -> None:
    bookmark = {"id": PAGE, "type": "bookmark", "bookmark": {"url": "https://e.com"}, "children": []}

    rendered = render([bookmark])

    assert rendered.markdown == f'<unknown url="{PAGE_URL}" alt="bookmark"/>'
    assert rendered.unknown_block_ids == [PAGE]
    assert reconcile([bookmark], parse(rendered.markdown)) == [Keep(0)]


def test_a_mention_with_a_time_keeps_its_zone() -> None:
    source = '<mention-date start="2026-03-01" startTime="09:30" timeZone="Asia/Shanghai"/>'

    (run,) = parse(source)[0]["paragraph"]["rich_text"]

    assert run["mention"]["date"] == {
        "start": "2026-03-01T09:30:00.000",
        "end": None,
        "time_zone": "Asia/Shanghai",
    }
    assert render(parse(source)).markdown == source


@pytest.mark.parametrize(
    "source",
    [
        "<page>Loose</page>",
        '<unknown alt="x"/>',
        '<database url="https://e.com">d</database>',
        "</callout>",
        "<table>",
        "<breadcrumb/>",
    ],
)
def test_a_tag_that_stands_for_nothing_is_text(source: str) -> None:
    assert outline(parse(source)) == [("paragraph", source)]


def test_a_date_that_is_none_is_no_mention() -> None:
    sources = [
        '<mention-date start="2026-13-45"/>',
        '<mention-date start="2026-01-01" startTime="25:00"/>',
        "<mention-date/>",
    ]

    assert [outline(parse(f"x{source}")) for source in sources] == [[("paragraph", "x")]] * 3


# --- edits


def updates(*pairs: tuple[str, str], **more: Any) -> dict[str, Any]:
    listed = [{"old_str": old, "new_str": new, **more} for old, new in pairs]
    return {"type": "update_content", "update_content": {"content_updates": listed}}


def test_updates_are_applied_in_order() -> None:
    assert edit("a\nb", updates(("a", "x y"), ("y", "z"))) == "x z\nb"


def test_an_update_of_all_matches_takes_all() -> None:
    assert edit("a a A", updates(("a", "b"), replace_all_matches=True)) == "b b A"


@pytest.mark.parametrize(
    "body",
    [
        updates(("c", "x")),
        updates(("a", "x")),
        updates(("", "x")),
        updates(("aaa", "x")),
        updates(*[("a", "x")] * 101),
        updates(),
        updates(("A", "x"), replace_all_matches=True),
        {"type": "update_content"},
        {"type": "erase"},
        {},
        {"type": "replace_content", "replace_content": {}},
        {"type": "insert_content", "insert_content": {"content": "x", "after": "nothing...here"}},
        {"type": "insert_content", "insert_content": {"content": "x", "position": {"type": "middle"}}},
        {
            "type": "replace_content_range",
            "replace_content_range": {"content": "x", "content_range": "z...y"},
        },
    ],
)
def test_an_edit_that_does_not_fit_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(EditRefused):
        edit("a a aaaa", body)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, "one\n- two\n\tthree\nfour\nNEW"),
        ({"position": {"type": "end"}}, "one\n- two\n\tthree\nfour\nNEW"),
        ({"position": {"type": "start"}}, "NEW\none\n- two\n\tthree\nfour"),
        ({"after": "on...e"}, "one\nNEW\n- two\n\tthree\nfour"),
        ({"after": "- two"}, "one\n- two\n\tthree\nNEW\nfour"),
        ({"after": "two...three"}, "one\n- two\n\tthree\nNEW\nfour"),
    ],
)
def test_content_is_inserted_where_it_was_asked_for(where: dict[str, Any], expected: str) -> None:
    body = {"type": "insert_content", "insert_content": {"content": "NEW", **where}}

    assert edit("one\n- two\n\tthree\nfour", body) == expected


def test_a_range_is_replaced_from_its_first_to_its_last_words() -> None:
    command = {"content": "X", "content_range": "b...d"}

    assert (
        edit("a\nb\nc\nd\ne", {"type": "replace_content_range", "replace_content_range": command})
        == "a\nX\ne"
    )


def test_consent_to_deleting_is_said_in_the_command() -> None:
    assert not deletion_allowed(updates(("a", "b")))
    assert deletion_allowed({"type": "replace_content", "replace_content": {"allow_deleting_content": True}})


# --- what stays


def test_untouched_blocks_stay_and_changed_ones_are_new() -> None:
    old = parse("# A\none\n- x\n\t- y\n---\ntwo")
    new = parse("# A\none!\n- x\n\t- y\n---\ntwo")

    assert reconcile(old, new) == [Keep(0), Insert(new[1]), Keep(2), Keep(3), Keep(4)]


def test_blocks_that_markdown_simplifies_stay_all_the_same() -> None:
    old = [
        paragraph(text_run(" spaces "), id="1"),
        paragraph(text_run("https://e.com"), id="2"),
        {"type": "link_to_page", "link_to_page": {"type": "page_id", "page_id": PAGE}, "children": []},
        {
            "type": "column_list",
            "column_list": {},
            "children": [{"type": "column", "column": {}, "children": []}] * 2,
        },
    ]

    assert reconcile(old, parse(render(old).markdown)) == [Keep(0), Keep(1), Keep(2), Keep(3)]


def test_text_that_looks_like_an_id_is_no_child_page() -> None:
    old = [child_page()]

    assert reconcile(old, parse(f"id {PAGE}")) == [Insert(parse(f"id {PAGE}")[0])]


def child_page(identity: str = PAGE) -> Tree:
    return {"id": identity, "type": "child_page", "child_page": {"title": "Sub"}, "children": []}


def test_a_child_page_stays_wherever_its_tag_has_moved() -> None:
    old = [child_page(), *parse("a\nb")]

    plan = reconcile(old, parse(f'a\nb\n<page url="{PAGE_URL}">Other title</page>'))

    assert plan == [Keep(1), Keep(2), Keep(0)]
    assert lost_children(old, plan) == []


def test_a_child_page_that_would_vanish_is_named() -> None:
    toggle = {**parse("<details><summary>t</summary></details>")[0], "children": [child_page()]}

    assert lost_children([toggle], reconcile([toggle], parse("a"))) == [child_page()]
    assert lost_children([toggle], reconcile([toggle], parse(render([toggle]).markdown))) == []
    assert lost_children([toggle], reconcile([toggle], parse(f'<page url="{PAGE_URL}">Sub</page>'))) == []


# --- for any text

TOKENS = [
    "**", "*", "_", "__", "~~", "~", "`", "``", "```", "$", "$$", "[", "]", "(", ")", "](https://a.b/c)", "](./x)", "!",
    "<br>", '<span color="red">', '<span underline="true">', "</span>", "<b>", "</b>", "\\", "中文", "：", "“好”", "foo", "(x)",
    " ", "  ", "\n", "\n\n", "\t", "\n\t", "\n  ", "- ", "\n- ", "1. ", "> ", "# ", "- [ ] ", "|", "\n|", "|---|---|\n", "---", "{", "}",
    ' {color="red"}', ' {toggle="true"}', "<details>", "<summary>", "</summary>", "</details>", '<callout icon="💡">', "</callout>",
    "<table>", "<tr>", "<td>", "</td>", "</tr>", "</table>", "<columns>", "<column>", "</column>", "</columns>", "https://a.b/c", "😀",
    f'<page url="{PAGE_URL}">', "</page>", f'<mention-page url="{PAGE_URL}"/>', "<empty-block/>", "&amp;", "<", ">", "\u3000", ":", "1", "^",
    "![a](https://a.b/c.png)", "~~~", "* * *", "<synced_block>", "</synced_block>", "\r\n", "+ ", "=", "$x$", "http",
]  # fmt: skip
markdown_like = st.lists(st.sampled_from(TOKENS), max_size=25).map("".join)


@settings(max_examples=300, deadline=None)
@given(markdown_like | st.text(max_size=40))
def test_what_was_read_once_reads_the_same_after_writing(source: str) -> None:
    read = parse(source)
    written = render(read).markdown

    assert parse(written) == read
    assert render(parse(written)).markdown == written


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab ：中“”*_~`$[]<>{}|^\\!#-+.1\n()\t/:"), max_size=20))
def test_plain_text_reads_as_itself(content: str) -> None:
    settled = content.strip(" \t")

    read = parse(render([paragraph(text_run(content))]).markdown)

    assert [words(block) for block in read] == [settled]
    assert [block["type"] for block in read] == ["paragraph"]


styled = st.builds(
    lambda content, annotations, link: text_run(content, link, **annotations),
    st.text(st.sampled_from("ab ：中*_`(!"), min_size=1, max_size=4),
    st.dictionaries(
        st.sampled_from(["bold", "italic", "strikethrough", "underline", "code"]), st.booleans(), max_size=3
    ),
    st.sampled_from([None, None, "https://e.com/"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(styled, max_size=5))
def test_styled_text_keeps_its_words_and_is_stable(rich_text: list[dict[str, Any]]) -> None:
    written = render([paragraph(*rich_text)]).markdown
    read = parse(written)

    assert (
        "".join(words(block) for block in read).strip()
        == "".join(run["plain_text"] for run in rich_text).strip()
    )
    assert render(read).markdown == written


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "- c", "# d"]), max_size=8),
    st.lists(st.sampled_from(["a", "b", "- c", "# d"]), max_size=8),
)
def test_a_plan_makes_the_new_page_and_keeps_order(old: list[str], new: list[str]) -> None:
    before, after = parse("\n".join(old)), parse("\n".join(new))

    plan = reconcile(before, after)

    assert [before[step.old_index] if isinstance(step, Keep) else step.tree for step in plan] == after
    kept = [step.old_index for step in plan if isinstance(step, Keep)]
    assert all(first < second for first, second in pairwise(kept))


@pytest.mark.parametrize(
    "piece",
    ["[", "*a ", "**", "<span>", "$", "`", "<details>", "\t- a\n", "](", "> ", "<b>", "_a*b", "<table>", "{"],
)
def test_hostile_text_is_read_in_time(piece: str) -> None:
    source = piece * 5_000

    assert parse(source) is not None


@pytest.mark.parametrize("line", ["- x", "<empty-block/>", "> x", "<callout>", '# x {toggle="true"}'])
def test_deep_nesting_is_read_and_written(line: str) -> None:
    source = "\n".join("\t" * depth + line for depth in range(300))

    assert parse(render(parse(source)).markdown) == parse(source)
