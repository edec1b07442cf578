"""Builds the house for one workspace: the one place that names adapters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from lakelight.agent import Progress, Runs, UsageTable
from lakelight.agent.chats import Chats
from lakelight.agent.turns import Loop
from lakelight.agent.undos import Undos
from lakelight.audit import Sink, Trail
from lakelight.bootstrap.home import Place, owner_file, remember_workspace, trail_key
from lakelight.bootstrap.planner import CachedIndex, TemplateBriefs, build_planners, build_ticket_planner
from lakelight.clock import Clock
from lakelight.daemon import Service, StateSources
from lakelight.errors import ConfigurationError
from lakelight.execution import Door, Executor
from lakelight.execution.confirmations import Confirmations
from lakelight.execution.surroundings import NotionSurroundings
from lakelight.guard import Approvals, Guard, Policy, Scopes, load_policy
from lakelight.ids import fresh
from lakelight.jobs import Owners
from lakelight.jobs.dbos_jobs import DbosJobs
from lakelight.llm import ChatEndpoint
from lakelight.notion.api_log import ApiLog
from lakelight.notion.budget import Budget, NoBudget, OnWait, SharedBudget
from lakelight.notion.http import HttpNotion
from lakelight.owner_file import read_owner_file
from lakelight.settings import DEFAULT_MODEL_URL, Loaded, ModelSettings, Settings
from lakelight.storage import Connection, Database, migrate
from lakelight.tickets.columns import ColumnNames
from lakelight.tickets.dispatcher import Dispatcher, open_ledger
from lakelight.tickets.drafts import Drafts
from lakelight.tickets.personas import Personas
from lakelight.tickets.poller import Poller
from lakelight.tickets.roster import Roster, parse_roster
from lakelight.tickets.source import StatusWords
from lakelight.tickets.worker import Worker
from lakelight.tools.registry import standard_tools

if TYPE_CHECKING:
    from lakelight.llm import ModelError, RoutedModel

_GLANCE = timedelta(seconds=0.2)

EMBEDDED_WORDS = StatusWords(ready="待开发", working="进行中", needs_you="待确认", done="已完成")
"""The status words of a workspace that we made ourselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Everything that works on one workspace, built and not yet started."""

    place: Place
    service: Service
    database: Database
    notion: HttpNotion
    sources: StateSources
    dispatcher: Dispatcher
    roster: Roster
    policy: Policy
    workspace_name: str
    runs: Runs
    worker: Worker
    chats: Chats
    undos: Undos
    door: Door
    approvals: Approvals
    confirmations: Confirmations
    surroundings: NotionSurroundings
    clock: Clock
    model: "RoutedModel | None"
    release: Callable[[], None]

    @staticmethod
    def fresh_operation_id() -> str:
        """An id for an operation that a person has edited."""
        return fresh("op")

    async def advance(self, run_id: str) -> None:
        """Bring a run of any kind as far as it can go now."""
        await self.service.advance(run_id)

    async def see_through(self, run_id: str) -> None:
        """The same, also when another process was quicker and works on it: until that one is through."""
        while True:
            await self.advance(run_id)
            run = await self.database.run(lambda connection: self.runs.get(connection, run_id))
            if run is None or not self.runs.is_taken(run):
                return
            await self.clock.sleep(_GLANCE)

    async def abandoned(self) -> list[str]:
        """The runs in whose middle a process died, and those that only waited for what has happened since.

        Runs of tickets are none of them: those are a serving process's own.
        """

        def find(connection: Connection) -> list[str]:
            broken = [
                run
                for run in self.runs.unfinished(connection, "working", "queued")
                if not self.runs.is_taken(run)
            ]
            return [run.id for run in (*broken, *self.runs.due(connection)) if run.kind != "ticket"]

        return await self.database.run(find)

    async def close(self) -> None:
        """Let go of files and connections."""
        await self.notion.aclose()
        if self.model is not None:
            await self.model.aclose()
        self.database.close()
        self.release()


def open_state(place: Place, clock: Clock) -> Database:
    """The state database of a workspace, at the newest schema, its ledger opened."""
    database = Database(place.state_file)
    migrate(database)
    with database.transaction() as connection:
        open_ledger(connection, clock.now())
    return database


def connect(
    place: Place,
    settings: Settings,
    home: Path,
    clock: Clock,
    budget: Budget | None = None,
    on_wait: OnWait | None = None,
) -> HttpNotion:
    """A connection to the workspace of `place`; nothing is sent yet.

    Args:
        on_wait: Told the seconds, whenever a request has to wait.
    """
    notion = settings.notion
    budget = budget or (
        NoBudget()
        if place.kind == "embedded"
        else SharedBudget(
            home / "budget.db",
            place.token,
            base_url=place.base_url,
            clock=clock,
            per_minute=notion.requests_per_minute,
            burst=notion.burst,
            on_wait=on_wait,
        )
    )
    place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return HttpNotion(
        place.token,
        clock=clock,
        budget=budget,
        base_url=place.base_url,
        version=notion.version,
        api_log=ApiLog(place.folder / "notion-api.log"),
        read_timeout=notion.read_timeout,
        write_timeout=notion.write_timeout,
        waits=notion.retry_waits,
        on_wait=on_wait,
    )


def notion_place(settings: Settings, home: Path) -> Place:
    """The real workspace that the settings name; its folder is known only after a first answer."""
    if settings.notion.token is None:
        raise ConfigurationError("config.notion_token")
    return Place(
        kind="notion",
        folder=home,
        base_url=settings.notion.base_url,
        token=settings.notion.token.get_secret_value(),
    )


async def settle_place(
    place: Place, settings: Settings, home: Path, clock: Clock, on_wait: OnWait | None = None
) -> Place:
    """`place` with the folder of the workspace that its token belongs to.

    Raises:
        NotionError: Notion could not be asked, or does not accept the token.
    """
    if place.kind == "embedded":
        return place
    notion = connect(place, settings, home, clock, on_wait=on_wait)
    try:
        workspace_id = str((await notion.me())["bot"]["workspace_id"])
    except (KeyError, TypeError):
        workspace_id = "workspace"
    finally:
        await notion.aclose()
    return replace(place, folder=remember_workspace(home, place.token, workspace_id))


def read_roster(home: Path, folder: Path | None, *, needed: bool = True) -> Roster:
    """The agents of a workspace; without `needed`, none where there is no `agents.json`.

    Raises:
        ConfigurationError: `agents.json` is missing or broken.
    """
    file = owner_file(home, folder, "agents.json")
    try:
        return parse_roster(read_owner_file(file))
    except FileNotFoundError as error:
        if not needed:
            return Roster()
        raise ConfigurationError("config.roster.missing", file=file) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError("config.roster.unreadable", file=file, cause=str(error)) from error


async def build_house(
    *,
    home: Path,
    loaded: Loaded,
    place: Place,
    clock: Clock,
    progress: Progress,
    serving: bool = True,
    on_text: Callable[[str], None] | None = None,
    on_restart: "Callable[[ModelError], None] | None" = None,
    on_wait: OnWait | None = None,
) -> House:
    """Build everything for the workspace of `place`, whose folder is settled.

    Args:
        serving: Become the one process that carries this state's jobs. Without it a command can work on
            runs of its own, also beside one that serves.
        on_text: Hears what a model says while it says it.
        on_wait: Is told the seconds, whenever a request to Notion has to wait.
        on_restart: Is told when what it heard is void, because the answer broke off and is asked for anew.

    Raises:
        ConfigurationError: The roster, the policy or a setting cannot be used.
        AlreadyRunning: Another process works on this state.
        NotionError: Notion could not be asked who we are.
    """
    settings = loaded.settings
    policy = load_policy(owner_file(home, place.folder, "policy.toml"))
    roster = read_roster(home, place.folder, needed=serving)
    database = open_state(place, clock)
    notion = connect(place, settings, home, clock, on_wait=on_wait)
    jobs = DbosJobs(database, at_once=settings.tickets.at_once)
    owners = Owners(database.file)

    def release() -> None:
        owners.leave()
        jobs.release()

    try:
        owners.join()
        if serving:
            jobs.prepare()
        me = await notion.me()
    except BaseException:
        release()
        database.close()
        await notion.aclose()
        raise
    names = frozenset(name for agent in roster for name in (agent.key, agent.id, agent.name))
    trail = Trail(database, Sink(trail_key(home), names), clock)
    bot_id = str(me["id"])
    runs = Runs(jobs, clock, owners)
    approvals = Approvals(clock)
    surroundings = NotionSurroundings(notion)
    door = Door(
        guard=Guard(policy, Scopes(notion, clock)),
        executor=Executor(
            writer=notion,
            reader=notion,
            database=database,
            trail=trail,
            clock=clock,
            settle=timedelta(seconds=settings.notion.settle),
            bot_id=bot_id,
        ),
        trail=trail,
        approvals=approvals,
        database=database,
        surroundings=surroundings,
    )
    model = build_model(settings, home, database, clock)
    index = CachedIndex(notion, clock)
    planner_for = build_planners(model, index, on_text, on_restart)
    loop = Loop(
        planner=planner_for(""),
        tools=standard_tools(),
        reader=notion,
        door=door,
        progress=progress,
    )
    chats = Chats(database=database, runs=runs, loop=loop, clock=clock, planner_for=planner_for)
    undos = Undos(database=database, runs=runs, door=door, reader=notion, clock=clock, bot_id=bot_id)
    sources = StateSources(
        reader=notion,
        database=database,
        clock=clock,
        given=settings.notion.ticket_database,
        names=ColumnNames(**settings.tickets.columns.model_dump()),
        words=status_words(loaded, place),
        remembered=timedelta(seconds=settings.tickets.full_query_seconds),
    )
    dispatcher = Dispatcher(
        database=database,
        runs=runs,
        roster=roster,
        trail=trail,
        clock=clock,
        progress=progress,
        bot_id=bot_id,
    )
    personas = Personas(notion, clock, timedelta(seconds=settings.tickets.persona_seconds))
    worker = Worker(
        database=database,
        runs=runs,
        roster=roster,
        sources=sources,
        personas=personas,
        reader=notion,
        door=door,
        drafts=Drafts(
            loop=loop,
            reader=notion,
            personas=personas,
            model=model,
            planner_for=build_ticket_planner(model, index),
            templates=TemplateBriefs(index),
            database=database,
            clock=clock,
            progress=progress,
        ),
        trail=trail,
        clock=clock,
        progress=progress,
        retry=timedelta(seconds=settings.tickets.retry_seconds),
    )
    poller = Poller(
        reader=notion,
        dispatcher=dispatcher,
        database=database,
        runs=runs,
        jobs=jobs,
        clock=clock,
        progress=progress,
        full_every=timedelta(seconds=settings.tickets.full_query_seconds),
    )
    service = Service(
        poller=poller,
        dispatcher=dispatcher,
        worker=worker,
        chats=chats,
        undos=undos,
        sources=sources,
        runs=runs,
        jobs=jobs,
        database=database,
        clock=clock,
        progress=progress,
        poll_every=timedelta(seconds=settings.tickets.poll_seconds),
    )
    return House(
        place=place,
        service=service,
        database=database,
        notion=notion,
        sources=sources,
        dispatcher=dispatcher,
        roster=roster,
        policy=policy,
        workspace_name=str((me.get("bot") or {}).get("workspace_name") or ""),
        runs=runs,
        worker=worker,
        chats=chats,
        undos=undos,
        door=door,
        approvals=approvals,
        confirmations=Confirmations(database, approvals, trail),
        surroundings=surroundings,
        clock=clock,
        model=model,
        release=release,
    )


def build_model(settings: Settings, home: Path, database: Database, clock: Clock) -> "RoutedModel | None":
    """The model that the settings name; None when none is set up.

    Raises:
        ConfigurationError: The address, the key or `models.toml` cannot be used.
    """
    model = settings.model
    if not model.configured:
        return None
    # The SDK takes memory and most of a second: only where there is a model.
    from lakelight.llm import RoutedModel, Waits, load_routes

    waits = tuple(timedelta(seconds=wait) for wait in model.retry_waits)
    return RoutedModel(
        model_endpoint(model, clock),
        load_routes(home / "models.toml", model=model.name),
        usage=UsageTable(database),
        clock=clock,
        waits=Waits(unreachable=waits, limited=waits),
    )


def model_endpoint(model: ModelSettings, clock: Clock) -> ChatEndpoint:
    """The endpoint that the settings name; nothing is sent yet.

    Raises:
        ConfigurationError: The address or the key cannot be used.
    """
    from lakelight.llm.openai_adapter import OpenAIEndpoint

    return OpenAIEndpoint(
        model.base_url or DEFAULT_MODEL_URL,
        model.api_key.get_secret_value() if model.api_key else None,
        clock=clock,
        timeout=timedelta(seconds=model.timeout),
    )


def status_words(loaded: Loaded, place: Place) -> StatusWords:
    """The status words: those that are set, and in a workspace of our own making all four."""
    words = StatusWords(**loaded.settings.tickets.statuses.model_dump())
    if place.kind == "notion":
        return words
    return StatusWords(
        ready=words.ready if "tickets.statuses.ready" in loaded.origins else EMBEDDED_WORDS.ready,
        working=words.working or EMBEDDED_WORDS.working,
        needs_you=words.needs_you or EMBEDDED_WORDS.needs_you,
        done=words.done or EMBEDDED_WORDS.done,
    )
