"""Which column plays which role, and what is said when none can."""

from dataclasses import replace

from lakelight.notion.schema import Column
from lakelight.tickets.columns import (
    MAY_BE,
    ColumnNames,
    Mapped,
    MissingColumn,
    TwoColumns,
    Unmapped,
    WrongType,
    resolve,
)

TYPES = {
    "number": "unique_id",
    "title": "title",
    "assignee": "select",
    "status": "status",
    "priority": "select",
    "created": "created_time",
}


def schema(**changed: str) -> dict[str, Column]:
    """The default database; a role's name with another type replaces that column's type."""
    types = {role: TYPES.get(role, "rich_text") for role in MAY_BE} | changed
    return {
        name: Column(name=name, id=f"id-{role}", type=types[role])
        for role, name in ColumnNames().by_role().items()
    }


def test_the_default_names_find_every_role() -> None:
    columns = schema()

    found = resolve(ColumnNames(), columns)

    assert found == Mapped(columns={role: columns[name] for role, name in ColumnNames().by_role().items()})


def test_names_match_across_width_case_and_outer_space() -> None:
    columns = schema()
    del columns["负责Agent"]
    columns[" 负责ＡＧＥＮＴ "] = Column(name=" 负责ＡＧＥＮＴ ", id="id-assignee", type="select")

    found = resolve(ColumnNames(), columns)

    assert isinstance(found, Mapped)
    assert found["assignee"].name == " 负责ＡＧＥＮＴ "
    assert found.renamed == {}


def test_an_exact_name_beats_one_that_only_looks_the_same() -> None:
    columns = {
        "Status": Column(name="Status", id="a", type="select"),
        "status": Column(name="status", id="b", type="status"),
        "T": Column(name="T", id="t", type="title"),
    }

    found = resolve(ColumnNames(status="status"), columns)

    assert isinstance(found, Mapped)
    assert found["status"].id == "b"


def test_two_columns_that_look_like_the_name_are_named_both() -> None:
    columns = {
        "Status": Column(name="Status", id="a", type="select"),
        "status": Column(name="status", id="b", type="status"),
        "T": Column(name="T", id="t", type="title"),
    }

    found = resolve(ColumnNames(status="STATUS"), columns)

    assert found == Unmapped((TwoColumns(role="status", wanted="STATUS", columns=("Status", "status")),))


def test_the_title_is_found_by_its_type_when_its_name_is_another() -> None:
    columns = schema()
    del columns["任务标题"]
    columns["课题"] = Column(name="课题", id="title", type="title")

    found = resolve(ColumnNames(), columns)

    assert isinstance(found, Mapped)
    assert found["title"].name == "课题"
    assert found.renamed == {"title": "课题"}


def test_optional_columns_that_are_missing_are_listed_and_nothing_more() -> None:
    columns = {name: column for name, column in schema().items() if name in {"任务标题", "状态", "编号"}}

    found = resolve(ColumnNames(), columns)

    assert isinstance(found, Mapped)
    assert found.missing == (
        "assignee",
        "priority",
        "brief",
        "constraints",
        "branch",
        "repository",
        "handoff",
        "self_check",
        "created",
    )


def test_a_missing_status_names_the_columns_that_could_be_it() -> None:
    columns = schema()
    del columns["状态"]
    columns["阶段"] = Column(name="阶段", id="x", type="status")

    found = resolve(ColumnNames(), columns)

    assert found == Unmapped(
        (MissingColumn(role="status", wanted="状态", candidates=("负责Agent", "优先级", "阶段")),)
    )


def test_every_wrong_type_is_told_at_once_with_what_it_may_be() -> None:
    found = resolve(ColumnNames(), schema(status="checkbox", self_check="select"))

    assert found == Unmapped(
        (
            WrongType(role="status", column="状态", type="checkbox", may_be=("status", "select")),
            WrongType(role="self_check", column="自检结果", type="select", may_be=("rich_text",)),
        )
    )


def test_a_renamed_column_is_found_by_the_id_that_was_remembered() -> None:
    first = resolve(ColumnNames(), schema())
    assert isinstance(first, Mapped)
    renamed = schema()
    renamed["阶段"] = replace(renamed.pop("状态"), name="阶段")

    found = resolve(ColumnNames(), renamed, remembered=first.property_ids())

    assert isinstance(found, Mapped)
    assert found["status"].name == "阶段"
    assert found.renamed == {"status": "阶段"}


def test_a_name_that_is_there_beats_the_id_that_was_remembered() -> None:
    columns = schema()
    columns["旧状态"] = Column(name="旧状态", id="id-old", type="status")

    found = resolve(ColumnNames(), columns, remembered={"status": "id-old"})

    assert isinstance(found, Mapped)
    assert found["status"].name == "状态"


def test_an_empty_schema_misses_the_two_required_roles() -> None:
    found = resolve(ColumnNames(), {})

    assert found == Unmapped(
        (
            MissingColumn(role="title", wanted="任务标题", candidates=()),
            MissingColumn(role="status", wanted="状态", candidates=()),
        )
    )
