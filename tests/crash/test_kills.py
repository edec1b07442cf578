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
    stage.check_trail()
    requests = [(request.method, request.writes) for request in stage.proxy.counted]
    assert requests.count(("PATCH", True)) == 3
    record_property("requests", len(requests))
    record_property("commits", run.commits)
    print(f"one ticket: {len(requests)} requests, {run.commits} commits")


@pytest.mark.parametrize("fate", ["kill_before", "kill_after"])
def test_a_kill_at_any_request_leaves_one_receipt(stage: Any, fate: str) -> None:
    stage.open_ledger()
    writes = 0

    for number in itertools.count(1):
        page = stage.add_ticket()
        if not stage.up(at(number, fate)).killed:
            break
        writes += stage.proxy.counted[-1].writes
        stage.until_done(page)
        stage.check_done(page)

    # The one that was not killed any more: its last request came before number `number`.
    stage.check_done(page)
    assert len(stage.proxy.counted) == number - 1 == stage.kills
    assert number - 1 >= 12
    assert writes >= 3
    stage.check_sends(exact=False)
    stage.check_trail()
    print(f"{fate}: {stage.kills} kills, at each of {number - 1} requests")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_leaves_one_receipt(stage: Any, moment: str) -> None:
    stage.open_ledger()

    for number in itertools.count(1):
        page = stage.add_ticket()
        run = stage.up(kill_at=f"{moment} {number}")
        if not run.killed:
            break
        stage.until_done(page)
        stage.check_done(page)

    stage.check_done(page)
    assert run.commits == number - 1 == stage.kills
    assert number - 1 >= 15
    stage.check_sends(exact=False)
    stage.check_trail()
    print(f"{moment}: {stage.kills} kills, at each of {number - 1} commits")
