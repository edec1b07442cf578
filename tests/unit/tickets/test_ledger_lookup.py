"""Tickets as people name them, also with words that no ticket can have."""

from pathlib import Path

import pytest

from lakelight.storage import Database, migrate
from lakelight.tickets import ledger


@pytest.mark.parametrize("text", ["a" * 100_000, "%" * 100_000, "甲" * 100_000, "a" * 33])
def test_words_that_are_longer_than_any_page_id_name_no_ticket(tmp_path: Path, text: str) -> None:
    database = Database(tmp_path / "state.db")
    migrate(database)

    with database.transaction() as connection:
        assert ledger.lookup(connection, text) == []
    database.close()
