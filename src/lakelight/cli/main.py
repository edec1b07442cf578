"""`lakelight`: the commands and their options. What they do lives in the files beside this one."""

import os
import sys
from contextlib import suppress
from io import UnsupportedOperation
from itertools import pairwise
from typing import Annotated

import typer

app = typer.Typer(
    name="lakelight",
    help="Agents for your Notion workspace, on your own machine.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
tickets_app = typer.Typer(help="The tickets: what they are at and why.", no_args_is_help=True)
audit_app = typer.Typer(help="The trail: every decision and every write.", no_args_is_help=True)
config_app = typer.Typer(help="The settings.", no_args_is_help=True)
approvals_app = typer.Typer(
    help="What waits for a yes: the exact change, and the decision.", no_args_is_help=True
)
app.add_typer(tickets_app, name="tickets")
app.add_typer(approvals_app, name="approvals")
app.add_typer(audit_app, name="audit")
app.add_typer(config_app, name="config")

_Json = Annotated[bool, typer.Option("--json", help="Print one object of data on stdout.")]


def run() -> None:
    """The entry point."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A terminal without UTF-8 must not end a command. What was read from before stays as it is.
        with suppress(UnsupportedOperation):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
    try:
        _check_arguments(sys.argv[1:])
        app(prog_name="lakelight")
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python must not complain about it at its end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"lakelight: {error.strerror or error}{where}", file=sys.stderr)
        raise SystemExit(1) from None
    # The last resort: a fault of ours is told as a sentence too, and its traceback is in the log.
    except Exception as error:
        if os.environ.get("LAKELIGHT_DEBUG") == "1":
            raise
        from lakelight.cli.fault import tell_fault

        tell_fault(error, _asked_language(sys.argv), os.environ)
        raise SystemExit(1) from None


def _check_arguments(arguments: list[str]) -> None:
    # Bytes that are no UTF-8 come as halves of characters, which nothing can store or send.
    if any("\ud800" <= character <= "\udfff" for argument in arguments for character in argument):
        from lakelight.cli.session import USAGE, open_session

        open_session(_asked_language(sys.argv), os.environ).say("cli.no_text")
        raise SystemExit(USAGE)


def _asked_language(arguments: list[str]) -> str | None:
    return next((after for word, after in pairwise(arguments) if word == "--lang"), None)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    lang: Annotated[str | None, typer.Option("--lang", help="zh or en; default: the environment's.")] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Agents for your Notion workspace, on your own machine."""
    from lakelight import __version__

    if version:
        print(f"lakelight {__version__}")
        raise typer.Exit
    if lang is not None and lang not in {"zh", "en"}:
        raise typer.BadParameter("zh or en", param_hint="--lang")
    context.obj = lang


@app.command()
def demo(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is left to do.")] = False,
    json_: _Json = False,
    reset: Annotated[bool, typer.Option("--reset", help="Forget the demo workspace and start over.")] = False,
) -> None:
    """Watch agents work tickets on an embedded workspace: no token, no key, nothing leaves this machine."""
    from lakelight.cli.demo import demo as work

    work(_session(context), once=once, as_json=json_, reset=reset)


@app.command()
def up(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Work what there is, then end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and write nothing.")] = False,
    backlog: Annotated[
        int,
        typer.Option(
            "--backlog", min=0, max=1_000_000_000, help="Also take N tickets from before the first start."
        ),
    ] = 0,
    json_: _Json = False,
) -> None:
    """Poll the ticket database and work its tickets."""
    from lakelight.cli.up import up as work

    work(_session(context), once=once, dry_run=dry_run, backlog=backlog, as_json=json_)


_Page = Annotated[
    str | None, typer.Option("--page", help="The page that `this page` means: id, link or title.")
]
_Target = Annotated[
    str | None, typer.Option("--target", help="Where new things go, a page or database: id, link or title.")
]


@app.command()
def ask(
    context: typer.Context,
    request: Annotated[str, typer.Argument(help="What you want, in Chinese or English.")],
    page: _Page = None,
    target: _Target = None,
    json_: _Json = False,
) -> None:
    """Ask for something to be found or done; writes go through the guard."""
    from lakelight.cli.ask import ask as work

    work(_session(context), request, page=page, target=target, as_json=json_)


@app.command()
def chat(
    context: typer.Context,
    page: _Page = None,
    target: _Target = None,
    session: Annotated[str | None, typer.Option("--session", help="Go on with an earlier chat.")] = None,
) -> None:
    """Talk at the terminal. Ctrl-C stops a turn and keeps the session, Ctrl-D ends it."""
    from lakelight.cli.ask import chat as work

    work(_session(context), page=page, target=target, session_id=session)


@app.command()
def undo(
    context: typer.Context,
    run: Annotated[str, typer.Argument(help="The run, as a reply names it, or a ticket's number.")],
    json_: _Json = False,
) -> None:
    """Take back what a run wrote; what others changed since is left alone."""
    from lakelight.cli.undo import undo as work

    work(_session(context), run, as_json=json_)


@app.command()
def mcp(
    context: typer.Context,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer reads only.")] = False,
) -> None:
    """Serve an MCP client on stdin and stdout: Claude Code, Cursor, Cherry Studio and others start this."""
    from lakelight.cli.mcp import mcp as work

    work(_session(context), read_only=read_only)


@app.command()
def doctor(context: typer.Context, json_: _Json = False) -> None:
    """Check settings, Notion, columns, personas, model and state; each fault comes with its fix."""
    from lakelight.cli.doctor import doctor as work

    work(_session(context), as_json=json_)


@tickets_app.command("list")
def tickets_list(
    context: typer.Context,
    state: Annotated[
        str | None, typer.Option("--state", help="Only tickets in this state, such as waiting.")
    ] = None,
    json_: _Json = False,
) -> None:
    """List the tickets with their states and reasons."""
    from lakelight.cli.tickets import list_tickets

    list_tickets(_session(context), state=state, as_json=json_)


@tickets_app.command("show")
def tickets_show(
    context: typer.Context,
    ticket: Annotated[str, typer.Argument(help="Number, title, or page id.")],
    json_: _Json = False,
) -> None:
    """Show one ticket and the steps of its run."""
    from lakelight.cli.tickets import show_ticket

    show_ticket(_session(context), ticket, as_json=json_)


@tickets_app.command("retry")
def tickets_retry(
    context: typer.Context,
    tickets: Annotated[list[str], typer.Argument(help="Numbers, titles, or page ids.")],
    json_: _Json = False,
) -> None:
    """Have tickets worked on again, now or when `lakelight up` runs next."""
    from lakelight.cli.tickets import retry_tickets

    retry_tickets(_session(context), tickets, as_json=json_)


_Approval = Annotated[str, typer.Argument(help="The approval, such as A-7.")]


@approvals_app.command("list")
def approvals_list(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", help="Decided ones too.")] = False,
    json_: _Json = False,
) -> None:
    """List what waits for a decision."""
    from lakelight.cli.approvals import list_approvals

    list_approvals(_session(context), everything=all_, as_json=json_)


@approvals_app.command("show")
def approvals_show(context: typer.Context, approval: _Approval, json_: _Json = False) -> None:
    """Show the exact change."""
    from lakelight.cli.approvals import show_approval

    show_approval(_session(context), approval, as_json=json_)


@approvals_app.command("approve")
def approvals_approve(context: typer.Context, approval: _Approval, json_: _Json = False) -> None:
    """Say yes, see it carried out, and print the result."""
    from lakelight.cli.approvals import decide

    decide(_session(context), approval, approve=True, comment="", as_json=json_)


@approvals_app.command("reject")
def approvals_reject(
    context: typer.Context,
    approval: _Approval,
    reason: Annotated[str, typer.Option("--reason", "-m", help="Told to the one who asked.")] = "",
    json_: _Json = False,
) -> None:
    """Say no. Nothing is sent."""
    from lakelight.cli.approvals import decide

    decide(_session(context), approval, approve=False, comment=reason, as_json=json_)


@approvals_app.command("edit")
def approvals_edit(
    context: typer.Context,
    approval: _Approval,
    body: Annotated[str, typer.Option("--body", help="The request's body as JSON; `show --json` prints it.")],
    json_: _Json = False,
) -> None:
    """Say yes to an edited change; it passes the guard again."""
    from lakelight.cli.approvals import edit

    edit(_session(context), approval, body=body, as_json=json_)


@audit_app.command("tail")
def audit_tail(
    context: typer.Context,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, max=1_000_000_000, help="How many events.")
    ] = 20,
    json_: _Json = False,
) -> None:
    """Print the newest events of the trail."""
    from lakelight.cli.audit import tail

    tail(_session(context), count=count, as_json=json_)


@audit_app.command("verify")
def audit_verify(
    context: typer.Context,
    head: Annotated[
        str | None, typer.Option("--head", help="A hash noted earlier; it must be in the chain.")
    ] = None,
    json_: _Json = False,
) -> None:
    """Check that no event was changed, removed or put in."""
    from lakelight.cli.audit import verify

    verify(_session(context), head=head, as_json=json_)


@config_app.command("show")
def config_show(context: typer.Context, json_: _Json = False) -> None:
    """Print every setting with its value and where it comes from."""
    from lakelight.cli.config import show

    show(_session(context), as_json=json_)


def _session(context: typer.Context):  # type: ignore[no-untyped-def]  # noqa: ANN202
    # The type would import the catalogue for `--help`.
    from lakelight.cli.session import open_session

    return open_session(context.find_root().obj, os.environ)
