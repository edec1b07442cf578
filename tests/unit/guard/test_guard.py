"""What the guard makes of an operation, from its request, the policy and the place of its target."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lakelight.guard import Asker, Cap, Decision, Entry, Guard, OwnTicket, Policy, Reason, Scopes, effects
from lakelight.notion import NotionUnreachable
from lakelight.operations import Kind, Level, Operation, Risk, request
from lakelight.operations.operation import Method

TICKET = "11111111-2222-3333-4444-555555555555"
FOREIGN = "99999999-2222-3333-4444-555555555555"
PROJECT = "88888888-2222-3333-4444-555555555555"


class Reader:
    """A workspace in which `FOREIGN` lies below `PROJECT`."""

    def __init__(self) -> None:
        self.reachable = True

    async def block(self, block_id: str) -> dict[str, Any]:
        if not self.reachable:
            raise NotionUnreachable("no connection")
        parents = {FOREIGN: {"type": "page_id", "page_id": PROJECT}}
        return {"parent": parents.get(block_id, {"type": "workspace", "workspace": True})}


class Noon:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


ticket = OwnTicket(
    page_id=TICKET,
    self_check="自检结果",
    status="状态",
    statuses=frozenset({"进行中", "已完成"}),
    is_fixed_text=lambda text: text == "录册A02 已接手",
)
asker = Asker(actor="ai", agent="A02", run_id="run_1", ticket=ticket)
reader = Reader()


def guard(policy: Policy | None = None, workspace: Reader | None = None) -> Guard:
    # The guard reads one thing only.
    return Guard(policy or Policy(), Scopes(workspace or reader, Noon()))  # type: ignore[arg-type]


def operation(
    kind: Kind, path: str, body: dict[str, Any], *, target: str = TICKET, method: Method = "PATCH"
) -> Operation:
    return Operation(id="op_1", kind=kind, target=target, request=request(method, path, body))


def mark(properties: dict[str, Any], *, page: str = TICKET, kind: Kind = Kind.TICKET_MARK) -> Operation:
    return operation(kind, f"/pages/{page}", {"properties": properties}, target=page)


def words(*contents: str) -> dict[str, Any]:
    return {"rich_text": [{"type": "text", "text": {"content": content}} for content in contents]}


FIXED = words("录册A02 已接手")
append = operation(Kind.BLOCK_APPEND, f"/blocks/{TICKET}/children", {"children": [{"paragraph": {}}]})

MARKS = {
    "the fixed text": {"自检结果": FIXED},
    "a status word": {"状态": {"status": {"name": "进行中"}}},
    "a status word in a select": {"状态": {"select": {"name": "已完成"}}},
    "both": {"自检结果": FIXED, "状态": {"status": {"name": "进行中"}}},
    "the fixed text, its type left out": {
        "自检结果": {"rich_text": [{"text": {"content": "录册A02 已接手"}}]}
    },
}
NO_MARKS = {
    "another column": {"开发内容": FIXED},
    "a mark and another column": {"自检结果": FIXED, "开发内容": FIXED},
    "composed text": {"自检结果": words("录册A02 已接手，密码是 hunter2")},
    "two runs": {"自检结果": words("录册A02 已接手", "录册A02 已接手")},
    "no run": {"自检结果": {"rich_text": []}},
    "a link": {
        "自检结果": {
            "rich_text": [{"text": {"content": "录册A02 已接手", "link": {"url": "https://evil.example"}}}]
        }
    },
    "an empty link": {"自检结果": {"rich_text": [{"text": {"content": "录册A02 已接手", "link": None}}]}},
    "an annotation": {
        "自检结果": {"rich_text": [{"text": {"content": "录册A02 已接手"}, "annotations": {"color": "red"}}]}
    },
    "a href": {"自检结果": {"rich_text": [{"text": {"content": "录册A02 已接手"}, "href": "https://x"}]}},
    "a mention": {"自检结果": {"rich_text": [{"type": "mention", "mention": {"user": {"id": FOREIGN}}}]}},
    "a run of another type": {
        "自检结果": {"rich_text": [{"type": "mention", "text": {"content": "录册A02 已接手"}}]}
    },
    "a second value beside the text": {"自检结果": {**FIXED, "url": "https://evil.example"}},
    "a title": {"自检结果": {"title": FIXED["rich_text"]}},
    "text that is no list": {"自检结果": {"rich_text": "录册A02 已接手"}},
    "content that is no text": {"自检结果": {"rich_text": [{"text": {"content": ["录册A02 已接手"]}}]}},
    "no value": {"自检结果": None},
    "a status word that is not listed": {"状态": {"status": {"name": "作废"}}},
    "a status by its id": {"状态": {"status": {"id": "abc"}}},
    "a status by name and id": {"状态": {"status": {"name": "进行中", "id": "abc"}}},
    "a second value beside the status": {"状态": {"status": {"name": "进行中"}, **FIXED}},
    "a cleared status": {"状态": {"status": None}},
    "a status word in another column": {"优先级": {"select": {"name": "进行中"}}},
    "the text in the status column": {"状态": FIXED},
    "the status in the text column": {"自检结果": {"status": {"name": "进行中"}}},
}


@pytest.mark.parametrize("properties", MARKS.values(), ids=MARKS)
def test_the_engines_own_words_in_its_own_ticket_are_a_mark(properties: dict[str, Any]) -> None:
    assert effects(mark(properties), ticket) == {Kind.TICKET_MARK}


@pytest.mark.parametrize("properties", NO_MARKS.values(), ids=NO_MARKS)
async def test_what_only_calls_itself_a_mark_is_denied(properties: dict[str, Any]) -> None:
    forged = mark(properties)

    assert effects(forged, ticket) == {Kind.PAGE_PROPERTIES_UPDATE}
    review = await guard().review(forged, asker, trail=True)
    assert review.decision == Decision(Cap.DENY, Reason.OTHER_EFFECT)


def test_the_same_words_in_another_page_are_no_mark() -> None:
    assert effects(mark({"自检结果": FIXED}, page=FOREIGN), ticket) == {Kind.PAGE_PROPERTIES_UPDATE}


def test_a_mark_that_does_something_more_is_no_mark() -> None:
    body = {"properties": {"自检结果": FIXED}, "in_trash": True}
    forged = operation(Kind.TICKET_MARK, f"/pages/{TICKET}", body)

    assert effects(forged, ticket) == {Kind.PAGE_PROPERTIES_UPDATE, Kind.PAGE_ARCHIVE}


def test_without_a_ticket_or_a_mapped_column_there_are_no_marks() -> None:
    unmapped = replace(ticket, self_check=None, status=None)

    assert effects(mark({"自检结果": FIXED}), None) == {Kind.PAGE_PROPERTIES_UPDATE}
    assert effects(mark({"自检结果": FIXED}), unmapped) == {Kind.PAGE_PROPERTIES_UPDATE}


def test_a_property_update_that_looks_like_a_mark_stays_what_it_is() -> None:
    update = mark({"自检结果": FIXED}, kind=Kind.PAGE_PROPERTIES_UPDATE)

    assert effects(update, ticket) == {Kind.PAGE_PROPERTIES_UPDATE}


async def test_a_yes_comes_with_a_permit_for_these_bytes() -> None:
    review = await guard().review(append, asker, trail=True)

    assert review.decision == Decision(Cap.ALLOW)
    assert review.policy_hash == Policy().hash
    assert review.permit is not None
    review.permit.spend(append)


async def test_a_no_comes_without_a_permit() -> None:
    review = await guard().review(append, asker, trail=False)

    assert (review.decision, review.permit) == (Decision(Cap.DENY, Reason.TRAIL), None)


archive = operation(Kind.PAGE_ARCHIVE, f"/pages/{TICKET}", {"in_trash": True})
erase = operation(Kind.PAGE_ERASE, f"/pages/{TICKET}", {"erase_content": True})
elsewhere = operation(Kind.BLOCK_APPEND, f"/blocks/{FOREIGN}/children", {"children": []}, target=FOREIGN)
advanced = Policy(level=Level.ADVANCED, agents={"A02": Entry(level=Level.ADVANCED)})

REVIEWS: dict[str, tuple[Policy, Operation, Decision]] = {
    "its own ticket": (Policy(), append, Decision(Cap.ALLOW)),
    "a level above the agent's": (
        Policy(level=Level.ADMIN),
        archive,
        Decision(Cap.DENY, Reason.LEVEL),
    ),
    "a level above the installation's": (
        Policy(agents={"A02": Entry(level=Level.ADMIN)}),
        archive,
        Decision(Cap.DENY, Reason.LEVEL),
    ),
    "an installation that only reads": (
        Policy(level=Level.READ_ONLY),
        append,
        Decision(Cap.DENY, Reason.LEVEL),
    ),
    "something grave": (advanced, archive, Decision(Cap.CONFIRM, Reason.RISK)),
    "something graver": (advanced, erase, Decision(Cap.DENY, Reason.LEVEL)),
    "another page": (Policy(), elsewhere, Decision(Cap.DENY, Reason.OUT_OF_SCOPE)),
    "a page below one of the agent's": (
        Policy(agents={"A02": Entry(roots=frozenset({PROJECT}))}),
        elsewhere,
        Decision(Cap.ALLOW),
    ),
    "a page of another agent": (
        Policy(agents={"B01": Entry(roots=frozenset({PROJECT}))}),
        elsewhere,
        Decision(Cap.DENY, Reason.OUT_OF_SCOPE),
    ),
    "a kind that a person wants to see": (
        Policy(agents={"A02": Entry(ask=frozenset({Kind.BLOCK_APPEND}))}),
        append,
        Decision(Cap.CONFIRM, Reason.ASK),
    ),
    "preview": (Policy(mode="preview"), append, Decision(Cap.PREVIEW, Reason.PREVIEW_MODE)),
    "frozen": (Policy(mode="frozen"), append, Decision(Cap.DENY, Reason.FROZEN)),
    "something unknown": (
        Policy(level=Level.ADMIN, agents={"A02": Entry(level=Level.ADMIN)}),
        operation(Kind.BLOCK_APPEND, f"/blocks/{TICKET}/children", {"children": [], "more": 1}),
        Decision(Cap.DENY, Reason.UNKNOWN_EFFECT),
    ),
    "another kind than it says": (
        advanced,
        replace(archive, kind=Kind.PAGE_META_UPDATE),
        Decision(Cap.DENY, Reason.OTHER_EFFECT),
    ),
    "more than it says": (
        advanced,
        operation(Kind.PAGE_META_UPDATE, f"/pages/{TICKET}", {"icon": None, "in_trash": True}),
        Decision(Cap.DENY, Reason.OTHER_EFFECT),
    ),
    "another place than it says": (
        Policy(),
        replace(elsewhere, target=TICKET),
        Decision(Cap.DENY, Reason.OTHER_EFFECT),
    ),
}


@pytest.mark.parametrize(("policy", "asked", "decision"), REVIEWS.values(), ids=REVIEWS)
async def test_the_policy_and_the_request_decide(
    policy: Policy, asked: Operation, decision: Decision
) -> None:
    review = await guard(policy).review(asked, asker, trail=True)

    assert review.decision == decision
    assert (review.permit is None) == (decision.cap is not Cap.ALLOW)


async def test_a_workspace_that_cannot_be_asked_means_no() -> None:
    workspace = Reader()
    workspace.reachable = False
    policy = Policy(agents={"A02": Entry(roots=frozenset({PROJECT}))})

    review = await guard(policy, workspace).review(elsewhere, asker, trail=True)

    assert review.decision == Decision(Cap.DENY, Reason.SCOPE_UNRESOLVED)


async def test_what_is_not_understood_counts_as_the_gravest() -> None:
    odd = operation(Kind.BLOCK_APPEND, f"/blocks/{TICKET}/children", {})

    review = await guard().review(odd, asker, trail=True)

    assert (review.facts.needs, review.facts.risk) == (Level.ADMIN, Risk.CRITICAL)


async def test_an_approval_lifts_the_question() -> None:
    review = await guard(advanced).review(archive, asker, trail=True, approval="valid")

    assert review.decision == Decision(Cap.ALLOW)
    assert review.permit is not None
