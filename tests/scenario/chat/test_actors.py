"""Whose doing a thing was: the trail tells the person from the agent."""

from typing import Any


async def test_the_trail_tells_what_a_person_did_from_what_the_agent_did(study: Any) -> None:
    done = await study.ask("append to the page Unfiled notes: Ship on Friday")
    await study.ask("archive the page Docker guide", session="chat_2")
    await study.reject(why="still in use")

    await study.undo(done.run_id)

    told = [tuple(row) for row in study.state("SELECT event, actor FROM audit_events ORDER BY seq")]
    assert told == [
        ("guard.decision", "ai"),
        ("write.block.inserted", "ai"),
        ("guard.decision", "ai"),
        ("confirmation.declined", "user"),
        ("guard.decision", "user"),
        ("write.done", "user"),
    ]
