"""Personas and memories: whose page is read, when it is read again, and what is said when it cannot be."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lakelight.notion import NotionRefused, PageMarkdown
from lakelight.tickets.persona import Persona
from lakelight.tickets.personas import NoPersona, Personas
from lakelight.tickets.roster import Agent

AGENT = Agent(
    key="译典A05",
    id="5TH-LE-HK-A05",
    name="译典·配置开发",
    instruction_page_id="instructions",
    memory_page_id="memory",
)
NOT_SHARED = NotionRefused(status=404, notion_code="object_not_found", message="no", request_id="r")


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 8, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, wait: timedelta) -> None:
        self.time += wait


class Pages:
    """A workspace of a few pages, which counts what is read of it."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.in_trash: set[str] = set()
        self.read: list[str] = []

    async def page(self, page_id: str) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        self.read.append(f"page {page_id}")
        if page_id not in self.texts:
            raise NOT_SHARED
        return {"id": page_id, "in_trash": page_id in self.in_trash}

    async def page_markdown(self, page_id: str) -> PageMarkdown:
        self.read.append(f"text {page_id}")
        if page_id not in self.texts:
            raise NOT_SHARED
        return PageMarkdown(markdown=self.texts[page_id])


@pytest.fixture
def clock() -> Clock:
    return Clock()


def personas(pages: Any, clock: Clock) -> Personas:
    return Personas(pages, clock, timedelta(minutes=10))


async def test_tickets_that_come_together_have_a_persona_read_once(clock: Clock) -> None:
    pages = Pages(instructions="# 你是译典", memory="上次")
    known = personas(pages, clock)

    loaded = await asyncio.gather(*(known.load(AGENT) for _ in range(3)))
    await asyncio.gather(*(known.memory(AGENT) for _ in range(3)))

    assert len(set(loaded)) == 1
    assert pages.read == ["page instructions", "text instructions", "text memory"]


async def test_the_persona_is_the_text_of_the_instruction_page(clock: Clock) -> None:
    pages = Pages(instructions="# 你是译典\n")

    persona = await personas(pages, clock).load(AGENT)

    assert isinstance(persona, Persona)
    assert (persona.agent_key, persona.text) == ("译典A05", "# 你是译典")
    assert pages.read == ["page instructions", "text instructions"]


async def test_a_persona_is_read_again_after_ten_minutes_and_not_before(clock: Clock) -> None:
    pages = Pages(instructions="旧的")
    known = personas(pages, clock)
    await known.load(AGENT)
    pages.texts["instructions"] = "新的"
    pages.read.clear()

    clock.time += timedelta(minutes=10) - timedelta(milliseconds=1)
    early = await known.load(AGENT)
    read_early = list(pages.read)
    clock.time += timedelta(milliseconds=1)
    late = await known.load(AGENT)

    assert isinstance(early, Persona)
    assert isinstance(late, Persona)
    assert (early.text, read_early) == ("旧的", [])
    assert (late.text, pages.read) == ("新的", ["page instructions", "text instructions"])


@pytest.mark.parametrize("why", ["missing", "in_trash", "empty"])
async def test_a_page_that_gives_no_persona_is_looked_at_again_at_once(clock: Clock, why: str) -> None:
    pages = Pages(**{} if why == "missing" else {"instructions": "" if why == "empty" else "你是译典"})
    pages.in_trash = {"instructions"} if why == "in_trash" else set()
    known = personas(pages, clock)

    first = await known.load(AGENT)
    pages.texts["instructions"] = "你是译典"
    pages.in_trash = set()
    second = await known.load(AGENT)

    assert first == NoPersona(why)  # type: ignore[arg-type]
    assert isinstance(second, Persona)


async def test_a_memory_is_read_with_its_agent_and_remembered_as_long(clock: Clock) -> None:
    pages = Pages(memory="上次：先备份")
    known = personas(pages, clock)

    first = await known.memory(AGENT)
    again = await known.memory(AGENT)

    assert first == again == "上次：先备份"
    assert pages.read == ["text memory"]


async def test_a_memory_that_is_not_there_is_empty(clock: Clock) -> None:
    pages = Pages()

    assert await personas(pages, clock).memory(AGENT) == ""
    assert await personas(pages, clock).memory(Agent(key="a", id="1", name="n")) == ""
    assert pages.read == ["text memory"]


async def test_a_persona_that_was_forgotten_is_read_again(clock: Clock) -> None:
    pages = Pages(instructions="你是译典", memory="上次")
    known = personas(pages, clock)
    await known.load(AGENT)
    await known.memory(AGENT)
    pages.read.clear()

    known.forget()
    await known.load(AGENT)
    await known.memory(AGENT)

    assert pages.read == ["page instructions", "text instructions", "text memory"]
