"""Links to pages as this machine's browser can open them."""

from collections.abc import Callable
from functools import partial

from lakelight.bootstrap.home import running_server
from lakelight.cli.session import Session
from lakelight.errors import ConfigurationError
from lakelight.notion.viewing import view_url
from lakelight.settings import load


def openable(session: Session) -> Callable[[str], str]:
    """Turns the link of a page into one that opens: of the embedded workspace, that of its own view.

    What it gives for such a page is empty while nobody serves that workspace, for then nothing opens it.
    """
    try:
        embedded = load(session.home, session.environment).settings.notion.token is None
    except ConfigurationError:
        embedded = False
    if not embedded:
        return str
    place = running_server(session.home)
    if place is None:
        return lambda url: url if view_url(url, "") == url else ""
    return partial(view_url, base_url=place.base_url)
