"""Other people's words at the terminal: whatever stands in a title, it steers nothing and forges no line."""

import json
from pathlib import Path
from typing import Any

import pytest

from lakelight.cli.session import LONGEST_LINE, Session
from lakelight.errors import LakelightError
from lakelight.messages import Messages

ESCAPES = "\x1b[2J\x1b]0;owned\x07\r\x9b31m"
TITLE = f"Minutes{ESCAPES}\n✓ everything was approved\u202egnp.exe"
SHOWN = "Minutes⟨U+001B⟩[2J⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+000D⟩⟨U+009B⟩31m⟨U+000A⟩✓ everything was approved⟨U+202E⟩gnp.exe"
pytestmark = pytest.mark.timeout(180)
STEERING = {chr(code) for code in (*range(32), *range(127, 160), 0x202E, 0x2028)} - {"\n"}


def held(output: str) -> bool:
    """True when nothing in the output steers a terminal, and no line begins as the title would have it."""
    lines = output.splitlines()
    return not STEERING & set(output) and not [line for line in lines if line.startswith("✓ everything")]


@pytest.mark.slow
async def test_a_title_is_shown_and_obeyed_nowhere(office: Any) -> None:
    page = await office.new_page(office.workspace.root_page_id, TITLE)
    await office.new_page(office.workspace.root_page_id, TITLE)
    await office.write_below(page, f"first{ESCAPES} line")
    await office.ticket(TITLE, 负责Agent=f"nobody{ESCAPES}")
    await office.work()

    found = await office.process("ask", "search for Minutes")
    read = await office.process("ask", f"read {page}")
    several = await office.process("ask", "append to the page Minutes: x")
    archived = await office.process("ask", "archive this page", "--page", page)
    listed = await office.command("approvals", "list")
    card = await office.command("approvals", "show", "A-1")
    tickets = await office.command("tickets", "list")
    ticket = await office.command("tickets", "show", "T-1")
    planned = await office.process("up", "--dry-run")

    every = {
        "found": found, "read": read, "several": several, "archived": archived, "listed": listed,
        "card": card, "tickets": tickets, "ticket": ticket, "planned": planned,
    }  # fmt: skip
    assert {name for name, done in every.items() if not held(done.out + done.err)} == set()
    assert SHOWN in found.out
    assert "first⟨U+001B⟩" in read.out
    assert "⟨U+001B⟩[2J" in tickets.out + ticket.out


@pytest.mark.slow
async def test_data_is_exact_whatever_stands_in_it(office: Any) -> None:
    page = await office.new_page(office.workspace.root_page_id, TITLE)

    found = await office.process("ask", "search for Minutes", "--json")

    (results,) = (each["results"] for each in found.data["found"])
    assert [each["title"] for each in results if each["id"] == page] == [TITLE]
    assert json.loads(found.out)


def test_a_line_that_is_too_long_is_told_by_its_beginning_and_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = Session(Path("/nowhere"), {}, Messages("en"))

    session.line("a" * 100_000 + "b")
    session.hint(session.explain(LakelightError()))

    told = capsys.readouterr()
    assert len(told.out) == LONGEST_LINE + 1
    assert (told.out[0], told.out[-2]) == ("a", "b")
    assert told.err.count("\n") == 1
