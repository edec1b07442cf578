"""Two processes on one home: the second is told so, and nothing happens twice."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def wait_for(reached: Callable[[], bool], child: Any) -> None:
    while not reached():
        assert not child.ended.is_set(), child.output
        time.sleep(0.02)


def start(stage: Any) -> subprocess.Popen[str]:
    """The command as a person types it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "lakelight", "up", "--once", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=stage.whole_environment,
    )


def test_a_second_process_on_a_home_is_refused_and_the_first_goes_on(stage: Any) -> None:
    stage.open_ledger()
    stage.settings["LAKELIGHT_TICKETS__POLL_SECONDS"] = "0.5"
    seen = len(stage.proxy.seen)
    first = stage.nursery.start("up", environment=stage.environment)
    wait_for(lambda: any(r.path.endswith("/query") for r in stage.proxy.seen[seen:]), first)

    second = start(stage)
    _, told = second.communicate(timeout=60)
    page = stage.add_ticket()
    wait_for(lambda: stage.state(page) == "done", first)
    first.kill()

    assert second.returncode == 1
    assert str(first.pid) in told
    assert "Traceback" not in told
    assert stage.check_done(page) == 1
    stage.check_sends()
    stage.check_trail()


def test_two_processes_that_start_at_once_leave_one_receipt(stage: Any) -> None:
    stage.open_ledger()
    page = stage.add_ticket()

    both = [start(stage), start(stage)]
    told = [process.communicate(timeout=60)[1] for process in both]

    # The second is refused, or comes when the first is done.
    assert sorted(process.returncode for process in both) in ([0, 1], [0, 0]), told
    assert stage.check_done(page) == 1
    stage.check_sends()
    stage.check_trail()
