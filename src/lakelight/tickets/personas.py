"""Personas and memories, read from Notion and remembered for ten minutes."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from lakelight.clock import Clock
from lakelight.notion import NotionReader, NotionRefused
from lakelight.tickets.persona import EmptyPersona, Persona, read_persona
from lakelight.tickets.roster import Agent


@dataclass(frozen=True, slots=True)
class NoPersona:
    """Why an agent cannot be told who it is; the ticket waits until that is mended."""

    why: Literal["missing", "in_trash", "empty"]


class Personas:
    """The instruction and memory pages of agents."""

    def __init__(self, reader: NotionReader, clock: Clock, remembered: timedelta) -> None:
        self._reader = reader
        self._clock = clock
        self._remembered = remembered
        self._personas: dict[str, tuple[datetime, Persona]] = {}
        self._memories: dict[str, tuple[datetime, str]] = {}
        self._reading: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def load(self, agent: Agent) -> Persona | NoPersona:
        """The persona of `agent`; one that was read within the last minutes is not read again.

        Raises:
            NotionError: Notion could not be asked; a page that is not there is an answer.
        """
        page_id = agent.instruction_page_id
        if page_id is None:
            return NoPersona("missing")
        # Tickets come several at once, and one of them reads for all.
        async with self._reading[page_id]:
            return await self._load(agent, page_id)

    async def _load(self, agent: Agent, page_id: str) -> Persona | NoPersona:
        known = self._personas.get(page_id)
        if known and self._fresh(known[0]):
            return known[1]
        try:
            page = await self._reader.page(page_id)
            if page.get("in_trash"):
                return NoPersona("in_trash")
            content = await self._reader.page_markdown(page_id)
        except NotionRefused as error:
            if error.nothing_there:
                return NoPersona("missing")
            raise
        persona = read_persona(agent.key, content.markdown)
        if isinstance(persona, EmptyPersona):
            return NoPersona("empty")
        self._personas[page_id] = (self._clock.now(), persona)
        return persona

    async def memory(self, agent: Agent) -> str:
        """What the agent's memory page says; nothing when there is none or it is not shared.

        Raises:
            NotionError: Notion could not be asked.
        """
        page_id = agent.memory_page_id
        if page_id is None:
            return ""
        async with self._reading[page_id]:
            return await self._remember(page_id)

    async def _remember(self, page_id: str) -> str:
        known = self._memories.get(page_id)
        if known and self._fresh(known[0]):
            return known[1]
        try:
            text = (await self._reader.page_markdown(page_id)).markdown
        except NotionRefused as error:
            if not error.nothing_there:
                raise
            text = ""
        self._memories[page_id] = (self._clock.now(), text)
        return text

    def forget(self) -> None:
        """Read everything anew the next time."""
        self._personas.clear()
        self._memories.clear()

    def _fresh(self, read_at: datetime) -> bool:
        return self._clock.now() - read_at < self._remembered
