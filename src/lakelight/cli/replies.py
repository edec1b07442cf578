"""A reply as a person reads it: what was done, what was not and why, what is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lakelight.agent.reply import Effect, Reply
from lakelight.cli.session import Session

_MOST_ROWS = 20


def tell_reply(session: Session, reply: Reply) -> None:
    """Print a reply: findings to stdout, the rest after it."""
    for found in reply.found:
        _tell_found(session, found)
    if reply.said:
        print(reply.said)
    for group, key in (
        (reply.done, "reply.done"),
        (reply.failed, "reply.failed"),
        (reply.cancelled, "reply.cancelled"),
        (reply.stopped, "reply.stopped"),
        (reply.waiting, "reply.waiting"),
    ):
        for effect in group:
            what, why = _what(session, effect), _why(session, effect)
            line = session.messages.say(key, what=what or why, why=why if what else "")
            print(line.rstrip(" ·:："))
    if reply.question is not None:
        _tell_question(session, reply.question)
    if reply.needs:
        print(session.messages.say(f"needs_model.{reply.needs}"))
    if reply.ending in {"capped", "repeated"}:
        print(session.messages.say(f"reply.{reply.ending}"))
    if reply.done:
        session.say("reply.undo", run=reply.run_id)


def reply_data(reply: Reply) -> dict[str, Any]:
    """The reply as `--json` prints it."""
    data = asdict(reply)
    data["exit_code"] = reply.exit_code
    return data


def _what(session: Session, effect: Effect) -> str:
    if not effect.kind:
        return ""
    kind = session.messages.say(f"kind.{effect.kind}")
    return f"{kind} · {effect.title}" + (f" · {effect.approval}" if effect.approval else "")


def _why(session: Session, effect: Effect) -> str:
    return session.messages.say(effect.reason, **effect.facts) if effect.reason else ""


def _tell_question(session: Session, question: Mapping[str, Any]) -> None:
    print(session.messages.say(question["key"], **question["facts"]))
    for number, candidate in enumerate(question["candidates"], 1):
        print(f"  {number}. {candidate['title']}  {candidate['url'] or candidate['id']}")


def _tell_found(session: Session, found: Mapping[str, Any]) -> None:
    match found.get("tool"):
        case "search_workspace":
            _rows(session, found.get("results") or found.get("sources") or [])
        case "fetch_page_markdown":
            print(f"# {found.get('title', '')}\n{found.get('markdown', '')}")
        case "query_database":
            _rows(session, found.get("rows") or [])
        case _:
            for name, value in found.items():
                if name not in {"tool", "sources"}:
                    print(f"{name}: {value}")


def _rows(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        print(session.messages.say("reply.nothing"))
    for row in rows[:_MOST_ROWS]:
        about = row.get("properties")
        values = (
            " · ".join(str(value) for value in about.values() if value) if isinstance(about, Mapping) else ""
        )
        print(f"- {row.get('title', '')}  {values or row.get('url', '')}".rstrip())
    if len(rows) > _MOST_ROWS:
        print(session.messages.say("reply.more", count=len(rows) - _MOST_ROWS))
