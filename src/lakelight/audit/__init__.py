"""The audit trail: append-only, chained, redacted by allow-list at its sink."""

from lakelight.audit.chain import Broken, Event, verify
from lakelight.audit.fields import Sink
from lakelight.audit.trail import Entry, Trail, read_events

__all__ = ["Broken", "Entry", "Event", "Sink", "Trail", "read_events", "verify"]
