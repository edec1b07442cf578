"""Killed at every request and at every commit of one chat write: it is there once, and told as it was.

Whoever comes to the command line next takes over what was left. What was killed before it was taken down
was never asked; everything else is seen through.
"""

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
    """There once and told as done, if it was asked at all."""
    caller, words = write.caller, write.words(name)
    if not caller.begun(words):
        assert write.there(name, prepared) == 0
        return
    assert write.there(name, prepared) == 1
    (reply,) = caller.replies_to(words)
    assert [effect["kind"] for effect in reply["done"]] == [write.kind]
    assert reply["ending"] == "done"
    assert reply["failed"] == reply["waiting"] == reply["stopped"] == []


def undisturbed(write: Write) -> tuple[int, int, Iterator[str]]:
    """How many requests it makes up to its write, how many commits; and the names that are left."""
    # The first command of all makes the state, and does more than any other.
    write.caller.recover()
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
    # What is read before the write is prepared is the same for every kind.
    first = 1 if write.kind == "block.append" else requests - 3

    for number in range(first, requests + 1):
        name = next(left)
        prepared = write.prepare(name)
        ended = write.caller.call("ask", write.words(name), "--json", fate=at(number, fate))
        assert ended.killed
        write.caller.recover()
        check(write, name, prepared)

    write.caller.check()


def test_a_kill_at_any_commit_leaves_one_write(write: Write) -> None:
    """Just before a commit is just after the one before, but for the requests, which have their own test."""
    _, commits, left = undisturbed(write)
    first = 1 if write.kind == "block.append" else commits - 5

    for number in range(first, commits + 1):
        name = next(left)
        prepared = write.prepare(name)
        ended = write.caller.call("ask", write.words(name), "--json", kill_at=f"after {number}")
        assert ended.killed
        write.caller.recover()
        check(write, name, prepared)

    write.caller.check()
