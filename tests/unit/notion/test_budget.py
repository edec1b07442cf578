"""The shared budget: what it lets through in a minute, and who it holds up."""

import asyncio
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.errors import StorageError
from lakelight.notion import NotionLimited
from lakelight.notion.budget import SharedBudget

NOTION = "https://api.notion.com"


class Waits:
    """A clock whose waits pass at once."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 30, 8, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    async def sleep(self, wait: timedelta) -> None:
        self._now += wait
        await asyncio.sleep(0)

    def set_back(self, by: timedelta) -> None:
        self._now -= by


async def grants(budget: SharedBudget, clock: Waits, number: int) -> list[float]:
    times = []
    for _ in range(number):
        await budget.acquire()
        times.append(clock.now().timestamp())
    return times


def most_in_a_minute(times: list[float]) -> int:
    return max(sum(1 for other in times if time <= other < time + 60) for time in times)


async def test_no_minute_holds_more_than_allowed_and_hardly_less(tmp_path: Path) -> None:
    clock = Waits()
    one, other = (
        SharedBudget(tmp_path / "budget.db", "token", base_url=NOTION, clock=clock) for _ in range(2)
    )

    times = [time for budget in [one, other] * 450 for time in await grants(budget, clock, 1)]

    assert most_in_a_minute(times) <= 180
    assert len(times) / ((times[-1] - times[0]) / 60) >= 0.9 * 180
    one.close()
    other.close()


@settings(max_examples=20, deadline=None)
@given(
    per_minute=st.integers(2, 30),
    burst=st.integers(1, 40),
    gaps=st.lists(st.floats(0, 90), min_size=1, max_size=60),
)
async def test_no_minute_holds_more_than_allowed_whatever_the_traffic(
    tmp_path_factory: pytest.TempPathFactory, per_minute: int, burst: int, gaps: list[float]
) -> None:
    clock = Waits()
    path = tmp_path_factory.mktemp("budget") / "budget.db"
    budget = SharedBudget(path, "token", base_url=NOTION, clock=clock, per_minute=per_minute, burst=burst)
    times = []

    for gap in gaps:
        await clock.sleep(timedelta(seconds=gap))
        times += await grants(budget, clock, 2)

    assert most_in_a_minute(times) <= per_minute
    budget.close()


async def test_a_burst_goes_at_once(tmp_path: Path) -> None:
    clock = Waits()
    budget = SharedBudget(tmp_path / "budget.db", "token", base_url=NOTION, clock=clock, burst=20)

    times = await grants(budget, clock, 20)

    assert times == [clock.now().timestamp()] * 20
    budget.close()


async def test_tokens_share_the_file_and_not_the_budget(tmp_path: Path) -> None:
    clock = Waits()
    mine, yours = (
        SharedBudget(tmp_path / "budget.db", token, base_url=NOTION, clock=clock) for token in ("a", "b")
    )
    start = clock.now()

    await mine.pause(50)
    await yours.acquire()

    assert clock.now() == start
    mine.close()
    yours.close()


async def test_what_one_server_asks_of_a_token_holds_for_no_other(tmp_path: Path) -> None:
    clock = Waits()
    notion, same, other = (
        SharedBudget(tmp_path / "budget.db", "token", base_url=url, clock=clock)
        for url in (NOTION, f"{NOTION}/v1/", "http://127.0.0.1:1")
    )
    start = clock.now()

    await notion.pause(50)
    await other.acquire()
    at_the_other = clock.now() - start
    await same.acquire()

    assert at_the_other == timedelta()
    assert (clock.now() - start).total_seconds() == pytest.approx(50, abs=0.01)
    for budget in (notion, same, other):
        budget.close()


async def test_whoever_waits_is_told_for_how_long(tmp_path: Path) -> None:
    clock, told = Waits(), list[float]()
    budget = SharedBudget(tmp_path / "budget.db", "token", base_url=NOTION, clock=clock, on_wait=told.append)

    await budget.acquire()
    await budget.pause(50)
    await budget.acquire()

    assert told == [pytest.approx(50, abs=0.01)]
    budget.close()


async def test_the_longest_pause_counts(tmp_path: Path) -> None:
    clock = Waits()
    budget = SharedBudget(tmp_path / "budget.db", "token", base_url=NOTION, clock=clock)
    start = clock.now()

    await budget.pause(50)
    await budget.pause(10)
    await budget.acquire()

    assert (clock.now() - start).total_seconds() == pytest.approx(50, abs=0.01)
    budget.close()


async def test_nobody_is_made_to_wait_for_a_very_long_pause(tmp_path: Path) -> None:
    clock = Waits()
    budget = SharedBudget(tmp_path / "budget.db", "token", base_url=NOTION, clock=clock)

    await budget.pause(900)
    with pytest.raises(NotionLimited) as caught:
        await budget.acquire()

    assert caught.value.retry_after == pytest.approx(900, abs=0.01)
    budget.close()


async def test_a_clock_set_back_holds_nobody_up_for_longer_than_a_minute(tmp_path: Path) -> None:
    clock = Waits()
    budget = SharedBudget(
        tmp_path / "budget.db", "token", base_url=NOTION, clock=clock, per_minute=10, burst=10
    )
    await grants(budget, clock, 10)

    clock.set_back(timedelta(hours=5))
    start = clock.now()
    await budget.acquire()

    assert clock.now() - start < timedelta(seconds=62)
    budget.close()


async def test_the_file_is_its_owners_alone_and_holds_no_token(tmp_path: Path) -> None:
    path = tmp_path / "home" / "budget.db"
    budget = SharedBudget(path, "ntn_secret", base_url=NOTION, clock=Waits())

    await budget.acquire()
    files = list(path.parent.iterdir())

    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert not any(b"ntn_secret" in file.read_bytes() for file in files)
    budget.close()


async def test_a_file_that_is_no_database_is_a_storage_error(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    path.write_bytes(b"not a database at all" * 100)

    with pytest.raises(StorageError):
        await SharedBudget(path, "token", base_url=NOTION, clock=Waits()).acquire()
