"""The demo as a newcomer runs it, and doctor: in another shell, on nothing, and on what is broken."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.bootstrap.checkup import check_up
from lakelight.bootstrap.home import remember_workspace
from lakelight.clock import SystemClock
from lakelight.daemon.checks import check_disk
from notion_embedded.server import system_clock

NAMES = [
    "config", "roster", "policy", "state", "trail", "notion",
    "tickets", "statuses", "personas", "model", "disk", "clock",
]  # fmt: skip
FOREIGN = {
    "GH_NOTION_TOKEN": "ntn_a_real_token_of_somebody_0123456789",
    "GH_NOTION_TICKET_DB_ID": "1f2e3d4c5b6a79881726354453627180",
    "GH_LLM_API_KEY": "sk-a-real-key-of-somebody-0123456789",
    "GH_LLM_BASE_URL": "http://127.0.0.1:9/v1",
    "LAKELIGHT_NOTION__BASE_URL": "http://127.0.0.1:9",
}


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_the_demo_works_its_tickets_whatever_tokens_stand_in_the_environment(
    process: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    done = await process(tmp_path, "demo", "--once", "--json", **FOREIGN)
    again = await process(tmp_path, "demo", "--once", "--json", **FOREIGN)
    found = await asyncio.to_thread(command, tmp_path, "doctor", "--json")

    assert (done.code, again.code) == (0, 0)
    assert set(done.data) == {"tickets", "writes", "approvals_waiting", "seconds"}
    assert set(done.data["tickets"]) == {"done", "waiting", "skipped", "failed"}
    assert done.data["tickets"]["done"] >= 5
    assert done.data["tickets"]["failed"] == 0
    assert {**again.data, "seconds": 0} == {**done.data, "seconds": 0}
    assert found.code == 3
    assert [check["name"] for check in found.data["checks"] if check["state"] != "ok"] == ["personas"]
    assert "霜砚Web" in found.data["checks"][9]["message"]
    assert list(tmp_path.rglob("server.json")) == []
    assert not (tmp_path / "workspaces.json").exists()
    for file in filter(Path.is_file, tmp_path.rglob("*")):
        assert b"real_token_of_somebody" not in file.read_bytes(), file


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_other_shells_find_the_running_demo_and_leave_it_alone(
    office: Any, process: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "demo"
    running = asyncio.create_task(process(home, "demo"))
    try:
        while not (notes := list(home.rglob("server.json"))) or not tickets_done(command, home):
            assert not running.done(), running.result()
            await asyncio.sleep(0.2)
        before = notes[0].read_text()

        checked = await asyncio.to_thread(command, home, "--lang", "zh", "doctor", "--json")
        reset = await asyncio.to_thread(command, home, "demo", "--reset", "--once")
        second = await process(home, "demo", "--once")

        assert [check["state"] for check in checked.data["checks"]].count("problem") == 1
        assert "工作区" in checked.data["checks"][5]["message"]
        assert reset.code == second.code == 1
        assert "already serves" in reset.err
        assert "already serves" in second.err
        assert notes[0].read_text() == before
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def tickets_done(command: Callable[..., Any], home: Path) -> bool:
    listed = command(home, "tickets", "list", "--state", "done", "--json")
    return listed.code == 0 and len(json.loads(listed.out)["tickets"]) >= 5


def test_the_demo_does_not_start_over_where_a_real_token_was_used(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    folder = remember_workspace(tmp_path, "ntn_real", "0a1b2c3d-0000-4000-8000-000000000001")
    (folder / "state.db").touch()

    done = command(tmp_path, "demo", "--reset", "--once", "--json")

    assert (done.code, done.out) == (1, "")
    assert "LAKELIGHT_HOME" in done.err
    assert (folder / "state.db").exists()


def test_doctor_on_nothing_makes_nothing_and_says_how_to_begin(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    done = command(tmp_path / "home", "doctor", "--json")

    assert done.code == 0
    assert (done.data["problems"], done.data["warnings"]) == (0, 1)
    assert "lakelight demo" in next(check["fix"] for check in done.data["checks"] if check["fix"])
    assert not (tmp_path / "home").exists()


async def test_doctor_tells_an_office_in_order_in_both_languages(office: Any) -> None:
    await office.ticket()
    await office.work()

    zh = await office.command("--lang", "zh", "doctor")
    data = await office.command("doctor", "--json")
    en = await office.command("doctor")

    assert zh.code == data.code == en.code == 0
    assert [check["name"] for check in data.data["checks"]] == NAMES
    assert {check["state"] for check in data.data["checks"]} == {"ok"}
    assert all(set(check) == {"name", "state", "message", "fix"} for check in data.data["checks"])
    assert "半体工单：12 列全部找到" in zh.out
    assert "一切正常" in zh.err
    assert "workspace 光湖" in en.out
    assert en.out.count("✓") == len(NAMES)


async def test_every_fault_comes_with_a_fix_in_both_languages(office: Any) -> None:
    await break_all(office)

    for language in ("zh", "en"):
        done = await office.command("--lang", language, "doctor", "--json")
        faults = [check for check in done.data["checks"] if check["state"] != "ok"]

        assert done.code == 3
        assert len(faults) >= 7
        assert [check["name"] for check in faults if not check["fix"]] == []
        assert [check for check in faults if "?" in check["message"] + check["fix"]] == []


async def break_all(office: Any) -> None:
    office.write_roster(霜砚={"id": "W01", "name": "霜砚", "instructionPageId": "<待填写>"})
    (office.home / "policy.toml").write_text("level = 'high'\n")
    (office.home / "lakelight.toml").write_text('[model]\napi_key = "sk-0123456789abcdef0123"\n')
    (office.home / "lakelight.toml").chmod(0o644)
    office.environment["GH_LLM_BASE_URL"] = "http://127.0.0.1:9/v1"
    office.environment["LAKELIGHT_TICKETS__STATUSES__DONE"] = "完工"
    await office.trash(office.personas["译典A05"])
    gone = {"优先级": None}
    await office.owner.send("PATCH", f"/data_sources/{office.source_id}", {"properties": gone})
    office.start_ledger()
    (office.folder / "trail.spool").write_text("{}\n")


@pytest.mark.parametrize(
    ("mode", "keys"),
    [
        (0o600, set()),
        (0o640, {"readable"}),
        (0o604, {"readable"}),
        (0o620, {"writable"}),
        (0o602, {"writable"}),
        (0o666, {"readable", "writable"}),
    ],
)
async def test_doctor_warns_of_a_file_with_a_secret_that_others_may_read_or_write(
    office: Any, mode: int, keys: set[str]
) -> None:
    (office.home / "lakelight.toml").write_text(
        f"[notion]\ntoken = '{office.environment['GH_NOTION_TOKEN']}'\n"
    )
    (office.home / "lakelight.toml").chmod(mode)
    del office.environment["GH_NOTION_TOKEN"]

    found = await check_up(office.home, office.environment, SystemClock())

    told = {each.key for each in found if each.name == "config" and each.state == "warning"}
    assert told == {f"doctor.config.{key}" for key in keys}


async def test_doctor_names_each_agent_that_is_off(office: Any) -> None:
    office.write_roster(
        霜砚={"id": "W01", "name": "霜砚", "instructionPageId": "<待填写>"},
        录册={"id": "W02", "name": "录册"},
    )

    done = await office.command("doctor", "--json")

    off = [
        check for check in done.data["checks"] if check["name"] == "roster" and check["state"] == "warning"
    ]
    assert done.code == 0
    assert ["霜砚" in off[0]["message"], "录册" in off[1]["message"]] == [True, True]
    assert "instructionPageId" in off[0]["fix"]
    assert "霜砚" in off[0]["fix"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        pytest.param("{", "config.roster.json", id="no JSON"),
        pytest.param('{"a": {"id": "1"}}', "config.roster.field", id="a field missing"),
        pytest.param(None, "config.roster.missing", id="no file"),
    ],
)
async def test_doctor_says_what_is_wrong_with_the_roster(office: Any, text: str | None, key: str) -> None:
    (office.home / "agents.json").unlink()
    if text is not None:
        (office.home / "agents.json").write_text(text)

    found = await office.doctor()

    assert (found["roster"].state, found["roster"].key) == ("problem", key)
    assert found["personas"].key == "doctor.not_looked_at"


async def test_doctor_leaves_a_state_of_another_version_as_it_is(office: Any) -> None:
    set_version(office.folder / "state.db", 999)

    found = await office.doctor()

    assert (found["state"].state, found["state"].key) == ("problem", "storage.newer")
    assert version(office.folder / "state.db") == 999


async def test_doctor_says_that_a_state_is_no_database(office: Any) -> None:
    for file in office.folder.glob("state.db*"):
        file.unlink()
    (office.folder / "state.db").write_bytes(b"this is no database at all, and long enough to be read" * 40)

    found = await office.doctor()

    assert found["state"].state == "problem"


def set_version(file: Path, number: int) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")


def version(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize(("seconds", "state"), [(30, None), (-300, "warning"), (90, "warning")])
async def test_doctor_compares_our_clock_with_notions(
    opened: Any, tmp_path: Path, seconds: int, state: str | None
) -> None:
    def clock() -> datetime:
        return system_clock() + timedelta(seconds=seconds)

    async with opened(tmp_path, clock=clock) as office:
        await office.furnish()

        found = (await office.doctor()).get("clock")

    assert (found.state if found else None) == state


@pytest.mark.parametrize(
    ("free", "state"), [(80 * 10**9, "ok"), (400 * 10**6, "warning"), (40 * 10**6, "problem")]
)
def test_doctor_warns_before_the_disk_is_full(free: int, state: str) -> None:
    assert check_disk(free).state == state


async def test_a_memory_page_that_cannot_be_read_is_a_warning(office: Any) -> None:
    memory = await office.new_page(office.agents_page, "译典A05 记忆")
    office.write_roster(译典A05={"memoryPageId": memory})
    await office.trash(memory)

    found = await office.doctor()

    assert (found["personas"].state, found["personas"].key) == ("warning", "doctor.personas.memory")
