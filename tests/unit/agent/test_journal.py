"""A step of a run is written once; whoever comes later reads what it says."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lakelight.agent import Journal
from lakelight.storage import Connection, Database, migrate


class Noon:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    with database.transaction() as connection:
        add_run(connection, "run_1")
        add_run(connection, "run_2")
    yield database
    database.close()


def add_run(connection: Connection, run_id: str) -> None:
    connection.exec_driver_sql(
        "INSERT INTO tickets (page_id, number, title, url, state, content_hash, stamp, created_at, updated_at)"
        " VALUES (?, '', '', '', 'queued', '', '', '', '')",
        (f"page of {run_id}",),
    )
    connection.exec_driver_sql(
        "INSERT INTO runs (id, page_id, agent, state, job_id, created_at, updated_at)"
        " VALUES (?, ?, 'A02', 'queued', ?, '', '')",
        (run_id, f"page of {run_id}", f"{run_id}.1"),
    )


async def open_journal(database: Database, run_id: str = "run_1") -> Journal:
    return await Journal.open(database, Noon(), run_id)


async def test_a_step_says_what_it_said_first(database: Database) -> None:
    journal = await open_journal(database)

    assert journal.get("draft") is None
    assert await journal.once("draft", {"text": "回执", "tokens": 7}) == {"text": "回执", "tokens": 7}
    assert await journal.once("draft", "another") == {"text": "回执", "tokens": 7}
    assert journal.get("draft") == {"text": "回执", "tokens": 7}


async def test_a_step_survives_its_process(database: Database) -> None:
    await (await open_journal(database)).once("draft", ["a", None, 1.5])

    later = await open_journal(Database(database.file))

    assert later.get("draft") == ["a", None, 1.5]


async def test_two_who_take_a_step_at_once_agree_on_what_it_says(database: Database) -> None:
    journals = [await open_journal(database) for _ in range(8)]

    answers = await asyncio.gather(
        *(journal.once("draft", number) for number, journal in enumerate(journals))
    )

    assert len(set(answers)) == 1
    assert {journal.get("draft") for journal in journals} == set(answers)


async def test_a_step_can_work_out_its_content_in_its_own_transaction(database: Database) -> None:
    def take_number(connection: Connection) -> int | None:
        cursor = connection.exec_driver_sql("INSERT INTO receipts (run_id) VALUES ('run_1')")
        return cursor.lastrowid

    journal = await open_journal(database)

    assert await journal.once("receipt", take_number) == 1
    assert await journal.once("receipt", take_number) == 1


async def test_a_step_that_fails_was_not_taken(database: Database) -> None:
    def fail(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO receipts (run_id) VALUES ('run_1')")
        raise LookupError

    journal = await open_journal(database)
    with pytest.raises(LookupError):
        await journal.once("receipt", fail)

    assert journal.get("receipt") is None
    with database.transaction() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM receipts").scalar_one() == 0


async def test_a_step_that_says_nothing_was_taken_all_the_same(database: Database) -> None:
    await (await open_journal(database)).once("looked", None)

    assert await (await open_journal(database)).once("looked", "again") is None


async def test_the_steps_of_one_run_are_no_steps_of_another(database: Database) -> None:
    await (await open_journal(database, "run_1")).once("draft", 1)
    await (await open_journal(database, "run_2")).once("draft", 2)

    assert (await open_journal(database, "run_1")).get("draft") == 1
    assert (await open_journal(database, "run_2")).get("draft") == 2


async def test_steps_are_numbered_in_the_order_in_which_they_were_taken(database: Database) -> None:
    journal = await open_journal(database)
    for name in ("persona", "draft", "receipt"):
        await journal.once(name, name)

    with database.transaction() as connection:
        rows = connection.exec_driver_sql("SELECT seq, name FROM steps ORDER BY seq").all()
    assert [tuple(row) for row in rows] == [(1, "persona"), (2, "draft"), (3, "receipt")]
