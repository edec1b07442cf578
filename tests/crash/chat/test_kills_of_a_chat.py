"""Killed at every request and at every commit of one chat write: it is there once, and told as it was.

Whoever comes to the command line next takes over what was left. What was killed before it was taken down
was never asked; everything else is seen through.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WORDS = [
    f"{one}{other}"
    for one in ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "ivory", "jetty")
    for other in ("ridge", "field", "water", "stone")
]
"""None of them is a part of another, so that no title can be taken for another."""


@dataclass
class Write:
    """One request that writes, to be made again and again under other names."""

    caller: Any
    prepare: Callable[[str], str]
    words: Callable[[str], str]
    there: Callable[[str, str], int]
    """How often it stands in the workspace: by name and by what was prepared."""
    kind: str


def append(caller: Any) -> Write:
    page = caller.stage.workspace.add_page("Journal", ["first"])
    return Write(
        caller,
        prepare=lambda _name: page,
        words=lambda name: f"append to the page Journal: line {name}",
        there=lambda name, page: caller.lines(page).count(f"line {name}"),
        kind="block.append",
    )


def create(caller: Any) -> Write:
    return Write(
        caller,
        prepare=lambda _name: "",
        words=lambda name: f"create a page called {name} in Library",
        there=lambda name, _page: caller.titles().count(name),
        kind="page.create",
    )


def update(caller: Any) -> Write:
    return Write(
        caller,
        prepare=caller.row,
        words=lambda name: f"set Area of {name} to Plans",
        there=lambda _name, page: int(caller.area(page) == "Plans"),
        kind="page.properties.update",
    )


WRITES = {"append": append, "create": create, "update": update}


@pytest.fixture(params=WRITES)
def write(request: pytest.FixtureRequest, caller: Any) -> Write:
    return WRITES[request.param](caller)


def at(number: int, fate: str) -> Callable[[Any], str]:
    return lambda request: fate if request.number == number else "pass"


def check(write: Write, name: str, prepared: str) -> None:
    """There once if it was asked at all, and told as done; asked for again if it was not."""
    caller, words = write.caller, write.words(name)
    if not caller.begun(words):
        assert write.there(name, prepared) == 0
        assert caller.call("ask", words, "--json").code == 0
    assert write.there(name, prepared) == 1
    (reply,) = caller.replies_to(words)
    assert [effect["kind"] for effect in reply["done"]] == [write.kind]
    assert reply["ending"] == "done"
    assert reply["failed"] == reply["waiting"] == reply["stopped"] == []


def undisturbed(write: Write) -> tuple[int, int, Iterator[str]]:
    """How many requests it makes up to its write, how many commits; and the names that are left."""
    left = iter(WORDS)
    name = next(left)
    prepared = write.prepare(name)
    done = write.caller.call("ask", write.words(name), "--json", announced=True)
    assert done.code == 0, done.child.output
    check(write, name, prepared)
    counted = [request.writes for request in write.caller.stage.proxy.counted]
    assert counted.count(True) == 1
    return done.requests, done.commits, left


@pytest.mark.parametrize("fate", ["kill_before", "kill_after"])
def test_a_kill_at_any_request_leaves_one_write(write: Write, fate: str) -> None:
    requests, _, left = undisturbed(write)
    killed = 0

    for number in range(1, requests + 2):
        name = next(left)
        prepared = write.prepare(name)
        ended = write.caller.call("ask", write.words(name), "--json", fate=at(number, fate))
        killed += ended.killed
        write.caller.recover()
        check(write, name, prepared)

    assert killed >= requests - 1
    write.caller.check()
    print(f"{write.kind}, {fate}: {killed} kills")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_leaves_one_write(write: Write, moment: str) -> None:
    _, commits, left = undisturbed(write)
    killed = 0

    for number in range(1, commits + 1):
        name = next(left)
        prepared = write.prepare(name)
        ended = write.caller.call("ask", write.words(name), "--json", kill_at=f"{moment} {number}")
        killed += ended.killed
        write.caller.recover()
        check(write, name, prepared)

    assert killed >= commits - 2
    write.caller.check()
    print(f"{write.kind}, {moment}: {killed} kills")


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
            (archive_and_kill(caller, next(left), fate=at(number, fate)) for number in itertools.count(1)),
        )
    )

    assert kills >= 5
    states = caller.stage.query("SELECT state, count(*) FROM approvals GROUP BY state")
    assert states == [("used", kills + 1)]
    caller.check()
    print(f"approve, {fate}: {kills} kills")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_of_an_approval_archives_once(caller: Any, moment: str) -> None:
    left = iter(WORDS)

    kills = sum(
        itertools.takewhile(
            bool,
            (
                archive_and_kill(caller, next(left), kill_at=f"{moment} {number}")
                for number in itertools.count(1)
            ),
        )
    )

    assert kills >= 5
    assert caller.stage.query("SELECT DISTINCT state FROM approvals") == [("used",)]
    caller.check()
    print(f"approve, {moment}: {kills} kills")
