"""`lakelight mcp`: the tools for an MCP client, on stdin and stdout. Nothing but the protocol goes there."""

import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lakelight.bootstrap.console import console_url
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.running import known_secrets, prepare
from lakelight.cli.session import CONFIGURATION, Session, carry_out, secrets_of
from lakelight.errors import LakelightError
from lakelight.mcp_server.desk import Desk
from lakelight.redaction import Secrets
from lakelight.tools.registry import standard_tools


def mcp(session: Session, *, read_only: bool) -> None:
    """Serve one client until it goes."""
    try:
        from lakelight.mcp_server.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"mcp", "mcp_types"}:
            raise
        session.say("cli.mcp.missing", command=f'{sys.executable} -m pip install "mcp>=2.3,<3"')
        raise SystemExit(CONFIGURATION) from None
    # The SDK reads stdin on a thread that cannot be interrupted: Ctrl-C ends the process as it is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    carry_out(
        session,
        serve(
            lambda: _open(session),
            [tool.spec for tool in standard_tools().values()],
            session.messages,
            clean=_known_secrets(session).clean,
            read_only=read_only,
        ),
    )


@asynccontextmanager
async def _open(session: Session) -> AsyncIterator[Desk]:
    model = prepare(session).settings.model.configured
    async with desk(session, quiet=True) as house:
        yield _desk_of(house, model=model)


def _desk_of(house: House, *, model: bool) -> Desk:
    return Desk(
        workspace=house.workspace_name,
        kind=house.place.kind,
        level=house.policy.level,
        mode=house.policy.mode,
        model=model,
        database=house.database,
        clock=house.clock,
        reader=house.notion,
        runs=house.runs,
        chats=house.chats,
        undos=house.undos,
        approvals=house.approvals,
        confirmations=house.confirmations,
        advance=house.see_through,
        abandoned=house.abandoned,
        console=lambda: console_url(house.place.folder),
    )


def _known_secrets(session: Session) -> Secrets:
    try:
        return known_secrets(session, prepare(session))
    except LakelightError:
        # The client is told of it when it calls.
        return secrets_of(session.environment)
