"""`lakelight undo`: takes back what a run wrote."""

import asyncio
from dataclasses import asdict

from lakelight.agent.undos import Undone
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.session import DENIED, FAILED, OK, USAGE, Session, carry_out
from lakelight.tickets import ledger


def undo(session: Session, text: str, *, as_json: bool) -> None:
    """Take back a run, named by its id, or by its ticket's number."""
    told = carry_out(session, _undo(session, text))
    if as_json:
        session.data({"undone": [asdict(each) for each in told]})
    else:
        for each in told:
            kind = session.messages.say(f"kind.{each.kind}")
            print(session.messages.say(f"undo.{each.result}", what=f"{kind} · {each.title}", **each.facts))
    results = {each.result for each in told}
    if results <= {"undone", "undone_before"}:
        raise SystemExit(OK)
    raise SystemExit(DENIED if "stopped" in results else FAILED)


async def _undo(session: Session, text: str) -> list[Undone]:
    async with desk(session) as house:
        run_id = _run_of(session, house, text)
        undo_run = await house.undos.begin(run_id)
        try:
            return await house.undos.advance(undo_run)
        except asyncio.CancelledError:
            await house.undos.cancel(undo_run)
            raise


def _run_of(session: Session, house: House, text: str) -> str:
    with house.database.transaction() as connection:
        if house.runs.get(connection, text) is not None:
            return text
        found = [entry for entry in ledger.lookup(connection, text) if entry.run_id]
    if len(found) != 1 or found[0].run_id is None:
        session.say("cli.undo.unknown", run=text)
        raise SystemExit(USAGE)
    return found[0].run_id
