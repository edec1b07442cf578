"""Taking back what a run wrote: the workspace is as before, and nobody else's work is lost."""

from typing import Any

import pytest

from lakelight.agent.undos import UndoError

WRITES = {
    "append": "append to the page Unfiled notes: Ship on Friday",
    "update": "set 领域 of Docker notes to 计划",
    "create": "在知识库下新建页面“发布清单”",
    "archive": "archive the page Unfiled notes",
}
KINDS = {
    "append": "block.append",
    "update": "page.properties.update",
    "create": "page.create",
    "archive": "page.archive",
}


async def write(study: Any, what: str) -> str:
    """One write, seen through to its end; its run."""
    language = "zh" if what == "create" else "en"
    reply = await study.ask(WRITES[what], language=language)
    if reply.waiting:
        reply = await study.approve()
    assert [each.kind for each in reply.done] == [KINDS[what]], reply
    assert len(study.writes()) == 1
    return str(reply.run_id)


@pytest.mark.parametrize("what", WRITES)
async def test_what_was_written_is_taken_back_once(study: Any, what: str) -> None:
    before = await study.snapshot()
    run = await write(study, what)
    assert await study.snapshot() != before

    assert await study.undo(run) == [(KINDS[what], "undone")]

    assert await study.snapshot() == before
    assert len(study.writes()) == 1

    assert await study.undo(run) == [(KINDS[what], "undone_before")]

    assert await study.snapshot() == before
    assert study.writes() == []


@pytest.mark.parametrize(
    ("what", "change"),
    [
        pytest.param("append", "text", id="the appended block was edited"),
        pytest.param("append", "below", id="something was put below the appended block"),
        pytest.param("update", "value", id="the column was set again"),
        pytest.param("create", "body", id="somebody wrote on the new page"),
        pytest.param("create", "value", id="somebody filled in a column of the new page"),
        pytest.param("create", "child", id="somebody made a page in the new page"),
    ],
)
async def test_what_somebody_has_changed_since_is_left_alone(study: Any, what: str, change: str) -> None:
    run = await write(study, what)
    (ids,) = study.state("SELECT outcome ->> '$.ids[0]' FROM intents ORDER BY rowid DESC LIMIT 1")[0]
    match what, change:
        case "append", "text":
            (kind,) = [(await study.owner.block(ids))["type"]]
            text = {"rich_text": [{"text": {"content": "Ship on Monday"}}]}
            await study.owner.send("PATCH", f"/blocks/{ids}", {kind: text})
        case _, "below" | "body":
            await study.office.write_below(ids, "Somebody's own words")
        case _, "child":
            await study.office.new_page(ids, "Somebody's own page", "with words")
        case _:
            page = study.pages["Docker notes"] if what == "update" else ids
            value = {"properties": {"领域": {"select": {"name": "基础设施"}}}}
            await study.owner.send("PATCH", f"/pages/{page}", value)
    before = await study.snapshot()

    told = await study.undo(run)

    assert told == [(KINDS[what], "changed_since")]
    assert study.writes() == []
    assert await study.snapshot() == before


async def test_what_was_erased_since_is_told_as_gone(study: Any) -> None:
    run = await write(study, "update")
    await study.office.trash(study.pages["Docker notes"])

    (told,) = await study.undo(run)

    assert told[1] == "gone"
    assert study.writes() == []


@pytest.mark.parametrize(
    ("level", "mode"), [pytest.param(0, "normal", id="level 0"), pytest.param(2, "frozen", id="frozen")]
)
@pytest.mark.parametrize("what", ["append", "update", "create"])
async def test_an_undo_passes_the_guard_like_any_other_write(
    study: Any, what: str, level: int, mode: str
) -> None:
    run = await write(study, what)
    before = await study.snapshot()
    study.policy(level=level, mode=mode)

    told = await study.undo(run)

    assert told == [(KINDS[what], "stopped")]
    assert study.writes() == []
    assert await study.snapshot() == before


async def test_an_undo_needs_no_more_than_the_write_needed(study: Any) -> None:
    study.policy(level=1)
    before = await study.snapshot()
    run = await write(study, "create")

    assert await study.undo(run) == [("page.create", "undone")]
    assert await study.snapshot() == before


async def test_a_run_that_wrote_nothing_has_nothing_to_undo(study: Any) -> None:
    reply = await study.ask("search for Docker")

    with pytest.raises(UndoError):
        await study.undo(reply.run_id)


async def test_several_writes_are_taken_back_newest_first(study: Any, speaker: Any) -> None:
    before = await study.snapshot()
    speaker.script(
        [("append_content", {"page": "项目计划", "markdown": "First\n\n- one\n- two"})],
        [("update_page_property", {"page": "Docker notes", "column": "领域", "value": "计划"})],
        [("update_page_property", {"page": "Docker notes", "column": "领域", "value": "基础设施"})],
        [("append_content", {"page": "项目计划", "markdown": "Second"})],
        "Done.",
    )
    reply = await study.ask("do it all", environment=speaker.settings())
    assert len(reply.done) == 4

    told = await study.undo(reply.run_id)

    assert [result for _, result in told] == ["undone"] * 4
    assert await study.snapshot() == before
