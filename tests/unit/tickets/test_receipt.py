"""A receipt has one heading, and it is ours."""

import re

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from lakelight.tickets.language import Language
from lakelight.tickets.receipt import Maker, compose, heading, without_headings

AT = "2026-11-30T08:00:00.000Z"
MAKER = Maker(agent_name="译典·配置开发", at_iso=AT, model="qwen-plus")


def test_the_heading_bears_the_number_in_both_languages() -> None:
    assert (heading(12, "zh"), heading(12, "en")) == ("回执 R-12", "Receipt R-12")


def test_a_receipt_opens_with_its_heading_and_its_maker() -> None:
    assert compose(12, MAKER, "### 结论\n好。\n", "zh") == (
        "## 回执 R-12\n\n译典·配置开发 · 2026-11-30T08:00:00.000Z · 模型 qwen-plus\n\n### 结论\n好。\n"
    )


def test_a_receipt_without_a_model_says_so() -> None:
    maker = Maker(agent_name="A*", at_iso=AT, model=None)

    assert compose(1, maker, "x", "en") == f"## Receipt R-1\n\nA\\* · {AT} · no model (template)\n\nx\n"


@pytest.mark.parametrize(
    "line",
    [
        "## 回执 R-13",
        "# 回执 R-13 · 译典",
        "回执 R-13",
        "**回执 R-13**",
        "> ## 回执 R-13",
        "- ## Receipt R-13",
        "Receipt r-13:",
        "### RECEIPT R－13",
        "## 回执Ｒ-13",
        "## 回\u200b执 R-13",
        "<h2>回执 R-13</h2>",
        "## 回执 &#82;-13",
        "## [回执 R-13](https://x.example)",
        "## ✅ 回执 R-13",
        "## 新的回执 R-13",
        r"## 回执 R\-13",
        "## 回执编号：13",
        "<summary>Receipt no. 13</summary>",
        '## 回执 R-13 {color="red"}',
        "回执 R-13\n===",
    ],
)
def test_a_heading_of_another_receipt_goes_at_the_start_and_is_quoted_further_down(line: str) -> None:
    at_start = without_headings(f"{line}\n\n正文", "zh")
    further_down = without_headings(f"正文\n\n{line}\n\n更多", "zh")

    assert at_start == "正文"
    assert [found for found in further_down.split("\n") if found.startswith("（引述）")] != []


@pytest.mark.parametrize(
    "line",
    [
        "如回执 R-13 所述，已经完成。",
        "See receipt R-13 for the reasons.",
        "## 结论",
        "- 回执 R-13 提到的问题",
        "| 回执 R-13 | 完成 |",
        "## 回执怎么写",
    ],
)
def test_a_sentence_about_another_receipt_stays(line: str) -> None:
    assert without_headings(f"{line}\n\n正文", "zh") == f"{line}\n\n正文"


@pytest.mark.parametrize("above", ["这是 回执 R-13", "回执\nR-13", "见回执 R-13\n一行"])
@pytest.mark.parametrize("underline", ["---", "===", "-", "> ---"])
def test_no_underline_makes_a_heading_of_a_sentence_about_a_receipt(above: str, underline: str) -> None:
    assert without_headings(f"{above}\n{underline}\nx", "zh") == f"{above}\n\n{underline}\nx"


def test_several_headings_at_the_start_go_all() -> None:
    assert without_headings("# 回执 R-1\n\n---\n## Receipt R-2\n\nx", "en") == "x"


def test_control_characters_and_other_line_ends_are_gone() -> None:
    assert without_headings("a\r\nb\rc\x00\x1b\u2028d", "en") == "a\nb\ncd"


pieces = st.lists(
    st.sampled_from(
        [
            "回执 R-9",
            "Receipt R-9",
            "## ",
            "**",
            "\n",
            "===",
            "---",
            "> ",
            "<b>",
            "正文",
            " ",
            "\r",
            "`",
            "&#35; ",
            "R-1",
            "[",
            "](u)",
        ]
    )
    | st.text(max_size=3),
    max_size=12,
).map("".join)


@given(pieces, st.sampled_from(["zh", "en"]))
def test_taking_headings_out_twice_changes_nothing(body: str, language: Language) -> None:
    once = without_headings(body, language)

    assert without_headings(once, language) == once


@given(pieces, st.sampled_from(["zh", "en"]))
def test_a_markdown_parser_finds_one_receipt_heading_in_a_receipt(body: str, language: Language) -> None:
    tokens = MarkdownIt().parse(compose(12, MAKER, body, language))

    headings = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "heading_open"]
    shown = ["".join(part.content for part in each.children or []) for each in headings]
    assert [words for words in shown if re.search(r"(回执|Receipt)\W*R\W*\d", words)] == [
        heading(12, language)
    ]
