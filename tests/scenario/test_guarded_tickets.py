"""What the owner's policy stops: recorded, said, and never in Notion."""

from typing import Any

import pytest

from lakelight.cli.session import exit_code
from lakelight.errors import ConfigurationError


def policy(office: Any, text: str) -> None:
    file = office.home / "policy.toml"
    file.write_text(f"version = 1\n{text}")
    file.chmod(0o600)


def patches(office: Any) -> list[str]:
    return [path for method, path in office.requests() if method == "PATCH"]


@pytest.mark.parametrize(
    ("text", "reason", "rule", "words"),
    [
        pytest.param('[agents."译典A05"]\nlevel = 0\n', "guard_deny", "level", "raise `level`", id="level 0"),
        pytest.param("level = 0\n", "guard_deny", "level", "raise `level`", id="everybody at level 0"),
        pytest.param('mode = "frozen"\n', "guard_deny", "frozen", "frozen", id="frozen"),
        pytest.param('mode = "preview"\n', "guard_preview_only", "preview_mode", "preview", id="preview"),
    ],
)
async def test_what_the_guard_stops_is_recorded_and_never_sent(
    office: Any, text: str, reason: str, rule: str, words: str
) -> None:
    policy(office, text)
    page = await office.ticket()
    edited = (await office.owner.page(page))["last_edited_by"]

    summary = await office.work()
    entry, en, zh = await office.entry(page), await office.reason(page), await office.reason(page, "zh")
    trail = await office.rows("SELECT event FROM audit_events WHERE event LIKE 'guard.%'")
    sent = patches(office)
    (office.home / "policy.toml").unlink()
    await office.work()

    assert summary["tickets"]["waiting"] == 1
    assert summary["writes"] == 0
    assert (entry.state, entry.reason, entry.facts["rule"]) == ("waiting", reason, rule)
    assert words in en
    assert "下一步：" in zh
    assert trail == [("guard.denied",) if reason == "guard_deny" else ("guard.decision",)]
    assert sent == []
    assert edited["id"] != office.workspace.bot_id
    assert await office.receipts(page) == [1]


async def test_a_receipt_that_a_person_is_asked_about_waits_behind_its_mark(office: Any) -> None:
    policy(office, '[agents."译典A05"]\nask = ["block.append"]\n')
    page = await office.ticket()

    summary = await office.work()
    again = await office.work()
    entry, reason = await office.entry(page), await office.reason(page)
    approvals = await office.rows(
        "SELECT number, json_extract(operation, '$.kind'), state, agent FROM approvals"
    )

    assert summary["tickets"]["waiting"] == 1
    assert summary["approvals_waiting"] == again["approvals_waiting"] == 1
    assert approvals == [(1, "block.append", "pending", "译典A05")]
    assert (entry.state, entry.reason, entry.facts) == ("waiting", "approval", {"approval": "A-1"})
    assert "A-1" in reason
    assert await office.receipts(page) == []
    assert (await office.body(page)).strip() == ""
    assert await office.value(page, "自检结果") == "✋ 需要你处理 · 等待审批"
    assert await office.value(page, "状态") == "待确认"
    assert patches(office) == [f"/pages/{page}"] * 2


async def test_another_agent_is_not_held_up_by_the_entry_of_the_first(office: Any) -> None:
    policy(office, '[agents."译典A05"]\nlevel = 0\n')
    held = await office.ticket()
    free = await office.ticket("另一张", 负责Agent="培园A04")

    await office.work()

    assert await office.receipts(held) == []
    assert await office.receipts(free) == [1]


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        pytest.param("mode = 'frosen'", 0o600, "`mode`", id="an unknown word"),
        pytest.param("[agents.x]\nlevle = 2", 0o600, "agents.x.levle", id="an unknown key"),
        pytest.param("level = ", 0o600, "TOML", id="no TOML"),
        pytest.param("level = 1", 0o666, "chmod 600", id="open to everybody"),
    ],
)
async def test_with_a_broken_policy_nothing_starts(office: Any, text: str, mode: int, words: str) -> None:
    policy(office, text)
    (office.home / "policy.toml").chmod(mode)
    page = await office.ticket()

    with pytest.raises(ConfigurationError) as caught:
        await office.work()
    planned = await office.command("up", "--dry-run")
    found = await office.doctor()

    assert exit_code(caught.value) == planned.code == 3
    assert words in planned.err
    assert found["policy"].state == "problem"
    assert await office.value(page, "自检结果") == ""


@pytest.mark.slow
async def test_a_start_names_an_entry_of_the_policy_that_holds_for_nobody(office: Any) -> None:
    policy(office, '[agents."译典"]\nlevel = 0\n\n[agents."译典A05"]\nlevel = 1\n')

    started = await office.process("--lang", "en", "up", "--once")

    assert started.code == 0
    assert "an entry for 译典, which is no key" in started.err
    assert "an entry for 译典A05" not in started.err


async def test_doctor_names_an_entry_of_the_policy_that_holds_for_nobody(office: Any) -> None:
    policy(office, '[agents."译典"]\nlevel = 0\n')

    found = await office.doctor()

    assert (found["policy"].state, found["policy"].facts["name"]) == ("warning", "译典")
