"""What `doctor` looks at, one function a check. They read, they never write, and they hold no sentence.

A finding names a text of the catalogue and the facts for it. An error of ours is a finding as it
stands: its sentence says what is wrong and what to do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lakelight.audit import Broken, HeadFile, begun_writes, read_events, verify
from lakelight.clock import Clock
from lakelight.errors import LakelightError, StorageError, StorageNewer
from lakelight.guard import Policy
from lakelight.llm import ChatEndpoint, ModelError, ModelLimited, ModelRefused, Routes
from lakelight.notion import NotionReader, NotionRefused
from lakelight.storage import Database, newest_schema, schema_of
from lakelight.tickets.columns import MAY_BE
from lakelight.tickets.matching import fold
from lakelight.tickets.personas import NoPersona, Personas
from lakelight.tickets.roster import Agent, Roster
from lakelight.tickets.source import Source

State = Literal["ok", "warning", "problem"]

_MOST_SKEW = 60
_LITTLE_ROOM = 500_000_000
_NO_ROOM = 50_000_000
_STEP = 1000
"""From one unit of size to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of one check."""

    name: str
    """The check's group in the catalogue: `doctor.<name>`."""
    state: State = "ok"
    key: str
    facts: Mapping[str, object] = field(default_factory=dict)
    fix: str | None = None
    """The text that says what to do; without one the sentence's own next step, or `doctor.<name>.fix`."""


def fault(name: str, error: LakelightError, state: State = "problem") -> Finding:
    """An error as a finding."""
    return Finding(name=name, state=state, key=error.message_key, facts=error.facts)


def check_roster(roster: Roster, file: Path) -> list[Finding]:
    """Which agents are on, and each that is off with what it lacks."""
    on = [agent for agent in roster if agent.off_reason is None]
    none: State = "ok" if on else "problem"
    found = [Finding(name="roster", state=none, key="doctor.roster.ok", facts={"count": len(on)})]
    for agent in roster:
        if agent.off_reason is not None:
            facts = {"name": agent.key, "file": file}
            found.append(
                Finding(
                    name="roster",
                    state="warning",
                    key=f"off.{agent.off_reason}",
                    facts=facts,
                    fix="doctor.roster.off_fix",
                )
            )
    return found


def check_policy(policy: Policy, roster: Roster | None, file: Path) -> list[Finding]:
    """What is allowed at most, and entries that belong to nobody."""
    facts: dict[str, object] = {"level": int(policy.level), "mode": policy.mode, "file": file}
    normal = policy.mode == "normal"
    found = [
        Finding(
            name="policy",
            state="ok" if normal else "warning",
            key="doctor.policy.ok",
            facts=facts,
            fix=None if normal else "doctor.policy.mode_fix",
        )
    ]
    found += [
        Finding(
            name="policy",
            state="warning",
            key="doctor.policy.stranger",
            facts={**facts, "name": name},
            fix="doctor.policy.stranger_fix",
        )
        for name in (() if roster is None else strangers(policy, roster))
    ]
    return found


def strangers(policy: Policy, roster: Roster) -> list[str]:
    """The names in the policy that are no agent's key, so that their entries hold for nobody."""
    keys = {agent.key for agent in roster}
    return [name for name in policy.agents if name not in keys]


def check_state(database: Database) -> Finding:
    """Whether the state can be opened and written, and by which version of the schema it is."""
    try:
        version, newest = schema_of(database), newest_schema()
        if version > newest:
            return fault("state", StorageNewer(file=database.file.name, version=version, known=newest))
    except StorageError as error:
        return fault("state", error)
    key = "doctor.state.ok" if version == newest else "doctor.state.older"
    return Finding(name="state", key=key, facts={"file": database.file, "version": version, "newest": newest})


def check_trail(database: Database) -> list[Finding]:
    """Whether the chain holds, and whether anything waits beside it."""
    noted = HeadFile(database.file).read()
    try:
        with database.transaction() as connection:
            checked = verify(read_events(connection), noted=noted, begun=begun_writes(connection))
    except StorageError as error:
        return [fault("trail", error)]
    if isinstance(checked, Broken):
        facts: dict[str, object] = {"seq": checked.seq, "how": checked.how}
        found = [Finding(name="trail", state="problem", key="doctor.trail.broken", facts=facts)]
    else:
        found = [Finding(name="trail", key="doctor.trail.ok", facts={"count": checked})]
    spool = database.file.with_name("trail.spool")
    if spool.exists():
        found.append(
            Finding(
                name="trail",
                state="warning",
                key="doctor.trail.spool",
                facts={"file": spool},
                fix="doctor.trail.spool_fix",
            )
        )
    return found


async def check_notion(reader: NotionReader, clock: Clock) -> tuple[Finding, str]:
    """Whether Notion takes the token and how long the answer took; and the id of the token's workspace.

    Raises:
        NotionError: It does not, or can't be reached.
    """
    started = clock.now()
    me = await reader.me()
    took = round((clock.now() - started).total_seconds() * 1000)
    bot = me.get("bot") or {}
    facts = {"workspace": bot.get("workspace_name") or "?", "ms": took}
    return Finding(name="notion", key="doctor.notion.ok", facts=facts), str(bot.get("workspace_id") or "")


def check_clock(reader: NotionReader, clock: Clock) -> list[Finding]:
    """How far our clock is off Notion's; nothing when its last answer bore no date."""
    theirs = reader.now()
    if theirs is None:
        return []
    seconds = round(abs((clock.now() - theirs).total_seconds()))
    state: State = "warning" if seconds > _MOST_SKEW else "ok"
    return [Finding(name="clock", state=state, key="doctor.clock.ok", facts={"seconds": seconds})]


def check_columns(source: Source) -> Finding:
    """How many of the columns were found, and which were not."""
    missing = source.mapped.missing
    facts: dict[str, object] = {
        "title": source.title,
        "mapped": len(source.mapped.columns),
        "of": len(MAY_BE),
        "missing": ", ".join(missing),
    }
    if not missing:
        return Finding(name="tickets", key="doctor.tickets.ok", facts=facts)
    return Finding(
        name="tickets",
        state="warning",
        key="doctor.tickets.missing",
        facts=facts,
        fix="doctor.tickets.missing_fix",
    )


def check_statuses(source: Source) -> list[Finding]:
    """Whether every status word that is set is an option of the column, and which words are unset."""
    words = {name: getattr(source.words, name) for name in ("ready", "working", "needs_you", "done")}
    there = source.mapped["status"].options
    known = {fold(option) for option in there}
    found = [
        Finding(
            name="statuses",
            # Without the word for ready no ticket is ever taken; the others are only left alone.
            state="problem" if name == "ready" else "warning",
            key="doctor.statuses.missing",
            facts={"status": name, "word": word, "options": ", ".join(there)},
        )
        for name, word in words.items()
        if word is not None and fold(word) not in known
    ]
    unset = [name for name, word in words.items() if word is None]
    if not found:
        key = "doctor.statuses.unset" if unset else "doctor.statuses.ok"
        found.append(Finding(name="statuses", key=key, facts={"unset": ", ".join(unset)}))
    return found


async def check_personas(reader: NotionReader, personas: Personas, agents: Iterable[Agent]) -> list[Finding]:
    """Whether each agent's persona and memory can be read.

    Raises:
        NotionError: Notion could not be asked.
    """
    found: list[Finding] = []
    readable = 0
    for agent in agents:
        persona = await personas.load(agent)
        if isinstance(persona, NoPersona):
            facts = {"name": agent.key, "page": agent.instruction_page_id}
            found.append(
                Finding(name="personas", state="problem", key=f"wait.persona_{persona.why}", facts=facts)
            )
        else:
            readable += 1
        if agent.memory_page_id and not await _readable(reader, agent.memory_page_id):
            facts = {"name": agent.key, "page": agent.memory_page_id}
            found.append(
                Finding(
                    name="personas",
                    state="warning",
                    key="doctor.personas.memory",
                    facts=facts,
                    fix="doctor.personas.memory_fix",
                )
            )
    return [Finding(name="personas", key="doctor.personas.ok", facts={"count": readable}), *found]


async def _readable(reader: NotionReader, page_id: str) -> bool:
    try:
        return not (await reader.page(page_id)).get("in_trash")
    except NotionRefused as error:
        if not error.nothing_there:
            raise
        return False


async def check_model(endpoint: ChatEndpoint, host: str, routes: Routes) -> Finding:
    """Whether the endpoint answers, and offers the models that the routes name."""
    wanted = sorted({route.model for route in routes.values()})
    facts: dict[str, object] = {"host": host, "models": ", ".join(wanted)}
    try:
        offered = await endpoint.models()
    except ModelRefused as error:
        # Plenty of endpoints serve chats and list nothing.
        return Finding(
            name="model",
            state="warning",
            key="doctor.model.no_list",
            facts={**facts, "code": error.facts.get("status")},
            fix="doctor.model.no_list_fix",
        )
    except ModelLimited as error:
        return fault("model", error, "warning")
    except ModelError as error:
        return fault("model", error)
    lacking = [name for name in wanted if name not in offered]
    if lacking:
        return Finding(
            name="model",
            state="warning",
            key="doctor.model.unlisted",
            facts={**facts, "models": ", ".join(lacking)},
            fix="doctor.model.unlisted_fix",
        )
    return Finding(name="model", key="doctor.model.ok", facts=facts)


def check_disk(free: int) -> Finding:
    """Whether there is room for the state to grow."""
    state: State = "ok"
    if free < _LITTLE_ROOM:
        state = "problem" if free < _NO_ROOM else "warning"
    return Finding(name="disk", state=state, key="doctor.disk.ok", facts={"free": _size(free)})


def not_looked_at(names: Sequence[str]) -> list[Finding]:
    """What could not be looked at because something before it failed."""
    return [
        Finding(name=name, state="warning", key="doctor.not_looked_at", fix="doctor.not_looked_at_fix")
        for name in names
    ]


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < _STEP:
            return f"{value:.0f} {unit}" if unit in {"B", "kB"} else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"
