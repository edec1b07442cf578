"""A question is one row, asked once, that keeps the very bytes it is about."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lakelight.guard import Approval, Approvals
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
    return approvals.park(
        connection, operation, agent="A02", run_id="run_1", reason="risk", policy_hash="0" * 64
    )


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
            state="pending",
            created_at="2026-11-30T12:00:00.000Z",
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
