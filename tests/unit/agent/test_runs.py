"""A run is queued, worked on, waits and ends; each job is asked for with the row that needs it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from sqlalchemy.exc import IntegrityError

from lakelight.agent import Run, Runs
from lakelight.jobs import Advance
from lakelight.storage import Connection, Database, migrate


class Queue:
    """Keeps what was asked for."""

    def __init__(self) -> None:
        self.jobs: list[tuple[str, str]] = []

    def enqueue(self, connection: Connection, job_id: str, run_id: str) -> None:
        self.jobs.append((job_id, run_id))

    async def start(self, advance: Advance) -> None:
        raise AssertionError

    async def stop(self) -> None:
        raise AssertionError

    async def live(self) -> frozenset[str]:
        raise AssertionError


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 8, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


queue = Queue()
clock = Clock()


@pytest.fixture
def runs() -> Runs:
    queue.jobs.clear()
    clock.time = datetime(2026, 11, 30, 8, tzinfo=UTC)
    return Runs(queue, clock)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    with database.transaction() as connection:
        for page in ("page-1", "page-2"):
            connection.exec_driver_sql(
                "INSERT INTO tickets (page_id, number, title, url, state, content_hash, stamp, created_at, updated_at)"
                " VALUES (?, '', '', '', 'queued', '', '', '', '')",
                (page,),
            )
        yield connection
    database.close()


def started(runs: Runs, connection: Connection, page_id: str = "page-1") -> Run:
    run = runs.get(connection, runs.start(connection, page_id, "A02"))
    assert run is not None
    return run


def test_a_run_starts_queued_with_its_first_job(runs: Runs, connection: Connection) -> None:
    run = started(runs, connection)

    assert run == Run(
        id=run.id,
        kind="ticket",
        page_id="page-1",
        session_id="",
        agent="A02",
        owner="",
        state="queued",
        reason="",
        facts={},
        job_id=f"{run.id}.1",
        tries=0,
        due_at=None,
    )
    assert queue.jobs == [(f"{run.id}.1", run.id)]


def test_a_ticket_has_one_run_at_a_time(runs: Runs, connection: Connection) -> None:
    started(runs, connection)

    with pytest.raises(IntegrityError):
        runs.start(connection, "page-1", "A02")


def test_a_ticket_whose_run_is_over_can_have_another(runs: Runs, connection: Connection) -> None:
    runs.finish(connection, started(runs, connection).id, "failed")

    assert started(runs, connection).state == "queued"


def test_a_run_waits_until_it_is_due(runs: Runs, connection: Connection) -> None:
    run = started(runs, connection)
    due_at = clock.time + timedelta(minutes=1)
    runs.work(connection, run.id)
    runs.wait(connection, run.id, "unreachable", {"cause": "断开", "at": clock.time}, due_at)

    assert runs.get(connection, run.id) == replace(
        run,
        state="waiting",
        reason="unreachable",
        facts={"cause": "断开", "at": str(clock.time)},
        tries=1,
        due_at=due_at,
    )
    assert runs.due(connection) == []
    clock.time = due_at
    assert [due.id for due in runs.due(connection)] == [run.id]


def test_a_run_that_waits_for_a_person_is_never_due(runs: Runs, connection: Connection) -> None:
    run = started(runs, connection)
    runs.wait(connection, run.id, "approval", {"approval": 7}, None)
    clock.time += timedelta(days=3650)

    assert runs.due(connection) == []


def test_each_further_job_has_a_number_of_its_own(runs: Runs, connection: Connection) -> None:
    run = started(runs, connection)
    runs.wait(connection, run.id, "unreachable", {}, clock.time)
    runs.again(connection, run.id)
    runs.again(connection, run.id)

    again = runs.get(connection, run.id)
    assert again is not None
    assert (again.state, again.job_id, again.due_at) == ("queued", f"{run.id}.3", None)
    assert queue.jobs == [(f"{run.id}.{number}", run.id) for number in (1, 2, 3)]


@pytest.mark.parametrize("state", ["done", "failed", "dropped"])
def test_a_run_that_is_over_stays_over(
    runs: Runs, connection: Connection, state: Literal["done", "failed", "dropped"]
) -> None:
    run = started(runs, connection)
    runs.finish(connection, run.id, state, "why", {"n": 1})
    over = runs.get(connection, run.id)

    assert runs.work(connection, run.id) is None
    runs.again(connection, run.id)
    runs.wait(connection, run.id, "later", {}, clock.time)
    runs.finish(connection, run.id, "done", "otherwise")

    assert over == replace(run, state=state, reason="why", facts={"n": 1})
    assert over.over
    assert runs.get(connection, run.id) == over
    assert len(queue.jobs) == 1


def test_working_on_a_run_twice_is_working_on_it(runs: Runs, connection: Connection) -> None:
    run = started(runs, connection)

    assert runs.work(connection, run.id) == runs.work(connection, run.id) == replace(run, state="working")


def test_an_unknown_run_is_none(runs: Runs, connection: Connection) -> None:
    runs.again(connection, "run_x")

    assert runs.get(connection, "run_x") is None
    assert runs.work(connection, "run_x") is None
    assert queue.jobs == []


def test_unfinished_runs_are_found_by_state(runs: Runs, connection: Connection) -> None:
    one = started(runs, connection, "page-1")
    other = started(runs, connection, "page-2")
    runs.work(connection, other.id)

    assert [run.id for run in runs.unfinished(connection, "queued", "working")] == sorted([one.id, other.id])
    assert [run.id for run in runs.unfinished(connection, "working")] == [other.id]
    assert runs.unfinished(connection, "waiting") == []
