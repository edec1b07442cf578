"""Transactions hold whole or not at all, whoever else writes and however full the disk is."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from lakelight.errors import StorageError, StorageFull
from lakelight.storage import Connection, Database

COUNT = "SELECT count(*) FROM numbers"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "home" / "state.db")
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE numbers (number INTEGER PRIMARY KEY, filling TEXT)")
    yield database
    database.close()


def count(database: Database) -> int:
    with database.transaction() as connection:
        return int(connection.exec_driver_sql(COUNT).scalar_one())


def add(connection: Connection) -> int:
    before = int(connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM numbers").scalar_one())
    connection.exec_driver_sql("INSERT INTO numbers VALUES (?, '')", (before + 1,))
    return before + 1


def fill(connection: Connection) -> None:
    pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
    for number in range(1000):
        connection.exec_driver_sql("INSERT INTO numbers VALUES (?, ?)", (number, "x" * 1000))


def test_the_files_and_their_folder_are_for_their_owner_only(database: Database) -> None:
    with database.transaction() as connection:
        add(connection)
        files = {file.name: file.stat().st_mode & 0o777 for file in database.file.parent.iterdir()}

    assert files == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}
    assert database.file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("durable", [False, True], ids=["quick", "durable"])
def test_an_error_takes_back_everything_in_its_transaction(database: Database, durable: bool) -> None:
    begin = database.durable if durable else database.transaction

    with suppress(LookupError), begin() as connection:
        add(connection)
        raise LookupError

    assert count(database) == 0


@pytest.mark.parametrize("durable", [False, True], ids=["quick", "durable"])
async def test_a_full_disk_is_told_and_nothing_is_half_written(database: Database, durable: bool) -> None:
    run = database.run_durably if durable else database.run

    with pytest.raises(StorageFull):
        await run(fill)

    assert count(database) == 0


def test_the_durable_transaction_waits_for_the_disk(database: Database) -> None:
    with database.durable() as connection:
        durable = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
    with database.transaction() as connection:
        quick = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()

    assert (durable, quick) == (2, 1)


async def test_what_was_read_in_a_transaction_still_holds_at_its_end(database: Database) -> None:
    answers = await asyncio.gather(
        *(database.run(add) for _ in range(20)), *(database.run_durably(add) for _ in range(20))
    )

    assert sorted(answers) == list(range(1, 41))


async def test_two_connections_to_one_file_take_turns(database: Database) -> None:
    other = Database(database.file)

    answers = await asyncio.gather(
        *(house.run(add) for _ in range(20) for house in (database, other)),
    )

    other.close()
    assert sorted(answers) == list(range(1, 41))


def test_foreign_keys_are_kept(database: Database) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE leaves (number INTEGER REFERENCES numbers (number))")

    with pytest.raises(IntegrityError), database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO leaves VALUES (7)")


@pytest.mark.parametrize("content", [b"not a database at all, but a letter to somebody" * 30], ids=["letter"])
def test_a_damaged_file_is_a_storage_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "state.db"
    file.write_bytes(content)
    database = Database(file)

    with pytest.raises(StorageError), database.transaction() as connection:
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master")

    database.close()
    assert file.read_bytes() == content


def test_a_table_that_is_missing_is_a_storage_error(database: Database) -> None:
    with pytest.raises(StorageError), database.transaction() as connection:
        connection.exec_driver_sql("SELECT 1 FROM nothing")
