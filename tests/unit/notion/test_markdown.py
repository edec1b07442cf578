"""Markdown as blocks: what is kept, what is turned into something that Notion takes, and what never is sent."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.notion.limits import blocks_in, check, children_of
from lakelight.notion.markdown import chunks, to_blocks
from lakelight.notion.text import units

PATH = "/blocks/393abc1e-edcd-8170-aebf-cf1d14057b30/children"


def text_of(runs: list[dict[str, Any]]) -> str:
    return "".join(
        run["text"]["content"] if run["type"] == "text" else run["equation"]["expression"] for run in runs
    )


def written(runs: list[dict[str, Any]]) -> str:
    """Runs with their marks, as `{bold:…}`."""
    found = ""
    for run in runs:
        text = text_of([run]) if run["type"] == "text" else f"{{equation:{text_of([run])}}}"
        if link := run.get("text", {}).get("link"):
            text = f"{{{link['url']}:{text}}}"
        marks = "+".join(run.get("annotations", {}))
        found += f"{{{marks}:{text}}}" if marks else text
    return found


def outline(blocks: list[dict[str, Any]], level: int = 0) -> Iterator[str]:
    """A line for each block: its type, its text, its place."""
    for block in blocks:
        kind = block["type"]
        content = block[kind]
        text = written(content.get("rich_text", [])) or " | ".join(map(written, content.get("cells", [])))
        yield f"{'  ' * level}{kind} {text}".rstrip()
        yield from outline(children_of(block), level + 1)


def words(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(line.strip().partition(" ")[2] for line in outline(blocks))


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        pytest.param("**粗体：**中文", "{bold:粗体：}中文", id="bold that ends in full-width punctuation"),
        pytest.param("中文**“引号”**，继续", "中文{bold:“引号”}，继续", id="bold around quotation marks"),
        pytest.param("这是*斜*体", "这是{italic:斜}体", id="italic inside Chinese"),
        pytest.param("~~删：~~好", "{strikethrough:删：}好", id="strikethrough beside Chinese"),
        pytest.param("***粗斜***中", "{bold+italic:粗斜}中", id="bold and italic"),
        pytest.param("a * b ** c", "a * b ** c", id="marks with spaces around"),
        pytest.param("snake_case_name", "snake_case_name", id="underscores in a word"),
        pytest.param("costs $5 and $6", "costs $5 and $6", id="money"),
        pytest.param("a $x^2$ b", "a {equation:x^2} b", id="formula"),
        pytest.param(r"then \(y\) and \[1\]", "then {equation:y} and [1]", id="formula in brackets"),
        pytest.param("[a](./x.md) [b](#y)", "a b", id="relative links"),
        pytest.param("[a](https://e.example/x)", "{https://e.example/x:a}", id="link"),
        pytest.param("[a](mailto:a@b.c)", "{mailto:a@b.c:a}", id="mail"),
        pytest.param("[**a** b](https://e.example)", "{bold:{https://e.example:a}}{https://e.example: b}", id="bold in a link"),
        pytest.param("[a](https://e.example/" + "x" * 2000 + ")", "a", id="link that is too long"),
        pytest.param("<https://e.example>", "{https://e.example:https://e.example}", id="automatic link"),
        pytest.param("`a*b*`", "{code:a*b*}", id="code"),
        pytest.param("one\ntwo  \nthree<br>four", "one\ntwo\nthree\nfour", id="line breaks"),
        pytest.param("a <!-- hidden --> b &amp; c", "a  b & c", id="comment and entity"),
        pytest.param(r"\*a\* \\", r"*a* \ ".strip(), id="escapes"),
        pytest.param("x ![图](https://e.example/i.png) y", "x {https://e.example/i.png:图} y", id="image in a text"),
    ],
)  # fmt: skip
def test_inline_markdown_becomes_rich_text(markdown: str, expected: str) -> None:
    blocks = to_blocks(markdown)

    assert [block["type"] for block in blocks] == ["paragraph"]
    assert written(blocks[0]["paragraph"]["rich_text"]) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        pytest.param("# a\n## b\n### c\n#### d\n##### e", ["heading_1 a", "heading_2 b", "heading_3 c", "heading_4 d", "heading_4 e"], id="headings"),
        pytest.param("- a\n  - b\n- c", ["bulleted_list_item a", "  bulleted_list_item b", "bulleted_list_item c"], id="bullets"),
        pytest.param("1. a\n\n   b\n2. c", ["numbered_list_item a", "  paragraph b", "numbered_list_item c"], id="numbers"),
        pytest.param("- [ ] a\n- [x] **b**", ["to_do a", "to_do {bold:b}"], id="tasks"),
        pytest.param("> a\n> b\n>\n> - c", ["quote a\nb", "  bulleted_list_item c"], id="quote"),
        pytest.param("a\n\n---\n\nb", ["paragraph a", "divider", "paragraph b"], id="divider"),
        pytest.param("a\n$$\nE=mc^2\n$$\nb", ["paragraph a", "equation", "paragraph b"], id="formula on its own lines"),
        pytest.param("\\[\nx^2\n\\]", ["equation"], id="formula in brackets"),
        pytest.param("![图](https://e.example/i.png)", ["image"], id="image"),
        pytest.param("![图](./i.png)", ["paragraph 图"], id="relative image"),
        pytest.param("| a | b |\n|---|---|\n| **1** | `x` |\n| 3 |\n| 4 | 5 | 6 |", ["table", "  table_row a | b |", "  table_row {bold:1} | {code:x} |", "  table_row 3 |  |", "  table_row 4 | 5 | 6"], id="ragged table"),
        pytest.param('<table header-row="true">\n<tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td></td></tr>\n</table>', ["table", "  table_row a | b", "  table_row c |"], id="table in HTML"),
        pytest.param("<details>\n<summary>s</summary>\n\na\n\n- b\n\n</details>\n\nc", ["toggle s", "  paragraph a", "  bulleted_list_item b", "paragraph c"], id="details"),
        pytest.param("<details><summary>s</summary>a</details>", ["toggle s", "  paragraph a"], id="details on one line"),
        pytest.param("<div>a &lt; <b>b</b></div>", ["paragraph a < b"], id="other HTML"),
        pytest.param("a[^1]\n\n[^1]: note\n\n[^2]: unused", ["paragraph a[1]", "paragraph [1] note", "paragraph [2] unused"], id="footnotes"),
        pytest.param("", [], id="nothing"),
        pytest.param("<!-- hidden -->", [], id="nothing to see"),
    ],
)  # fmt: skip
def test_markdown_becomes_blocks(markdown: str, expected: list[str]) -> None:
    assert list(outline(to_blocks(markdown))) == expected


@pytest.mark.parametrize(
    ("name", "language", "caption"),
    [
        ("python", "python", ""),
        ("sh", "shell", ""),
        ("jsx", "javascript", ""),
        ("C++", "c++", ""),
        ("", "plain text", ""),
        ("zig", "plain text", "zig"),
        ('zig title="a"', "plain text", "zig"),
    ],
)
def test_code_gets_a_language_that_notion_knows(name: str, language: str, caption: str) -> None:
    [block] = to_blocks(f"```{name}\nx = 1\n```")

    assert block["code"]["language"] == language
    assert text_of(block["code"].get("caption", [])) == caption
    assert text_of(block["code"]["rich_text"]) == "x = 1"


def test_every_row_of_a_table_has_as_many_cells_as_the_table_is_wide() -> None:
    [table] = to_blocks("| a |\n|---|\n| 1 | 2 | 3 |\n")

    assert table["table"]["table_width"] == 3
    assert table["table"]["has_column_header"] is True
    assert {len(row["table_row"]["cells"]) for row in table["table"]["children"]} == {3}


def test_a_long_table_becomes_several_with_the_same_head() -> None:
    tables = to_blocks("| a |\n|---|\n" + "".join(f"| {number} |\n" for number in range(250)))

    rows = [[written(row["table_row"]["cells"][0]) for row in table["table"]["children"]] for table in tables]
    assert [row[0] for row in rows] == ["a", "a", "a"]
    assert [cell for row in rows for cell in row[1:]] == [str(number) for number in range(250)]


def test_what_is_nested_too_deeply_moves_up_in_order() -> None:
    blocks = to_blocks("- a\n  - b\n    - c\n      - d\n        - e\n    - f\n- g")

    assert list(outline(blocks)) == [
        "bulleted_list_item a",
        "  bulleted_list_item b",
        "    bulleted_list_item c",
        "    bulleted_list_item d",
        "    bulleted_list_item e",
        "    bulleted_list_item f",
        "bulleted_list_item g",
    ]


def test_a_table_deep_in_a_list_moves_up_and_nothing_overtakes_it() -> None:
    blocks = to_blocks("- a\n  - b\n    - c\n\n      | x |\n      |---|\n      | 1 |\n    - d\n  - e")

    assert list(outline(blocks)) == [
        "bulleted_list_item a",
        "  bulleted_list_item b",
        "    bulleted_list_item c",
        "  table",
        "    table_row x",
        "    table_row 1",
        "  bulleted_list_item d",
        "  bulleted_list_item e",
    ]


@pytest.mark.parametrize("characters", ["é" * 4218, "😀" * 3000, "a" + "😀" * 1500])
def test_a_long_paragraph_is_split_and_whole(characters: str) -> None:
    blocks = to_blocks(characters)

    assert "".join(text_of(block["paragraph"]["rich_text"]) for block in blocks) == characters
    assert all(units(run["text"]["content"]) <= 2000 for run in blocks[0]["paragraph"]["rich_text"])


def test_a_very_long_code_becomes_several_blocks() -> None:
    blocks = to_blocks("```py\n" + "x" * 210_000 + "\n```")

    assert {block["code"]["language"] for block in blocks} == {"python"}
    assert "".join(text_of(block["code"]["rich_text"]) for block in blocks) == "x" * 210_000
    check_sendable(blocks)


def test_a_paragraph_of_many_runs_becomes_several() -> None:
    blocks = to_blocks(" ".join(["**a** b"] * 120))

    assert len(blocks) == 3
    check_sendable(blocks)


def test_a_formula_that_is_too_long_stays_readable() -> None:
    [block] = to_blocks("$$\n" + "x" * 1001 + "\n$$")

    assert (block["code"]["language"], text_of(block["code"]["rich_text"])) == ("latex", "x" * 1001)


def test_250_items_are_three_appends_in_order() -> None:
    parts = chunks(to_blocks("".join(f"- {number}\n" for number in range(250))))

    assert [len(part) for part in parts] == [100, 100, 50]
    assert words([block for part in parts for block in part]).split() == [
        str(number) for number in range(250)
    ]


def test_a_list_with_a_thousand_items_below_one_is_sent_whole() -> None:
    blocks = to_blocks(
        "- top\n"
        + "".join(f"  - a{a}\n" + "".join(f"    - b{a}.{b}\n" for b in range(30)) for a in range(60))
    )

    expected = ["top"] + [word for a in range(60) for word in [f"a{a}", *(f"b{a}.{b}" for b in range(30))]]
    assert words(blocks).split() == expected
    assert sum(map(blocks_in, blocks)) == len(expected)
    check_sendable(blocks)


@pytest.mark.parametrize(
    "text", [">" * 3000 + "end", "- " * 3000 + "end", "<details>" * 2000 + "end", "[" * 2000 + "end"]
)
def test_a_text_nested_without_end_keeps_its_words(text: str) -> None:
    blocks = to_blocks(text)

    assert "end" in words(blocks)
    check_sendable(blocks)


def check_sendable(blocks: list[dict[str, Any]]) -> None:
    for part in chunks(blocks):
        check("PATCH", PATH, {"children": part})


fragments = st.sampled_from(
    [
        *(
            "- ",
            "  - ",
            "    - ",
            "      - ",
            "1. ",
            "> ",
            "# ",
            "```\n",
            "| a | b |\n|---|---|\n",
            "| c |\n",
            "\n",
            "\n\n",
        ),
        *(
            "**",
            "*",
            "`",
            "$",
            "$$",
            "~~",
            "[a](",
            "https://e.example",
            ")",
            "![b](",
            "<br>",
            "<details>",
            "</details>",
        ),
        *(
            "<summary>",
            "</summary>",
            "\\(",
            "\\)",
            "[^1]",
            "[^1]: ",
            "- [ ] ",
            "<!--",
            "-->",
            "中文",
            "，",
            "word",
            "😀",
        ),
        *("\ud83d", "x" * 700, " ", "---\n", "\t", "<table>", "<tr><td>", "</table>", "\\[x_1\\]", "    "),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(fragments, max_size=40).map("".join))
def test_whatever_is_written_can_be_sent(markdown: str) -> None:
    check_sendable(to_blocks(markdown))


plain_words = st.lists(st.sampled_from(["alpha", "beta", "中文", "詞", "😀"]), min_size=1, max_size=5).map(
    " ".join
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), plain_words), min_size=1, max_size=30))
def test_every_word_of_a_list_is_kept_in_order_at_any_depth(lines: list[tuple[int, str]]) -> None:
    depth = 0
    markdown = ""
    for wanted, text in lines:
        depth = min(wanted, depth + 1) if markdown else 0
        markdown += f"{'  ' * depth}- {text}\n"

    assert words(to_blocks(markdown)).split() == [word for _, text in lines for word in text.split()]


@pytest.mark.parametrize(
    "piece", ["<summary>", "<img ", "<img src='a", "<a ", "<details ", "<summary ", "</summary"]
)
def test_html_that_never_ends_is_read_in_time(piece: str) -> None:
    """Where the time is the square of the length, this takes minutes."""
    assert to_blocks(f"<details>\n{piece * 50_000}")
