"""Whose ticket it is. A rule without guessing: one name that is known, or a reason why not.

The assignee column decides when it says anything. Only when it is empty are the constraints read
for the one agent that they name. A name counts wherever it stands as a word of its own; whether
the sentence around it wants that agent or not is beyond a rule, and two names are one too many.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lakelight.tickets.matching import bare, fold
from lakelight.tickets.roster import Agent, Roster
from lakelight.tickets.ticket import Ticket

SkipReason = Literal["assignee_unknown", "two_agents", "two_named", "nobody", "agent_off"]

_SEPARATOR = re.compile(r"[,，、;；/／|｜+&\n\r]|\s(?:和|与|及|and)\s")
_URL = re.compile(r"(?<!\w)\w{1,20}://\S+")


@dataclass(frozen=True, slots=True)
class Assigned:
    """The ticket is `agent`'s."""

    agent: Agent
    by: Literal["field", "constraints"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nobody works on the ticket; `facts` name who or what stood in the way."""

    reason: SkipReason
    facts: Mapping[str, str]


def assign(ticket: Ticket, roster: Roster) -> Assigned | Skipped:
    """The agent that `ticket` is for, or why there is none."""
    names = [name for name in ticket.assignee if bare(name)]
    if names:
        return _by_field(names, roster)
    return _by_constraints(ticket.constraints, roster)


def _by_field(names: list[str], roster: Roster) -> Assigned | Skipped:
    agents: list[Agent] = []
    for name in names:
        parts = [name] if roster.find(name) else [part for part in _SEPARATOR.split(name) if bare(part)]
        for part in parts:
            agent = roster.find(part)
            if agent is None:
                return Skipped("assignee_unknown", {"name": part.strip()})
            agents.append(agent)
    return _only(agents, "field", "two_agents")


def _by_constraints(text: str, roster: Roster) -> Assigned | Skipped:
    return _only(list(named_in(text, roster)), "constraints", "two_named")


def _only(
    agents: list[Agent],
    by: Literal["field", "constraints"],
    too_many: Literal["two_agents", "two_named"],
) -> Assigned | Skipped:
    keys = list(dict.fromkeys(agent.key for agent in agents))
    if not keys:
        return Skipped("nobody", {})
    if len(keys) > 1:
        return Skipped(too_many, {"names": ", ".join(keys)})
    agent = agents[0]
    if agent.off_reason:
        return Skipped("agent_off", {"name": agent.key, "off_reason": agent.off_reason})
    return Assigned(agent, by)


def named_in(text: str, roster: Roster) -> Iterator[Agent]:
    """The agents that `text` names, in order; where names overlap, the longest counts."""
    words = fold(_URL.sub(" ", text))
    owners = {bare(name): agent for agent in roster for name in agent.names if bare(name)}
    longest_first = sorted(owners, key=len, reverse=True)
    at = 0
    while at < len(words):
        name = next((name for name in longest_first if _stands_at(words, at, name)), None)
        if name is None:
            at += 1
        else:
            yield owners[name]
            at += len(name)


def _stands_at(words: str, at: int, name: str) -> bool:
    end = at + len(name)
    if not words.startswith(name, at):
        return False
    if len(name) == 1 and words[at - 1 : at] not in {"@", "【", "["}:
        return False
    # Chinese has no gaps between words, so only a Latin letter or digit can run on into another.
    before, after = words[max(0, at - 2) : at][::-1], words[end : end + 2]
    return not (_latin(name[0]) and _runs_on(before)) and not (_latin(name[-1]) and _runs_on(after))


def _runs_on(neighbours: str) -> bool:
    if _latin(neighbours[:1]):
        return True
    return neighbours[:1] in {"-", ".", "@", "_"} and _latin(neighbours[1:2])


def _latin(char: str) -> bool:
    return char.isalnum() and not "\u2e80" <= char <= "\U0003ffff"
