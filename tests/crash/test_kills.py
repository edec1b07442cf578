"""Killed at every request and at every commit of one ticket: nothing is lost and nothing is done twice."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def at(number: int, fate: str) -> Callable[[Any], str]:
    return lambda request: fate if request.number == number else "pass"


def test_an_undisturbed_ticket_is_what_the_others_are_measured_by(
    stage: Any, record_property: Callable[[str, object], None]
) -> None:
    stage.open_ledger()
    page = stage.add_ticket()

    run = stage.up(announced=True)

    assert stage.check_done(page) == 1
    stage.check_sends()
    verified = stage.verify_trail()
    assert (verified["holds"], verified["events"]) == (True, stage.check_trail())
    requests = [(request.method, request.writes) for request in stage.proxy.counted]
    assert requests.count(("PATCH", True)) == 3
    record_property("requests", len(requests))
    record_property("commits", run.commits)
    print(f"one ticket: {len(requests)} requests, {run.commits} commits")


def test_a_kill_before_any_request_arrives_leaves_one_receipt(stage: Any) -> None:
    stage.open_ledger()
    writes = 0

    for number in itertools.count(1):
        page = stage.add_ticket()
        if not stage.up(at(number, "kill_before")).killed:
            break
        writes += stage.proxy.counted[-1].writes
        stage.until_done(page)
        stage.check_done(page)

    # The one that was not killed any more made one request less.
    stage.check_done(page)
    assert len(stage.proxy.counted) == number - 1 == stage.kills
    assert number - 1 >= 12
    assert writes >= 3
    stage.check_sends(exact=False)
    stage.check_trail()
    print(f"{stage.kills} kills, at each of {number - 1} requests")


def test_a_kill_after_any_write_was_stored_leaves_one_receipt(stage: Any) -> None:
    stage.open_ledger()

    # A read that was answered to nobody is the same as one that never arrived.
    for number in itertools.count(1):
        page = stage.add_ticket()
        if not stage.up(stage.at_write(number, "kill_after")).killed:
            break
        assert stage.proxy.counted[-1].stored
        stage.until_done(page)
        stage.check_done(page)

    stage.check_done(page)
    assert stage.kills == number - 1 == 3
    stage.check_sends()
    stage.check_trail()
    print(f"{stage.kills} kills, at each of {number - 1} writes")


# What a commit left is there as well before the next one: with what was sent in between, or without where
# the request that follows is killed. So those after a commit are only sampled.
@pytest.mark.parametrize(("moment", "step"), [("before", 1), ("after", 4)])
def test_a_kill_at_any_commit_leaves_one_receipt(stage: Any, moment: str, step: int) -> None:
    stage.open_ledger()

    for number in itertools.count(1, step):
        page = stage.add_ticket()
        run = stage.up(kill_at=f"{moment} {number}")
        if not run.killed:
            break
        stage.until_done(page)
        stage.check_done(page)

    stage.check_done(page)
    assert number - step <= run.commits < number
    assert stage.kills == (number - 1) // step
    assert run.commits >= 15
    stage.check_sends(exact=False)
    stage.check_trail()
    print(f"{moment}: {stage.kills} kills in {run.commits} commits")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_of_the_first_start_leaves_a_home_that_works(stage: Any, moment: str) -> None:
    for number in itertools.count(1):
        stage.move()
        if not stage.up(kill_at=f"{moment} {number}").killed:
            break
        assert stage.up().child.status == 0

    page = stage.add_ticket()
    stage.until_done(page)

    assert number - 1 == stage.kills
    assert stage.kills >= 4
    assert stage.check_done(page) == 1
    stage.check_sends()
    print(f"{moment}: {stage.kills} kills, at each of {number - 1} commits of a first start")
