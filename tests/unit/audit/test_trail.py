"""The trail: one chain whoever writes, never changed, and whole again after it could not be written."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy.exc import DatabaseError

from lakelight.audit import Broken, Entry, Event, Sink, Trail, read_events, verify
from lakelight.errors import StorageError, TrailError
from lakelight.ids import fresh
from lakelight.storage import Connection, Database, migrate


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 8, tzinfo=UTC)

    def now(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


@dataclass(frozen=True, slots=True)
class State:
    """A state file with its trail."""

    database: Database
    trail: Trail
    spool: Path

    def events(self, last: int | None = None) -> list[Event]:
        with self.database.transaction() as connection:
            return read_events(connection, last)

    def names(self) -> list[str]:
        return [event.event for event in self.events()]


T = TypeVar("T")
sink = Sink(key=b"k" * 32, names=frozenset({"A02"}))


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    yield State(database, Trail(database, sink, Clock()), tmp_path / "trail.spool")
    database.close()


def entry(count: int = 1, event: str = "write.done", **fields: Any) -> Entry:
    return Entry(event=event, actor="ai", source="executor", fields={"count": count, **fields})


def fail(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA query_only = ON")


async def test_events_form_a_chain_in_the_order_in_which_they_were_told(state: State) -> None:
    for count in range(3):
        await state.trail.record(entry(count))

    assert verify(state.events()) == 3
    assert [event.export()["count"] for event in state.events()] == [0, 1, 2]


async def test_an_event_is_stored_with_what_the_sink_leaves_of_it(state: State) -> None:
    operation = fresh("op")
    await state.trail.record(
        entry(**{"operation.id": operation, "guard.decision": "allow", "target.ref": "page-1", "title": "T"})
    )

    assert [json.loads(event.body) for event in state.events()] == [
        {
            "count": 1,
            "guard": {"decision": "allow"},
            "operation": {"id": operation},
            "target": {"ref": sink.reference("page-1")},
            "redaction": ["other", "target.ref"],
        }
    ]


@pytest.mark.parametrize(
    "odd",
    [
        replace(entry(), event="write.invented"),
        replace(entry(), actor="root"),
        replace(entry(), source="ntn_secret"),
    ],
)
async def test_an_event_that_the_table_does_not_name_is_refused(state: State, odd: Entry) -> None:
    with pytest.raises(TrailError):
        await state.trail.record(odd)

    assert state.events() == []


def test_an_event_stands_and_falls_with_its_transaction(state: State) -> None:
    with suppress(LookupError), state.database.transaction() as connection:
        state.trail.append(connection, entry())
        raise LookupError

    assert state.events() == []


async def test_the_last_events_can_be_read_alone(state: State) -> None:
    for count in range(4):
        await state.trail.record(entry(count))

    assert [event.seq for event in state.events(last=2)] == [3, 4]
    assert [event.seq for event in state.events(last=9)] == [1, 2, 3, 4]
    assert state.events(last=0) == []


REPLACE = (
    "INSERT OR REPLACE INTO audit_events SELECT {}, at, event, actor, source, '{{}}', prev, hash"
    " FROM audit_events WHERE seq = 1"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_events SET body = '{}' WHERE seq = 1",
        "DELETE FROM audit_events WHERE seq = 2",
        "DELETE FROM audit_events",
        REPLACE.format("1, 'evt_x'"),
        REPLACE.format("9, event_id"),
    ],
    ids=["edit", "remove", "clear", "replace", "replace by id"],
)
async def test_the_database_itself_refuses_to_change_the_trail(state: State, statement: str) -> None:
    await state.trail.record(entry(1))
    await state.trail.record(entry(2))
    before = state.events()

    with pytest.raises(DatabaseError), state.database.transaction() as connection:
        connection.exec_driver_sql(statement)

    assert state.events() == before


async def test_what_gets_past_the_triggers_is_found_in_the_chain(state: State) -> None:
    for count in range(3):
        await state.trail.record(entry(count))
    with state.database.transaction() as connection:
        connection.exec_driver_sql("DROP TRIGGER audit_events_are_never_changed")
        connection.exec_driver_sql("UPDATE audit_events SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 2")

    assert verify(state.events()) == Broken(2, "content")


async def test_a_trail_that_cannot_be_written_says_so(state: State) -> None:
    # Both connections of the pool that the trail writes with.
    with state.database.durable_engine.begin() as connection:
        fail(connection)

    with pytest.raises(TrailError):
        await state.trail.record(entry())


async def test_what_was_spooled_is_brought_in_once_and_said_to_be_recovered(state: State) -> None:
    await state.trail.spool(entry(1, **{"target.ref": "page-1", "title": "T"}))
    await state.trail.spool(entry(2))

    assert await state.trail.available()
    assert await state.trail.available()

    assert state.names() == ["write.done", "write.done", "audit.recovered"]
    assert json.loads(state.events()[0].body) == {
        "count": 1,
        "target": {"ref": sink.reference("page-1")},
        "redaction": ["other", "target.ref"],
    }
    assert state.events()[2].export()["count"] == 2
    assert verify(state.events()) == 3
    assert not state.spool.exists()


async def test_a_spooled_event_keeps_the_time_at_which_it_happened(state: State) -> None:
    await state.trail.spool(entry(1))
    await state.trail.record(entry(2))
    await state.trail.available()

    assert [event.at[11:19] for event in state.events()] == ["08:00:02", "08:00:01", "08:00:03"]


async def test_a_spool_that_was_brought_in_before_a_crash_is_not_brought_in_again(state: State) -> None:
    await state.trail.spool(entry(1))
    left_behind = state.spool.with_name("copy")
    shutil.copy(state.spool, left_behind)
    await state.trail.available()

    left_behind.rename(state.spool)
    await state.trail.spool(entry(2))

    assert await state.trail.available()
    assert [event.export()["count"] for event in state.events()] == [1, 1, 2, 1]
    assert state.names() == ["write.done", "audit.recovered", "write.done", "audit.recovered"]


async def test_a_spool_that_cannot_be_brought_in_makes_the_trail_unavailable(state: State) -> None:
    await state.trail.spool(entry(1))
    with state.database.durable_engine.begin() as connection:
        fail(connection)

    assert not await state.trail.available()
    assert state.spool.exists()


async def test_a_spool_that_cannot_be_read_makes_the_trail_unavailable(state: State) -> None:
    state.spool.mkdir()

    assert not await state.trail.available()
    with pytest.raises(TrailError):
        await state.trail.spool(entry())


async def test_a_planted_line_makes_the_trail_unavailable_and_is_not_taken_in(state: State) -> None:
    await state.trail.spool(entry(1))
    forged = json.loads(state.spool.read_text(encoding="utf-8"))
    state.spool.write_text(json.dumps({**forged, "event": "write.invented"}), encoding="utf-8")

    assert not await state.trail.available()
    assert state.events() == []


@pytest.mark.parametrize(
    "torn", ['{"event_id": "evt_1", "at": "20', '{"event_id": "evt_1", "fields": {}', "{}", "7"]
)
async def test_half_a_line_of_a_process_that_died_spoils_no_other(state: State, torn: str) -> None:
    await state.trail.spool(entry(1))
    with state.spool.open("a", encoding="utf-8") as file:
        file.write(torn)
    await state.trail.spool(entry(2))

    assert await state.trail.available()
    assert [event.export()["count"] for event in state.events()] == [1, 2, 2]


async def test_the_spool_is_for_its_owner_only(state: State) -> None:
    await state.trail.spool(entry())

    assert state.spool.stat().st_mode & 0o777 == 0o600


class Interrupted(Database):
    """Lets something else happen right after each durable commit, as far as it gets."""

    happens: Callable[[], Coroutine[Any, Any, None]]
    task: asyncio.Task[None]

    async def run_durably(self, work: Callable[[Connection], T]) -> T:
        done = await super().run_durably(work)
        self.task = asyncio.create_task(self.happens())
        await asyncio.wait({self.task}, timeout=0.2)
        return done


async def test_what_is_spooled_while_another_spool_is_brought_in_is_not_lost(state: State) -> None:
    database = Interrupted(state.database.file)
    trail = Trail(database, sink, Clock())
    database.happens = lambda: trail.spool(entry(2))
    await trail.spool(entry(1))

    assert await trail.available()
    await database.task
    assert await state.trail.available()

    told = [event.export()["count"] for event in state.events() if event.event == "write.done"]
    assert told == [1, 2]
    database.close()


async def test_several_who_write_at_once_make_one_chain(state: State) -> None:
    await asyncio.gather(*(state.trail.record(entry(count)) for count in range(30)))

    assert verify(state.events()) == 30


WRITE_TEN = """
import asyncio, sys
from pathlib import Path
from lakelight.audit import Entry, Sink, Trail
from lakelight.clock import SystemClock
from lakelight.storage import Database

async def main():
    trail = Trail(Database(Path(sys.argv[1])), Sink(key=b"k" * 32, names=frozenset()), SystemClock())
    for count in range(10):
        await trail.record(Entry(event="write.done", actor="ai", source="executor", fields={"count": count}))

asyncio.run(main())
"""


@pytest.mark.slow
def test_several_processes_that_write_at_once_make_one_chain(state: State) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE_TEN, str(state.database.file)]) for _ in range(2)
    ]

    assert [writer.wait(timeout=50) for writer in writers] == [0, 0]
    assert verify(state.events()) == 20


def test_a_storage_error_is_not_a_trail_error() -> None:
    """The trail's own error is for what the trail could not do; a caller's transaction keeps its own."""
    assert not issubclass(StorageError, TrailError)
