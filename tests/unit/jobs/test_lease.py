"""One worker a state, and a worker that died is none."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lakelight.jobs import AlreadyRunning, Lease, Owners

HOLD = """
import sys, time
from pathlib import Path
from lakelight.jobs import Lease
lease = Lease(Path(sys.argv[1]))
lease.take()
print("held", flush=True)
time.sleep(600)
"""


def test_a_lease_is_held_by_one_and_the_other_is_told_by_whom(tmp_path: Path) -> None:
    mine, other = Lease(tmp_path / "lock"), Lease(tmp_path / "lock")
    mine.take()

    with pytest.raises(AlreadyRunning) as caught:
        other.take()

    assert caught.value.facts == {"pid": str(os.getpid())}


def test_a_lease_that_was_dropped_can_be_taken(tmp_path: Path) -> None:
    mine, other = Lease(tmp_path / "lock"), Lease(tmp_path / "lock")
    mine.take()
    mine.drop()
    mine.drop()
    other.take()

    with pytest.raises(AlreadyRunning):
        mine.take()


def test_who_was_refused_may_try_again_and_drops_nothing_of_the_holders(tmp_path: Path) -> None:
    mine, other = Lease(tmp_path / "lock"), Lease(tmp_path / "lock")
    mine.take()
    for _ in range(3):
        with pytest.raises(AlreadyRunning):
            other.take()
        other.drop()

    mine.drop()
    other.take()


def test_a_longer_number_from_before_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("99999999999999999999")
    mine = Lease(tmp_path / "lock")
    mine.take()

    assert (tmp_path / "lock").read_text() == str(os.getpid())


@pytest.mark.slow
def test_a_process_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(AlreadyRunning) as caught:
        Lease(tmp_path / "lock").take()
    assert caught.value.facts == {"pid": str(holder.pid)}

    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=30)
    holder.stdout.close()

    Lease(tmp_path / "lock").take()


def test_an_owner_is_alive_while_it_has_joined(tmp_path: Path) -> None:
    mine, other = Owners(tmp_path / "state.db"), Owners(tmp_path / "state.db")
    assert not other.alive(mine.me)

    mine.join()
    mine.join()
    assert (mine.alive(mine.me), other.alive(mine.me)) == (True, True)

    mine.leave()
    assert (mine.alive(mine.me), other.alive(mine.me)) == (False, False)
    assert list(tmp_path.iterdir()) == []


def test_what_a_dead_owner_left_is_removed(tmp_path: Path) -> None:
    mine = Owners(tmp_path / "state.db")
    (tmp_path / "state.db.owner-own_dead").touch()

    assert not mine.alive("own_dead")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "../state.db", "own_/x", "own.1"])
def test_a_name_that_is_none_is_nobody_alive(tmp_path: Path, name: str) -> None:
    (tmp_path / "state.db").touch()

    assert not Owners(tmp_path / "state.db").alive(name)
    assert (tmp_path / "state.db").exists()
