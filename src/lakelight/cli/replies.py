"""A reply as a person reads it: what was done, what was not and why, what is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lakelight.agent.reply import Effect, Reply
from lakelight.cli.links import openable
from lakelight.cli.session import LONGEST_TITLE, Session
from lakelight.operations.visible import shortened

_MOST_ROWS = 20


def tell_reply(session: Session, reply: Reply) -> None:
    """Print a reply: findings to stdout, the rest after it."""
    for found in reply.found:
        _tell_found(session, found)
    if reply.said:
        session.text(reply.said)
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
            session.line(line.rstrip(" ·:："))
    if reply.question is not None:
        _tell_question(session, reply.question)
    if reply.needs:
        session.line(session.messages.say(f"needs_model.{reply.needs}"))
    if reply.ending in {"capped", "repeated"}:
        session.line(session.messages.say(f"reply.{reply.ending}"))
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
    kind, title = session.messages.say(f"kind.{effect.kind}"), shortened(effect.title, LONGEST_TITLE)
    # The sentence that follows may name the approval itself.
    approval = effect.approval if "approval" not in effect.facts else None
    return " · ".join(filter(None, (kind, title, approval)))


def _why(session: Session, effect: Effect) -> str:
    return session.messages.say(effect.reason, **effect.facts) if effect.reason else ""


def _tell_question(session: Session, question: Mapping[str, Any]) -> None:
    link = openable(session)
    session.line(session.messages.say(question["key"], **question["facts"]))
    for number, candidate in enumerate(question["candidates"], 1):
        title, where = candidate["title"], link(candidate["url"]) or candidate["id"]
        # An option or a column is its own name; a page has a place as well.
        place = "" if where == title else f"  {where}"
        session.line(f"  {number}. {shortened(title, LONGEST_TITLE)}{place}")


def _tell_found(session: Session, found: Mapping[str, Any]) -> None:
    match found.get("tool"):
        case "search_workspace":
            _rows(session, found.get("results") or found.get("sources") or [])
        case "fetch_page_markdown":
            session.line(f"# {shortened(str(found.get('title', '')), LONGEST_TITLE)}")
            _columns(session, found)
            session.text(str(found.get("markdown", "")))
        case "query_database":
            _rows(session, found.get("rows") or [])
        case _:
            for name, value in found.items():
                if name not in {"tool", "sources"}:
                    session.line(f"{name}: {value}")


def _rows(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        session.line(session.messages.say("reply.nothing"))
    link = openable(session)
    for row in rows[:_MOST_ROWS]:
        title = str(row.get("title", ""))
        values = " · ".join(_named(row.get("properties"), title))
        about = values or link(str(row.get("url", ""))) or row.get("id", "")
        session.line(f"- {shortened(title, LONGEST_TITLE)}  {about}".rstrip())
    if len(rows) > _MOST_ROWS:
        session.line(session.messages.say("reply.more", count=len(rows) - _MOST_ROWS))


def _columns(session: Session, page: Mapping[str, Any]) -> None:
    for line in _named(page.get("properties"), page.get("title")):
        session.line(f"  {line}")


def _named(properties: object, title: object) -> list[str]:
    """The values that there are, each behind its column's name; the title is known already."""
    if not isinstance(properties, Mapping):
        return []
    return [
        f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in properties.items()
        if value not in (None, "", [], title)
    ]
