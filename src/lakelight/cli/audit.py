"""`lakelight audit`: the trail, read and checked."""

import json
import re

from lakelight import audit
from lakelight.cli.session import FAILED, USAGE, Session, end
from lakelight.cli.state import open_existing
from lakelight.errors import LakelightError


def tail(session: Session, *, count: int, as_json: bool) -> None:
    """The newest events, one a line."""
    try:
        with open_existing(session).transaction() as connection:
            events = audit.read_events(connection, count)
    except LakelightError as error:
        end(session, error)
    for event in events:
        exported = event.export()
        if as_json:
            print(json.dumps(exported, ensure_ascii=False))
        else:
            session.line(f"{event.seq:>5}  {event.at}  {event.actor:6}  {event.event:24}{_detail(exported)}")
    if not events:
        session.say("cli.audit.none")


def verify(session: Session, *, head: str | None, as_json: bool) -> None:
    """Whether the chain holds; the command fails where it does not."""
    if head is not None and not re.fullmatch(r"[0-9a-f]{64}", head):
        session.say("cli.audit.bad_head")
        raise SystemExit(USAGE)
    try:
        database = open_existing(session)
        # Before the events: it never runs ahead of them, and they may grow meanwhile.
        noted = audit.HeadFile(database.file).read()
        with database.transaction() as connection:
            events = audit.read_events(connection)
            begun = audit.begun_writes(connection)
    except LakelightError as error:
        end(session, error)
    found = audit.verify(events, head, noted, begun)
    newest = events[-1].hash if events else ""
    if isinstance(found, audit.Broken):
        if as_json:
            session.data({"holds": False, "seq": found.seq, "how": found.how})
        session.say("cli.audit.broken", seq=found.seq, how=session.messages.say(f"cli.audit.how.{found.how}"))
        raise SystemExit(FAILED)
    if events and noted is None and head is None:
        session.say("cli.audit.no_note")
    if as_json:
        session.data(
            {
                "holds": True,
                "events": found,
                "head": newest,
                "noted": noted.seq if isinstance(noted, audit.Head) else None,
            }
        )
    else:
        session.line(session.messages.say("cli.audit.holds", count=found, head=newest))


def _detail(event: dict[str, object]) -> str:
    parts = []
    for group, name in (
        ("guard", "decision"),
        ("guard", "reason"),
        ("operation", "name"),
        ("result", "status"),
        ("ticket", "state"),
    ):
        inner = event.get(group)
        if isinstance(inner, dict) and name in inner:
            parts.append(str(inner[name]))
    return "  ".join([str(event.get("agent", "")), *parts]).rstrip()
