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
        _section(messages, "report.done", _effects(messages, reply.done)),
        _section(messages, "report.failed", _effects(messages, reply.failed)),
        _section(messages, "report.cancelled", _effects(messages, reply.cancelled)),
        _section(messages, "report.stopped", _effects(messages, reply.stopped)),
        _section(messages, "report.found", _findings(messages, reply.found)),
        _section(messages, "report.open", _open(messages, reply)),
    ]
    if reply.said:
        sections.insert(0, reply.said)
    return "\n\n".join(section for section in sections if section)


def _section(messages: Messages, key: str, lines: Sequence[str]) -> str:
    return f"### {messages.say(key)}\n\n" + "\n".join(lines) if lines else ""


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
