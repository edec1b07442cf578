"""`lakelight doctor`: what was found, a line each, and under each fault how to mend it."""

from collections.abc import Callable

from rich.cells import cell_len

from lakelight.bootstrap.checkup import NAMES, check_up
from lakelight.cli.pausing import Pauses
from lakelight.cli.running import known_secrets
from lakelight.cli.session import CONFIGURATION, Session, carry_out, secrets_of
from lakelight.clock import SystemClock
from lakelight.daemon.checks import Finding
from lakelight.errors import ConfigurationError
from lakelight.messages import Messages
from lakelight.redaction import Secrets
from lakelight.settings import load

_SIGNS = {"ok": "✓", "warning": "!", "problem": "✗"}


def doctor(session: Session, *, as_json: bool) -> None:
    """Check everything; the command fails where there is a problem."""
    found = carry_out(session, check_up(session.home, session.environment, SystemClock(), Pauses(session)))
    clean = _secrets(session).clean
    rows = [_row(session.messages, clean, finding) for finding in found]
    problems, warnings = (sum(row["state"] == state for row in rows) for state in ("problem", "warning"))
    if as_json:
        session.data({"checks": rows, "problems": problems, "warnings": warnings})
    else:
        _tell(session, rows)
        if problems or warnings:
            session.say("cli.doctor.problems", problems=problems, warnings=warnings)
        else:
            session.say("cli.doctor.ok")
    if problems:
        raise SystemExit(CONFIGURATION)


def _row(messages: Messages, clean: Callable[[str], str], finding: Finding) -> dict[str, str]:
    facts = dict(finding.facts)
    if finding.key == "doctor.trail.broken":
        facts["how"] = messages.say(f"cli.audit.how.{facts['how']}")
    text, step = _parted(messages, messages.say(finding.key, **facts))
    fix = ""
    if finding.state != "ok":
        own = messages.say(finding.fix, **finding.facts) if finding.fix else step
        fix = own or messages.say(f"doctor.{finding.name}.fix")
    return {"name": finding.name, "state": finding.state, "message": clean(text), "fix": clean(fix)}


def _secrets(session: Session) -> Secrets:
    try:
        return known_secrets(session, load(session.home, session.environment))
    except ConfigurationError:
        return secrets_of(session.environment)


def _parted(messages: Messages, sentence: str) -> tuple[str, str]:
    """A sentence without its next step, and the step; no step where that says there is none to take."""
    text, _, step = sentence.partition(messages.say("doctor.next_step"))
    step = step.strip()
    if not step or step.startswith(messages.say("doctor.no_step")):
        return text.strip(), ""
    return text.strip(), step[0].upper() + step[1:]


def _tell(session: Session, rows: list[dict[str, str]]) -> None:
    messages = session.messages
    names = {name: messages.say(f"doctor.{name}.name") for name in NAMES}
    width = max(map(cell_len, names.values()))
    for row in rows:
        name = names[row["name"]]
        session.line(f"{_SIGNS[row['state']]} {name}{' ' * (width - cell_len(name))}  {row['message']}")
        if row["fix"]:
            session.line(f"  {' ' * width}  {messages.say('doctor.fix', fix=row['fix'])}")
