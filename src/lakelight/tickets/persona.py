"""An agent's persona: the system prompt that stands on its instruction page."""

from dataclasses import dataclass, field

from lakelight.digest import sha256
from lakelight.tickets.matching import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """What an agent is told about itself."""

    agent_key: str
    text: str = field(repr=False)
    sha256: str
    """The hash of `text`: which persona wrote a receipt, and whether it has changed since."""


@dataclass(frozen=True, slots=True)
class EmptyPersona:
    """The instruction page holds nothing that can be read."""

    agent_key: str


def read_persona(agent_key: str, text: str) -> Persona | EmptyPersona:
    """The persona in an instruction page's `text`."""
    if not fold(text.replace("<empty-block/>", "")):
        return EmptyPersona(agent_key)
    trimmed = text.strip()
    return Persona(agent_key=agent_key, text=trimmed, sha256=sha256(trimmed.encode()))
