"""What was turned: faults, budget, clock; and the requests that came."""

import threading
from collections import deque
from dataclasses import dataclass
from datetime import datetime

from starlette.types import Scope

from notion_embedded.control.budget import Budget
from notion_embedded.control.clock import ControlledClock
from notion_embedded.control.faults import Fault
from notion_embedded.store.workspace import Workspace

MAX_LOGGED = 1000


@dataclass(slots=True, kw_only=True)
class Visit:
    """One request to the API."""

    at: datetime
    method: str
    path: str
    query: str
    secret: str
    status: int | None = None
    """Nothing while it goes on, and where no answer was sent."""
    fault: str | None = None


class State:
    """Everything the control API turns. It is asked on the event loop and turned there too."""

    def __init__(self, workspace: Workspace, clock: ControlledClock | None) -> None:
        self.workspace = workspace
        self.clock = clock
        self.faults: list[Fault] = []
        self.budget: Budget | None = None
        self.visits: deque[Visit] = deque(maxlen=MAX_LOGGED)
        self._lock = threading.Lock()
        self._next_fault = 1

    def visit(self, scope: Scope) -> Visit:
        """Log a request."""
        headers = dict(scope["headers"])
        visit = Visit(
            at=self.workspace.now(),
            method=scope["method"],
            path=scope["path"],
            query=scope["query_string"].decode("latin-1"),
            secret=headers.get(b"authorization", b"").decode("latin-1").partition(" ")[2].strip(),
        )
        self.visits.append(visit)
        return visit

    def over_budget(self, visit: Visit) -> int | None:
        """Seconds that the caller must wait, if it has had its share."""
        wait = None if self.budget is None else self.budget.wait(visit.secret, visit.at)
        if wait is not None:
            visit.fault = "budget"
        return wait

    def fault_for(self, visit: Visit) -> Fault | None:
        """The first fault that meets the request."""
        for fault in self.faults:
            if fault.takes(visit.method, visit.path):
                visit.fault = fault.id
                return fault
        return None

    def fault_id(self) -> str:
        """A name for another fault."""
        with self._lock:
            self._next_fault += 1
            return f"fault-{self._next_fault - 1}"

    def clear(self) -> None:
        """Let everything go its way again."""
        self.faults.clear()
        self.visits.clear()
        self.budget = None
        if self.clock is not None:
            self.clock.clear()
