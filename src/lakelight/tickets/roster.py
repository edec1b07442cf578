"""The roster: which agents there are, read from `agents.json`.

The file is the owner's, so every fault in it is named with its place; only a page id that has not
been filled in yet is no fault: such an agent is off.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lakelight.errors import ConfigurationError
from lakelight.notion import BadReference
from lakelight.notion.links import page_id_from
from lakelight.tickets.mark import MOST_NAME, fits_mark
from lakelight.tickets.matching import bare

OffReason = Literal["no_instruction_page", "instruction_page_placeholder", "instruction_page_unreadable"]
"""Why an agent takes no tickets: no id given, one still to be filled in, or a text that is no page id."""

_FIELDS = ("id", "name", "role", "instructionPageId", "memoryPageId", "capabilities", "aliases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One entry of the roster."""

    key: str
    id: str
    name: str
    role: str = ""
    instruction_page_id: str | None = None
    memory_page_id: str | None = None
    capabilities: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    off_reason: OffReason | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Everything the agent answers to."""
        return (self.key, self.id, self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Roster:
    """All agents, in the order of the file."""

    agents: tuple[Agent, ...] = ()

    def __iter__(self) -> Iterator[Agent]:
        return iter(self.agents)

    def find(self, name: str) -> Agent | None:
        """The agent that answers to `name`, however it is decorated or spelt in width and case."""
        wanted = bare(name)
        return next((agent for agent in self.agents if wanted in {bare(own) for own in agent.names}), None)


def parse_roster(text: str) -> Roster:
    """Read `agents.json`: an object of agents by key.

    Raises:
        ConfigurationError: `config.roster.json` (not JSON; `line`, `column`), `config.roster.duplicate`
            (a key twice, or two agents with one name) or `config.roster.field` (a field that is
            missing, unknown or of the wrong type), each with the place in its facts.
    """
    try:
        content = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            "config.roster.json", line=error.lineno, column=error.colno, problem=error.msg
        ) from None
    except RecursionError:
        raise ConfigurationError("config.roster.json", line=1, column=1, problem="nested too deep") from None
    except ValueError as error:
        # A number of more digits than Python reads.
        raise ConfigurationError("config.roster.json", line=1, column=1, problem=str(error)) from None
    if not isinstance(content, dict):
        raise _wrong("", "", "object", content)
    roster = Roster(tuple(_agent(key, entry) for key, entry in content.items()))
    _refuse_shared_names(roster)
    return roster


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ConfigurationError("config.roster.duplicate", name=key, first=key, second=key)
        content[key] = value
    return content


def _agent(key: str, entry: Any) -> Agent:
    if not isinstance(entry, dict):
        raise _wrong(key, "", "object", entry)
    for name in entry:
        if name not in _FIELDS:
            raise ConfigurationError(
                "config.roster.field",
                agent=key,
                field=name,
                expected=", ".join(_FIELDS),
                found="unknown field",
            )
    instruction, off_reason = _instruction_page(_page_text(key, entry, "instructionPageId"))
    return Agent(
        key=_name(key, "", key),
        id=_name(key, "id", entry.get("id")),
        name=_name(key, "name", entry.get("name")),
        role=_text(key, entry, "role"),
        instruction_page_id=instruction,
        memory_page_id=_page_id(_page_text(key, entry, "memoryPageId")),
        capabilities=_texts(key, entry, "capabilities"),
        aliases=tuple(_name(key, "aliases", alias) for alias in _texts(key, entry, "aliases")),
        off_reason=off_reason,
    )


def _name(agent: str, field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(agent, field, "text", value)
    trimmed = value.strip()
    if not bare(trimmed) or not fits_mark(trimmed):
        raise ConfigurationError(
            "config.roster.field",
            agent=agent,
            field=field,
            expected=f"one line of 1 to {MOST_NAME} characters without a link",
            found=value[:MOST_NAME],
        )
    return trimmed


def _text(agent: str, entry: Mapping[str, Any], field: str) -> str:
    value = entry.get(field, "")
    if not isinstance(value, str):
        raise _wrong(agent, field, "text", value)
    return value.strip()


def _page_text(agent: str, entry: Mapping[str, Any], field: str) -> str:
    return "" if entry.get(field) is None else _text(agent, entry, field)


def _texts(agent: str, entry: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = entry.get(field, [])
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise _wrong(agent, field, "list of texts", value)
    return tuple(part.strip() for part in value)


def _instruction_page(text: str) -> tuple[str | None, OffReason | None]:
    page_id = _page_id(text)
    if page_id:
        return page_id, None
    if not text:
        return None, "no_instruction_page"
    placeholder = text[0] in "<＜{[【（(" or text.casefold() in {"xxx", "todo", "tbd"}
    return None, "instruction_page_placeholder" if placeholder else "instruction_page_unreadable"


def _page_id(text: str) -> str | None:
    try:
        return page_id_from(text)
    except BadReference:
        return None


def _refuse_shared_names(roster: Roster) -> None:
    owners: dict[str, Agent] = {}
    for agent in roster:
        for name in agent.names:
            owner = owners.setdefault(bare(name), agent)
            if owner is not agent:
                raise ConfigurationError(
                    "config.roster.duplicate", name=name, first=owner.key, second=agent.key
                )


def _wrong(agent: str, field: str, expected: str, found: object) -> ConfigurationError:
    kinds = {dict: "object", list: "list", str: "text", bool: "true or false", type(None): "nothing"}
    kind = kinds.get(type(found), "number")
    return ConfigurationError("config.roster.field", agent=agent, field=field, expected=expected, found=kind)
