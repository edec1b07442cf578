"""The audit trail: append-only, chained, redacted by allow-list at its sink."""

from lakelight.audit.chain import Broken, Event, verify
from lakelight.audit.fields import Sink
from lakelight.audit.head import Head, HeadFile, Unreadable
from lakelight.audit.trail import Entry, Trail, begun_writes, read_events

__all__ = [
    "Broken",
    "Entry",
    "Event",
    "Head",
    "HeadFile",
    "Sink",
    "Trail",
    "Unreadable",
    "begun_writes",
    "read_events",
    "verify",
]
