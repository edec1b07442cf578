"""The process lives, but answers to its writes are lost: each write still happens once."""

from collections import Counter
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WRITES = 3
"""Pick-up, receipt, finish."""


class Losing:
    """Lets the n-th write of the n-th page come to `fate`, and every first write of the last page."""

    def __init__(self, fate: str, pages: list[str]) -> None:
        self._fate = fate
        self._pages = pages
        self._writes: Counter[str] = Counter()
        self._seen: set[tuple[str, bytes]] = set()
        self.lost: Counter[str] = Counter()

    def __call__(self, request: Any) -> str:
        page = next((page for page in self._pages if request.writes and page in request.path), None)
        if page is None:
            return "pass"
        first = (page, request.body) not in self._seen
        self._seen.add((page, request.body))
        self._writes[page] += first
        losing = page == self._pages[-1] or self._writes[page] == self._pages.index(page) + 1
        if first and losing:
            self.lost[page] += 1
            return self._fate
        return "pass"


@pytest.mark.parametrize("fate", ["drop", "html", "committed", "lost"])
def test_a_lost_answer_to_any_write_leaves_one_receipt(stage: Any, fate: str) -> None:
    stage.open_ledger()
    pages = [stage.add_ticket(f"任务 {n}") for n in range(WRITES + 1)]
    losing = Losing(fate, pages)

    stage.up(losing)
    stage.until_done(*pages)

    assert losing.lost == dict.fromkeys(pages[:-1], 1) | {pages[-1]: WRITES}
    assert sorted(stage.check_done(page) for page in pages) == [1, 2, 3, 4]
    stage.check_sends()
    stage.check_trail()


def test_a_write_that_is_stored_long_after_its_answer_was_given_up_is_not_repeated(stage: Any) -> None:
    stage.settings["LAKELIGHT_NOTION__SETTLE"] = "1.5"
    stage.open_ledger()
    pages = [stage.add_ticket(f"任务 {n}") for n in range(WRITES + 1)]
    losing = Losing("late", pages)

    stage.up(losing)
    stage.proxy.settle()
    stage.until_done(*pages)

    assert losing.lost == dict.fromkeys(pages[:-1], 1) | {pages[-1]: WRITES}
    assert sorted(stage.check_done(page) for page in pages) == [1, 2, 3, 4]
    stage.check_sends()
    stage.check_trail()
