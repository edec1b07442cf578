"""What a line typed into a chat means after what was asked and answered before it."""

from typing import Any

import pytest

from lakelight.agent.reply import Reply
from lakelight.cli.sitting import NoChoice, Page, Request, Sitting, put_in


def asked(words: str, *candidates: tuple[str, str, str], **facts: str) -> Sitting:
    """A sitting in which `words` came back with a question."""
    question: dict[str, Any] = {
        "key": "ask.which_page",
        "facts": facts,
        "candidates": [
            {"id": id_, "title": title, "type": type_, "url": ""} for id_, title, type_ in candidates
        ],
    }
    sitting = Sitting()
    sitting.heard(words, Reply(run_id="run_1", ending="asked", question=question))
    return sitting


PAGES = (("id-1", "Weekly plan", "page"), ("id-2", "Weekly plan", "page"))
OPTIONS = (("To do", "To do", "option"), ("Done", "Done", "option"))


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("exit", "exit"),
        ("Quit", "exit"),
        (" 退出。", "exit"),
        ("help", "help"),
        ("/help", "help"),
        ("?", "help"),
        ("？", "help"),
        ("帮助", "help"),
        ("undo", "undo"),
        ("撤销！", "undo"),
    ],
)
def test_a_command_of_the_chat_is_known_in_both_languages(line: str, command: str) -> None:
    assert Sitting().meaning(line) == command


@pytest.mark.parametrize(
    "line", ["exit the project", "help me read Docker notes", "undo the last change to X", "2"]
)
def test_what_only_begins_like_a_command_is_a_request(line: str) -> None:
    assert Sitting().meaning(line) == Request(line)


@pytest.mark.parametrize(
    ("words", "line", "meaning"),
    [
        ("archive Weekly plan", "2", Request("archive  id-2")),
        ("归档“Weekly plan”", "1", Request("归档 id-1")),
        ("append to weekly  PLAN: done", "2.", Request("append to  id-2 : done")),
        ("archive Weekly plan", "3", NoChoice(3, 2)),
        ("archive Weekly plan", "0", NoChoice(0, 2)),
        ("append “see Weekly plan” to Weekly plan", "1", Page("id-1", "Weekly plan")),
        ("search plans then archive it", "１", Page("id-1", "Weekly plan")),
        ("archive Weekly plan", "the second", Request("the second")),
    ],
)
def test_a_number_stands_for_the_candidate_in_the_request_that_was_asked_about(
    words: str, line: str, meaning: object
) -> None:
    found = asked(words, *PAGES, name="Weekly plan").meaning(line)

    if isinstance(found, Request) and isinstance(meaning, Request):
        assert found.words.split() == meaning.words.split()
    else:
        assert found == meaning


def test_an_option_is_put_in_by_its_name() -> None:
    sitting = asked("set Status of Clean Code to Finished", *OPTIONS, value="Finished", column="Status")

    assert sitting.meaning("2") == Request("set Status of Clean Code to  “Done”")


def test_a_question_is_open_only_until_the_next_reply() -> None:
    sitting = asked("archive Weekly plan", *PAGES, name="Weekly plan")
    sitting.heard("read Docker notes", Reply(run_id="run_2", ending="done"))

    assert sitting.meaning("2") == Request("2")


@pytest.mark.parametrize("name", ["", "(", "missing"])
def test_a_name_that_does_not_stand_there_is_not_replaced(name: str) -> None:
    assert put_in("archive (this) and (that)", name, "id-1") is None
