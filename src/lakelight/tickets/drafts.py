"""What a ticket comes to, before it is a receipt: by a model, by the templates, or by neither.

Both work through the same loop as a chat, every step of it in the run's journal, so that a ticket that
waits or is killed goes on where it was. The draft is made from what was done; a model's words stand in it
as its words.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from lakelight.agent import Progress, models_of
from lakelight.agent.planning import Planner, Turn
from lakelight.agent.reply import Reply
from lakelight.agent.turns import Loop, Suspended
from lakelight.clock import Clock, iso
from lakelight.llm import ChatModel, Purpose, TaskKind
from lakelight.messages import Messages
from lakelight.notion import NotionReader
from lakelight.operations.surroundings import title_of
from lakelight.storage import Database
from lakelight.tickets.persona import Persona
from lakelight.tickets.personas import Personas
from lakelight.tickets.prompt import NARROW, Context, Limits, build_prompt, spoken, task_kind
from lakelight.tickets.references import RelatedPage, search_words
from lakelight.tickets.report import report, report_of_model
from lakelight.tickets.template import template_receipt
from lakelight.tickets.work import Work

_MOST_RELATED = 5

Draft = Mapping[str, Any]
"""The body of a receipt: its `text`, the `model` that wrote of it, if one did, and when (`at`)."""

PlannerFor = Callable[[Purpose, TaskKind], Planner]
"""Gives the planner that asks a model about one ticket, on that ticket's account."""


class Templates(Protocol):
    """Knows which briefs can be carried out without a model."""

    async def cover(self, brief: str, page_id: str) -> bool:
        """True when `brief` is a command that is understood as a whole.

        Raises:
            NotionError: Notion could not be asked.
        """
        ...


class Drafts:
    """Makes the draft of a ticket's receipt, and does what the ticket asks for on the way."""

    def __init__(
        self,
        *,
        loop: Loop,
        reader: NotionReader,
        personas: Personas,
        model: ChatModel | None,
        planner_for: PlannerFor | None,
        templates: Templates,
        database: Database,
        clock: Clock,
        progress: Progress,
    ) -> None:
        """Draft with `model`; without one, the loop's own planner are the templates."""
        self._loop = loop
        self._reader = reader
        self._personas = personas
        self._model = model
        self._planner_for = planner_for
        self._templates = templates
        self._database = database
        self._clock = clock
        self._progress = progress

    async def make(self, work: Work, persona: Persona) -> Draft | Suspended:
        """Bring the ticket as far as it can go now; the draft once there is one.

        Raises:
            ModelError: The model gave no usable answer; the ticket can be taken up again.
            NotionError: Notion could not be asked; likewise.
        """
        known = work.journal.get("draft")
        if known is not None:
            found: Draft = known
            return found
        # Templates never stand in for a model that is set up.
        if self._model is None or self._planner_for is None:
            return await self._by_templates(work)
        return await self._by_model(work, persona, self._model, self._planner_for)

    async def _by_model(
        self, work: Work, persona: Persona, model: ChatModel, planner_for: PlannerFor
    ) -> Draft | Suspended:
        kind = task_kind(work.ticket, work.agent)
        turn = await self._turn(work, persona, NARROW if model.weak_at_tools(kind) else Limits())
        purpose = Purpose(agent=work.agent.key, ticket=work.ticket.page_id, run=work.run.id)
        result = await self._loop.advance(turn, work.journal, work.asker, planner_for(purpose, kind))
        if isinstance(result, Suspended):
            return result
        models = await self._database.run(lambda connection: models_of(connection, work.run.id))
        text = report_of_model(result.reply, Messages(work.language))
        draft = await self._keep(work, text, ", ".join(models))
        self._tell(work, draft, result.reply)
        return draft

    async def _turn(self, work: Work, persona: Persona, limits: Limits) -> Turn:
        """The ticket as a turn. What a model is shown of it stays the same while the turn lasts."""
        shown = work.journal.get("shown")
        if shown is None:
            context = await self._context(work)
            context = replace(context, memory=await self._personas.memory(work.agent))
            self._progress.tell("ticket.read", ticket=work.label, related=len(context.related))
            (_, system), (_, user) = build_prompt(persona, work.ticket, context, limits)
            said = spoken(work.ticket, context)
            shown = await work.journal.once("shown", {"request": said, "system": system, "user": user})
        return Turn(
            request=shown["request"],
            language=work.language,
            page=work.ticket.page_id,
            label=work.label,
            persona=shown["system"],
            framed=shown["user"],
        )

    async def _by_templates(self, work: Work) -> Draft | Suspended:
        # What was begun with a model is told with what was done, also when none is set up any more.
        if work.journal.get("plan.1") or await self._covered(work):
            turn = Turn(
                request=work.ticket.brief,
                language=work.language,
                page=work.ticket.page_id,
                label=work.label,
            )
            result = await self._loop.advance(turn, work.journal, work.asker)
            if isinstance(result, Suspended):
                return result
            if result.reply.ending != "needs_model" or result.reply.done:
                draft = await self._keep(work, report(result.reply, Messages(work.language)), None)
                self._progress.tell("ticket.carried_out", ticket=work.label, done=len(result.reply.done))
                return draft
        context = await self._context(work)
        self._progress.tell("ticket.read", ticket=work.label, related=len(context.related))
        related = list(context.related)
        text = template_receipt(work.ticket, work.agent, related, context.page_body, work.language)
        draft = await self._keep(work, text, None)
        self._tell(work, draft, None)
        return draft

    async def _covered(self, work: Work) -> bool:
        if not work.ticket.brief:
            return False
        covered = work.journal.get("task")
        if covered is None:
            covers = await self._templates.cover(work.ticket.brief, work.ticket.page_id)
            covered = await work.journal.once("task", covers)
        return bool(covered)

    async def _context(self, work: Work) -> Context:
        body = await self._reader.page_markdown(work.ticket.page_id)
        related: dict[str, RelatedPage] = {}
        for words in search_words(work.ticket.title, 1):
            for page in await self._reader.search(words, "page", 3 * _MOST_RELATED):
                if page["id"] != work.ticket.page_id and len(related) < _MOST_RELATED:
                    related[page["id"]] = RelatedPage(title=title_of(page), url=str(page.get("url", "")))
        return Context(page_body=body.markdown, related=tuple(related.values()))

    async def _keep(self, work: Work, text: str, model: str | None) -> Draft:
        at = iso(self._clock.now())
        draft: Draft = await work.journal.once("draft", {"text": text, "model": model, "at": at})
        return draft

    def _tell(self, work: Work, draft: Draft, reply: Reply | None) -> None:
        if reply is not None and reply.done:
            self._progress.tell("ticket.carried_out", ticket=work.label, done=len(reply.done))
        self._progress.tell("ticket.drafted", ticket=work.label, model=draft["model"] or "")
