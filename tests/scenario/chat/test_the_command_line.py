"""`lakelight ask`, `chat`, `approvals` and `undo` in processes of their own: exit codes, data, Ctrl-C."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

REPLY = {
    "run_id", "ending", "done", "failed", "cancelled", "stopped", "waiting", "found", "question", "said",
    "needs", "exit_code",
}  # fmt: skip
APPEND = "append to the page Unfiled notes: Ship on Friday"
ARCHIVE = "archive the page Unfiled notes"


async def start(study: Any, *arguments: str, **more: str) -> asyncio.subprocess.Process:
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LAKELIGHT_", "GH_", "AGENT_", "LC_", "LANG"))
    }
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "lakelight", "--lang", "en", *arguments,
        env={**clean, **study.environment, **more, "LAKELIGHT_HOME": str(study.office.home)},
        stdin=PIPE, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip


async def test_every_end_has_its_exit_code_and_the_data_its_shape(study: Any) -> None:
    async def ended(*arguments: str, **more: str) -> tuple[int, Any]:
        done = await study.office.process(*arguments, "--json", **more)
        data = done.data if done.out else None
        assert done.out.count("\n") <= 1
        if data is not None and "ending" in data:
            assert set(data) == REPLY
            assert data["exit_code"] == done.code
        return done.code, data

    found, read = await ended("ask", "search for Docker")
    wrote, reply = await ended("ask", APPEND)
    waits, question = await ended("ask", ARCHIVE)
    seen, card = await ended("approvals", "show", "a1")
    listed, rows = await ended("approvals", "list")
    rejected, cancelled = await ended("approvals", "reject", "A-1", "--reason", "not now")
    again, _ = await ended("approvals", "approve", "A-1")
    unknown, _ = await ended("approvals", "approve", "A-99")
    undone, told = await ended("undo", reply["run_id"])
    nobody, _ = await ended("undo", "T-77")
    wrong, _ = await ended("ask", APPEND, "--page", "no page at all")
    down, gone = await ended(
        "ask",
        APPEND,
        GH_LLM_BASE_URL="http://127.0.0.1:9/v1",
        GH_LLM_API_KEY="k" * 20,
        LAKELIGHT_MODEL__RETRY_WAITS="0",
    )
    away, _ = await ended("ask", APPEND, LAKELIGHT_NOTION__BASE_URL="http://127.0.0.1:9")
    empty, _ = await ended("ask", " ")
    unset, _ = await ended("ask", APPEND, GH_NOTION_TOKEN="no token")
    study.policy(level=0)
    denied, stopped = await ended("ask", APPEND)

    assert (found, wrote, waits, seen, listed) == (0, 0, 5, 0, 0)
    assert len(read["found"]) == 1
    assert [effect["title"] for effect in reply["done"]] == ["Unfiled notes"]
    assert [effect["approval"] for effect in question["waiting"]] == ["A-1"]
    assert (card["state"], card["request"]["body"]) == ("pending", {"in_trash": True})
    assert [row["approval"] for row in rows["approvals"]] == ["A-1"]
    assert rejected == 0
    assert [effect["facts"]["comment"] for effect in cancelled["cancelled"]] == ["not now"]
    assert (again, unknown) == (1, 2)
    assert (undone, [each["result"] for each in told["undone"]]) == (0, ["undone"])
    assert (nobody, wrong, empty) == (2, 2, 2)
    assert (down, gone["ending"]) == (6, "unreachable")
    assert (away, unset) == (6, 3)
    assert denied == 4
    assert [effect["reason"] for effect in stopped["stopped"]] == ["guard.reason.level"]
    assert not await study.trashed("Unfiled notes")
    assert "Ship on Friday" not in await study.body("Unfiled notes")


async def test_who_decides_second_is_told_who_and_when(study: Any) -> None:
    await study.ask(ARCHIVE)
    await study.approve()

    done = await study.office.process("--lang", "en", "approvals", "approve", "A-1")

    assert done.code == 1
    assert "冰朔" in done.err
    assert "20" in done.err


async def test_an_approval_from_another_process_beside_one_that_serves_prints_the_result(study: Any) -> None:
    await study.ask(ARCHIVE)
    async with study.office.up():
        await study.office.polls(1)
        done = await study.office.process("approvals", "approve", "A-1", "--json")

    assert done.code == 0, done.err
    assert [effect["kind"] for effect in done.data["done"]] == ["page.archive"]
    assert await study.trashed("Unfiled notes")
    assert len(study.writes()) == 1


async def test_an_approval_of_a_ticket_beside_one_that_serves_prints_how_it_went(study: Any) -> None:
    root = study.office.workspace.root_page_id
    study.policy(more=f'[agents."译典A05"]\nlevel = 2\npages = ["{root}"]\n')
    page = await study.office.ticket("请处理", 开发内容="归档 Unfiled notes")
    async with study.office.up():
        await study.office.until(lambda: study.office.heard.count("ticket.waiting") == 1)
        done = await study.office.process("approvals", "approve", "A-1", "--json")
        assert done.code == 0, done.err
        assert [effect["kind"] for effect in done.data["done"]] == ["page.archive"]

    assert await study.office.receipts(page) == [1]


async def test_ctrl_c_stops_a_request_that_waits_for_the_model(study: Any, speaker: Any) -> None:
    asked, never = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        asked.set()
        await never.wait()

    speaker.script([("append_content", {"page": "Unfiled notes", "markdown": "First"})], "done")
    speaker.before = lambda: hang() if len(speaker.asked) == 2 else asyncio.sleep(0)
    process = await start(study, "ask", "do it", "--json", **speaker.settings())
    await asked.wait()

    process.send_signal(signal.SIGINT)
    out, err = await process.communicate()
    never.set()

    reply = json.loads(out)
    assert process.returncode == 130, err
    assert (reply["ending"], reply["exit_code"]) == ("cancelled", 130)
    assert [effect["title"] for effect in reply["done"]] == ["Unfiled notes"]
    assert study.run_state(reply["run_id"]) == "dropped"
    assert (await study.body("Unfiled notes")).count("First") == 1
    await study.ask("search for Docker")
    assert len(study.writes()) == 1
    assert await study.undo(reply["run_id"]) == [("block.append", "undone")]


async def test_ctrl_c_in_a_chat_stops_the_turn_and_keeps_the_session(study: Any, speaker: Any) -> None:
    asked, never = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        asked.set()
        await never.wait()

    speaker.before = lambda: hang() if len(speaker.asked) == 1 else asyncio.sleep(0)
    speaker.script("lost", "I am here.")
    process = await start(study, "chat", "--session", "chat_42", **speaker.settings())
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(b"the first request\n")
    await asked.wait()

    process.send_signal(signal.SIGINT)
    while b"Stopped" not in (line := await process.stderr.readline()):
        assert line
    process.stdin.write(b"are you there?\n")
    while b"I am here." not in (line := await process.stdout.readline()):
        assert line
    process.stdin.write_eof()
    await process.communicate()
    never.set()

    assert process.returncode == 0
    second = json.dumps(speaker.asked[-1]["messages"])
    assert "the first request" in second
    assert "ended: cancelled" in second
    states = study.state("SELECT state FROM runs WHERE session_id = 'chat_42' ORDER BY id")
    assert states == [("dropped",), ("done",)]


async def test_ctrl_c_at_the_prompt_ends_a_chat(study: Any) -> None:
    process = await start(study, "chat", "--session", "chat_43")
    assert process.stderr
    while b"chat_43" not in (line := await process.stderr.readline()):
        assert line

    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()

    assert process.returncode == 130
    assert b"chat_43" in err
    assert b"Traceback" not in err
