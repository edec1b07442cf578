"""The command `notion-embedded`: serve a workspace file, and manage who may see what in it."""

import argparse
import asyncio
import json
import signal
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from notion_embedded import __version__
from notion_embedded.model.addresses import MAX_PORT
from notion_embedded.model.ids import parse_uuid
from notion_embedded.store import StoreError, system_clock
from notion_embedded.store.admin import Admin
from notion_embedded.store.exchange import export_workspace, import_workspace
from notion_embedded.store.lag import set_search_lag
from notion_embedded.store.tokens import CAPABILITIES, Capability

DEFAULT_PORT = 8420
MAX_LAG = 86_400.0
"""Seconds: a day."""


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code: 0 done, 1 not possible, 2 asked wrongly."""
    sys.exit(main(arguments))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = _parser().parse_args(arguments)
    try:
        code: int = given.run(given)
    except (StoreError, OSError, sqlite3.Error) as error:
        plain = error.strerror if isinstance(error, OSError) and error.filename is None else None
        sys.stderr.write(f"notion-embedded: {plain or error}\n")
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="notion-embedded", description="A Notion-compatible API server on one SQLite file."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_token(commands)
    _add_share(commands)
    _add_client(commands)
    _add_exchange(commands)
    return parser


def _command(commands: Any, name: str, run: Any, about: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    parser.add_argument("--db", type=Path, required=True, metavar="FILE", help="the workspace file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)
    return parser


def _add_serve(commands: Any) -> None:
    parser = _command(commands, "serve", _serve, "Serve a workspace; make the file if there is none.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (%(default)s)")
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help="0 takes a free one (%(default)s)")
    parser.add_argument("--name", default="Lakelight", help="the name of a new workspace (%(default)s)")
    parser.add_argument(
        "--max-pages", type=int, metavar="N", help="the most pages of 4 kB that the file may grow to"
    )
    parser.add_argument(
        "--search-lag",
        type=_seconds,
        metavar="SECONDS",
        help="how long a new title takes to be found by search",
    )
    parser.add_argument(
        "--control", action="store_true", help="offer the control API under /control, with a token of its own"
    )
    parser.add_argument(
        "--import-from-private-hosts", action="store_true",
        help="let files be imported from this machine and its network, too",
    )  # fmt: skip


def _add_token(commands: Any) -> None:
    token = commands.add_parser("token", help="Make and list tokens.").add_subparsers(
        required=True, metavar="COMMAND"
    )
    add = _command(token, "add", _add_one, "Make a token; a running server knows it at once.")
    add.add_argument("--kind", choices=("bot", "person"), default="bot", help="who acts by it (%(default)s)")
    add.add_argument("--name", help="the name of its bot or person")
    add.add_argument("--share", action="append", default=[], metavar="PAGE", help="what it may see, by id")
    add.add_argument("--read-only", action="store_true", help="it may not write")
    add.add_argument(
        "--capability", action="append", choices=[_dashed(word) for word in sorted(CAPABILITIES)],
        help="what its bot may do; give it as often as needed (default: all)",
    )  # fmt: skip
    _command(token, "list", _list, "List the tokens and what each may see.")


def _add_share(commands: Any) -> None:
    for name, run, about in (
        ("share", _share, "Let a token see a page or database and all that is in it."),
        ("unshare", _unshare, "Take that away."),
    ):
        parser = _command(commands, name, run, about)
        parser.add_argument("--token-id", required=True, metavar="ID")
        parser.add_argument("--page", required=True, metavar="PAGE")


def _add_client(commands: Any) -> None:
    client = commands.add_parser("client", help="Register clients for OAuth.").add_subparsers(
        required=True, metavar="COMMAND"
    )
    add = _command(client, "add", _add_one_client, "Register a public connection; its secret is shown once.")
    add.add_argument("--name", required=True, help="the name that its user is shown")
    add.add_argument(
        "--redirect-uri",
        action="append",
        required=True,
        metavar="URI",
        help="where its user may be sent back to",
    )


def _add_exchange(commands: Any) -> None:
    export = _command(commands, "export", _export, "Write a workspace to one JSON file, served or not.")
    export.add_argument("--out", type=Path, required=True, metavar="X.json", help="the file to write")
    export.add_argument(
        "--with-tokens", action="store_true", help="tokens and clients with their secrets, too"
    )
    parser = _command(commands, "import", _import, "Make a new workspace file of an export.")
    parser.add_argument("export", type=Path, metavar="X.json", help="the export")


def _serve(given: argparse.Namespace) -> int:
    return asyncio.run(_serving(given))


async def _serving(given: argparse.Namespace) -> int:
    from notion_embedded.server import Control, ControlledClock, open_workspace, serve

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    clock = ControlledClock(system_clock)
    with open_workspace(
        given.db, workspace_name=given.name, max_pages=given.max_pages, clock=clock
    ) as workspace:
        control = Control(workspace, clock) if given.control else None
        if given.search_lag is not None:
            with workspace.writing() as connection:
                set_search_lag(connection, given.search_lag)
        async with serve(
            workspace, given.host, given.port,
            control=control, private_imports=given.import_from_private_hosts,
        ) as url:  # fmt: skip
            about = {
                "url": url,
                "token": workspace.token,
                "root_page_id": workspace.root_page_id,
                "database_file": str(workspace.file),
            }
            if control is not None:
                about |= {"control_url": f"{url}/control", "control_token": control.token}
            if given.json:
                _print(about)
            else:
                sys.stdout.write(
                    f"Notion's API: {url}/v1\nto look at: {url}/\ntoken: {workspace.token}\n"
                    f"root page: {workspace.root_page_id}\n"
                )
                if control is not None:
                    sys.stdout.write(f"control: {url}/control\ncontrol token: {control.token}\n")
                sys.stdout.write("Ctrl-C stops.\n")
            sys.stdout.flush()
            await stop.wait()
    return 0


def _add_one(given: argparse.Namespace) -> int:
    with closing(Admin(given.db)) as admin:
        token = admin.add_token(
            given.kind, given.name, shares=[_id(page) for page in given.share], read_only=given.read_only,
            now=system_clock(), capabilities=_capabilities(given.capability),
        )  # fmt: skip
    if given.json:
        _print(token)
    else:
        sys.stdout.write(f"{token['token']}\nid {token['id']}, acts as {token['name']} ({token['kind']})\n")
    return 0


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_LAG:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {MAX_LAG:g}")
    return seconds


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(MAX_PORT)) else -1
    if not 0 <= port <= MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 0 to {MAX_PORT}")
    return port


def _dashed(word: str) -> str:
    return word.replace("_", "-")


def _capabilities(words: Sequence[str] | None) -> frozenset[Capability]:
    if words is None:
        return CAPABILITIES
    return frozenset(capability for capability in CAPABILITIES if _dashed(capability) in words)


def _list(given: argparse.Namespace) -> int:
    with closing(Admin(given.db)) as admin:
        found = admin.list_tokens()
    if given.json:
        _print({"tokens": found})
        return 0
    for token in found:
        rights = "read only" if token["read_only"] else "read and write"
        if len(token["capabilities"]) < len(CAPABILITIES):
            rights += f" ({', '.join(map(_dashed, token['capabilities'])) or 'no capability'})"
        shares = ", ".join(token["shares"]) or "nothing"
        sys.stdout.write(f"{token['id']}  {token['kind']}  {token['name']}  {rights}  sees {shares}\n")
    return 0


def _share(given: argparse.Namespace) -> int:
    with closing(Admin(given.db)) as admin:
        return _done(given, admin.share(given.token_id, _id(given.page)))


def _unshare(given: argparse.Namespace) -> int:
    with closing(Admin(given.db)) as admin:
        return _done(given, admin.unshare(given.token_id, _id(given.page)))


def _done(given: argparse.Namespace, shares: list[str]) -> int:
    if given.json:
        _print({"id": given.token_id, "shares": shares})
    else:
        sys.stdout.write(f"{given.token_id} now sees {', '.join(shares) or 'nothing'}\n")
    return 0


def _add_one_client(given: argparse.Namespace) -> int:
    with closing(Admin(given.db)) as admin:
        client = admin.add_client(given.name, given.redirect_uri, now=system_clock())
    if given.json:
        _print(client)
    else:
        sys.stdout.write(f"client id: {client['client_id']}\nclient secret: {client['client_secret']}\n")
    return 0


def _export(given: argparse.Namespace) -> int:
    return _moved(given, export_workspace(given.db, given.out, with_tokens=given.with_tokens), given.out)


def _import(given: argparse.Namespace) -> int:
    return _moved(given, import_workspace(given.db, given.export), given.db)


def _moved(given: argparse.Namespace, counts: dict[str, int], to: Path) -> int:
    if given.json:
        _print({"file": str(to), "records": counts})
    else:
        listed = ", ".join(f"{count} {table}" for table, count in sorted(counts.items()))
        sys.stdout.write(f"{to}: {listed}\n")
    return 0


def _id(text: str) -> str:
    found = parse_uuid(text)
    if found is None:
        raise StoreError(f"{text!r} is no page id; give the 32 digits at the end of the page's address")
    return found


def _print(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
