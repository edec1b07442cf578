"""A created page, a trashed one, a deleted block: found in a served workspace after the answer was lost."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelight.audit import Sink, Trail
from lakelight.clock import SystemClock
from lakelight.execution import Door, Executor
from lakelight.execution.intents import Anchor
from lakelight.execution.sightings import look_up
from lakelight.execution.surroundings import NotionSurroundings
from lakelight.execution.traces import created
from lakelight.guard import Approvals, Asker, Entry, Guard, Policy, Scopes
from lakelight.ids import fresh
from lakelight.notion import Answer, NotionUnreachable
from lakelight.notion.budget import NoBudget
from lakelight.notion.http import HttpNotion
from lakelight.notion.markdown import to_blocks
from lakelight.operations import Kind, Level, Operation, Parked, Unsettled, Written, request
from lakelight.operations.preview import Preview
from lakelight.storage import Database, migrate
from notion_embedded.server import open_workspace, serve

MINUTE = "2026-11-30T08:00:00.000Z"
BOT = "bot-user"


@dataclass(slots=True)
class Losing:
    """A workspace whose writes are done, or not, without an answer as long as `plan` says so."""

    notion: HttpNotion
    plan: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)

    async def send(self, method: str, path: str, body: Mapping[str, object]) -> Answer:
        self.sent.append(f"{method} {path.split('/')[1]}")
        what = self.plan.pop(0) if self.plan else "answer"
        if what == "never":
            raise NotionUnreachable("time-out", maybe_written=True)
        answer = await self.notion.send(method, path, body)
        if what == "saved":
            # Somebody retitles it meanwhile, so that nothing but its id tells it.
            page = str(answer.body["id"])
            await self.notion.send(
                "PATCH",
                f"/pages/{page}",
                {"properties": {"title": {"title": [{"text": {"content": "附录二"}}]}}},
            )
            raise NotionUnreachable("http", maybe_written=True, status=503, committed_id=page)
        if what == "lost":
            raise NotionUnreachable("time-out", maybe_written=True)
        return answer


@dataclass(slots=True)
class Desk:
    notion: HttpNotion
    writer: Losing
    door: Door
    root: str
    source: str

    async def submit(self, operation: Operation) -> Any:
        return await self.door.submit(operation, asker, title="x")

    async def rows(self) -> list[str]:
        return [row["id"] async for row in self.notion.query(self.source)]


asker = Asker(actor="ai", agent="A02", run_id=fresh("run"))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    workspace = open_workspace(tmp_path / "workspace.db")
    database = Database(tmp_path / "state.db")
    migrate(database)
    with workspace:
        async with serve(workspace) as url:
            clock = SystemClock()
            notion = HttpNotion(workspace.token, clock=clock, budget=NoBudget(), base_url=url)
            made = await notion.send(
                "POST",
                "/databases",
                {
                    "parent": {"type": "page_id", "page_id": workspace.root_page_id},
                    "title": [{"text": {"content": "任务"}}],
                    "initial_data_source": {"properties": {"标题": {"title": {}}, "数": {"number": {}}}},
                },
            )
            source = str(made.body["data_sources"][0]["id"])
            writer = Losing(notion)
            trail = Trail(database, Sink(key=b"k" * 32, names=frozenset({"A02"})), clock)
            roots = frozenset({workspace.root_page_id, source})
            entry = Entry(level=Level.ADVANCED, roots=roots)
            policy = Policy(level=Level.ADVANCED, agents={"A02": entry})
            executor = Executor(
                writer=writer,
                reader=notion,
                database=database,
                trail=trail,
                clock=clock,
                settle=timedelta(0),
                bot_id=workspace.bot_id,
            )
            door = Door(
                guard=Guard(policy, Scopes(notion, clock)),
                executor=executor,
                trail=trail,
                approvals=Approvals(clock),
                database=database,
                surroundings=NotionSurroundings(notion),
            )
            yield Desk(notion, writer, door, workspace.root_page_id, source)
            await notion.aclose()
    database.close()


def row(desk: Desk, title: str, number: int = 1, markdown: str = "甲\n\n乙") -> Operation:
    body: dict[str, Any] = {
        "parent": {"type": "data_source_id", "data_source_id": desk.source},
        "properties": {"标题": {"title": [{"text": {"content": title}}]}, "数": {"number": number}},
    }
    if markdown:
        body["children"] = to_blocks(markdown)
    return Operation(
        id=fresh("op"), kind=Kind.PAGE_CREATE, target=desk.source, request=request("POST", "/pages", body)
    )


def child(desk: Desk, title: str, markdown: str = "") -> Operation:
    body: dict[str, Any] = {
        "parent": {"type": "page_id", "page_id": desk.root},
        "properties": {"title": {"title": [{"text": {"content": title}}]}},
    }
    if markdown:
        body["children"] = to_blocks(markdown)
    return Operation(
        id=fresh("op"), kind=Kind.PAGE_CREATE, target=desk.root, request=request("POST", "/pages", body)
    )


async def test_a_created_row_says_its_own_id(desk: Desk) -> None:
    outcome = await desk.submit(row(desk, "写月报"))

    assert isinstance(outcome, Written)
    assert list(outcome.ids) == await desk.rows()
    assert (outcome.differences, outcome.found) == ((), False)


@pytest.mark.parametrize("markdown", ["", "甲\n\n乙"])
async def test_a_row_whose_answer_was_lost_is_found_and_not_made_again(desk: Desk, markdown: str) -> None:
    desk.writer.plan = ["lost"]
    create = row(desk, "写月报", markdown=markdown)

    outcomes = [await desk.submit(create) for _ in range(2)]

    assert len(await desk.rows()) == 1
    assert outcomes == [Written(ids=tuple(await desk.rows()), found=True)] * 2
    assert len(desk.writer.sent) == 1


@pytest.mark.parametrize("markdown", ["", "甲\n\n乙"])
async def test_a_page_under_a_page_is_found_as_well(desk: Desk, markdown: str) -> None:
    desk.writer.plan = ["lost"]
    create = child(desk, "附录", markdown)

    outcome = await desk.submit(create)

    inside = [
        block for block in (await desk.notion.children(desk.root)).blocks if block["type"] == "child_page"
    ]
    assert outcome == Written(ids=(inside[-1]["id"],), found=True)
    assert [block["child_page"]["title"] for block in inside].count("附录") == 1


async def test_a_page_that_notion_says_it_had_stored_is_found_whatever_became_of_it(desk: Desk) -> None:
    desk.writer.plan = ["saved"]

    outcome = await desk.submit(child(desk, "附录", ""))

    (page,) = await desk.notion.search("附录二", "page")
    assert outcome == Written(ids=(page["id"],), found=True)
    assert len(desk.writer.sent) == 1


@pytest.mark.parametrize("make", [row, child], ids=["row", "child"])
async def test_the_same_page_made_a_moment_before_is_not_taken_for_it(desk: Desk, make: Any) -> None:
    first = await desk.submit(make(desk, "写月报"))
    desk.writer.plan = ["never"]
    second = make(desk, "写月报")

    silent = await desk.submit(second)
    again = await desk.submit(second)

    assert isinstance(silent, Unsettled)
    assert isinstance(again, Written)
    assert isinstance(first, Written)
    assert again.ids != first.ids
    assert not again.found
    assert len(desk.writer.sent) == 3


async def test_a_page_of_other_content_is_not_taken_for_it(desk: Desk) -> None:
    desk.writer.plan = ["never"]
    create = row(desk, "写月报", markdown="丙")
    await desk.submit(create)
    await desk.submit(row(desk, "写月报", markdown="丁"))
    await desk.submit(row(desk, "写月报", number=2, markdown="丙"))

    again = await desk.submit(create)

    assert isinstance(again, Written)
    assert not again.found
    assert len(await desk.rows()) == 3


async def test_a_page_is_trashed_once_where_the_answer_was_lost(desk: Desk) -> None:
    made = await desk.submit(row(desk, "写月报"))
    page = made.ids[0]

    def operation(kind: Kind, *, trash: bool) -> Operation:
        sent = request("PATCH", f"/pages/{page}", {"in_trash": trash})
        return Operation(id=fresh("op"), kind=kind, target=page, request=sent)

    archive, restore = operation(Kind.PAGE_ARCHIVE, trash=True), operation(Kind.PAGE_RESTORE, trash=False)

    assert isinstance(await desk.submit(archive), Parked)
    before = await look_up(archive, Anchor(), desk.notion, BOT)
    await desk.notion.send("PATCH", f"/pages/{page}", {"in_trash": True})
    after = await look_up(archive, Anchor(), desk.notion, BOT)
    desk.writer.plan = ["lost"]
    restored = await desk.submit(restore)

    assert before == "absent"
    assert after == Written(ids=(page,), found=True)
    assert restored == Written(ids=(page,), found=True)
    assert (await desk.notion.page(page))["in_trash"] is False


async def test_a_deleted_block_is_known_by_its_state(desk: Desk) -> None:
    await desk.submit(child(desk, "附录", "甲"))
    page = (await desk.notion.search("附录", "page"))[0]["id"]
    block = (await desk.notion.children(page)).blocks[0]["id"]
    delete = Operation(
        id=fresh("op"), kind=Kind.BLOCK_DELETE, target=block, request=request("DELETE", f"/blocks/{block}")
    )
    restore = Operation(
        id=fresh("op"),
        kind=Kind.BLOCK_RESTORE,
        target=block,
        request=request("PATCH", f"/blocks/{block}", {"in_trash": False}),
    )

    before = await look_up(delete, Anchor(), desk.notion, BOT)
    await desk.notion.send("DELETE", f"/blocks/{block}", {})
    after = await look_up(delete, Anchor(), desk.notion, BOT)

    assert (before, after) == ("absent", Written(ids=(block,), found=True))
    assert await look_up(restore, Anchor(), desk.notion, BOT) == "absent"


async def test_without_notions_clock_or_for_another_kind_nothing_is_claimed(desk: Desk) -> None:
    comment = Operation(
        id=fresh("op"),
        kind=Kind.COMMENT_CREATE,
        target=desk.root,
        request=request("POST", "/comments", {"parent": {"page_id": desk.root}}),
    )

    assert await look_up(row(desk, "x"), Anchor(), desk.notion, BOT) == "unclear"
    assert await look_up(comment, Anchor(notion_minute=MINUTE), desk.notion, BOT) == "unclear"


# What is taken for it, as a table


def sibling(id_: str, title: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "object": "page",
        "id": id_,
        "created_by": {"id": BOT},
        "last_edited_by": {"id": BOT},
        "created_time": MINUTE,
        "properties": {
            "标题": {
                "id": "title",
                "type": "title",
                "title": [{"plain_text": title, "text": {"content": title}}],
            },
            "数": {"id": "n", "type": "number", "number": number},
        },
        **more,
    }


wanted = Operation(
    id="op_1",
    kind=Kind.PAGE_CREATE,
    target="s",
    request=request(
        "POST",
        "/pages",
        {
            "parent": {"data_source_id": "s"},
            "properties": {"标题": {"title": [{"text": {"content": "甲"}}]}, "数": {"number": 1}},
        },
    ),
)


@pytest.mark.parametrize(
    ("page", "found"),
    [
        pytest.param(sibling("p", "甲"), True, id="it"),
        pytest.param(sibling("p", "甲", created_time="2026-11-30T08:05:00.000Z"), True, id="later"),
        pytest.param(sibling("p", "甲", 2, last_edited_by={"id": "u"}), True, id="edited by somebody since"),
        pytest.param(sibling("p", "甲", 2), False, id="another value"),
        pytest.param(sibling("p", "乙"), False, id="another title"),
        pytest.param(sibling("known", "甲"), False, id="there before"),
        pytest.param(sibling("p", "甲", created_by={"id": "u"}), False, id="somebody else's"),
        pytest.param(sibling("p", "甲", created_time="2026-11-30T07:59:00.000Z"), False, id="earlier"),
        pytest.param(
            {
                "id": "p",
                "type": "child_page",
                "child_page": {"title": "甲"},
                "created_by": {"id": BOT},
                "created_time": MINUTE,
            },
            True,
            id="as a block",
        ),
    ],
)
def test_a_page_is_ours_by_creator_minute_title_and_values(page: dict[str, Any], found: bool) -> None:
    anchor = Anchor(notion_minute=MINUTE, known=("known",))

    assert created(wanted, anchor, [page], BOT) == ((page["id"],) if found else ())


# What is read for a preview


async def test_a_preview_of_each_kind_is_read_from_the_workspace(desk: Desk) -> None:
    surroundings = NotionSurroundings(desk.notion)
    page = (await desk.submit(row(desk, "写月报"))).ids[0]
    update = Operation(
        id=fresh("op"),
        kind=Kind.PAGE_PROPERTIES_UPDATE,
        target=page,
        request=request("PATCH", f"/pages/{page}", {"properties": {"数": {"number": 5}}}),
    )
    archive = Operation(
        id=fresh("op"),
        kind=Kind.PAGE_ARCHIVE,
        target=page,
        request=request("PATCH", f"/pages/{page}", {"in_trash": True}),
    )

    creation = await surroundings.look(row(desk, "下一个"), "下一个")
    before = await surroundings.look(update, "")
    trashing = await surroundings.look(archive, "")
    await desk.notion.send("PATCH", f"/pages/{page}", {"properties": {"数": {"number": 2}}})
    after = await surroundings.look(update, "")

    assert (creation.preview["title"], creation.preview["place"]) == ("下一个", "任务")
    assert (before.preview["title"], before.preview["place"]) == ("写月报", "任务")
    assert before.preview["rows"] == [{"column": "数", "before": "1", "after": "5"}]
    assert (trashing.preview["counts"]["content"], trashing.preview["undo"]) == (2, "possible")
    assert before.pre_state != after.pre_state
    assert Preview.load(after.preview).rows[0].before == "2"


async def test_what_is_gone_is_shown_as_gone(desk: Desk) -> None:
    nowhere = "11111111-2222-4333-8444-555555555555"
    update = Operation(
        id=fresh("op"),
        kind=Kind.PAGE_PROPERTIES_UPDATE,
        target=nowhere,
        request=request("PATCH", f"/pages/{nowhere}", {"properties": {"数": {"number": 5}}}),
    )

    view = await NotionSurroundings(desk.notion).look(update, "写月报")

    assert view.preview["notes"] == ["preview.note.gone"]
    assert view.preview["title"] == "写月报"
