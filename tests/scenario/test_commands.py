"""The command line: what it prints, as data and as words, and with which code it ends."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

TICKET = {
    "page_id", "number", "title", "url", "agent", "state", "reason_code", "reason", "receipt", "updated_at",
}  # fmt: skip


@pytest.fixture
async def worked(office: Any) -> Any:
    """An office with a ticket that is done, one that is skipped and one that waits."""
    await office.ticket("整理文档")
    await office.ticket("没有人", 负责Agent="")
    await office.trash(office.personas["培园A04"])
    await office.ticket("加分页", 负责Agent="培园A04")
    await office.work()
    return office


async def test_tickets_and_their_steps_are_told(worked: Any) -> None:
    listed = await worked.command("tickets", "list", "--json")
    waiting = await worked.command("tickets", "list", "--state", "waiting", "--json")
    shown = await worked.command("tickets", "show", "T-1", "--json")
    words = await worked.command("--lang", "zh", "tickets", "list")
    one = await worked.command("tickets", "show", "整理文档")

    rows = listed.data["tickets"]
    assert listed.code == shown.code == words.code == one.code == 0
    assert [(row["number"], row["state"], row["receipt"]) for row in rows] == [
        ("T-1", "done", "R-1"),
        ("T-2", "skipped", None),
        ("T-3", "waiting", None),
    ]
    assert all(set(row) == TICKET for row in rows)
    assert [row["number"] for row in waiting.data["tickets"]] == ["T-3"]
    assert set(shown.data) == TICKET | {"steps", "tokens"}
    steps = [step["step"] for step in shown.data["steps"]]
    assert (steps[0], steps[-1]) == ("claimed", "finished")
    assert "完成" in words.out
    assert "R-1" in one.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(("tickets", "list", "--state", "asleep"), 2, "--state", id="no such state"),
        pytest.param(("tickets", "show", "T-99"), 2, "T-99", id="no such ticket"),
        pytest.param(("tickets", "retry", "T-99"), 2, "T-99", id="nothing to retry"),
        pytest.param(("tickets", "retry"), 2, "tickets", id="retry without a ticket"),
        pytest.param(("--lang", "fr", "tickets", "list"), 2, "--lang", id="no such language"),
        pytest.param(("no-such-command",), 2, "no-such-command", id="no such command"),
    ],
)
async def test_a_command_asked_wrongly_ends_with_2_and_says_what(
    office: Any, arguments: tuple[str, ...], code: int, words: str
) -> None:
    await office.settle()

    done = await office.command(*arguments)

    assert (done.code, done.out) == (code, "")
    assert words in done.err


async def test_a_title_that_two_tickets_bear_is_not_guessed_at(office: Any) -> None:
    first, second = await office.ticket("周报"), await office.ticket("周报")
    await office.work()

    done = await office.command("tickets", "show", "周报")
    by_id = await office.command("tickets", "show", second, "--json")

    assert done.code == 2
    assert first in done.err
    assert second in done.err
    assert by_id.data["page_id"] == second


async def test_the_trail_is_told_and_holds_until_somebody_touches_it(worked: Any) -> None:
    lines = (await worked.command("audit", "tail", "-n", "5", "--json")).out.splitlines()
    holds = await worked.command("audit", "verify", "--json")
    head = await worked.command("audit", "verify", "--head", holds.data["head"])
    unknown = await worked.command("audit", "verify", "--head", "0" * 64, "--json")
    tamper(worked.folder / "state.db")
    broken = await worked.command("audit", "verify", "--json")
    found = await worked.doctor()

    events = [json.loads(line) for line in lines]
    assert len(events) == 5
    assert events[-1]["hash"] == holds.data["head"]
    assert {"audit_event", "event_id", "seq", "at", "actor", "source", "redaction", "prev", "hash"} <= set(
        events[0]
    )
    assert (holds.code, head.code, unknown.code, broken.code) == (0, 0, 1, 1)
    assert unknown.data["how"] == "head"
    assert (broken.data["holds"], broken.data["seq"]) == (False, 2)
    assert found["trail"].key == "doctor.trail.broken"


async def test_events_missing_at_the_end_are_told_and_a_wrong_head_is_no_head(worked: Any) -> None:
    wrong = await worked.command("--lang", "en", "audit", "verify", "--head", "zz")
    far = await worked.command("audit", "tail", "-n", "9" * 20)
    cut_off(worked.folder / "state.db")
    cut = await worked.command("--lang", "en", "audit", "verify")
    found = await worked.doctor()

    assert (wrong.code, far.code, cut.code) == (2, 2, 1)
    assert "--head" in wrong.err
    assert "events are missing at the end" in cut.err
    assert (found["trail"].key, found["trail"].facts["how"]) == ("doctor.trail.broken", "cut")


def cut_off(file: Path) -> None:
    """The same, at the end of the trail."""
    with closing(sqlite3.connect(file)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM audit_events WHERE seq > (SELECT max(seq) - 2 FROM audit_events)")
        connection.commit()


def tamper(file: Path) -> None:
    """What somebody with the file and SQLite at hand can do."""
    with closing(sqlite3.connect(file)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE audit_events SET actor = 'user' WHERE seq = 2")
        connection.commit()


def test_settings_are_shown_with_where_they_come_from(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "lakelight.toml").write_text("[tickets]\npoll_seconds = 5\nat_once = 2\n")

    done = command(
        tmp_path,
        "config",
        "show",
        "--json",
        GH_NOTION_TOKEN="ntn_secret_0123456789_abcdef_0123456789",
        GH_NOTION_TICKET_DB_ID="1f2e3d4c5b6a79881726354453627180",
        GH_LLM_API_KEY="sk-secret-0123456789-abcdef-0123456789",
        GH_LLM_BASE_URL="https://llm.example.org/v1",
        AGENT_POLL_INTERVAL="1500",
        AGENT_LOG_LEVEL="WARN",
    )

    shown = done.data
    assert done.code == 0
    assert shown["tickets.poll_seconds"] == {"value": "1.5", "origin": "AGENT_POLL_INTERVAL"}
    assert shown["tickets.at_once"] == {"value": "2", "origin": "lakelight.toml"}
    assert shown["log_level"] == {"value": "warning", "origin": "AGENT_LOG_LEVEL"}
    assert shown["model.base_url"]["origin"] == "GH_LLM_BASE_URL"
    assert shown["notion.ticket_database"]["origin"] == "GH_NOTION_TICKET_DB_ID"
    assert shown["notion.settle"]["origin"] == "default"
    assert shown["notion.token"]["value"].startswith("set (GH_NOTION_TOKEN, 39 characters")
    assert "secret" not in done.out


@pytest.mark.parametrize(
    ("environment", "file", "words"),
    [
        pytest.param({"AGENT_POLL_INTERVAL": "soon"}, "", "AGENT_POLL_INTERVAL", id="no number"),
        pytest.param({"LAKELIGHT_TICKETS__POL_SECONDS": "3"}, "", "tickets.poll_seconds", id="a slip in a variable"),
        pytest.param({}, "[tickets]\npoll_secs = 3\n", "tickets.poll_seconds", id="a slip in the file"),
        pytest.param({}, "[tickets\n", "lakelight.toml", id="no TOML"),
        pytest.param({"LAKELIGHT_LOG_LEVEL": "loud"}, "", "log_level", id="no such level"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_ends_with_3_and_is_named(
    command: Callable[..., Any], tmp_path: Path, environment: dict[str, str], file: str, words: str
) -> None:
    if file:
        (tmp_path / "lakelight.toml").write_text(file)

    for arguments in (("config", "show"), ("up", "--dry-run"), ("tickets", "list")):
        done = command(tmp_path, *arguments, **environment)

        assert done.code == 3, arguments
        assert words in done.err

    checked = command(tmp_path, "doctor", "--json", **environment)
    assert checked.code == 3
    assert checked.data["checks"][0]["state"] == "problem"
    assert words in checked.data["checks"][0]["message"] + checked.data["checks"][0]["fix"]


@pytest.mark.parametrize("arguments", [("tickets", "list"), ("audit", "tail"), ("audit", "verify")])
def test_before_the_first_start_there_is_nothing_to_tell(
    command: Callable[..., Any], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = command(tmp_path / "home", *arguments)

    assert (done.code, done.out) == (3, "")
    assert "lakelight demo" in done.err
    assert not (tmp_path / "home").exists()
