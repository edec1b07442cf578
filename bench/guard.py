"""What a decision and a guarded write cost, beside a bare call of the same writer."""

import asyncio
import statistics
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from lakelight import ids
from lakelight.audit import Sink, Trail
from lakelight.clock import SystemClock
from lakelight.execution import Door, Executor
from lakelight.guard import Approvals, Asker, Facts, Guard, OwnTicket, Policy, Scopes, decide
from lakelight.notion import Answer, Children
from lakelight.operations import Kind, Level, Operation, Risk, request
from lakelight.storage import Database, migrate

PAGE = "12345678-1234-4234-8234-123456789abc"
TIMES = 200


class Instant:
    """A workspace that answers at once."""

    async def children(self, _block_id: str) -> Children:
        """Nothing is there."""
        return Children(blocks=[])

    async def send(self, _method: str, _path: str, body: dict[str, Any]) -> Answer:
        """Everything is taken."""
        blocks = [{**block, "id": PAGE} for block in body["children"]]
        return Answer(status=200, body={"object": "list", "results": blocks})


def operation() -> Operation:
    """A small append."""
    block = {"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": "hello"}}]}}
    return Operation(
        id=ids.fresh("op"),
        kind=Kind.BLOCK_APPEND,
        target=PAGE,
        request=request("PATCH", f"/blocks/{PAGE}/children", {"children": [block]}),
    )


async def writes(folder: Path) -> tuple[float, float]:
    """Median milliseconds of a guarded write, and of the bare call."""
    clock, notion = SystemClock(), Instant()
    database = Database(folder / "state.db")
    migrate(database)
    trail = Trail(database, Sink(b"key", frozenset({"a"})), clock)
    door = Door(
        guard=Guard(Policy(), Scopes(notion, clock)),  # type: ignore[arg-type]
        executor=Executor(
            writer=notion,  # type: ignore[arg-type]
            reader=notion,  # type: ignore[arg-type]
            database=database,
            trail=trail,
            clock=clock,
            settle=timedelta(),
            bot_id="bot",
        ),
        trail=trail,
        approvals=Approvals(clock),
        database=database,
    )
    ticket = OwnTicket(
        page_id=PAGE, self_check=None, status=None, statuses=frozenset(), is_fixed_text=lambda _text: False
    )
    asker = Asker(actor="ai", agent="a", run_id=ids.fresh("run"), ticket=ticket)
    guarded, bare = [], []
    for _ in range(TIMES):
        each = operation()
        start = time.perf_counter()
        await door.submit(each, asker)
        guarded.append(time.perf_counter() - start)
        start = time.perf_counter()
        await notion.send(each.request.method, each.request.path, each.request.content)
        bare.append(time.perf_counter() - start)
    database.close()
    return statistics.median(guarded) * 1000, statistics.median(bare) * 1000


def main() -> None:
    """Print one row each."""
    facts = Facts(
        effect="known",
        needs=Level.STANDARD,
        risk=Risk.LOW,
        level=Level.STANDARD,
        scope="in",
        auth="ready",
        trail=True,
        mode="normal",
        actor="ai",
        targets=1,
        ask=False,
        approval="none",
    )
    start = time.perf_counter()
    for _ in range(20_000):
        decide(facts)
    each = (time.perf_counter() - start) / 20_000 * 1e6
    start = time.perf_counter()
    for _ in range(20_000):
        hash(facts)
    one = (time.perf_counter() - start) / 20_000 * 1e6
    print(f"decide                 {each:7.2f} µs  ({each / one:.1f} x hashing the same facts)")
    with tempfile.TemporaryDirectory() as folder:
        guarded, bare = asyncio.run(writes(Path(folder)))
    print(f"guarded write          {guarded:7.2f} ms  (two durable commits; bare call {bare:.3f} ms)")


if __name__ == "__main__":
    main()
