"""`lakelight config`: every setting, and where it comes from."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lakelight.cli.session import Session, end
from lakelight.errors import LakelightError
from lakelight.operations.visible import one_line
from lakelight.settings import load


def show(session: Session, *, as_json: bool) -> None:
    """Every setting with its value and origin; secrets are described and not shown."""
    try:
        rows = load(session.home, session.environment).rows()
    except LakelightError as error:
        end(session, error)
    if as_json:
        session.data({key: {"value": value, "origin": origin} for key, value, origin in rows})
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for key, value, origin in rows:
        table.add_row(*(escape(one_line(cell)) for cell in (key, value, origin)))
    Console(highlight=False).print(table)
