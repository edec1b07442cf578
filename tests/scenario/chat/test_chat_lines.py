"""Titles for `--page`, and what can be typed into a chat beside requests, in processes of their own."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def talk(study: Any, *lines: str) -> tuple[str, str]:
    """What a chat into which `lines` are typed says, on stdout and stderr."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LAKELIGHT_", "GH_", "AGENT_", "LC_", "LANG"))
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "lakelight", "--lang", "en", "chat",
        env={**clean, **study.environment, "PYTHONUTF8": "1", "LAKELIGHT_HOME": str(study.office.home)},
        stdin=PIPE, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    out, err = await process.communicate("".join(f"{line}\n" for line in lines).encode())
    assert process.returncode == 0, err.decode()
    return out.decode(), err.decode()


async def test_a_page_may_be_named_by_a_title_that_it_alone_has(study: Any) -> None:
    root = study.office.workspace.root_page_id
    for _ in range(2):
        await study.office.new_page(root, "Weekly plan", "- rest")

    async def ask(*arguments: str) -> Any:
        return await study.office.process("--lang", "en", "ask", *arguments, "--json")

    one = await ask("append “Ship on Friday” to this page", "--page", "Unfiled notes")
    into = await ask("create a page called Minutes", "--target", "项目计划")
    twice = await ask("append “Ship on Friday” to this page", "--page", "Weekly plan")
    never = await ask("append “Ship on Friday” to this page", "--page", "Roadmap 2031")

    assert [effect["title"] for effect in one.data["done"]] == ["Unfiled notes"]
    assert into.code == 0
    assert "Minutes" in await study.body("项目计划")
    assert (twice.code, never.code, twice.out, never.out) == (2, 2, "", "")
    assert "Several pages are called “Weekly plan”" in twice.err
    assert [line.split()[0] for line in twice.err.splitlines() if "Weekly plan  " in line] == ["1.", "2."]
    assert "no page called “Roadmap 2031”" in never.err
    assert len(study.writes()) == 2


async def test_a_candidate_is_chosen_by_its_number_and_the_chat_has_commands_of_its_own(study: Any) -> None:
    root = study.office.workspace.root_page_id
    plans = [await study.office.new_page(root, "Weekly plan", f"- week {week}") for week in (1, 2)]

    out, err = await talk(
        study,
        "帮助",
        "undo",
        "append to Weekly plan: Ship on Friday",
        "7",
        "2",
        "read Unfiled notes",
        "撤销",
        "undo",
        "退出",
    )

    written = [await study.office.body(plan) for plan in plans]
    assert "A number chooses a candidate" in err
    assert err.count("Nothing was written in this sitting") == 1
    assert err.count("was taken back already") == 1
    assert "no candidate 7" in err
    assert out.count("Weekly plan  ") == 2
    assert "Hiring plan" in out
    assert [text for text in written if "Ship on Friday" in text] == []
    assert [method for method, _ in study.writes()] == ["PATCH", "DELETE"]
    assert study.state("SELECT kind, state FROM runs ORDER BY id") == [
        ("chat", "done"), ("chat", "done"), ("chat", "done"), ("undo", "done")
    ]  # fmt: skip
    assert err.rstrip().splitlines()[-1].startswith("The session is kept as")
