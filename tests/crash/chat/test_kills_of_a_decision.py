"""A decision whose command is killed at any request or commit: what was approved is done once.

Killed before the decision was kept, it does not count and can be made again; killed after, whoever comes
next carries it out.
"""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WORDS = [
    f"{one}{other}"
    for one in ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "ivory", "jetty")
    for other in ("ridge", "field", "water", "stone")
]
"""None of them is a part of another, so that no title can be taken for another."""


_FIRST = 3
"""The two requests before this one ask whose token it is; nothing is decided yet."""


def at(number: int, fate: str) -> Callable[[Any], str]:
    return lambda request: fate if request.number == number else "pass"


def approve(caller: Any, name: str, **fate: Any) -> Any:
    """Approve the archive of `name`, killed on the way."""
    (number,) = caller.stage.query(
        "SELECT number FROM approvals WHERE state = 'pending' AND preview ->> 'title' = ?", name
    )[0]
    return caller.call("approvals", "approve", f"A-{number}", "--json", **fate)


def archive_and_kill(caller: Any, name: str, **fate: Any) -> bool:
    """Ask for an archive, approve it, kill that, and see it through; whether it was killed."""
    page = caller.stage.workspace.add_page(name, ["words"])
    words = f"archive the page {name}"
    assert caller.call("ask", words, "--json").code == 5
    ended = approve(caller, name, **fate)
    caller.recover()
    if not caller.trashed(page):
        # Killed before the decision was kept, so that it does not count.
        assert approve(caller, name).code == 0
    assert caller.trashed(page)
    (reply,) = caller.replies_to(words)
    assert [effect["kind"] for effect in reply["done"]] == ["page.archive"]
    assert reply["ending"] == "done"
    return bool(ended.killed)


@pytest.mark.parametrize("fate", ["kill_before", "kill_after"])
def test_a_kill_at_any_request_of_an_approval_archives_once(caller: Any, fate: str) -> None:
    left = iter(WORDS)

    kills = sum(
        itertools.takewhile(
            bool,
            (
                archive_and_kill(caller, next(left), fate=at(number, fate))
                for number in itertools.count(_FIRST)
            ),
        )
    )

    assert kills >= 3
    states = caller.stage.query("SELECT state, count(*) FROM approvals GROUP BY state")
    assert states == [("used", kills + 1)]
    caller.check()


def test_a_kill_at_any_commit_of_an_approval_archives_once(caller: Any) -> None:
    left = iter(WORDS)

    kills = sum(
        itertools.takewhile(
            bool,
            (
                archive_and_kill(caller, next(left), kill_at=f"after {number}")
                for number in itertools.count(1)
            ),
        )
    )

    assert kills >= 5
    assert caller.stage.query("SELECT DISTINCT state FROM approvals") == [("used",)]
    caller.check()
