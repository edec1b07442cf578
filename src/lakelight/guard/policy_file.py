"""Who may do what: `policy.toml`, read in full or not at all.

    version = 1
    level = 1                       # the installation's own level; no agent rises above it
    mode = "normal"                 # "preview": nothing is written; "frozen": everything is denied

    [agents."录册A02"]
    level = 2
    pages = ["<page id or url>"]    # with everything below them
    data_sources = ["<id>"]         # with their pages
    ask = ["block.append"]          # a person is asked for these kinds in any case

An agent without an entry has level 1 and its own ticket's page, which every agent has.
"""

import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from lakelight.digest import canonical, sha256
from lakelight.errors import ConfigurationError
from lakelight.notion import BadReference
from lakelight.notion.links import page_id_from
from lakelight.operations import Kind, Level
from lakelight.owner_file import read_owner_file

Mode = Literal["normal", "preview", "frozen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one agent may do."""

    level: Level = Level.STANDARD
    roots: frozenset[str] = frozenset()
    """Pages, databases and data sources that it may write below, besides its own ticket's page."""
    ask: frozenset[Kind] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The whole policy, valid."""

    level: Level = Level.STANDARD
    mode: Mode = "normal"
    agents: Mapping[str, Entry] = field(default_factory=dict)

    def entry(self, agent: str) -> Entry:
        """The entry of `agent`, or what an agent without one has."""
        return self.agents.get(agent, Entry())

    @property
    def hash(self) -> str:
        """The SHA-256 of the effective policy, recorded with every decision."""
        return sha256(
            canonical(
                {
                    "level": self.level,
                    "mode": self.mode,
                    "agents": {
                        name: [entry.level, sorted(entry.roots), sorted(entry.ask)]
                        for name, entry in self.agents.items()
                    },
                }
            )
        )


def load_policy(file: Path) -> Policy:
    """The policy in `file`, or the default one when there is no such file.

    Raises:
        ConfigurationError: The file is broken or others may write it; then nothing starts.
    """
    try:
        if file.stat().st_mode & stat.S_IWOTH:
            raise ConfigurationError("config.policy.writable", file=file)
        text = read_owner_file(file)
    except FileNotFoundError:
        return Policy()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError("config.policy.unreadable", file=file, cause=str(error)) from error
    return parse_policy(text, name=str(file))


def parse_policy(text: str, *, name: str = "policy.toml") -> Policy:
    """The policy that `text` spells.

    Raises:
        ConfigurationError: It does not parse completely: syntax, an unknown key, a wrong type,
            an unknown kind, something that is no page id.
    """
    try:
        document = _Document.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError("config.policy.toml", file=name, cause=str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "policy"
        raise ConfigurationError("config.policy.key", file=name, key=key, cause=first["msg"]) from error
    agents = {}
    for agent, entry in document.agents.items():
        try:
            roots = frozenset(page_id_from(text) for text in (*entry.pages, *entry.data_sources))
        except BadReference as error:
            raise ConfigurationError(
                "config.policy.key", file=name, key=f"agents.{agent}", cause=str(error)
            ) from error
        agents[agent] = Entry(level=Level(entry.level), roots=roots, ask=frozenset(entry.ask))
    return Policy(level=Level(document.level), mode=document.mode, agents=agents)


_Level = Annotated[int, Field(strict=True, ge=0, le=3)]
_Text = Annotated[str, StringConstraints(strict=True, min_length=1)]


class _EntryDocument(BaseModel):
    model_config = ConfigDict(extra="forbid")

    level: _Level = 1
    pages: list[_Text] = []
    data_sources: list[_Text] = []
    ask: list[Kind] = []


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Annotated[int, Field(strict=True, ge=1, le=1)]
    level: _Level = 1
    mode: Mode = "normal"
    agents: dict[_Text, _EntryDocument] = {}
