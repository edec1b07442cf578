"""A question is one row, asked once, that keeps the very bytes it is about."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lakelight.guard import AlreadyDecided, Approval, Approvals, Asked, NoSuchApproval, approval_number
from lakelight.operations import Kind, Operation, request
from lakelight.storage import Connection, Database, migrate


class Noon:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)

    async def sleep(self, wait: timedelta) -> None:
        raise AssertionError


approvals = Approvals(Noon())


def archive(number: int) -> Operation:
    return Operation(
        id=f"op_{number}",
        kind=Kind.PAGE_ARCHIVE,
        target="page-1",
        request=request("PATCH", "/pages/page-1", {"in_trash": True}),
    )


def park(connection: Connection, operation: Operation) -> int:
    asked = Asked(
        operation=operation,
        agent="A02",
        run_id="run_1",
        reason="risk",
        policy_hash="0" * 64,
        preview={"title": "Roadmap"},
        pre_state="f" * 64,
    )
    return approvals.park(connection, asked)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(tmp_path / "state.db")
    migrate(database)
    return database


def test_a_question_keeps_what_it_is_about(database: Database) -> None:
    with database.transaction() as connection:
        number = park(connection, archive(1))
        pending = approvals.pending(connection)

    assert pending == [
        Approval(
            number=number,
            operation=archive(1),
            agent="A02",
            run_id="run_1",
            reason="risk",
            policy_hash="0" * 64,
            preview={"title": "Roadmap"},
            pre_state="f" * 64,
            state="pending",
            successor=None,
            created_at="2026-11-30T12:00:00.000Z",
            decided_at=None,
            decided_by="",
            comment="",
        )
    ]
    assert pending[0].key == f"A-{number}"


def test_the_same_operation_is_asked_about_once(database: Database) -> None:
    with database.transaction() as connection:
        numbers = [park(connection, archive(1)), park(connection, archive(2)), park(connection, archive(1))]
        pending = [approval.number for approval in approvals.pending(connection)]

    assert numbers[0] == numbers[2] != numbers[1]
    assert pending == numbers[:2]


def test_a_question_that_is_withdrawn_is_not_pending(database: Database) -> None:
    with database.transaction() as connection:
        park(connection, archive(1))
        park(connection, archive(2))
        approvals.withdraw(connection, "op_1")
        left = [approval.operation.id for approval in approvals.pending(connection)]

    assert left == ["op_2"]


def test_a_question_waits_through_a_restart(database: Database, tmp_path: Path) -> None:
    with database.transaction() as connection:
        park(connection, archive(1))
    database.close()

    with Database(tmp_path / "state.db").transaction() as connection:
        assert [approval.operation for approval in approvals.pending(connection)] == [archive(1)]


def test_the_second_decision_is_told_who_decided_and_when(database: Database) -> None:
    with database.transaction() as connection:
        number = park(connection, archive(1))
        approvals.decide(connection, number, "approved", by="mei")

        with pytest.raises(AlreadyDecided) as refusal:
            approvals.decide(connection, number, "rejected", by="lin")

        kept = approvals.get(connection, number)
    assert refusal.value.facts == {
        "approval": f"A-{number}",
        "state": "approved",
        "by": "mei",
        "at": "2026-11-30T12:00:00.000Z",
    }
    assert (kept.state, kept.decided_by) == ("approved", "mei")


def test_an_approval_is_used_once(database: Database) -> None:
    with database.transaction() as connection:
        number = park(connection, archive(1))
        early = approvals.redeem(connection, number)
        approvals.decide(connection, number, "approved", by="mei")
        uses = [approvals.redeem(connection, number) for _ in range(3)]

    assert (early, uses) == (False, [True, False, False])


def test_a_question_whose_target_changed_is_replaced_by_a_new_one(database: Database) -> None:
    with database.transaction() as connection:
        number = park(connection, archive(1))
        old = approvals.get(connection, number)
        asked = Asked(
            operation=old.operation,
            agent=old.agent,
            run_id=old.run_id,
            reason=old.reason,
            policy_hash=old.policy_hash,
            preview={"title": "Roadmap 2"},
            pre_state="e" * 64,
        )
        fresh = approvals.outdate(connection, number, asked)
        states = [approvals.get(connection, each).state for each in (number, fresh)]

        assert states == ["stale", "pending"]
        assert approvals.get(connection, number).successor == fresh
        assert approvals.newest(connection, "op_1") == approvals.get(connection, fresh)


@pytest.mark.parametrize(("text", "number"), [("A-7", 7), ("a7", 7), (" 7 ", 7)])
def test_an_approval_is_named_by_its_number(text: str, number: int) -> None:
    assert approval_number(text) == number


@pytest.mark.parametrize("text", ["", "A-", "B-7", "-1", "7.0", "٧", "A-1234567890"])
def test_what_names_no_approval_is_refused(text: str) -> None:
    with pytest.raises(NoSuchApproval):
        approval_number(text)
