"""What the loop did for a ticket, as the body of its receipt. From facts alone. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from lakelight.agent.reply import Effect, Reply
from lakelight.messages import Messages
from lakelight.tickets.quoting import escape

_MOST_ROWS = 30


def report(reply: Reply, messages: Messages) -> str:
    """The Markdown of a reply: what was done, what failed, what was stopped, what was found."""
    sections = [
        reply.said,
        *_facts(messages, reply),
        _section(messages.say("report.found"), _findings(messages, reply.found)),
        _section(messages.say("report.open"), _open(messages, reply)),
    ]
    return "\n\n".join(section for section in sections if section)


def report_of_model(reply: Reply, messages: Messages) -> str:
    """The Markdown of a reply to a turn that a model planned: the facts, then its words to the end.

    What was found is left to its words: it has read for the answer's sake. That nothing was changed is said,
    since a model may say otherwise.
    """
    facts = [section for section in _facts(messages, reply) if section]
    sections = [
        *(facts or [messages.say("report.unchanged")]),
        _section(messages.say("report.open"), _open(messages, reply)),
    ]
    if reply.said:
        sections.append(f"### {messages.say('report.said')}\n\n{reply.said}")
    else:
        sections.append(_section(messages.say("report.found"), _findings(messages, reply.found)))
    return "\n\n".join(section for section in sections if section)


def _facts(messages: Messages, reply: Reply) -> list[str]:
    return [
        _section(messages.say("report.done"), _effects(messages, reply.done)),
        _section(messages.say("report.failed"), _effects(messages, reply.failed)),
        _section(messages.say("report.cancelled"), _effects(messages, reply.cancelled)),
        _section(messages.say("report.stopped"), _effects(messages, reply.stopped)),
    ]


def _section(heading: str, lines: Sequence[str]) -> str:
    return f"### {heading}\n\n" + "\n".join(lines) if lines else ""


def _effects(messages: Messages, effects: Sequence[Effect]) -> list[str]:
    return [f"- {_effect(messages, effect)}" for effect in effects]


def _effect(messages: Messages, effect: Effect) -> str:
    what = f"{messages.say(f'kind.{effect.kind}')} · {escape(effect.title)}" if effect.kind else ""
    why = escape(messages.say(effect.reason, **effect.facts)) if effect.reason else ""
    return ": ".join(part for part in (what, why) if part)


def _findings(messages: Messages, found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines: list[str] = []
    for finding in found:
        rows = finding.get("rows") or finding.get("results")
        if isinstance(rows, list):
            lines += [f"- {_row(row)}" for row in rows[:_MOST_ROWS] if isinstance(row, Mapping)]
            if len(rows) > _MOST_ROWS:
                lines.append(f"- {messages.say('reply.more', count=len(rows) - _MOST_ROWS)}")
            if not rows:
                lines.append(f"- {messages.say('reply.nothing')}")
        elif finding.get("title"):
            lines.append(f"- {_row(finding)}")
    return list(dict.fromkeys(lines))


def _row(row: Mapping[str, Any]) -> str:
    title, url = escape(str(row.get("title") or "")), str(row.get("url") or "")
    linked = f"[{title}]({url})" if url.startswith("https://") and title else title
    about = row.get("properties")
    values = (
        [f"{name}: {value}" for name, value in about.items() if value] if isinstance(about, Mapping) else []
    )
    return " · ".join([linked, *(escape(value) for value in values)])


def _open(messages: Messages, reply: Reply) -> list[str]:
    lines = []
    if reply.question is not None:
        lines.append(f"- {escape(messages.say(reply.question['key'], **reply.question['facts']))}")
        lines += [f"  - {escape(str(candidate['title']))}" for candidate in reply.question["candidates"]]
    if reply.needs:
        lines.append(f"- {messages.say(f'needs_model.{reply.needs}')}")
    if reply.ending in {"capped", "repeated"}:
        lines.append(f"- {messages.say(f'reply.{reply.ending}')}")
    return lines
