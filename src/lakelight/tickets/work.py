"""What every step of the work on one ticket needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakelight.agent import Journal, Run
from lakelight.guard import Asker
from lakelight.tickets.language import Language
from lakelight.tickets.roster import Agent
from lakelight.tickets.source import Source
from lakelight.tickets.ticket import Ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One ticket being worked on."""

    run: Run
    journal: Journal
    source: Source
    page: Mapping[str, Any]
    ticket: Ticket
    agent: Agent
    asker: Asker
    language: Language

    @property
    def label(self) -> str:
        """What people call it."""
        return self.ticket.number or self.ticket.title or self.ticket.page_id[:8]
