"""Which column of the workspace's ticket database plays which role.

Owners keep their own column names; the defaults are the Chinese ones. A column is found by its
name first, because that is what the owner sees and sets, then by the property id remembered from
an earlier look, so that a rename changes nothing, and the title by its type alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from lakelight.notion.schema import Column
from lakelight.tickets.matching import fold

Role = Literal[
    "number",
    "title",
    "assignee",
    "status",
    "priority",
    "brief",
    "constraints",
    "branch",
    "repository",
    "handoff",
    "self_check",
    "created",
]

_TEXT = (
    "rich_text",
    "title",
    "select",
    "multi_select",
    "status",
    "url",
    "number",
    "unique_id",
    "formula",
    "rollup",
)
MAY_BE: Mapping[Role, tuple[str, ...]] = {
    "number": ("unique_id", "number", "rich_text", "title", "formula", "select"),
    "title": ("title", "rich_text"),
    "assignee": ("select", "multi_select", "rich_text", "people", "relation", "status", "formula"),
    "status": ("status", "select"),
    "priority": ("select", "status", "multi_select", "number", "rich_text", "formula"),
    "brief": _TEXT,
    "constraints": _TEXT,
    "branch": _TEXT,
    "repository": _TEXT,
    "handoff": _TEXT,
    "self_check": ("rich_text",),
    "created": ("created_time", "date", "formula", "rollup"),
}
"""The column types that can play each role."""

REQUIRED: tuple[Role, ...] = ("title", "status")
"""Without these there is no ticket to work on; the other roles may stay empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNames:
    """What the owner calls the column of each role."""

    number: str = "编号"
    title: str = "任务标题"
    assignee: str = "负责Agent"
    status: str = "状态"
    priority: str = "优先级"
    brief: str = "开发内容"
    constraints: str = "约束"
    branch: str = "分支名"
    repository: str = "仓库路径"
    handoff: str = "下一轮指引"
    self_check: str = "自检结果"
    created: str = "创建时间"

    def by_role(self) -> dict[Role, str]:
        """Every role with its column's name, in the order of the fields."""
        return {role: getattr(self, role) for role in MAY_BE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """The roles whose columns were found."""

    columns: Mapping[Role, Column]
    missing: tuple[Role, ...] = ()
    """Optional roles without a column: their values are empty and nothing is written to them."""
    renamed: Mapping[Role, str] = field(default_factory=dict)
    """Roles found under another name than the one that is set, with the present name."""

    def __getitem__(self, role: Role) -> Column:
        return self.columns[role]

    def __contains__(self, role: object) -> bool:
        return role in self.columns

    def __iter__(self) -> Iterator[Role]:
        return iter(self.columns)

    def property_ids(self) -> dict[Role, str]:
        """What to remember, so that the next look survives a rename."""
        return {role: column.id for role, column in self.columns.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingColumn:
    """A required role has no column."""

    message_key: ClassVar[str] = "column.missing"
    role: Role
    wanted: str
    candidates: tuple[str, ...]
    """Columns there are that have a right type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongType:
    """The column is there, and can't play the role."""

    message_key: ClassVar[str] = "column.wrong_type"
    role: Role
    column: str
    type: str
    may_be: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoColumns:
    """Two columns have names that look the same as the one that is set."""

    message_key: ClassVar[str] = "column.two"
    role: Role
    wanted: str
    columns: tuple[str, ...]


Problem = MissingColumn | WrongType | TwoColumns


@dataclass(frozen=True, slots=True)
class Unmapped:
    """The database cannot be used as it stands; every reason at once."""

    problems: tuple[Problem, ...]


def resolve(
    names: ColumnNames,
    schema_columns: Mapping[str, Column],
    remembered: Mapping[Role, str] | None = None,
) -> Mapped | Unmapped:
    """Find the column of each role among `schema_columns` (by name).

    Args:
        remembered: Property ids from an earlier `Mapped.property_ids()` of the same data source.
    """
    found: dict[Role, Column] = {}
    problems: list[Problem] = []
    for role, wanted in names.by_role().items():
        match _find(role, wanted, tuple(schema_columns.values()), (remembered or {}).get(role)):
            case None:
                if role in REQUIRED:
                    problems.append(_missing(role, wanted, schema_columns))
            case TwoColumns() as problem:
                problems.append(problem)
            case column if column.type not in MAY_BE[role]:
                problems.append(
                    WrongType(role=role, column=column.name, type=column.type, may_be=MAY_BE[role])
                )
            case column:
                found[role] = column
    if problems:
        return Unmapped(tuple(problems))
    return Mapped(
        columns=found,
        missing=tuple(role for role in MAY_BE if role not in found),
        renamed={
            role: column.name
            for role, column in found.items()
            if fold(column.name) != fold(getattr(names, role))
        },
    )


def _find(
    role: Role, wanted: str, columns: tuple[Column, ...], property_id: str | None
) -> Column | TwoColumns | None:
    named = [column for column in columns if column.name == wanted] or [
        column for column in columns if fold(column.name) == fold(wanted)
    ]
    if len(named) > 1:
        return TwoColumns(role=role, wanted=wanted, columns=tuple(column.name for column in named))
    if named:
        return named[0]
    for column in columns:
        if column.id == property_id or (role == "title" and column.type == "title"):
            return column
    return None


def _missing(role: Role, wanted: str, columns: Mapping[str, Column]) -> MissingColumn:
    right = tuple(column.name for column in columns.values() if column.type in MAY_BE[role])
    return MissingColumn(role=role, wanted=wanted, candidates=right)
