"""The note of the newest event: what was taken from the end of the trail is missed, whoever wrote it."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lakelight.audit import (
    Broken,
    Entry,
    Head,
    HeadFile,
    Sink,
    Trail,
    Unreadable,
    begun_writes,
    read_events,
    verify,
)
from lakelight.storage import Connection, Database, migrate


class Clock:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 8, tzinfo=UTC)

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


@dataclass(frozen=True, slots=True)
class State:
    """A state file with its trail and the note beside it."""

    database: Database
    trail: Trail
    note: HeadFile

    async def record(self, count: int) -> None:
        for number in range(count):
            await self.trail.record(
                Entry(event="policy.loaded", actor="system", source="daemon", fields={"count": number})
            )

    def check(self) -> Broken | int:
        noted = self.note.read()
        with self.database.transaction() as connection:
            events, begun = read_events(connection), begun_writes(connection)
        return verify(events, noted=noted, begun=begun)

    def tamper(self, *statements: str) -> None:
        """What somebody with the file and SQLite at hand can do."""
        with closing(sqlite3.connect(self.database.file)) as connection:
            triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)
            connection.commit()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    trail = Trail(database, Sink(key=b"k" * 32, names=frozenset()), Clock())
    yield State(database, trail, HeadFile(database.file))
    database.close()


async def test_the_newest_event_is_noted_in_a_file_that_only_its_owner_reads(state: State) -> None:
    await state.record(3)

    with state.database.transaction() as connection:
        newest = read_events(connection)[-1]
    file = state.database.file.with_name("audit.head")
    assert state.note.read() == Head(newest.seq, newest.hash)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert state.check() == 3


@pytest.mark.parametrize(
    ("gone", "found"),
    [
        pytest.param("seq = 5", Broken(5, "cut"), id="the last one"),
        pytest.param("seq > 2", Broken(3, "cut"), id="the last three"),
        pytest.param("1", Broken(1, "cut"), id="all of them"),
    ],
)
async def test_events_taken_from_the_end_are_missed(state: State, gone: str, found: Broken) -> None:
    await state.record(5)

    state.tamper(f"DELETE FROM audit_events WHERE {gone}")

    assert state.check() == found


async def test_events_taken_from_the_end_are_missed_also_when_others_followed(state: State) -> None:
    await state.record(5)
    state.tamper("DELETE FROM audit_events WHERE seq > 3")

    await state.record(7)

    assert state.check() == Broken(5, "rewritten")


async def test_what_was_not_committed_is_not_noted(state: State) -> None:
    await state.record(2)

    before = state.note.read()

    def append_and_fail(connection: Connection) -> None:
        entry = Entry(event="policy.loaded", actor="system", source="daemon", fields={})
        state.trail.append(connection, entry)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await state.database.run_durably(append_and_fail)

    assert state.note.read() == before
    assert state.check() == 2


async def test_an_older_note_is_caught_up_with_and_a_later_one_stays(state: State) -> None:
    await state.record(1)
    first = state.note.read()
    assert isinstance(first, Head)
    await state.record(2)
    last = state.note.read()

    state.note.write(first)

    assert state.note.read() == last
    state.database.file.with_name("audit.head").unlink()
    state.note.write(first)
    assert state.check() == 3
    await state.record(1)
    assert state.note.read() not in {first, last}


async def test_a_write_of_which_no_event_tells_is_missed_also_without_the_note(state: State) -> None:
    await state.record(3)
    state.database.file.with_name("audit.head").unlink()

    state.tamper(
        "INSERT INTO intents (operation_id, operation, payload_hash, run_id, anchor, sends, sent_at, state)"
        " VALUES ('op_1', '{}', '', 'run_1', '{}', 1, '2026-11-30T08:00:00.000Z', 'written')"
    )

    assert state.check() == Broken(4, "unseen")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xff\x00 head", id="other bytes"),
        pytest.param(bytes(range(256)) * 2, id="many other bytes"),
        pytest.param(b"", id="nothing"),
    ],
)
async def test_a_note_that_was_spoilt_is_told_of_and_stays(state: State, content: bytes) -> None:
    await state.record(1)
    file = state.database.file.with_name("audit.head")
    file.write_bytes(content)

    assert state.note.read() == Unreadable()
    assert state.check() == Broken(2, "unreadable")
    await state.record(1)
    state.note.write(Head(9, "0" * 64))
    assert file.read_bytes() == content
    assert state.check() == Broken(3, "unreadable")


async def test_a_pipe_in_the_place_of_the_note_is_not_waited_for(state: State) -> None:
    await state.record(1)
    file = state.database.file.with_name("audit.head")
    file.unlink()
    os.mkfifo(file)

    await state.record(1)
    state.note.write(Head(9, "0" * 64))

    assert state.check() == Broken(3, "unreadable")
