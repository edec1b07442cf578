"""Several tickets at once, and kills wherever they happen to fall."""

import random
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def at(number: int, fate: str) -> Callable[[Any], str]:
    return lambda request: fate if request.number == number else "pass"


def test_twelve_kills_over_eight_tickets_lose_nothing_and_repeat_nothing(stage: Any) -> None:
    chance = random.Random(20260311)
    stage.open_ledger()
    pages = [stage.add_ticket(f"任务 {n}") for n in range(8)]

    while stage.kills < 12:
        if all(stage.state(page) == "done" for page in pages):
            pages.append(stage.add_ticket(f"任务 {len(pages)}"))
        stage.up(at(chance.randint(3, 14), chance.choice(["kill_before", "kill_after"])))
    stage.until_done(*pages)

    assert sorted(stage.check_done(page) for page in pages) == list(range(1, len(pages) + 1))
    stage.check_sends(exact=False)
    stage.check_trail()
