"""The chain: each event carries the hash of the one before it. Pure, so that it verifies anywhere."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lakelight.audit.head import Head, Unreadable
from lakelight.digest import sha256

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row of the trail, as it is stored and exported."""

    seq: int
    event_id: str
    at: str
    event: str
    actor: str
    source: str
    body: str
    """The fields and `redaction`, as canonical JSON."""
    prev: str
    hash: str

    def export(self) -> dict[str, Any]:
        """The event as one object, its body unfolded; what `audit tail --json` prints."""
        return {
            "audit_event": self.event,
            "event_id": self.event_id,
            "seq": self.seq,
            "at": self.at,
            "actor": self.actor,
            "source": self.source,
            **json.loads(self.body),
            "prev": self.prev,
            "hash": self.hash,
        }


@dataclass(frozen=True, slots=True)
class Broken:
    """Where a chain does not hold, and how."""

    seq: int
    how: str


def link(seq: int, *parts: str) -> str:
    """The hash that binds an event to everything before it.

    Args:
        parts: event id, time, event, actor, source, body and the hash before, in this order.
    """
    # A length before each part: no two different events give the same bytes.
    return sha256("".join(f"{len(part.encode())}:{part}" for part in (str(seq), *parts)).encode())


def verify(
    events: Iterable[Event],
    head: str | None = None,
    noted: Head | Unreadable | None = None,
    begun: Iterable[str] = (),
) -> Broken | int:
    """The number of events when the chain holds, else the first place where it does not.

    Args:
        events: All of them, in order.
        head: The last hash, where one was noted elsewhere: it must be among the events.
        noted: What the trail itself has noted beside the database; read before the events were.
        begun: Operations that an event must tell of.
    """
    prev, count, seen = GENESIS, 0, head is None
    untold = set(begun)
    for event in events:
        count += 1
        if event.seq != count:
            return Broken(event.seq, "gap")
        if event.prev != prev:
            return Broken(event.seq, "link")
        expected = link(
            event.seq,
            event.event_id,
            event.at,
            event.event,
            event.actor,
            event.source,
            event.body,
            event.prev,
        )
        if event.hash != expected:
            return Broken(event.seq, "content")
        if isinstance(noted, Head) and event.seq == noted.seq and event.hash != noted.hash:
            return Broken(event.seq, "rewritten")
        if untold:
            untold.discard(json.loads(event.body).get("operation", {}).get("id"))
        prev = event.hash
        seen = seen or prev == head
    if isinstance(noted, Head) and count < noted.seq:
        return Broken(count + 1, "cut")
    if isinstance(noted, Unreadable):
        return Broken(count + 1, "unreadable")
    if untold:
        return Broken(count + 1, "unseen")
    return count if seen else Broken(count, "head")
