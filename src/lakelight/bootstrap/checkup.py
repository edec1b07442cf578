"""Opens whatever is there and looks at all of it, for `lakelight doctor`.

Works beside a running `up` or `demo`: it takes no lease, migrates nothing and makes no workspace.
An embedded workspace that nobody serves is served while it is looked at.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from lakelight.bootstrap.embedded import EmbeddedInUse, embedded_place
from lakelight.bootstrap.home import (
    Place,
    embedded_folder,
    known_folder,
    make_home,
    owner_file,
    running_server,
)
from lakelight.bootstrap.house import (
    connect,
    model_endpoint,
    notion_place,
    read_roster,
    status_words,
)
from lakelight.clock import Clock
from lakelight.daemon import checks
from lakelight.daemon.checks import Finding, fault, not_looked_at
from lakelight.daemon.sources import remembered
from lakelight.errors import ConfigurationError, LakelightError, StorageError
from lakelight.guard import load_policy
from lakelight.llm import load_routes
from lakelight.notion import BadReference, NotionError, NotionReader
from lakelight.notion.budget import OnWait
from lakelight.settings import DEFAULT_MODEL_URL, FILE_NAME, SECRETS, Loaded, Settings, load
from lakelight.storage import Database
from lakelight.tickets.columns import ColumnNames, Role
from lakelight.tickets.personas import Personas
from lakelight.tickets.roster import Roster
from lakelight.tickets.source import SourceError, open_source

NAMES = (
    "config", "roster", "policy", "state", "trail", "notion",
    "tickets", "statuses", "personas", "model", "disk", "clock",
)  # fmt: skip
"""Every check, in the order in which they are told."""

_IN_NOTION = ("tickets", "statuses", "personas")
_OTHERS_WRITE = stat.S_IWOTH
_OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
_MODEL_PATIENCE = 15.0
_RETRY_WAITS = (0.5,)


async def check_up(
    home: Path, environment: Mapping[str, str], clock: Clock, on_wait: OnWait | None = None
) -> list[Finding]:
    """Everything that was found, in the order of `NAMES`; it never raises for what is wrong.

    Args:
        on_wait: Told the seconds, whenever a request to Notion has to wait.
    """
    found = [_disk(home)]
    try:
        loaded = load(home, environment)
        if loaded.settings.notion.token is not None:
            make_home(home)
    except ConfigurationError as error:
        rest = [name for name in NAMES if name not in {"config", "disk", "clock"}]
        return _ordered([*found, fault("config", error), *not_looked_at(rest)])
    found += _config(home, loaded)
    found.append(await _model(loaded.settings, home, clock))
    async with AsyncExitStack() as stack:
        place = await _place(stack, home, loaded, found)
        if place is not None:
            found += await _Look(home, loaded, place, clock, on_wait).all()
    return _ordered(found)


class _Look:
    """One look at one workspace."""

    def __init__(
        self, home: Path, loaded: Loaded, place: Place, clock: Clock, on_wait: OnWait | None
    ) -> None:
        self._home = home
        self._loaded = loaded
        self._place = place
        self._clock = clock
        self._on_wait = on_wait
        self._roster: Roster | None = None
        self._given: str | None = None
        self._ids: Mapping[str, Mapping[Role, str]] = {}

    async def all(self) -> list[Finding]:
        settings = self._loaded.settings
        quick = settings.model_copy(
            update={"notion": settings.notion.model_copy(update={"retry_waits": _RETRY_WAITS})}
        )
        try:
            notion = connect(self._place, quick, self._home, self._clock, on_wait=self._on_wait)
        except ConfigurationError as error:
            return [fault("notion", error), *not_looked_at(_IN_NOTION), *self._files(), *self._kept()]
        try:
            found = await self._asked(notion)
        finally:
            await notion.aclose()
        return found

    async def _asked(self, notion: NotionReader) -> list[Finding]:
        try:
            answer, workspace_id = await checks.check_notion(notion, self._clock)
        except (NotionError, StorageError) as error:
            return [fault("notion", error), *not_looked_at(_IN_NOTION), *self._files(), *self._kept()]
        if self._place.kind == "notion":
            self._place = replace(self._place, folder=self._home / (workspace_id or "workspace"))
        found = [answer, *checks.check_clock(notion, self._clock), *self._files(), *self._kept()]
        found += await self._tickets(notion)
        found += await self._personas(notion)
        return found

    def _files(self) -> list[Finding]:
        """The owner's files: roster and policy."""
        found: list[Finding] = []
        roster_file = owner_file(self._home, self._place.folder, "agents.json")
        policy_file = owner_file(self._home, self._place.folder, "policy.toml")
        try:
            self._roster = read_roster(self._home, self._place.folder)
            found += checks.check_roster(self._roster, roster_file)
        except ConfigurationError as error:
            found.append(fault("roster", error))
        try:
            found += checks.check_policy(load_policy(policy_file), self._roster, policy_file)
        except ConfigurationError as error:
            found.append(fault("policy", error))
        return found

    def _kept(self) -> list[Finding]:
        """The state database and the trail in it."""
        if not self._place.state_file.exists():
            return [Finding(name="state", key="doctor.state.none", facts={"home": self._home})]
        database = None
        try:
            database = Database(self._place.state_file)
            found = [checks.check_state(database)]
            if found[0].state == "ok":
                found += checks.check_trail(database)
                with database.transaction() as connection:
                    self._given, self._ids = remembered(connection)
        except OSError as error:
            return [fault("state", StorageError(cause=str(error)))]
        except StorageError as error:
            return [fault("state", error)]
        finally:
            if database is not None:
                database.close()
        return found

    async def _tickets(self, notion: NotionReader) -> list[Finding]:
        settings = self._loaded.settings
        try:
            source = await open_source(
                notion,
                settings.notion.ticket_database or self._given,
                ColumnNames(**settings.tickets.columns.model_dump()),
                status_words(self._loaded, self._place),
                self._ids,
            )
        except (SourceError, NotionError, BadReference) as error:
            return [fault("tickets", error), *not_looked_at(["statuses"])]
        return [checks.check_columns(source), *checks.check_statuses(source)]

    async def _personas(self, notion: NotionReader) -> list[Finding]:
        if self._roster is None:
            return not_looked_at(["personas"])
        agents = [agent for agent in self._roster if agent.off_reason is None]
        try:
            return await checks.check_personas(notion, Personas(notion, self._clock, timedelta()), agents)
        except NotionError as error:
            return [fault("personas", error)]


async def _place(stack: AsyncExitStack, home: Path, loaded: Loaded, found: list[Finding]) -> Place | None:
    """Where to look; None, with the reason added to `found`, when there is nothing to look at."""
    token = loaded.settings.notion.token
    if token is not None:
        place = notion_place(loaded.settings, home)
        return replace(place, folder=known_folder(home, token.get_secret_value()) or home)
    if embedded_folder(home) is None:
        found.append(
            Finding(name="notion", state="warning", key="doctor.notion.none", fix="doctor.notion.none_fix")
        )
        return None
    try:
        place, _ = await stack.enter_async_context(embedded_place(home, 0))
    except EmbeddedInUse as error:
        running = running_server(home)
        if running is None:
            found.append(fault("notion", error))
        return running
    except LakelightError as error:
        found.append(fault("notion", error))
        return None
    return place


def _config(home: Path, loaded: Loaded) -> list[Finding]:
    count = sum(origin != "default" for origin in loaded.origins.values())
    found = [Finding(name="config", key="doctor.config.ok", facts={"count": count})]
    if home.exists() and not os.access(home, os.W_OK | os.X_OK):
        facts: dict[str, object] = {"home": home, "cause": "not writable"}
        found = [Finding(name="config", state="problem", key="config.home", facts=facts)]
    risky = [(FILE_NAME, _OTHERS_WRITE), ("agents.json", _OTHERS_WRITE), ("models.toml", _OTHERS_WRITE)]
    if any(loaded.origins.get(key) == FILE_NAME for key in SECRETS):
        risky[0] = (FILE_NAME, _OTHERS_WRITE | stat.S_IWGRP)
        risky.append((FILE_NAME, _OTHERS_READ))
    for name, bits in risky:
        file = home / name
        if file.exists() and file.stat().st_mode & bits:
            key = "doctor.config.writable" if bits & _OTHERS_WRITE else "doctor.config.readable"
            found.append(
                Finding(
                    name="config",
                    state="warning",
                    key=key,
                    facts={"file": file},
                    fix="doctor.config.mode_fix",
                )
            )
    return found


async def _model(settings: Settings, home: Path, clock: Clock) -> Finding:
    if not settings.model.configured:
        return Finding(name="model", key="doctor.model.none")
    patience = min(settings.model.timeout, _MODEL_PATIENCE)
    model = settings.model.model_copy(update={"timeout": patience})
    try:
        routes = load_routes(home / "models.toml", model=model.name)
        endpoint = model_endpoint(model, clock)
    except ConfigurationError as error:
        return fault("model", error)
    try:
        host = (model.base_url or DEFAULT_MODEL_URL).split("//")[-1].rpartition("@")[2].split("/")[0]
        return await checks.check_model(endpoint, host, routes)
    finally:
        await endpoint.aclose()


def _disk(home: Path) -> Finding:
    folder = home
    while not folder.exists():
        folder = folder.parent
    return checks.check_disk(shutil.disk_usage(folder).free)


def _ordered(found: Iterable[Finding]) -> list[Finding]:
    return sorted(found, key=lambda finding: NAMES.index(finding.name))
