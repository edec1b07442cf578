"""The one door: say it before, send it once, say it after, and look before sending again."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lakelight.audit import Event, Sink, Trail, read_events, verify
from lakelight.errors import PermitError
from lakelight.execution import Door, Executor, Intent, find_intent
from lakelight.guard import Approvals, Asker, Entry as Allowed, Guard, OwnTicket, Policy, Scopes
from lakelight.ids import fresh
from lakelight.notion import (
    Answer,
    Children,
    NotionConflict,
    NotionError,
    NotionLimited,
    NotionRefused,
    NotionTooLarge,
    NotionUnreachable,
)
from lakelight.operations import (
    Kind,
    Level,
    Operation,
    Outcome,
    Overtaken,
    Parked,
    Refused,
    Stopped,
    Unsettled,
    Written,
    request,
)
from lakelight.storage import Database, migrate

TICKET = "11111111-2222-3333-4444-555555555555"
BOT = "bot-user"
SETTLE = timedelta(seconds=60)


class Clock:
    """Stands still unless it is moved, or drifts at each look."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 8, 0, 30, tzinfo=UTC)
        self.drift = timedelta()

    def now(self) -> datetime:
        self.time += self.drift
        return self.time

    async def sleep(self, wait: timedelta) -> None:
        self.time += wait


class Workspace:
    """One page with its blocks and properties. What each send comes to is planned."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.plan: list[str | NotionError | BaseException] = []
        """For each send to come: `answer`, `lost` (written, no answer), `never` (neither), `committed`
        (written in another shape, and Notion says which blocks they are), `late` (written
        when `arrive` is called, no answer) or an error."""
        self.sent: list[str] = []
        self.before_answer: Callable[[], None] = lambda: None
        self.before_second_look: Callable[[], None] = lambda: None
        self.looks = 0
        self.readable = True
        self.answer_differs = False
        self.blocks: list[dict[str, Any]] = []
        self.properties: dict[str, Any] = {
            "状态": {"id": "s", "type": "status", "status": {"id": "1", "name": "待开发", "color": "gray"}},
            "自检结果": {"id": "r", "type": "rich_text", "rich_text": []},
        }
        self.editor = "person"
        self._late: list[tuple[str, Mapping[str, object]]] = []

    async def send(self, method: str, path: str, body: Mapping[str, object]) -> Answer:
        self.sent.append(f"{method} {path}")
        self.before_answer()
        match self.plan.pop(0) if self.plan else "answer":
            case "answer":
                return self._answer(self._apply(path, body))
            case "lost":
                self._apply(path, body)
            case "late":
                self._late.append((path, body))
            case "committed":
                stored = self._apply(path, body)["results"]
                for block in self.blocks[-len(stored) :]:
                    block["paragraph"]["rich_text"][0]["text"]["content"] += "…"
                ids = [block["id"] for block in stored]
                raise NotionUnreachable("status 503", maybe_written=True, status=503, committed_child_ids=ids)
            case BaseException() as error:
                raise error
        raise NotionUnreachable("time-out", maybe_written=True)

    def arrive(self) -> None:
        for path, body in self._late:
            self._apply(path, body)
        self._late.clear()

    def add(self, text: str, by: str = BOT, at: datetime | None = None) -> str:
        """A block that somebody else's request made."""
        return str(self._add({"type": "paragraph", "paragraph": words(text)}, by, at)["id"])

    def set_status(self, name: str, by: str = "person") -> None:
        self.properties["状态"]["status"] = {"id": name, "name": name, "color": "red"}
        self.editor = by

    def texts(self) -> list[str]:
        return [block["paragraph"]["rich_text"][0]["text"]["content"] for block in self.blocks]

    def as_read(self) -> dict[str, Any]:
        return {
            "object": "page",
            "id": TICKET,
            "last_edited_by": {"object": "user", "id": self.editor},
            "properties": deepcopy(self.properties),
        }

    async def children(self, block_id: str) -> Children:
        self._check()
        self.looks += 1
        if self.looks == 2:
            self.before_second_look()
        return Children(blocks=deepcopy(self.blocks), date=self.clock.now())

    async def page(self, page_id: str) -> dict[str, Any]:
        self._check()
        return self.as_read()

    async def block(self, block_id: str) -> dict[str, Any]:
        self._check()
        return {"id": block_id, "parent": {"type": "workspace", "workspace": True}}

    def _check(self) -> None:
        if not self.readable:
            raise NotionUnreachable("no connection")

    def _apply(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        if path.endswith("/children"):
            new = [self._add(block, BOT, None) for block in body["children"]]
            return {"object": "list", "results": deepcopy(new)}
        for name, value in body.get("properties", {}).items():
            kind = self.properties[name]["type"]
            self.properties[name] = {**self.properties[name], kind: deepcopy(value[kind])}
        self.editor = BOT
        page = self.as_read()
        if self.answer_differs:
            page["properties"]["状态"]["status"]["name"] = "未完成"
        return page

    def _add(self, block: Mapping[str, Any], by: str, at: datetime | None) -> dict[str, Any]:
        kind = next(key for key in block if key not in {"object", "type"})
        content = deepcopy(block[kind])
        for run in content.get("rich_text", []):
            run.update(type="text", plain_text=run["text"]["content"], href=None)
        made = (at or self.clock.now()).replace(second=0, microsecond=0)
        whole = {
            "object": "block",
            "id": f"block-{len(self.blocks) + 1}",
            "created_by": {"object": "user", "id": by},
            "created_time": made.isoformat().replace("+00:00", ".000Z"),
            "type": kind,
            kind: {**content, "color": "default"},
        }
        self.blocks.append(whole)
        return whole

    def _answer(self, body: dict[str, Any]) -> Answer:
        return Answer(status=200, body=body, request_id="req-1", date=self.clock.now())


def words(text: str) -> dict[str, Any]:
    return {"rich_text": [{"text": {"content": text}}]}


def append(*texts: str) -> Operation:
    """An operation that appends paragraphs to the ticket's page."""
    return Operation(
        id=fresh("op"),
        kind=Kind.BLOCK_APPEND,
        target=TICKET,
        request=request(
            "PATCH",
            f"/blocks/{TICKET}/children",
            {"children": [{"type": "paragraph", "paragraph": words(text)} for text in texts]},
        ),
    )


def update(status: str) -> Operation:
    """An operation that sets the ticket's status."""
    return Operation(
        id=fresh("op"),
        kind=Kind.PAGE_PROPERTIES_UPDATE,
        target=TICKET,
        request=request("PATCH", f"/pages/{TICKET}", {"properties": {"状态": {"status": {"name": status}}}}),
    )


def comment(text: str) -> Operation:
    """An operation whose effect cannot be looked up afterwards."""
    return Operation(
        id=fresh("op"),
        kind=Kind.COMMENT_CREATE,
        target=TICKET,
        request=request("POST", "/comments", {"parent": {"page_id": TICKET}, **words(text)}),
    )


ticket = OwnTicket(
    page_id=TICKET,
    self_check="自检结果",
    status="状态",
    statuses=frozenset({"进行中"}),
    is_fixed_text=lambda text: text == "已接手",
)
asker = Asker(actor="ai", agent="A02", run_id=fresh("run"), ticket=ticket)


@dataclass(slots=True)
class House:
    """A door with everything behind it. `restart` leaves the files and the workspace."""

    folder: Path
    policy: Policy = field(default_factory=Policy)
    clock: Clock = field(default_factory=Clock)
    workspace: Workspace = field(init=False)
    database: Database = field(init=False)
    trail: Trail = field(init=False)
    executor: Executor = field(init=False)
    door: Door = field(init=False)

    def __post_init__(self) -> None:
        self.workspace = Workspace(self.clock)
        self.database = Database(self.folder / "state.db")
        migrate(self.database)
        self._build()

    def _build(self) -> None:
        self.trail = Trail(self.database, Sink(key=b"k" * 32, names=frozenset({"A02"})), self.clock)
        # The workspace answers what is asked of it here, and no more of the reading port.
        reader: Any = self.workspace
        self.executor = Executor(
            writer=self.workspace,
            reader=reader,
            database=self.database,
            trail=self.trail,
            clock=self.clock,
            settle=SETTLE,
            bot_id=BOT,
        )
        self.door = Door(
            guard=Guard(self.policy, Scopes(reader, self.clock)),
            executor=self.executor,
            trail=self.trail,
            approvals=Approvals(self.clock),
            database=self.database,
        )

    def restart(self) -> None:
        self.database.close()
        self.database = Database(self.folder / "state.db")
        self._build()

    async def submit(self, operation: Operation, before: Mapping[str, Any] | None = None) -> Outcome:
        return await self.door.submit(operation, asker, before)

    def break_trail(self) -> None:
        """Let no durable transaction write any more."""
        with self.database.durable_engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")

    def mend_trail(self) -> None:
        self.database.durable_engine.dispose()

    def events(self) -> list[Event]:
        with self.database.transaction() as connection:
            return read_events(connection)

    def told(self) -> list[str]:
        """Each event's name, with the decision or result that it tells."""
        lines = []
        for event in self.events():
            body = json.loads(event.body)
            word = body.get("result", {}).get("status") or body.get("guard", {}).get("decision")
            lines.append(f"{event.event} {word}" if word else event.event)
        return lines

    def intent(self, operation: Operation) -> Intent | None:
        with self.database.transaction() as connection:
            return find_intent(connection, operation.id)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()


def lost() -> NotionUnreachable:
    return NotionUnreachable("no connection", maybe_written=False)


def refused(code: str, status: int = 400) -> NotionRefused:
    return NotionRefused(status=status, notion_code=code, message="no", request_id="req-1")


conflict = NotionConflict(status=409, notion_code="conflict_error", message="saving")
hello = append("你好", "再见")


async def test_the_intent_and_the_decision_are_there_before_anything_is_sent(house: House) -> None:
    seen: list[object] = []

    def look() -> None:
        intent = house.intent(hello)
        seen.append((house.told(), intent.state if intent else None, intent and intent.operation))

    house.workspace.before_answer = look
    await house.submit(hello)

    assert seen == [(["guard.decision allow"], "sent", hello)]


async def test_a_write_is_sent_once_and_its_result_recorded(house: House) -> None:
    outcome = await house.submit(hello)

    assert outcome == Written(ids=("block-1", "block-2"))
    assert house.workspace.sent == [f"PATCH /blocks/{TICKET}/children"]
    assert house.told() == ["guard.decision allow", "write.block.inserted success"]
    assert verify(house.events()) == 2


async def test_the_trail_has_no_words_of_the_page(house: House) -> None:
    await house.submit(hello)

    for event in house.events():
        assert "你好" not in event.body
        assert TICKET not in event.body
        assert json.loads(event.body)["payload"] == {"blocks": 2, "hash": hello.payload_hash}


async def test_a_difference_in_the_answer_is_told_and_not_sent_again(house: House) -> None:
    house.workspace.answer_differs = True

    outcome = await house.submit(update("已完成"))

    assert outcome == Written(ids=(TICKET,), differences=("状态",))
    assert len(house.workspace.sent) == 1


async def test_an_update_answers_with_the_page(house: House) -> None:
    outcome = await house.submit(update("已完成"))

    assert outcome == Written(ids=(TICKET,))
    assert isinstance(outcome, Written)
    assert outcome.page == house.workspace.as_read()
    assert house.told() == ["guard.decision allow", "write.property.updated success"]


async def test_a_mark_is_written_at_the_lowest_risk(house: House) -> None:
    mark = Operation(
        id=fresh("op"),
        kind=Kind.TICKET_MARK,
        target=TICKET,
        request=request("PATCH", f"/pages/{TICKET}", {"properties": {"自检结果": words("已接手")}}),
    )

    assert await house.submit(mark) == Written(ids=(TICKET,))
    assert json.loads(house.events()[0].body)["operation"] == {
        "effect": "write",
        "id": mark.id,
        "name": "ticket.mark",
        "risk": "low",
    }


async def test_a_refused_write_is_not_sent_again(house: House) -> None:
    house.workspace.plan = [refused("validation_error")]

    outcomes = [await house.submit(hello), await house.submit(hello)]

    assert outcomes == [Refused(code="validation_error", status=400, message="no")] * 2
    assert len(house.workspace.sent) == 1
    assert house.told() == ["guard.decision allow", "write.refused failed"]


async def test_a_write_over_a_limit_of_notion_is_refused(house: House) -> None:
    house.workspace.plan = [NotionTooLarge("children", 100, 101)]

    assert await house.submit(hello) == Refused(
        code="notion.too_large", status=0, message="children is 101, at most 100"
    )
    assert house.told() == ["guard.decision allow", "write.refused failed"]


NOT_SENT = {
    "no connection": lost(),
    "asked to slow down": NotionLimited(5, until=datetime(2026, 11, 30, 8, tzinfo=UTC)),
    "somebody else was saving": conflict,
    "a token that was withdrawn": refused("unauthorized", 401),
    "a capability that is missing": refused("restricted_resource", 403),
    "a page that is not shared": refused("object_not_found", 404),
}


@pytest.mark.parametrize("error", NOT_SENT.values(), ids=NOT_SENT)
async def test_what_certainly_did_not_arrive_is_sent_again_with_the_same_intent(
    house: House, error: NotionError
) -> None:
    house.workspace.plan = [error]

    with pytest.raises(NotionError) as caught:
        await house.submit(hello)
    outcome = await house.submit(hello)

    assert caught.value is error
    assert outcome == Written(ids=("block-1", "block-2"))
    assert house.workspace.texts() == ["你好", "再见"]
    intent = house.intent(hello)
    assert intent is not None
    assert (intent.sends, intent.state) == (2, "written")
    assert house.told() == [
        "guard.decision allow",
        "write.unsent failed",
        "guard.decision allow",
        "write.block.inserted success",
    ]


async def test_a_conflict_is_sent_again_also_where_nothing_could_be_looked_up(house: House) -> None:
    house.workspace.plan = [lost(), conflict]
    remark = comment("甲")

    for _ in range(2):
        with pytest.raises(NotionError):
            await house.submit(remark)

    assert isinstance(await house.submit(remark), Written)
    assert len(house.workspace.sent) == 3


async def test_a_machine_that_slept_between_intent_and_send_does_not_send(house: House) -> None:
    house.clock.drift = timedelta(seconds=6)

    with pytest.raises(NotionUnreachable):
        await house.submit(hello)

    assert house.workspace.sent == []
    assert house.told() == ["guard.decision allow", "write.unsent failed"]


async def test_a_write_whose_answer_was_lost_is_found_and_not_sent_again(house: House) -> None:
    house.workspace.plan = ["lost"]

    outcomes = [await house.submit(hello), await house.submit(hello)]

    assert outcomes == [Written(ids=("block-1", "block-2"), found=True)] * 2
    assert len(house.workspace.sent) == 1
    assert house.told() == ["guard.decision allow", "write.unknown unknown", "write.found success"]


async def test_a_write_that_is_not_there_waits_for_the_settle_time_and_is_sent_once_more(
    house: House,
) -> None:
    house.workspace.plan = ["never"]
    until = house.clock.time + SETTLE

    assert await house.submit(hello) == Unsettled(until=until)
    house.clock.time = until - timedelta(milliseconds=1)
    assert await house.submit(hello) == Unsettled(until=until)
    assert len(house.workspace.sent) == 1

    house.clock.time = until
    assert await house.submit(hello) == Written(ids=("block-1", "block-2"))
    assert await house.submit(hello) == Written(ids=("block-1", "block-2"))
    assert len(house.workspace.sent) == 2
    assert house.workspace.texts() == ["你好", "再见"]


async def test_a_write_that_arrives_within_the_settle_time_is_found(house: House) -> None:
    house.workspace.plan = ["late"]
    assert isinstance(await house.submit(hello), Unsettled)

    house.clock.time += SETTLE - timedelta(seconds=1)
    house.workspace.arrive()

    assert await house.submit(hello) == Written(ids=("block-1", "block-2"), found=True)
    assert len(house.workspace.sent) == 1


async def test_a_write_that_arrives_just_before_a_conflict_of_its_second_send_is_found(
    house: House,
) -> None:
    house.workspace.plan = ["late", conflict]
    assert isinstance(await house.submit(hello), Unsettled)
    house.clock.time += SETTLE
    house.workspace.before_answer = house.workspace.arrive

    assert await house.submit(hello) == Written(ids=("block-1", "block-2"), found=True)
    assert house.workspace.texts() == ["你好", "再见"]


async def test_a_write_that_arrives_between_the_look_and_its_second_send_is_found(house: House) -> None:
    house.workspace.plan = ["late", conflict]
    assert isinstance(await house.submit(hello), Unsettled)
    house.clock.time += SETTLE
    house.workspace.looks = 0
    house.workspace.before_second_look = house.workspace.arrive

    assert await house.submit(hello) == Written(ids=("block-1", "block-2"), found=True)
    assert house.workspace.texts() == ["你好", "再见"]


async def test_after_silence_the_first_anchor_counts_and_not_one_read_later(house: House) -> None:
    """What arrived of the first send may stand before the last child that the second send saw."""
    house.workspace.plan = ["late", "lost"]
    first = house.workspace.add("早")
    assert isinstance(await house.submit(hello), Unsettled)
    house.clock.time += SETTLE
    await house.submit(hello)

    intent = house.intent(hello)
    assert intent is not None
    assert (intent.sends, intent.anchor.last_child) == (2, first)


async def test_a_send_that_did_not_arrive_leaves_its_anchor_to_the_next(house: House) -> None:
    """Otherwise what somebody changed in between would count as changed during the send."""
    done = update("已完成")
    house.workspace.plan = [lost(), "never"]
    with pytest.raises(NotionUnreachable):
        await house.submit(done, before=house.workspace.as_read())
    house.workspace.set_status("进行中")

    assert isinstance(await house.submit(done, before=house.workspace.as_read()), Unsettled)
    house.clock.time += SETTLE
    assert await house.submit(done) == Written(ids=(TICKET,))


async def test_blocks_that_notion_says_it_had_saved_are_found_in_whatever_shape(house: House) -> None:
    house.workspace.plan = ["committed"]

    outcome = await house.submit(hello)

    assert outcome == Written(ids=("block-1", "block-2"), found=True)
    assert await house.submit(hello) == outcome
    assert len(house.workspace.sent) == 1


async def test_a_workspace_that_cannot_be_looked_at_leaves_it_unsettled(house: House) -> None:
    house.workspace.plan = ["lost"]

    def close() -> None:
        house.workspace.readable = False

    house.workspace.before_answer = close
    assert isinstance(await house.submit(hello), Unsettled)
    house.clock.time += SETTLE * 2
    with pytest.raises(NotionUnreachable):
        await house.submit(hello)
    house.workspace.readable = True

    assert await house.submit(hello) == Written(ids=("block-1", "block-2"), found=True)
    assert len(house.workspace.sent) == 1


async def test_a_send_that_was_broken_off_is_looked_up(house: House) -> None:
    house.workspace.plan = [asyncio.CancelledError()]
    with pytest.raises(asyncio.CancelledError):
        await house.submit(hello)
    house.restart()

    assert isinstance(await house.submit(hello), Unsettled)
    house.clock.time += SETTLE
    assert await house.submit(hello) == Written(ids=("block-1", "block-2"))
    assert len(house.workspace.sent) == 2


async def test_an_equal_block_from_before_is_not_taken_for_ours(house: House) -> None:
    house.workspace.add("你好")
    house.workspace.add("再见")
    house.workspace.plan = ["never"]

    assert isinstance(await house.submit(hello), Unsettled)


async def test_a_copy_that_somebody_planted_is_not_taken_for_ours(house: House) -> None:
    def plant() -> None:
        house.workspace.add("你好", by="stranger")
        house.workspace.add("再见", by="stranger")

    house.workspace.before_answer = plant
    house.workspace.plan = ["never"]

    assert isinstance(await house.submit(hello), Unsettled)


async def test_what_cannot_be_looked_up_is_never_sent_again(house: House) -> None:
    house.workspace.plan = ["lost"]
    remark = comment("甲")

    for _ in range(3):
        assert isinstance(await house.submit(remark), Unsettled)
        house.clock.time += SETTLE * 10

    assert len(house.workspace.sent) == 1


async def test_an_update_whose_answer_was_lost_is_found(house: House) -> None:
    house.workspace.plan = ["lost"]

    outcome = await house.submit(update("已完成"), before=house.workspace.as_read())

    assert outcome == Written(ids=(TICKET,), found=True)
    assert house.told()[-1] == "write.found success"


async def test_an_update_that_did_not_arrive_is_sent_again_while_nobody_changed_it(house: House) -> None:
    house.workspace.plan = ["never"]
    done = update("已完成")
    assert isinstance(await house.submit(done, before=house.workspace.as_read()), Unsettled)
    house.workspace.properties["自检结果"]["rich_text"] = [{"plain_text": "x", "text": {"content": "x"}}]
    house.clock.time += SETTLE

    assert await house.submit(done) == Written(ids=(TICKET,))
    assert len(house.workspace.sent) == 2


async def test_an_update_is_not_written_over_what_somebody_else_changed(house: House) -> None:
    done = update("已完成")
    house.workspace.plan = ["never"]
    await house.submit(done, before=house.workspace.as_read())
    house.workspace.set_status("作废")
    house.clock.time += SETTLE

    assert await house.submit(done) == Overtaken()
    assert await house.submit(done) == Overtaken()
    assert house.workspace.properties["状态"]["status"]["name"] == "作废"
    assert len(house.workspace.sent) == 1
    assert house.told()[-1] == "write.overtaken cancelled"


@pytest.mark.parametrize(("editor", "outcome"), [(BOT, Written(ids=(TICKET,))), ("person", Overtaken())])
async def test_without_a_page_from_before_the_last_editor_tells(
    house: House, editor: str, outcome: Outcome
) -> None:
    done = update("已完成")
    house.workspace.plan = ["never"]
    house.workspace.editor = editor

    first = await house.submit(done)
    house.clock.time += SETTLE

    assert isinstance(first, Unsettled) == (editor == BOT)
    assert await house.submit(done) == outcome


async def test_a_trail_that_fails_before_a_write_means_no_write(house: House) -> None:
    house.break_trail()

    assert await house.submit(hello) == Stopped(decision="deny", reason="trail", facts={})
    assert house.workspace.sent == []

    house.mend_trail()
    assert house.intent(hello) is None
    assert isinstance(await house.submit(hello), Written)


async def test_a_trail_that_fails_after_a_write_is_told_and_the_write_not_repeated(house: House) -> None:
    house.workspace.before_answer = house.break_trail

    outcome = await house.submit(hello)
    assert outcome == Written(ids=("block-1", "block-2"), on_trail=False)
    assert house.told() == ["guard.decision allow"]

    house.mend_trail()
    again = await house.submit(hello)
    assert again == Written(ids=("block-1", "block-2"), found=True)
    assert len(house.workspace.sent) == 1

    assert await house.trail.available()
    assert house.told() == [
        "guard.decision allow",
        "write.found success",
        "write.block.inserted success",
        "audit.recovered",
    ]
    assert verify(house.events()) == 4


async def test_while_a_result_is_spooled_nothing_else_is_written(house: House) -> None:
    house.workspace.before_answer = house.break_trail
    await house.submit(hello)

    assert await house.submit(append("other")) == Stopped(decision="deny", reason="trail", facts={})
    assert len(house.workspace.sent) == 1

    house.mend_trail()
    house.workspace.before_answer = lambda: None
    assert isinstance(await house.submit(append("other")), Written)
    assert house.told()[1:3] == ["write.block.inserted success", "audit.recovered"]


async def test_a_spool_that_fails_too_does_not_repeat_the_write(house: House) -> None:
    def ruin() -> None:
        house.break_trail()
        (house.folder / "trail.spool").mkdir()

    house.workspace.before_answer = ruin

    assert await house.submit(hello) == Written(ids=("block-1", "block-2"), on_trail=False)
    house.mend_trail()
    assert await house.submit(hello) == Written(ids=("block-1", "block-2"), found=True)
    assert len(house.workspace.sent) == 1


ENDS = {
    "written": "answer",
    "found": "lost",
    "refused": refused("validation_error"),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
async def test_what_came_of_a_write_is_told_again_after_a_restart_and_nothing_is_sent(
    house: House, end: str | NotionError
) -> None:
    house.workspace.plan = [end]
    first = await house.submit(hello)
    events = house.told()

    house.restart()
    house.workspace.readable = False

    assert await house.submit(hello) == first
    assert len(house.workspace.sent) == 1
    assert house.told() == events


async def test_the_same_operation_submitted_twice_at_once_is_sent_once(house: House) -> None:
    outcomes = await asyncio.gather(*(house.submit(hello) for _ in range(4)))

    assert len(house.workspace.sent) == 1
    assert all(isinstance(outcome, Written | Unsettled) for outcome in outcomes)
    assert await house.submit(hello) == Written(ids=("block-1", "block-2"))


async def test_other_bytes_under_the_same_id_are_refused(house: House) -> None:
    await house.submit(hello)

    with pytest.raises(PermitError):
        await house.submit(replace(append("别的"), id=hello.id))

    assert len(house.workspace.sent) == 1


async def test_the_executor_takes_a_permit_once_and_for_its_operation_only(house: House) -> None:
    review = await Guard(Policy(), Scopes(house.workspace, house.clock)).review(  # type: ignore[arg-type]
        hello, asker, trail=True
    )
    assert review.permit is not None

    with pytest.raises(PermitError):
        await house.executor.perform(append("别的"), review.permit, review, asker)
    await house.executor.perform(hello, review.permit, review, asker)
    with pytest.raises(PermitError):
        await house.executor.perform(hello, review.permit, review, asker)

    assert len(house.workspace.sent) == 1


archive = Operation(
    id=fresh("op"),
    kind=Kind.PAGE_ARCHIVE,
    target=TICKET,
    request=request("PATCH", f"/pages/{TICKET}", {"in_trash": True}),
)
malformed = replace(hello, id=fresh("op"), request=replace(hello.request, body="["))
elsewhere = Operation(
    id=fresh("op"),
    kind=Kind.BLOCK_APPEND,
    target=TICKET.replace("1", "9"),
    request=request("PATCH", f"/blocks/{TICKET.replace('1', '9')}/children", {"children": []}),
)
STOPPED: dict[str, tuple[Policy, Operation, Stopped, str]] = {
    "a level too low": (
        Policy(),
        archive,
        Stopped(decision="deny", reason="level", facts={"needs": 2, "level": 1, "kind": "page.archive"}),
        "guard.denied deny",
    ),
    "another page": (
        Policy(),
        elsewhere,
        Stopped(
            decision="deny", reason="out_of_scope", facts={"needs": 1, "level": 1, "kind": "block.append"}
        ),
        "guard.denied deny",
    ),
    "a body that is none": (
        Policy(),
        malformed,
        Stopped(
            decision="deny", reason="unknown_effect", facts={"needs": 3, "level": 1, "kind": "block.append"}
        ),
        "guard.denied deny",
    ),
    "preview": (
        Policy(mode="preview"),
        hello,
        Stopped(
            decision="preview_only",
            reason="preview_mode",
            facts={"needs": 1, "level": 1, "kind": "block.append"},
        ),
        "guard.decision preview_only",
    ),
}


@pytest.mark.parametrize(("policy", "operation", "outcome", "event"), STOPPED.values(), ids=STOPPED)
async def test_a_no_is_recorded_and_reaches_the_trail_alone(
    tmp_path: Path, policy: Policy, operation: Operation, outcome: Stopped, event: str
) -> None:
    house = House(tmp_path, policy)

    assert await house.submit(operation) == outcome
    assert (house.workspace.sent, house.told(), house.intent(operation)) == ([], [event], None)


async def test_a_no_that_cannot_be_recorded_is_a_no(house: House) -> None:
    house.break_trail()

    assert await house.submit(elsewhere) == Stopped(decision="deny", reason="trail", facts={})


advanced = Policy(level=Level.ADVANCED, agents={"A02": Allowed(level=Level.ADVANCED)})


async def test_a_question_is_parked_once_and_nothing_is_sent(tmp_path: Path) -> None:
    house = House(tmp_path, advanced)

    first = await house.submit(archive)
    house.restart()
    again = await house.submit(archive)

    assert first == again == Parked(1)
    assert house.workspace.sent == []
    assert house.told() == ["guard.decision confirm_required"]
    with house.database.transaction() as connection:
        assert [question.operation for question in Approvals(house.clock).pending(connection)] == [archive]


async def test_a_question_that_cannot_be_recorded_is_a_no(tmp_path: Path) -> None:
    house = House(tmp_path, advanced)
    house.break_trail()

    assert await house.submit(archive) == Stopped(decision="deny", reason="trail", facts={})


async def test_a_question_is_withdrawn_when_the_policy_has_become_milder(tmp_path: Path) -> None:
    house = House(tmp_path, Policy(agents={"A02": Allowed(ask=frozenset({Kind.BLOCK_APPEND}))}))
    assert await house.submit(hello) == Parked(1)
    house.policy = Policy()
    house.restart()

    assert isinstance(await house.submit(hello), Written)
    with house.database.transaction() as connection:
        assert Approvals(house.clock).pending(connection) == []


@settings(max_examples=30, deadline=None)
@given(
    plan=st.lists(
        st.sampled_from(["answer", "lost", "never", "late", "unsent", "limited", "conflict", "cancelled"]),
        max_size=6,
    ),
    waits=st.lists(st.integers(0, 90), min_size=14, max_size=14),
    restarts=st.sets(st.integers(0, 13), max_size=4),
    broken=st.sets(st.integers(0, 13), max_size=3),
)
async def test_whatever_happens_to_its_sends_a_write_is_there_once_in_the_end(
    tmp_path_factory: pytest.TempPathFactory,
    plan: list[str],
    waits: list[int],
    restarts: set[int],
    broken: set[int],
) -> None:
    """A late send arrives within the settle time: that is what Notion promises, and what we rely on."""
    house = House(tmp_path_factory.mktemp("house"))
    errors = {
        "unsent": lost(),
        "limited": NotionLimited(1, until=datetime(2026, 11, 30, 8, tzinfo=UTC)),
        "conflict": conflict,
    }
    house.workspace.plan = [
        asyncio.CancelledError() if what == "cancelled" else errors.get(what, what) for what in plan
    ]
    for step, wait in enumerate([*waits, 60, 60, 60, 60, 60, 60, 60]):
        if step in restarts:
            house.restart()
        house.workspace.before_answer = house.break_trail if step in broken else lambda: None
        with suppress(NotionError, asyncio.CancelledError):
            await house.submit(hello)
        house.mend_trail()
        house.clock.time += timedelta(seconds=min(wait, 59))
        house.workspace.arrive()
        house.clock.time += timedelta(seconds=max(wait - 59, 0))

    outcome = await house.submit(hello)
    assert isinstance(outcome, Written)
    assert house.workspace.texts() == ["你好", "再见"]
    assert await house.trail.available()
    assert verify(house.events()) == len(house.events())
    house.database.close()
