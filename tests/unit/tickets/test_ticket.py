"""A page of the ticket database becomes a ticket, whatever is missing or strange in it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lakelight.notion.schema import Column
from lakelight.tickets.columns import MAY_BE, ColumnNames, Mapped, resolve
from lakelight.tickets.ticket import Ticket, parse_ticket

TYPES = {
    "number": "unique_id",
    "title": "title",
    "assignee": "people",
    "status": "status",
    "priority": "select",
}


def mapped() -> Mapped:
    names = ColumnNames().by_role()
    columns = {
        names[role]: Column(name=names[role], id=role[:4], type=TYPES.get(role, "rich_text"))
        for role in names
        if role != "created"
    }
    found = resolve(ColumnNames(), columns)
    assert isinstance(found, Mapped)
    return found


def rich(text: str) -> dict[str, Any]:
    return {"type": "text", "text": {"content": text, "link": None}, "plain_text": text, "href": None}


def page(**properties: Any) -> dict[str, Any]:
    return {
        "object": "page",
        "id": "1f2e3d4c-5b6a-4798-8877-665544332211",
        "url": "https://www.notion.so/x",
        "created_time": "2026-11-30T08:00:00.000Z",
        "last_edited_time": "2026-11-30T08:05:00.000Z",
        "created_by": {"object": "user", "id": "u1"},
        "last_edited_by": {"object": "user", "id": "u2"},
        "in_trash": False,
        "properties": properties,
    }


def test_a_full_page_becomes_a_ticket() -> None:
    whole = page(
        编号={"id": "numb", "type": "unique_id", "unique_id": {"prefix": "GH", "number": 7}},
        任务标题={"id": "titl", "type": "title", "title": [rich("整理"), rich("文档 ")]},
        状态={"id": "stat", "type": "status", "status": {"id": "x", "name": "待开发", "color": "red"}},
        优先级={"id": "prio", "type": "select", "select": {"id": "y", "name": "P1", "color": "red"}},
        开发内容={"id": "brie", "type": "rich_text", "rich_text": [rich("一\n二")]},
        约束={"id": "cons", "type": "rich_text", "rich_text": [rich("由译典A05")]},
        分支名={"id": "bran", "type": "rich_text", "rich_text": [rich("feat/x")]},
        仓库路径={"id": "repo", "type": "rich_text", "rich_text": [rich("a/b")]},
        下一轮指引={"id": "hand", "type": "rich_text", "rich_text": [rich("继续")]},
        自检结果={"id": "self", "type": "rich_text", "rich_text": [rich("ok")]},
    )

    assert parse_ticket(whole, mapped()) == Ticket(
        page_id="1f2e3d4c-5b6a-4798-8877-665544332211",
        url="https://www.notion.so/x",
        number="GH-7",
        title="整理文档",
        assignee=(),
        status="待开发",
        priority="P1",
        brief="一\n二",
        constraints="由译典A05",
        branch="feat/x",
        repository="a/b",
        handoff="继续",
        self_check="ok",
        created=datetime(2026, 11, 30, 8, tzinfo=UTC),
        last_edited=datetime(2026, 11, 30, 8, 5, tzinfo=UTC),
        last_edited_by="u2",
        created_by="u1",
        in_trash=False,
    )


def test_a_column_renamed_since_the_schema_was_read_is_found_by_its_id() -> None:
    renamed = page(阶段={"id": "stat", "type": "status", "status": {"name": "待开发"}})

    assert parse_ticket(renamed, mapped()).status == "待开发"


def test_null_values_are_empty() -> None:
    empty = page(
        任务标题={"id": "titl", "type": "title", "title": []},
        状态={"id": "stat", "type": "status", "status": None},
        优先级={"id": "prio", "type": "select", "select": None},
        负责Agent={"id": "assi", "type": "people", "people": []},
    )

    ticket = parse_ticket(empty, mapped())

    assert (ticket.title, ticket.status, ticket.priority, ticket.assignee) == ("", "", "", ())


def test_every_assignee_is_kept_as_it_stands() -> None:
    two = page(
        负责Agent={
            "id": "assi",
            "type": "multi_select",
            "multi_select": [{"name": "译典A05"}, {"name": " 培园A04 "}],
        }
    )

    assert parse_ticket(two, mapped()).assignee == ("译典A05", "培园A04")


@pytest.mark.parametrize(("number", "text"), [(7, "7"), (7.0, "7"), (7.5, "7.5"), (0, "0")])
def test_a_number_reads_as_people_write_it(number: float, text: str) -> None:
    numbered = page(编号={"id": "numb", "type": "number", "number": number})

    assert parse_ticket(numbered, mapped()).number == text


def test_the_page_of_an_older_api_version_in_the_trash_is_in_the_trash() -> None:
    old = page() | {"archived": True}
    del old["in_trash"]

    assert parse_ticket(old, mapped()).in_trash


def test_unknown_fields_and_types_are_ignored() -> None:
    strange = page(编号={"id": "numb", "type": "brand_new", "brand_new": {"a": 1}}, other=5)

    assert parse_ticket(strange | {"brand_new": 1}, mapped()).number == ""


def test_an_assignee_that_notion_does_not_tell_is_not_taken_for_nobody() -> None:
    hidden = page(负责Agent={"id": "assi", "type": "formula", "formula": {"type": "unsupported"}})

    assert parse_ticket(hidden, mapped()).assignee == ("not available",)


def test_a_page_with_nothing_in_it_is_an_empty_ticket() -> None:
    ticket = parse_ticket({"object": "page", "id": "p"}, mapped())

    assert (ticket.page_id, ticket.title, ticket.last_edited) == ("p", "", datetime.fromtimestamp(0, UTC))


odd = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.lists(st.none() | st.text(max_size=3), max_size=2)
)


@given(
    st.dictionaries(
        st.sampled_from(["id", "url", "created_time", "last_edited_time", "created_by", "properties"]), odd
    )
)
def test_no_frame_of_a_page_breaks_the_reading(frame: dict[str, Any]) -> None:
    assert isinstance(parse_ticket(frame, mapped()), Ticket)


def test_every_role_has_a_field() -> None:
    assert set(MAY_BE) <= set(Ticket.__dataclass_fields__)
