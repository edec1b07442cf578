"""What `it` and `here` mean at some point of a request, and the questions that come of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from lakelight.agent.planners.offline.program import Earlier
from lakelight.agent.planning import AskUser, NeedsModel
from lakelight.tools import Candidate, Question

PRONOUN = "@it"
"""What stands in a slot for any word that means the page or database in hand."""

MOST_CANDIDATES = 8

Page = str | Earlier
Halt = AskUser | NeedsModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What has been named so far."""

    page: Page | None = None
    database: str | None = None
    target: str | None = None
    """Where new things go when nothing is said."""
    made: int = 0
    """The instructions so far."""
    sentence: str = ""
    """The one being read."""


def ask(key: str, candidates: Sequence[Candidate] = (), **facts: object) -> AskUser:
    """A question: `ask.<key>`."""
    shown = tuple(candidates[:MOST_CANDIDATES])
    return AskUser(question=Question(key=f"ask.{key}", facts=facts, candidates=shown))
