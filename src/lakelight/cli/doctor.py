"""`lakelight doctor`."""

from lakelight.cli.session import Session


def doctor(session: Session, *, as_json: bool) -> None:
    """Check everything."""
    session.data({"checks": []} if as_json else "")
