"""A job stands and falls with its row, runs once, and outlives the process that carried it."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from lakelight.jobs import Advance, AlreadyRunning
from lakelight.jobs.dbos_jobs import DbosJobs
from lakelight.storage import Database, migrate

# DBOS is one to a process, so these tests take turns.
pytestmark = pytest.mark.xdist_group("dbos")

WORK = """
import asyncio, sys
from pathlib import Path
from lakelight.jobs.dbos_jobs import DbosJobs
from lakelight.storage import Database, migrate

async def hang(run_id):
    print(run_id, flush=True)
    await asyncio.sleep(600)

async def main():
    database = Database(Path(sys.argv[1]))
    migrate(database)
    jobs = DbosJobs(database, poll_seconds=0.05, at_once=1)
    jobs.prepare()
    await jobs.start(hang)
    with database.transaction() as connection:
        for number in (1, 2):
            jobs.enqueue(connection, f"run_{number}.1", f"run_{number}")
    await asyncio.sleep(600)

asyncio.run(main())
"""


def open_database(folder: Path) -> Database:
    database = Database(folder / "state.db")
    migrate(database)
    return database


@asynccontextmanager
async def working(database: Database, advance: Advance) -> AsyncIterator[DbosJobs]:
    jobs = DbosJobs(database, poll_seconds=0.05)
    jobs.prepare()
    try:
        await jobs.start(advance)
        yield jobs
    finally:
        await jobs.stop()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(50):
        while not condition():
            await asyncio.sleep(0.02)


async def idle(jobs: DbosJobs) -> None:
    async with asyncio.timeout(50):
        while await jobs.live():
            await asyncio.sleep(0.02)


async def test_a_job_runs_once_if_its_row_stands_and_never_if_it_does_not(tmp_path: Path) -> None:
    database = open_database(tmp_path)
    ran: list[str] = []

    async def advance(run_id: str) -> None:
        ran.append(run_id)

    async with working(database, advance) as jobs:
        with suppress(LookupError), database.transaction() as connection:
            jobs.enqueue(connection, "run_0.1", "run_0")
            raise LookupError
        with database.transaction() as connection:
            jobs.enqueue(connection, "run_1.1", "run_1")
            jobs.enqueue(connection, "run_1.1", "run_1")
        await until(lambda: bool(ran))
        await idle(jobs)
        with database.transaction() as connection:
            jobs.enqueue(connection, "run_1.1", "run_1")
            jobs.enqueue(connection, "run_1.2", "run_1")
        await until(lambda: len(ran) > 1)
        await idle(jobs)

    database.close()
    assert ran == ["run_1", "run_1"]


async def test_no_more_jobs_are_carried_at_once_than_set(tmp_path: Path) -> None:
    database = open_database(tmp_path)
    under_way: set[str] = set()
    most = 0
    go_on = asyncio.Event()

    async def advance(run_id: str) -> None:
        nonlocal most
        under_way.add(run_id)
        most = max(most, len(under_way))
        if most == 4:
            go_on.set()
        await go_on.wait()
        under_way.remove(run_id)

    async with working(database, advance) as jobs:
        with database.transaction() as connection:
            for number in range(12):
                jobs.enqueue(connection, f"run_{number}.1", f"run_{number}")
        await until(go_on.is_set)
        await idle(jobs)

    database.close()
    assert most == 4


async def test_a_job_that_fails_stops_neither_the_others_nor_the_worker(tmp_path: Path) -> None:
    database = open_database(tmp_path)
    ran: list[str] = []

    async def advance(run_id: str) -> None:
        ran.append(run_id)
        if run_id == "run_1":
            raise LookupError

    async with working(database, advance) as jobs:
        for number in (1, 2):
            with database.transaction() as connection:
                jobs.enqueue(connection, f"run_{number}.1", f"run_{number}")
        await until(lambda: {"run_1", "run_2"} <= set(ran))
        await idle(jobs)

    database.close()
    assert sorted(ran) == ["run_1", "run_2"]


@pytest.mark.slow
async def test_what_a_killed_worker_left_is_taken_up_at_the_next_start(tmp_path: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORK, str(tmp_path / "state.db")], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout is not None
    first = worker.stdout.readline().strip()
    assert first in {"run_1", "run_2"}

    database = open_database(tmp_path)
    with pytest.raises(AlreadyRunning) as caught:
        DbosJobs(database).prepare()
    assert caught.value.facts == {"pid": str(worker.pid)}

    worker.send_signal(signal.SIGKILL)
    worker.wait(timeout=30)
    worker.stdout.close()
    ran: list[str] = []

    async def advance(run_id: str) -> None:
        ran.append(run_id)

    async with working(database, advance) as jobs:
        await until(lambda: len(ran) > 1)
        await idle(jobs)

    database.close()
    assert sorted(ran) == ["run_1", "run_2"]
