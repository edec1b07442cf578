"""`lakelight undo`: takes back what a run wrote."""

import asyncio
from dataclasses import asdict

from lakelight.agent.undos import Undone
from lakelight.bootstrap.house import House
from lakelight.cli.desk import desk
from lakelight.cli.session import DENIED, FAILED, LONGEST_TITLE, OK, USAGE, Session, carry_out
from lakelight.operations.visible import shortened
from lakelight.tickets import ledger


def undo(session: Session, text: str, *, as_json: bool) -> None:
    """Take back a run, named by its id, or by its ticket's number."""
    told = carry_out(session, _undo(session, text))
    if as_json:
        session.data({"undone": [asdict(each) for each in told]})
    else:
        for each in told:
            session.line(undone_line(session, each))
    results = {each.result for each in told}
    if results <= {"undone", "undone_before"}:
        raise SystemExit(OK)
    raise SystemExit(DENIED if "stopped" in results else FAILED)


def undone_line(session: Session, each: Undone) -> str:
    """What came of one write's undoing, as a line."""
    say = session.messages.say
    what = f"{say(f'kind.{each.kind}')} · {shortened(each.title, LONGEST_TITLE)}"
    facts = dict(each.facts)
    if each.result == "impossible":
        facts["why"] = say(f"undo.why.{facts.get('why', 'no_record')}")
    return say(f"undo.{each.result}", what=what, **facts)


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
        session.say("cli.undo.unknown", run=shortened(text, LONGEST_TITLE))
        raise SystemExit(USAGE)
    return found[0].run_id
