"""Sees runs through after a decision, without keeping a page waiting for long."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import timedelta

from lakelight.errors import LakelightError

log = logging.getLogger(__name__)
_REMEMBERED = 100


class Following:
    """The runs that are being brought on, and the last fault of those that could not be."""

    def __init__(self, advance: Callable[[str], Awaitable[None]], patience: timedelta) -> None:
        self._advance = advance
        self._patience = patience.total_seconds()
        self._tasks: set[asyncio.Task[None]] = set()
        self._faults: OrderedDict[str, LakelightError] = OrderedDict()

    async def follow(self, run_id: str) -> None:
        """Bring a run on; return when it is as far as it can go, or when patience is at its end.

        The run goes on behind the page, and a fault in it does not undo the decision.
        """
        task = asyncio.create_task(self._bring_on(run_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.wait({task}, timeout=self._patience)

    def fault(self, run_id: str) -> LakelightError | None:
        """Why a run could not be brought on, the last time that it was tried."""
        return self._faults.get(run_id)

    async def close(self) -> None:
        """Leave what is under way to the next start; nothing in it is lost."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _bring_on(self, run_id: str) -> None:
        self._faults.pop(run_id, None)
        try:
            await self._advance(run_id)
        except LakelightError as error:
            log.warning("console.run_not_advanced", extra={"run": run_id, "code": error.code})
            self._faults[run_id] = error
            while len(self._faults) > _REMEMBERED:
                self._faults.popitem(last=False)
        # A fault of ours must not take the page with it: the decision stands, and the run is taken up again.
        except Exception:
            log.exception("console.run_not_advanced", extra={"run": run_id})
            self._faults[run_id] = LakelightError()
