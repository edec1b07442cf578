"""What a request comes to: calls in an order, some of which wait for what an earlier one brings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakelight.agent.planning import AskUser, Call, CallTools, Finish, Plan, Step
from lakelight.tools import Candidate, Question

MOST_ROWS = 100
READS = frozenset({"search_workspace", "fetch_page_markdown", "query_database", "get_database_schema"})

_DONE = frozenset({"found", "written"})


@dataclass(frozen=True, slots=True)
class Earlier:
    """The one page that an earlier instruction brings; there may turn out to be none or several."""

    instruction: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What a column of several values holds already, and one value more."""

    column: str
    option: str
    instruction: int | None = None
    """The one that reads the page; None: what was read of the row itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A call to be made, or one a row."""

    tool: str
    arguments: Mapping[str, object]
    each: int | None = None
    """Once for every row that this earlier instruction brings."""

    @property
    def reads(self) -> bool:
        """True when nothing can change by it."""
        return self.tool in READS


Program = tuple[Instruction, ...]
Arguments = dict[str, object]


def dump_program(program: Program) -> list[dict[str, Any]]:
    """The program as JSON has it, for a turn to be reminded of."""
    return [
        {
            "tool": each.tool,
            "arguments": {name: _dumped(value) for name, value in each.arguments.items()},
            "each": each.each,
        }
        for each in program
    ]


def load_program(memo: object) -> Program | None:
    """What `dump_program` made; None when it is nothing of the kind."""
    try:
        return tuple(
            Instruction(
                tool=each["tool"],
                arguments={name: _loaded(value) for name, value in each["arguments"].items()},
                each=each["each"],
            )
            for each in memo  # type: ignore[attr-defined]
        )
    except (TypeError, KeyError, AttributeError):
        return None


def _dumped(value: object) -> dict[str, Any]:
    match value:
        case Earlier():
            return {"earlier": value.instruction}
        case Added():
            return {"added": [value.column, value.option, value.instruction]}
        case _:
            return {"value": value}


def _loaded(dumped: Mapping[str, Any]) -> object:
    if "earlier" in dumped:
        return Earlier(dumped["earlier"])
    if "added" in dumped:
        column, option, instruction = dumped["added"]
        return Added(column=column, option=option, instruction=instruction)
    return dumped["value"]


def next_plan(program: Program, steps: Sequence[Step]) -> Plan:
    """The next step of `program` after `steps`.

    A step that did not do what it was to do ends it: what comes after may rely on it.
    """
    if any(step.outcome not in _DONE for step in steps):
        return Finish()
    left = list(steps)
    brought: list[Step | None] = []
    waiting: list[Call] = []
    for instruction in program:
        found = _arguments(instruction, brought)
        if isinstance(found, AskUser):
            # What was read together with this is there only in the next round.
            return CallTools(calls=tuple(waiting)) if waiting else found
        last: Step | None = None
        for arguments in found:
            if left:
                last = left.pop(0)
                if last.call.tool != instruction.tool or dict(last.call.arguments) != arguments:
                    return AskUser(question=Question(key="ask.changed_meanwhile"))
                continue
            call = Call(
                id=f"offline-{len(steps) + len(waiting) + 1}", tool=instruction.tool, arguments=arguments
            )
            if not instruction.reads:
                return CallTools(calls=tuple(waiting) or (call,))
            waiting.append(call)
        brought.append(last)
    return CallTools(calls=tuple(waiting)) if waiting else Finish()


def _arguments(instruction: Instruction, brought: Sequence[Step | None]) -> list[Arguments] | AskUser:
    """The arguments of each call; no call where there is nothing to do."""
    if instruction.each is None:
        filled = _filled(instruction.arguments, brought, None)
        return filled if isinstance(filled, AskUser) else [filled] if filled is not None else []
    step = brought[instruction.each]
    if step is None:
        return AskUser(question=Question(key="ask.not_read_yet"))
    rows = _rows(step)
    if len(rows) > MOST_ROWS or step.data.get("total", 0) > len(rows):
        return AskUser(question=Question(key="ask.too_many_rows", facts={"most": MOST_ROWS}))
    found: list[Arguments] = []
    for row in rows:
        filled = _filled({**instruction.arguments, "page": row["id"]}, brought, row)
        if isinstance(filled, AskUser):
            return filled
        if filled is not None:
            found.append(filled)
    return found


def _filled(
    arguments: Mapping[str, object], brought: Sequence[Step | None], row: Mapping[str, Any] | None
) -> Arguments | AskUser | None:
    filled: Arguments = {}
    for name, value in arguments.items():
        match value:
            case Earlier():
                page = _one_page(brought[value.instruction])
                if isinstance(page, AskUser):
                    return page
                filled[name] = page
            case Added():
                step = brought[value.instruction] if value.instruction is not None else None
                holder = row if value.instruction is None else step.data if step else None
                held = _held(holder, value.column)
                if held is None:
                    return AskUser(question=Question(key="ask.not_read_yet"))
                if value.option in held:
                    return None
                filled[name] = [*held, value.option]
            case _:
                filled[name] = value
    return filled


def _held(page: Mapping[str, Any] | None, column: str) -> list[str] | None:
    properties = page.get("properties") if page else None
    if not isinstance(properties, Mapping) or column not in properties:
        return None
    held = properties[column]
    return [str(each) for each in held] if isinstance(held, list) else [] if not held else None


def _one_page(step: Step | None) -> str | AskUser:
    pages = _pages_of(step) if step is not None else []
    if len(pages) == 1:
        return pages[0].id
    return AskUser(
        question=Question(
            key="ask.which_of_these" if pages else "ask.found_none", candidates=tuple(pages[:8])
        )
    )


def _pages_of(step: Step) -> list[Candidate]:
    """The pages that a step brought: the rows of a query, the hits of a search, the page that was made."""
    if step.call.tool == "create_page":
        ids = step.data.get("ids")
        return [Candidate(id=str(ids[0]), title="", type="page")] if isinstance(ids, list) and ids else []
    return [
        Candidate(id=row["id"], title=str(row.get("title") or ""), type="page", url=str(row.get("url") or ""))
        for row in _rows(step)
        if row.get("type", "page") == "page"
    ]


def _rows(step: Step) -> list[Mapping[str, Any]]:
    listed = step.data.get("results" if step.call.tool == "search_workspace" else "rows")
    rows = listed if isinstance(listed, list) else []
    return [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str)]
