"""The durable queue. Only this folder knows what carries it."""

from lakelight.jobs.lease import AlreadyRunning, Lease
from lakelight.jobs.owners import Owners
from lakelight.jobs.port import Advance, Jobs

__all__ = ["Advance", "AlreadyRunning", "Jobs", "Lease", "Owners"]
