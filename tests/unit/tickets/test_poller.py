"""What a poll asks Notion for, and whom it tells."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.agent import Silent
from lakelight.notion import NotionUnreachable
from lakelight.notion.schema import Column
from lakelight.storage import Database, migrate
from lakelight.tickets.columns import Mapped
from lakelight.tickets.poller import Poller
from lakelight.tickets.source import Source, StatusWords

START = datetime(2026, 11, 30, 8, 0, 30, tzinfo=UTC)
BY_STATUS = {"property": "stat", "status": {"equals": "待开发"}}


def source(status: str = "status") -> Source:
    column = Column(name="状态", id="stat", type=status, options=("待开发", "已完成"))
    return Source(
        data_source_id="tickets",
        title="工单",
        mapped=Mapped(columns={"status": column}),
        words=StatusWords(ready="待开发"),
    )


def since(moment: datetime) -> dict[str, Any]:
    text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"timestamp": "last_edited_time", "last_edited_time": {"on_or_after": text}}


class Clock:
    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        return self.time

    async def sleep(self, wait: timedelta) -> None:
        self.time += wait


class Rows:
    """A data source that answers every query with `pages`, and keeps the filters."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.pages: list[dict[str, Any]] = []
        self.asked: list[Mapping[str, Any]] = []
        self.reachable = True

    async def query(
        self, data_source_id: str, condition: Mapping[str, Any], sorts: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        assert data_source_id == "tickets"
        assert sorts
        if not self.reachable:
            raise NotionUnreachable("no connection")
        self.asked.append(condition)
        for page in self.pages:
            yield page

    def now(self) -> datetime:
        return self.clock.time


class Taker:
    """Stands in for the dispatcher, and keeps what it is handed."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    async def take(self, source: Source, page: Mapping[str, Any], *, asked: bool = False) -> str:
        self.taken.append(str(page["id"]))
        return "started"

    async def asked_again(self) -> list[str]:
        return []

    async def end_first_look(self) -> None:
        pass


class Bench:
    """A poller with everything it needs; `restart` leaves the state."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = Clock()
        self.rows = Rows(self.clock)
        self.taker = Taker()
        self.restart()

    def restart(self) -> None:
        # The workspace and the dispatcher answer what is asked of them here, and no more of their ports.
        rest: Any = {"reader": self.rows, "dispatcher": self.taker, "runs": None, "jobs": None}
        self.poller = Poller(
            **rest,
            database=self.database,
            clock=self.clock,
            progress=Silent(),
            full_every=timedelta(minutes=15),
        )

    async def poll(self, status: str = "status") -> list[Mapping[str, Any]]:
        """Poll once; the filters that were sent."""
        self.rows.asked.clear()
        await self.poller.poll(source(status))
        return list(self.rows.asked)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    database = Database(tmp_path / "state.db")
    migrate(database)
    yield Bench(database)
    database.close()


@pytest.mark.parametrize("status", ["status", "select"])
async def test_the_first_poll_asks_for_ready_tickets_by_the_type_of_their_column(
    bench: Bench, status: str
) -> None:
    first, _ = await bench.poll(status)

    assert first == {"property": "stat", status: {"equals": "待开发"}}


async def test_later_polls_ask_for_what_was_edited_since_two_minutes_before_the_last(bench: Bench) -> None:
    await bench.poll()
    bench.clock.time += timedelta(seconds=30)

    second = await bench.poll()
    bench.clock.time += timedelta(seconds=30)
    third = await bench.poll()

    minute = START.replace(second=0)
    assert second == [since(minute - timedelta(minutes=2))]
    assert third == [since(minute - timedelta(minutes=1))]


async def test_a_full_look_comes_again_after_a_quarter_of_an_hour(bench: Bench) -> None:
    await bench.poll()
    bench.clock.time += timedelta(minutes=15)

    again = await bench.poll()

    assert again == [BY_STATUS, since(START.replace(second=0) - timedelta(minutes=2))]


async def test_every_page_of_an_answer_is_handed_on(bench: Bench) -> None:
    await bench.poll()
    bench.rows.pages = [
        {"id": "a", "last_edited_time": "2026-11-30T08:00:00.000Z"},
        {"id": "b", "last_edited_time": "2026-11-30T08:01:00.000Z"},
    ]

    await bench.poll()

    assert bench.taker.taken == ["a", "b"]


async def test_after_a_restart_it_goes_on_from_where_it_was(bench: Bench) -> None:
    await bench.poll()
    bench.clock.time += timedelta(hours=3)
    bench.restart()

    _, edited = await bench.poll()

    assert edited == since(START.replace(second=0) - timedelta(minutes=2))


async def test_a_poll_that_fails_leaves_its_place(bench: Bench) -> None:
    await bench.poll()
    bench.clock.time += timedelta(minutes=5)
    bench.rows.reachable = False
    with pytest.raises(NotionUnreachable):
        await bench.poll()
    bench.rows.reachable = True

    assert await bench.poll() == [since(START.replace(second=0) - timedelta(minutes=2))]
