"""A trail that cannot take the result of a write: the user is told, nothing is written twice, it is brought in later."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from lakelight.messages import Messages

APPEND = "append to the page Unfiled notes: Ship on Friday"
OTHER = "append to the page Unfiled notes: Call on Monday"


def break_trail(study: Any) -> None:
    """From now on the trail takes decisions, but no results."""
    execute(
        study,
        "CREATE TRIGGER no_results BEFORE INSERT ON audit_events WHEN NEW.event LIKE 'write.%'"
        " BEGIN SELECT abs(-9223372036854775808); END",
    )


def execute(study: Any, sql: str) -> None:
    with closing(sqlite3.connect(study.office.folder / "state.db")) as connection, connection:
        connection.execute(sql)


async def test_a_write_whose_result_is_not_on_the_trail_is_told_so_and_is_brought_in_later(
    study: Any,
) -> None:
    break_trail(study)

    reply = await study.ask(APPEND)

    assert [(each.kind, each.reason) for each in reply.done] == [("block.append", "reply.off_trail")]
    assert (reply.ending, reply.exit_code) == ("done", 0)
    assert Messages("en").has("reply.off_trail")
    assert study.events("write.") == []
    assert (await study.body("Unfiled notes")).count("Ship on Friday") == 1

    # While it waits to be brought in nothing else is written; reading goes on.
    stopped = await study.ask(OTHER)
    read = await study.ask("read Unfiled notes")

    assert [(each.kind, each.reason) for each in stopped.stopped] == [("block.append", "guard.reason.trail")]
    assert stopped.exit_code == 4
    assert read.found

    execute(study, "DROP TRIGGER no_results")
    done = await study.ask(OTHER)

    assert [(each.kind, each.reason) for each in done.done] == [("block.append", "")]
    assert [event for event, _ in study.events()][-4:-2] == ["write.block.inserted", "audit.recovered"]
    assert (await study.body("Unfiled notes")).count("Ship on Friday") == 1
    assert len(study.writes()) == 2


@pytest.mark.slow
async def test_the_command_line_says_that_a_result_is_not_on_the_trail_yet(study: Any) -> None:
    await study.ask("search for Docker")
    break_trail(study)

    told = await study.office.process("--lang", "en", "ask", APPEND)

    execute(study, "DROP TRIGGER no_results")
    assert told.code == 0
    assert "could not be put into the trail yet" in told.out + told.err
