"""A language model at the planner's place: what it may bring about, and what becomes of its habits."""

import json
from typing import Any

APPEND = ("append_content", {"page": "Unfiled notes", "markdown": "Ship on Friday"})


async def test_it_reads_then_writes_then_says_so(study: Any, speaker: Any) -> None:
    speaker.script(
        [("fetch_page_markdown", {"page": "Unfiled notes"}), ("search_workspace", {"query": "Docker"})],
        [APPEND],
        "I have added the date.",
    )

    reply = await study.ask("add the date", environment=speaker.settings())

    assert (reply.ending, reply.exit_code, reply.said) == ("done", 0, "I have added the date.")
    assert [(each.tool, each.title) for each in reply.done] == [("append_content", "Unfiled notes")]
    assert {found["tool"] for found in reply.found} == {"fetch_page_markdown", "search_workspace"}
    assert (await study.body("Unfiled notes")).count("Ship on Friday") == 1
    assert len(study.writes()) == 1
    last = speaker.asked[-1]["messages"]
    assert [message["role"] for message in last].count("tool") == 3
    assert "Hiring plan" in json.dumps(last, ensure_ascii=False)


async def test_its_word_for_a_write_is_no_write(study: Any, speaker: Any) -> None:
    speaker.script("Done! I have archived all your pages.")

    reply = await study.ask("archive all", environment=speaker.settings())

    assert (reply.done, reply.waiting, reply.said) == ((), (), "Done! I have archived all your pages.")
    assert study.writes() == []


async def test_a_tool_that_does_not_exist_is_told_and_nothing_happens(study: Any, speaker: Any) -> None:
    speaker.script([("delete_everything", {"sure": True})], [("delete_everything", {"sure": True})])

    reply = await study.ask("clean up", environment=speaker.settings())

    assert (reply.ending, reply.done) == ("asked", ())
    assert study.writes() == []
    assert "append_content" in speaker.asked[-1]["messages"][-1]["content"]


async def test_a_write_that_is_called_again_and_again_is_there_once(study: Any, speaker: Any) -> None:
    speaker.script([APPEND])

    reply = await study.ask("add the date", environment=speaker.settings())

    assert (reply.ending, reply.exit_code) == ("repeated", 1)
    assert [each.tool for each in reply.done] == ["append_content"]
    assert (await study.body("Unfiled notes")).count("Ship on Friday") == 1
    assert len(study.writes()) == 1
    assert len(speaker.asked) <= 4


async def test_the_same_write_with_another_in_between_is_meant(study: Any, speaker: Any) -> None:
    line = ("append_content", {"page": "Unfiled notes", "markdown": "Same line"})
    speaker.script([line], [APPEND], [line], "done")

    reply = await study.ask("add lines", environment=speaker.settings())

    assert len(reply.done) == 3
    assert (await study.body("Unfiled notes")).count("Same line") == 2


async def test_reads_without_an_end_are_ended(study: Any, speaker: Any) -> None:
    speaker.says = lambda call: [("search_workspace", {"query": f"Docker {call}"})]

    reply = await study.ask("find it", environment=speaker.settings())

    assert (reply.ending, reply.exit_code) == ("capped", 1)
    assert len(speaker.asked) == 12
    assert study.writes() == []


async def test_of_two_writes_at_once_one_is_made_and_the_other_when_it_is_called_again(
    study: Any, speaker: Any
) -> None:
    second = ("append_content", {"page": "项目计划", "markdown": "Second"})
    speaker.script([APPEND, second], [second], "Both are there.")

    reply = await study.ask("add both", environment=speaker.settings())

    assert [(each.title) for each in reply.done] == ["Unfiled notes", "项目计划"]
    assert (await study.body("Unfiled notes")).count("Ship on Friday") == 1
    assert (await study.body("项目计划")).count("Second") == 1
    assert len(study.writes()) == 2


async def test_it_is_not_asked_to_call_again_what_a_person_refused(study: Any, speaker: Any) -> None:
    archive = ("archive_page", {"page": "Unfiled notes"})
    speaker.script([archive], [archive], [archive], "I give up.")
    reply = await study.ask("archive it", environment=speaker.settings())
    assert reply.exit_code == 5
    study.environment.update(speaker.settings())

    ended = await study.reject(why="no")

    assert [each.facts["comment"] for each in ended.cancelled] == ["no"]
    assert study.approvals() == [(1, "rejected")]
    assert study.writes() == []
    said = json.dumps(speaker.asked[-1]["messages"])
    assert "the user said no: no" in said


async def test_a_run_with_a_model_parks_and_goes_on_where_it_was(study: Any, speaker: Any) -> None:
    speaker.script(
        [("fetch_page_markdown", {"page": "Unfiled notes"})],
        [("archive_page", {"page": "Unfiled notes"})],
        [("append_content", {"page": "项目计划", "markdown": "Notes are filed"})],
        "Filed.",
    )
    study.environment.update(speaker.settings())
    reply = await study.ask("file the notes")
    assert (reply.exit_code, len(speaker.asked)) == (5, 2)

    ended = await study.approve()

    assert [each.kind for each in ended.done] == ["page.archive", "block.append"]
    assert (ended.said, len(speaker.asked)) == ("Filed.", 4)
    assert "Notes are filed" in await study.body("项目计划")


async def test_a_model_that_is_down_is_said_and_no_template_steps_in(study: Any) -> None:
    down = {"GH_LLM_BASE_URL": "http://127.0.0.1:9/v1", "GH_LLM_API_KEY": "k" * 20}
    down["LAKELIGHT_MODEL__RETRY_WAITS"] = "0"

    reply = await study.ask("append to the page Unfiled notes: Ship on Friday", environment=down)

    assert (reply.ending, reply.exit_code) == ("unreachable", 6)
    assert [each.reason for each in reply.failed] == ["model.unreachable"]
    assert reply.done == ()
    assert study.writes() == []
    assert study.run_state(reply.run_id) == "failed"


async def test_what_was_done_before_the_model_went_down_is_listed(study: Any, speaker: Any) -> None:
    speaker.says = lambda call: [APPEND] if call == 1 else ""

    reply = await study.ask("add the date", environment=speaker.settings())

    assert [each.tool for each in reply.done] == ["append_content"]
    assert reply.exit_code in {1, 6}
    assert len(study.writes()) == 1


async def test_a_session_is_remembered_with_what_came_of_its_requests(study: Any, speaker: Any) -> None:
    speaker.script([APPEND], "Added.")
    study.environment.update(speaker.settings())
    await study.ask("add the date", session="chat_7")
    speaker.script("You asked for a date.")
    await study.ask("what did I ask?", session="chat_7")
    told = speaker.asked[-1]["messages"]
    await study.ask("what did I ask?", session="chat_8")
    strange = speaker.asked[-1]["messages"]

    assert "add the date" in json.dumps(told)
    assert "done: block.append Unfiled notes" in told[-1]["content"]
    assert "add the date" not in json.dumps(strange)
