"""Notion-flavored Markdown, the second version: its tags, its grammar, and that nothing changes on a round trip."""

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from notion_embedded.markdown import (
    ENHANCED,
    FLAVORED,
    Dialect,
    Insert,
    Keep,
    Tree,
    edit,
    reconcile,
    shortened,
)
from notion_embedded.model.blocks import Reading, read_children

PAGE = "393abc1e-edcd-80f3-813b-e205934558c6"
PAGE_URL = "https://app.notion.com/p/393abc1eedcd80f3813be205934558c6"
DIALECTS = pytest.mark.parametrize("dialect", [ENHANCED, FLAVORED], ids=["v1", "v2"])


class Nobody:
    """Nobody to mention, and no page to point at."""

    def user(self, _user_id: str) -> None:
        return

    def page_title(self, _page_id: str) -> None:
        return


def parse(source: str) -> list[Tree]:
    return FLAVORED.read(source).trees


def outline(trees: list[Tree]) -> list[Any]:
    """A tree as `(type, words, children)`."""
    return [
        (block["type"], words(block), outline(block["children"]))
        if block["children"]
        else (block["type"], words(block))
        for block in trees
    ]


def words(block: Tree) -> str:
    payload = block[block["type"]]
    return "".join(run["plain_text"] for run in payload.get("rich_text") or payload.get("caption") or [])


WHOLE_PAGE = """\
# Kick-off

<toggle heading="h2" color="blue">
Toggle heading

inside
</toggle>

<h3 color="red_bg">Coloured</h3>

<callout icon="🎯" color="blue_bg">
Ship by **Friday**.

- with care
</callout>

<toggle color="red">
More *here*

- a
\t1. b
\t2. c
</toggle>

- [x] Write spec

<todo checked="false" color="green_bg">Read it</todo>

> Line 1\\
> Line 2

<quote color="gray">
said

- by her
</quote>

<p color="purple">a purple line</p>

<p>
a line

with a child
</p>

<ul>
<li color="red">red</li>
<li>
plain

with text below
</li>
</ul>

<ol type="a">
<li>first</li>
<li>second</li>
</ol>

7. seventh
8. eighth

```python
def greet(name):
    return f"*{name}*"

```

$$
E=mc^2
$$

| A | `a\\|b` |
| --- | --- |
|  | **x**<br />y |

<table header-column="true">
<tr>
<td>A</td>
<td>a\\|b</td>
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

<tabs>
<tab icon="🎯">
One

inside
</tab>
<tab>Two</tab>
</tabs>

![a plan](https://example.com/a.png)

<image source="https://example.com/a.png">a *plan*</image>

<video source="https://example.com/a.mp4">film</video>

<bookmark source="https://example.com/b"></bookmark>

<embed source="https://example.com/c"></embed>

<page url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6">Sub \\*page\\*</page>

<database url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6">任务</database>

<table-of-contents color="gray" />

<synced-block>
shared
</synced-block>

<synced-block-reference url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6">
shared
</synced-block-reference>

<p />

---

<unknown url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6" alt="breadcrumb" />

<u>u</u> <span color="red_bg">r</span> ~~s~~ `c` $x^2$ [l](https://example.com/a)

<mention url="user://393abc1e-edcd-80f3-813b-e205934558c6">Ada</mention> on <date start="2026-03-01" start-time="09:30" \
time-zone="Asia/Shanghai" />, <mention url="https://app.notion.com/p/393abc1eedcd80f3813be205934558c6" \
type="database">D</mention>"""


def test_a_page_comes_back_as_it_was() -> None:
    rendered = FLAVORED.render(parse(WHOLE_PAGE))

    assert rendered.markdown == WHOLE_PAGE
    assert rendered.unknown_block_ids == [PAGE]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a\nb", [("paragraph", "a b")]),
        ("这是一段\n很长的话。", [("paragraph", "这是一段很长的话。")]),
        ("a\\\nb", [("paragraph", "a\nb")]),
        ('a {color="red"}', [("paragraph", 'a {color="red"}')]),
        ("<div>\nx\n</div>", [("paragraph", "<div> x </div>")]),
        ("<details><summary>a</summary>b</details>", [("paragraph", "<details><summary>a</summary>b</details>")]),
        ("<p>open", [("paragraph", "<p>open")]),
        ("x</p>", [("paragraph", "x</p>")]),
        ("`<p>` and \\<p>", [("paragraph", "<p> and <p>")]),
        ("<column>\n\na\n\n</column>", [("paragraph", "a")]),
        ("<columns><column>a</column><column>b</column></columns>", [
            ("column_list", "", [("column", "", [("paragraph", "a")]), ("column", "", [("paragraph", "b")])])
        ]),
        ("- a\n\n  <callout>\n  b\n\n  c\n  </callout>", [
            ("bulleted_list_item", "a", [("callout", "b", [("paragraph", "c")])])
        ]),
        ("> <quote>\n> a\n>\n> - b\n> </quote>", [
            ("quote", "", [("quote", "a", [("bulleted_list_item", "b")])])
        ]),
        ("```\n<p>\n```\n\n<p>a</p>", [("code", "<p>"), ("paragraph", "a")]),
        ("note[^1]\n\n[^1]: the text", [("paragraph", "note[^1]"), ("paragraph", "[^1]: the text")]),
        ("　　缩进", [("paragraph", "　　缩进")]),
        ("text\n$$\na\n$$\nmore", [("paragraph", "text"), ("equation", ""), ("paragraph", "more")]),
        ("![a](https://e.com/a.png)\n![b](https://e.com/b.png)", [("image", "a"), ("image", "b")]),
        ('<page url="https://e.com">x</page>', [("paragraph", '<page url="https://e.com">x</page>')]),
    ],
)  # fmt: skip
def test_a_text_reads_as_documented(source: str, expected: list[Any]) -> None:
    assert outline(parse(source)) == expected


def test_what_cannot_be_kept_is_warned_of() -> None:
    read = FLAVORED.read("```zig\n```\n\n![a](b.png)")

    assert len(read.warnings) == 2
    assert FLAVORED.read("# plain").warnings == []


def test_a_list_that_counts_anew_stays_apart() -> None:
    source = "1. a\n2. b\n\n7) c\n8) d"

    trees = parse(source)

    assert [block["numbered_list_item"].get("list_start_index") for block in trees] == [None, None, 7, None]
    assert FLAVORED.render(trees).markdown == source


def test_content_is_inserted_between_blank_lines() -> None:
    body = {"type": "insert_content", "insert_content": {"content": "NEW", "after": "on...e"}}

    assert edit("one\n\n- two\n\t- three", body, FLAVORED) == "one\n\nNEW\n\n- two\n\t- three"


def test_untouched_blocks_stay_in_the_second_version_too() -> None:
    old = parse("# A\n\none\n\n- x\n\t- y\n\n---\n\ntwo")
    new = parse("# A\n\none!\n\n- x\n\t- y\n\n---\n\ntwo")

    assert reconcile(old, new, FLAVORED) == [Keep(0), Insert(new[1]), Keep(2), Keep(3), Keep(4)]


def test_a_page_that_is_too_long_names_what_it_leaves_out() -> None:
    trees = [{**block, "id": f"{PAGE[:-1]}{number}"} for number, block in enumerate(parse("a\n\nb\n\nc"))]

    kept, truncated = shortened(trees, 2)

    assert truncated
    assert FLAVORED.render(kept).unknown_block_ids == [f"{PAGE[:-1]}2"]
    assert shortened(trees, 3) == (trees, False)


# --- for any text

TOKENS = [
    "**", "*", "_", "__", "~~", "`", "``", "```", "$", "$$", "[", "]", "(", ")", "](https://a.b/c)", "](./x)", "!",
    "<br />", '<span color="red">', "</span>", "<b>", "</b>", "<u>", "</u>", "\\", "\\\n", "中文", "：", "“好”", "foo",
    " ", "  ", "    ", "\n", "\n\n", "\t", "\n\t", "\n  ", "- ", "\n- ", "1. ", "\n3) ", "> ", "\n> ", "# ", "- [ ] ",
    "|", "\n|", "\n|---|---|\n", "---", "\n===", "<p>", "</p>", '<quote color="red">', "</quote>", "<toggle>", "</toggle>",
    '<callout icon="💡">', "</callout>", "<table>", "<tr>", "<td>", "</td>", "</tr>", "</table>", "<columns>", "<column>",
    "</column>", "</columns>", "https://a.b/c", "😀", f'<page url="{PAGE_URL}">', "</page>", f'<mention url="{PAGE_URL}"/>',
    "<p />", "&amp;", "&nbsp;", "&#32;", "<", ">", "\u3000", "\xa0", "1", "[^1]: x", "[x]: /y", "![a](https://a.b/c.png)",
    "~~~", "* * *", "<ul>", "<li>", "</li>", "</ul>", "<ol>", "</ol>", "\r\n", "$x$", "<todo>", "</todo>", "<h1>", "</h1>",
    "<tabs>", "<tab>", "</tab>", "</tabs>", "<equation>", "</equation>", "```py\n", "\n```\n", "\n$$\n",
]  # fmt: skip
markdown_like = st.lists(st.sampled_from(TOKENS), max_size=22).map("".join)

chinese = st.text(
    st.sampled_from("这是一段中文，其中有“引号”、（括号）和《书名》。重点：请看"), min_size=1, max_size=8
)
phrase = st.one_of(
    chinese,
    chinese.map(lambda text: f"**{text}**"),
    chinese.map(lambda text: f"*{text}*"),
    chinese.map(lambda text: f"~~{text}~~"),
    chinese.map(lambda text: f"[{text}](https://e.com/a_b)"),
    st.sampled_from(
        ["`a|b`", "$x_1$", "$5", "API(v2)", "\\*", "snake_case", "**API(v2)**", "https://e.com/x。", "a < b"]
    ),
)
sentence = st.lists(phrase, min_size=1, max_size=6).map("".join)
row = st.lists(sentence, min_size=2, max_size=2).map(
    lambda cells: f"| {' | '.join(cells).replace('a|b', 'ab')} |"
)
item = st.tuples(st.integers(0, 3), st.sampled_from(["- ", "- [ ] ", "- [x] "]), sentence).map(
    lambda parts: "  " * parts[0] + parts[1] + parts[2]
)
block = st.one_of(
    sentence,
    sentence.map(lambda text: f"## {text}"),
    sentence.map(lambda text: f"> {text}"),
    st.lists(item, min_size=1, max_size=5).map("\n".join),
    st.lists(row, min_size=1, max_size=3).map(lambda rows: "\n".join([rows[0], "|---|---|", *rows[1:]])),
    st.lists(sentence, max_size=2).map(lambda lines: "````md\n" + "\n".join([*lines, "```"]) + "\n````"),
    st.just("$$\n\\frac{1}{2}\n$$"),
)
document = st.lists(block, min_size=1, max_size=5).map("\n\n".join)


@DIALECTS
@settings(max_examples=100, deadline=None)
@given(source=markdown_like | document | st.text(max_size=40))
def test_what_was_read_once_reads_the_same_after_writing(dialect: Dialect, source: str) -> None:
    read = dialect.read(source).trees
    written = dialect.render(read).markdown

    assert dialect.read(written).trees == read
    assert dialect.render(read).markdown == written


long_text = st.builds(
    lambda unit, times, rest: unit * times + rest,
    st.sampled_from(["字", "😀", "a ", "**粗** 细 ", "*b* c ", "`x` y ", "$x$ ", "[l](https://e.com/) "]),
    st.integers(1, 1200),
    st.sampled_from(["", "尾", "😀", "**b**"]),
)
prefix = st.sampled_from(["", "- ", "> ", "# ", "1. ", "- [ ] ", "| a |\n|---|\n| ", "```\n", "$$\n"])


@DIALECTS
@settings(max_examples=15, deadline=None)
@given(start=prefix, text=long_text)
def test_whatever_the_length_the_workspace_takes_the_blocks(dialect: Dialect, start: str, text: str) -> None:
    ending = {"```\n": "\n```", "$$\n": "\n$$"}.get(start, "")
    read = dialect.read(f"{start}{text}{ending}").trees

    for tree in every(read):
        read_children([requested(tree)], "children", Reading(Nobody()))
    assert dialect.read(dialect.render(read).markdown).trees == read
    json.dumps(read, ensure_ascii=False).encode("utf-8")


@DIALECTS
@settings(max_examples=60, deadline=None)
@given(source=markdown_like)
def test_whatever_the_text_the_workspace_takes_the_blocks(dialect: Dialect, source: str) -> None:
    for tree in every(dialect.read(source).trees):
        if "id" not in tree:
            read_children([requested(tree)], "children", Reading(Nobody()))


def every(trees: list[Tree]) -> list[Tree]:
    """All blocks that may be sent by themselves, with what may not inside them."""
    found = []
    for tree in trees:
        if tree["type"] not in {"table_row", "column"}:
            found.append(tree)
        found += every(tree["children"])
    return found


def requested(tree: Tree) -> dict[str, Any]:
    payload = dict(tree[tree["type"]])
    inside = {"table", "column_list", "tab"}
    if tree["type"] in inside:
        payload["children"] = [
            {"type": child["type"], child["type"]: child[child["type"]]} for child in tree["children"][:100]
        ]
    return {"type": tree["type"], tree["type"]: payload}


@pytest.mark.parametrize(
    "piece",
    [
        "[", "*a ", "**", "<span>", "$", "`", "$`", "` ``", "\t- a\n", "](", "> ", "<b>", "_a*b", "<table>", "<p>\n", "</p>",
        "<ul>\n<li>", "$$\n", "$$a\n", "![", "<mention ", "[a]: /b\n", "|a|\n|-|\n",
    ],
)  # fmt: skip
def test_hostile_text_is_read_in_time(piece: str) -> None:
    assert FLAVORED.read(piece * 2_000).trees is not None
