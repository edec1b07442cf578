"""The long-running side: polls, wakes, carries, and stops cleanly."""

from lakelight.daemon.service import Service
from lakelight.daemon.sources import StateSources

__all__ = ["Service", "StateSources"]
