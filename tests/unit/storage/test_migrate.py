"""A state file is brought to the newest schema once, and never by an older program."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from lakelight.errors import StorageError
from lakelight.storage import Database, migrate


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "state.db")
    yield database
    database.close()


def schema(database: Database) -> list[str]:
    with database.transaction() as connection:
        return [
            str(row[0]) for row in connection.exec_driver_sql("SELECT sql FROM sqlite_master ORDER BY name")
        ]


def version(database: Database) -> int:
    with database.transaction() as connection:
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def test_a_new_file_gets_every_table(database: Database) -> None:
    newest = migrate(database)

    with database.transaction() as connection:
        names = {
            row[0]
            for row in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
    assert {"facts", "tickets", "runs", "steps", "receipts", "intents", "audit_events", "approvals"} <= names
    assert version(database) == newest


def test_migrating_twice_changes_nothing(database: Database) -> None:
    newest = migrate(database)
    before = schema(database)

    assert migrate(database) == newest
    assert schema(database) == before


def test_a_file_of_a_newer_program_is_refused_and_left_alone(database: Database) -> None:
    newest = migrate(database)
    with database.transaction() as connection:
        connection.exec_driver_sql(f"PRAGMA user_version = {newest + 1}")

    with pytest.raises(StorageError) as caught:
        migrate(database)

    assert caught.value.facts == {"file": "state.db", "version": newest + 1, "known": newest}
    assert version(database) == newest + 1


def test_a_migration_that_fails_leaves_nothing_half_done(database: Database) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE approvals (odd TEXT)")
    before = schema(database)

    with pytest.raises(StorageError):
        migrate(database)

    assert schema(database) == before
    assert version(database) == 0


def test_migrations_are_numbered_without_gaps() -> None:
    folder = resources.files("lakelight.storage") / "migrations"
    numbers = sorted(file.name[:4] for file in folder.iterdir() if file.name.endswith(".sql"))

    assert numbers == [f"{number:04d}" for number in range(1, len(numbers) + 1)]
