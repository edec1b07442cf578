"""The queue on DBOS, in our own database file, so that a job is enqueued with the row that asks for it.

A job is one workflow without steps of its own: the run's journal is the truth, so nothing has
to be deterministic and new code picks up old runs. Three of DBOS's defaults are not
ours: the version is a constant (its default, a hash of the sources, strands all work at every
edit), the executor's id is fixed and guarded by a lease (its default lets a start take over the work
of a live process), and values are JSON (its default is pickle).
"""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event

from lakelight.jobs.lease import Lease
from lakelight.jobs.port import Advance
from lakelight.storage import Connection, Database

if TYPE_CHECKING:
    # Imported on use: it takes a third of a second, and most commands carry no jobs.
    from dbos import DBOSClient, DBOSConfig

WORKFLOW_VERSION = "advance-1"
"""Changed by hand, and only with a drained queue."""

_QUEUE = "runs"
_NAME = "lakelight"
_WORKFLOW = "advance"
_LIVE = ["ENQUEUED", "PENDING", "DELAYED"]


class DbosJobs:
    """Carries jobs in this process; one process a state file."""

    def __init__(
        self,
        database: Database,
        *,
        at_once: int = 4,
        poll_seconds: float = 0.25,
        worker: str = "worker-1",
        patience_seconds: int = 10,
    ) -> None:
        self._engine = _engine(database.url)
        self._lease = Lease(database.file.with_name(f"{database.file.name}.{worker}.lock"))
        self._at_once = at_once
        self._poll_seconds = poll_seconds
        self._worker = worker
        self._patience_seconds = patience_seconds
        self._url = database.url
        self._client: DBOSClient | None = None
        self._started = False

    def enqueue(self, connection: Connection, job_id: str, run_id: str) -> None:
        """Ask for `run_id` to be advanced, in the transaction of `connection`; twice the same id is once."""
        if self._client is None:
            from dbos import DBOSClient

            self._client = DBOSClient(system_database_engine=self._engine, serializer=_serializer())
        self._client.enqueue_in_transaction(
            connection,
            {
                "queue_name": _QUEUE,
                "workflow_name": _WORKFLOW,
                "workflow_id": job_id,
                "app_version": WORKFLOW_VERSION,
                "application_name": _NAME,
            },
            run_id,
        )

    def prepare(self) -> None:
        """Become the worker of this state, without carrying anything yet.

        Raises:
            AlreadyRunning: Another process is the worker.
        """
        from dbos import DBOS

        self._lease.take()
        logging.getLogger("dbos").setLevel(logging.CRITICAL)
        config: DBOSConfig = {
            "name": _NAME,
            "system_database_url": self._url,
            "system_database_engine": self._engine,
            "application_version": WORKFLOW_VERSION,
            "executor_id": self._worker,
            "serializer": _serializer(),
            "log_level": "CRITICAL",
            "max_executor_threads": 8,
            # Nobody listens for notifications; stopping waits for this long.
            "notification_listener_polling_interval_sec": 0.1,
            "scheduler_polling_interval_sec": 60.0,
        }
        DBOS(config=config)

    async def start(self, advance: Advance) -> None:
        """Take up what was left, then carry jobs until `stop`; needs `prepare`.

        The first start on a state file makes the tables that `enqueue` writes to.
        """
        from dbos import DBOS

        @DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=1000)
        async def carry(run_id: str) -> None:
            await advance(run_id)

        DBOS.launch()
        await DBOS.register_queue_async(
            _QUEUE,
            worker_concurrency=self._at_once,
            polling_interval_sec=self._poll_seconds,
            on_conflict="always_update",
        )
        self._started = True

    async def stop(self) -> None:
        """Let the jobs that are under way come to a resting point, then let go."""
        if self._started:
            from dbos import DBOS

            self._started = False
            # DBOS sleeps in whole seconds for jobs under way, even where there are none.
            patience = self._patience_seconds if await self._busy() else 0
            await asyncio.to_thread(
                DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=patience
            )
            # DBOS had made its pool the loop's own, and has shut it down: threads would be had no more.
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        self.release()

    def release(self) -> None:
        """Let go of the lease and the file; what was prepared is not prepared any more."""
        self._lease.drop()
        self._engine.dispose()

    async def live(self) -> frozenset[str]:
        """The ids of the jobs that are waiting or under way."""
        from dbos import DBOS

        rows = await DBOS.list_workflows_async(status=_LIVE, load_input=False, load_output=False)
        return frozenset(row.workflow_id for row in rows)

    async def _busy(self) -> bool:
        try:
            return bool(await self.live())
        except sa.exc.SQLAlchemyError:
            return True


def _serializer() -> Any:
    from dbos import DBOSPortableJSONSerializer

    return DBOSPortableJSONSerializer()


def _engine(url: str) -> sa.Engine:
    # As DBOS makes its own engine for SQLite, with the journal mode that it leaves out.
    engine = sa.create_engine(url, pool_size=8, max_overflow=4)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "busy_timeout=30000",
            "foreign_keys=ON",
            "journal_size_limit=16777216",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return engine
