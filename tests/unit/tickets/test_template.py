"""The receipt that is made without a model: facts, open points, and the plain truth about it."""

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from lakelight.tickets.assignment import named_in
from lakelight.tickets.quoting import escape, quote
from lakelight.tickets.receipt import Maker, compose
from lakelight.tickets.references import RelatedPage
from lakelight.tickets.roster import Agent, Roster
from lakelight.tickets.template import open_points, template_receipt
from lakelight.tickets.ticket import Ticket

MakeTicket = Callable[..., Ticket]
CODER = Agent(key="培园A04", id="4", name="培园·功能开发", capabilities=("coding",))
WRITER = Agent(key="译典A05", id="5", name="译典", capabilities=("documentation",))


def test_a_full_chinese_ticket_is_put_in_order(a_ticket: MakeTicket) -> None:
    ticket = a_ticket(
        number="GH-7",
        title="修复登录接口",
        priority="P1",
        brief="登录偶尔失败。要不要加重试？",
        constraints="不改数据库",
        handoff="看日志",
        repository="a/b",
    )
    related = [RelatedPage(title="登录[设计]", url="https://www.notion.so/1")]

    assert template_receipt(ticket, CODER, related, "- [ ] 写测试\n- [x] 看代码", "zh") == (
        "**没有设置模型。** 这份回执由模板按工单上的事实排列而成，没有分析，也没有执行任何任务。"
        "设置 `GH_LLM_API_KEY`（以及需要时的 `GH_LLM_BASE_URL`）并重新启动后，用 `lakelight tickets retry` "
        "让 培园·功能开发 再处理一次。\n\n"
        "### 要做什么\n\n"
        "- 编号: GH-7\n- 标题: 修复登录接口\n- 优先级: P1\n- 仓库路径: a/b\n\n"
        "> 登录偶尔失败。要不要加重试？\n\n"
        "### 约束\n\n> 不改数据库\n\n"
        "### 下一轮指引\n\n> 看日志\n\n"
        "### 相关页面\n\n- [登录\\[设计\\]](https://www.notion.so/1)\n\n"
        "### 未决事项\n\n- 没有写分支名。\n- 工单里的问题：要不要加重试？\n- 页面里未勾选的事项：写测试\n\n"
        "### 需要模型的部分\n\n"
        "- 编写和检查代码，估计改动范围，列出测试。\n- 阅读相关页面并提炼与工单有关的内容。\n- 回答上面的未决事项。"
    )


def test_an_empty_english_ticket_says_what_is_missing(a_ticket: MakeTicket) -> None:
    text = template_receipt(a_ticket(title="Sort it"), WRITER, [], "", "en")

    assert "**No model is set up.**" in text
    assert "`GH_LLM_API_KEY`" in text
    assert "- The brief is empty and the page has no text: what is to be done has to be added." in text
    assert "The ticket names no constraints." in text
    assert "No related page was found by the title." in text


@pytest.mark.parametrize(
    ("ticket", "body", "points"),
    [
        pytest.param({"brief": "做完。"}, "", [], id="nothing-open"),
        pytest.param({}, "", ["开发内容是空的，页面里也没有正文：需要补充要做什么。"], id="no-brief"),
        pytest.param({}, "正文", ["开发内容是空的，要求只写在页面正文里。"], id="brief-in-page"),
        pytest.param({"brief": "A？B?"}, "", ["工单里的问题：A？", "工单里的问题：B?"], id="questions"),
        pytest.param({"brief": "看 https://x.example/?q=1"}, "", [], id="query-is-no-question"),
        pytest.param({"brief": "日期待定"}, "", ["写着待定的内容：日期待定"], id="undecided"),
        pytest.param({"brief": "Date TBD"}, "", ["写着待定的内容：Date TBD"], id="undecided-english"),
        pytest.param({"brief": "A？" * 9}, "", ["工单里的问题：A？"], id="once"),
    ],
)
def test_open_points_are_what_is_missing_or_asked(
    a_ticket: MakeTicket, ticket: dict[str, str], body: str, points: list[str]
) -> None:
    assert open_points(a_ticket(**ticket), WRITER, body, "zh") == points


def test_a_ticket_about_code_needs_repository_and_branch(a_ticket: MakeTicket) -> None:
    points = open_points(a_ticket(title="修复", brief="x"), CODER, "", "zh")

    assert points == ["没有写仓库路径。", "没有写分支名。"]


def test_a_long_brief_is_cut_with_a_note(a_ticket: MakeTicket) -> None:
    text = template_receipt(a_ticket(brief="长" * 2000), WRITER, [], "", "zh")

    assert "> ……（原文 2000 字）" in text
    assert "长" * 1501 not in text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "", "https://x.example/a)b", "https://x.example/a b"])
def test_a_related_page_without_a_sound_url_is_named_only(a_ticket: MakeTicket, url: str) -> None:
    text = template_receipt(a_ticket(), WRITER, [RelatedPage(title="T", url=url)], "", "zh")

    assert "- T\n" in text


def test_formatting_links_and_mentions_of_others_are_shown_and_not_acted_on() -> None:
    text = '# T\n- [x](https://e.example) <mention-user url="u"/> **b** $x$ snake_case _i_'

    assert quote(text) == (
        "> T\n"
        '> \\[x\\](https://e.example) \\<mention-user url="u"/\\> \\*\\*b\\*\\* \\$x\\$ snake_case \\_i\\_'
    )


@given(st.text())
def test_a_quotation_has_nothing_but_quoted_lines(text: str) -> None:
    assert [line for line in quote(text).split("\n") if line and not line.startswith("> ")] == []


@given(st.text())
def test_escaped_text_is_one_line_and_can_be_read_back(text: str) -> None:
    import re

    assert "\n" not in escape(text)
    assert re.sub(r"\\([\\`*~$\[\]<>{}|^_])", r"\1", escape(text)) == " ".join(text.split())


@given(st.text(), st.text(), st.sampled_from(["zh", "en"]))
def test_any_ticket_has_a_receipt_without_a_model(
    a_ticket: MakeTicket, text: str, body: str, language: str
) -> None:
    receipt = template_receipt(a_ticket(title=text, brief=text, constraints=body), WRITER, [], body, language)  # type: ignore[arg-type]

    assert "`GH_LLM_API_KEY`" in receipt


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("字" * 200_000, id="no sentence ends"),
        pytest.param("\n" * 200_000, id="nothing but lines"),
        pytest.param(" \t" * 100_000, id="nothing but space"),
        pytest.param("w" * 200_000, id="one word"),
        pytest.param("- [ ] " * 40_000, id="boxes on one line"),
        pytest.param("<{[(" * 50_000, id="brackets that never close"),
        pytest.param("R-" * 100_000, id="almost numbers"),
        pytest.param("# > - " * 40_000, id="line starts"),
    ],
)
def test_a_long_hostile_page_is_read_in_one_go(a_ticket: MakeTicket, text: str) -> None:
    """A pattern that is tried anew from every character would run into the time limit."""
    ticket = a_ticket(title="t", brief=text, constraints=text)

    body = template_receipt(ticket, CODER, [], text, "zh")
    whole = compose(
        1, Maker(agent_name="a", at_iso="2026-11-30T00:00:00.000Z", model=None), body + text, "zh"
    )

    assert whole.startswith("## 回执 R-1\n")
    assert list(named_in(text, Roster((CODER, WRITER)))) == []
