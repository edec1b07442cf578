"""A reply in words: each effect with its page and its reason, and what could come next."""

from pathlib import Path

import pytest

from lakelight.agent.reply import Effect, Reply
from lakelight.cli.replies import tell_reply
from lakelight.cli.session import Session
from lakelight.messages import Language, Messages


def effect(title: str, reason: str = "", **facts: object) -> Effect:
    return Effect(
        tool="append_content",
        kind="block.append",
        title=title,
        reason=reason,
        facts=facts,
    )


EVERYTHING = Reply(
    run_id="run_7",
    ending="waiting",
    done=(effect("甲页"),),
    failed=(effect("乙页", "fail.refused", code="validation_error", status=400, message="too long"),),
    cancelled=(effect("丙页", "wait.rejected", by="冰朔", approval="A-2", comment="keep it"),),
    stopped=(effect("丁页", "guard.reason.level", needs=2, level=1, agent="", decision="deny"),),
    waiting=(
        Effect(
            tool="archive_page",
            kind="page.archive",
            title="戊页",
            approval="A-3",
            reason="wait.approval",
            facts={"approval": "A-3"},
        ),
    ),
    found=({"tool": "search_workspace", "results": [{"title": "己页", "url": "https://x"}]},),
    said="我都看过了。",
)


def told(reply: Reply, language: Language, capsys: pytest.CaptureFixture[str]) -> list[str]:
    tell_reply(Session(Path("/nowhere"), {}, Messages(language)), reply)
    shown = capsys.readouterr()
    return (shown.out + shown.err).splitlines()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_effect_is_told_with_its_page_and_its_reason(
    language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(EVERYTHING, language, capsys)

    of = {
        page: [line for line in lines if page in line]
        for page in ("甲页", "乙页", "丙页", "丁页", "戊页", "己页")
    }
    assert {page: len(found) for page, found in of.items()} == dict.fromkeys(of, 1)
    assert "too long" in of["乙页"][0]
    assert "keep it" in of["丙页"][0]
    assert "level" in of["丁页"][0] or "等级" in of["丁页"][0]
    assert "A-3" in of["戊页"][0]
    assert "我都看过了。" in lines
    assert [line for line in lines if "?" in line or "guard.reason" in line or "wait." in line] == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_could_come_next_is_said(language: Language, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(EVERYTHING, language, capsys)
    capped = told(Reply(run_id="r", ending="capped"), language, capsys)
    prose = told(Reply(run_id="r", ending="needs_model", needs="prose"), language, capsys)

    assert any("lakelight undo run_7" in line for line in lines)
    assert any("lakelight approvals" in line for line in lines)
    assert any("下一步" in line or "Next step" in line for line in capped)
    assert any("GH_LLM_" in line or "模型" in line or "model" in line for line in prose)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_question_comes_with_its_candidates(language: Language, capsys: pytest.CaptureFixture[str]) -> None:
    candidates = [
        {"id": "p1", "title": "周报", "type": "page", "url": "https://x/1"},
        {"id": "p2", "title": "周报", "type": "page", "url": ""},
    ]
    question = {"key": "ask.user", "facts": {"question": "哪一页？"}, "candidates": candidates}

    lines = told(Reply(run_id="r", ending="asked", question=question), language, capsys)

    assert "哪一页？" in lines[0]
    assert lines[1:] == ["  1. 周报  https://x/1", "  2. 周报  p2"]


def test_a_row_is_told_with_the_names_of_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    columns = {"任务": "写周报", "状态": "待开发", "标签": ["甲", "乙"], "截止": None, "备注": ""}
    page = {"tool": "fetch_page_markdown", "title": "写周报", "properties": columns, "markdown": "正文"}
    rows = {"tool": "query_database", "rows": [{"id": "1", "title": "写周报", "properties": columns}]}

    lines = told(Reply(run_id="run_7", ending="done", found=(page, rows)), "zh", capsys)

    assert lines[:4] == ["# 写周报", "  状态: 待开发", "  标签: 甲, 乙", "正文"]
    assert lines[4] == "- 写周报  状态: 待开发 · 标签: 甲, 乙"


def test_a_candidate_that_is_its_own_name_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    question = {
        "key": "ask.which_option",
        "facts": {"column": "优先级", "value": "特高"},
        "candidates": [
            {"id": "高", "title": "高", "url": ""},
            {"id": "0001", "title": "周报", "url": ""},
        ],
    }

    lines = told(Reply(run_id="run_7", ending="asked", question=question), "zh", capsys)

    assert lines[1:3] == ["  1. 高", "  2. 周报  0001"]
