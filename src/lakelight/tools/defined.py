"""A tool made of a description, a model of its arguments, and one function."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal

from lakelight.operations import Kind
from lakelight.tools.arguments import A, parse, schema_of
from lakelight.tools.port import Fault, Tool, ToolContext, ToolResult, ToolSpec

Run = Callable[[A, ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined(Tool, Generic[A]):
    """Checks the arguments, then runs."""

    told: ToolSpec
    arguments: type[A]
    run: Run[A]

    @property
    def spec(self) -> ToolSpec:
        """What it is."""
        return self.told

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Read, or build an operation.

        Raises:
            NotionError: Notion could not be asked.
        """
        read = parse(self.told.name, self.arguments, arguments, self.told.parameters)
        return read if isinstance(read, Fault) else await self.run(read, context)


def define(
    name: str,
    effect: Literal["read", "write", "ask"],
    description: str,
    arguments: type[A],
    run: Run[A],
    *,
    kinds: frozenset[Kind] = frozenset(),
) -> Tool:
    """A tool of these parts; `kinds` are what a write may build."""
    spec = ToolSpec(
        name=name, effect=effect, description=description, parameters=schema_of(arguments), kinds=kinds
    )
    return Defined(told=spec, arguments=arguments, run=run)
