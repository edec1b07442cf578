"""The port to the durable queue. It carries one kind of job: advance a run."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from lakelight.storage import Connection

Advance = Callable[[str], Awaitable[None]]
"""Takes a run's id and brings it forward as far as it can."""


class Jobs(Protocol):
    """A queue whose jobs survive the process and are carried by one worker at a time."""

    def enqueue(self, connection: Connection, job_id: str, run_id: str) -> None:
        """Ask for `run_id` to be advanced, in the transaction of `connection`; twice the same id is once."""
        ...

    async def start(self, advance: Advance) -> None:
        """Take up what was left, then carry jobs until `stop`."""
        ...

    async def stop(self) -> None:
        """Let the jobs that are under way come to a resting point, then let go."""
        ...

    async def live(self) -> frozenset[str]:
        """The ids of the jobs that are waiting or under way."""
        ...
