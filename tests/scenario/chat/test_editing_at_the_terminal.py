"""`lakelight approvals show` and `edit`: what the console's card shows, and edits that are looked at first."""

import json
from typing import Any

import pytest

ARCHIVE = "archive the page Unfiled notes"
BLOCK = {"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": "Ship on Monday"}}]}}


@pytest.fixture
async def asked(study: Any) -> Any:
    """A study in which adding to a page waits for a yes."""
    root = study.office.workspace.root_page_id
    study.policy(more=f'[agents."译典A05"]\nlevel = 2\npages = ["{root}"]\nask = ["block.append"]\n')
    page = await study.office.ticket("请处理", 开发内容="在 Unfiled notes 末尾追加：周五发布")
    await study.office.work()
    assert (await study.office.entry(page)).state == "waiting"
    study.writes()
    return study


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        pytest.param("[]", 2, "This is no JSON object", id="a list"),
        pytest.param("{", 2, "This is no JSON object", id="broken"),
        pytest.param('{"children": [], "children": []}', 2, "This is no JSON object", id="a twin"),
        pytest.param('{"children": 3}', 2, "`children` is of another sort", id="no list"),
        pytest.param('{"children": ["x"]}', 2, "`children` is of another sort", id="no blocks"),
        pytest.param('{"children": []}', 2, "Nothing would be left", id="nothing left"),
        pytest.param('{"in_trash": true}', 4, "This would do something else", id="denied"),
    ],
)
async def test_an_edit_that_cannot_be_says_why_and_decides_nothing(
    asked: Any, body: str, code: int, said: str
) -> None:
    done = await asked.office.command("--lang", "en", "approvals", "edit", "A-1", "--body", body)

    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "nothing was decided yet" in done.err
    assert asked.approvals() == [(1, "pending")]
    assert asked.writes() == []


async def test_an_edit_that_can_be_is_what_is_written(asked: Any) -> None:
    body = json.dumps({"children": [BLOCK]})

    done = await asked.office.command("approvals", "edit", "A-1", "--body", body, "--json")
    again = await asked.office.command("--lang", "en", "approvals", "edit", "A-1", "--body", body)

    assert done.code == 0, done.err
    # The receipt is added to a page as well, so that is asked about in its turn.
    assert asked.approvals() == [(1, "superseded"), (2, "used"), (3, "pending")]
    assert "Ship on Monday" in await asked.body("Unfiled notes")
    assert "周五发布" not in await asked.body("Unfiled notes")
    assert again.code == 1
    assert "has been decided before" in again.err


async def test_an_approval_is_shown_with_its_ticket_its_run_and_what_would_be_changed(asked: Any) -> None:
    shown = await asked.office.command("--lang", "en", "approvals", "show", "A-1")
    zh = await asked.office.command("--lang", "zh", "approvals", "show", "A-1")

    assert shown.code == zh.code == 0
    for part in (
        "waits for a decision",
        "Ticket: T-1 · 请处理",
        "Run: run_",
        "+ [paragraph] 周五发布",
        "Agent: 译典A05",
    ):
        assert part in shown.out
    assert "approvals approve A-1" in shown.err
    assert "工单: T-1 · 请处理" in zh.out
    assert "+ [段落] 周五发布" in zh.out


async def test_the_steps_of_a_ticket_are_told_in_words(asked: Any) -> None:
    en = await asked.office.command("--lang", "en", "tickets", "show", "T-1")
    zh = await asked.office.command("--lang", "zh", "tickets", "show", "T-1")
    data = await asked.office.command("tickets", "show", "T-1", "--json")

    names = {step["step"] for step in data.data["steps"]}
    lines = [line.split("  ", 1)[1] for line in en.out.splitlines() if line.startswith("20")]
    assert {"claimed", "picked_up.operation"} <= names
    assert len(lines) == len(data.data["steps"])
    assert names & set(lines) == set()
    assert "taken up; the page as it was then is kept" in lines
    assert "已领取，当时的页面已留存" in zh.out


async def test_what_a_person_asked_for_stands_on_the_card_of_it(study: Any) -> None:
    await study.ask(ARCHIVE)

    shown = await study.office.command("--lang", "en", "approvals", "show", "A-1")

    assert f"Asked for: {ARCHIVE}" in shown.out
    assert "Would go to the trash" in shown.out
    assert "- [page] Unfiled notes" in shown.out
