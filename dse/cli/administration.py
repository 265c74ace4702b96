"""Commands for operators: serve, tokens, database, MLflow, doctor."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options import (
    FAILED,
    Format,
    PointMemory,
    PointSeconds,
    Server,
    Token,
    Workers,
    open_client,
    point_limits,
)
from dse.cli.terminal.output import Output

if TYPE_CHECKING:
    from dse.home import Home
    from dse.service import Service
    from dse.store import Store

#: Links that `dse mlflow sync` prints: those of the newest sweeps.
LINKS = 5

OnRay = Annotated[
    bool,
    typer.Option(
        "--ray/--no-ray",
        help="Evaluate on Ray: the cluster at RAY_ADDRESS, or one on this machine. --no-ray: in child processes.",
    ),
]
HomeFolder = Annotated[Path | None, typer.Option("--home", help="Folder for all data; default: DSE_HOME.")]

token_app = typer.Typer(help="Manage access to the server.", no_args_is_help=True)
mlflow_app = typer.Typer(help="Manage the export to MLflow.", no_args_is_help=True)
db_app = typer.Typer(help="Manage the database of sweeps and results.", no_args_is_help=True)


def add_commands(app: typer.Typer) -> None:
    """Register the commands of this module."""
    for command in (serve, coordinate, doctor):
        app.command()(command)
    app.add_typer(token_app, name="token")
    app.add_typer(mlflow_app, name="mlflow")
    app.add_typer(db_app, name="db")


def serve(
    home: HomeFolder = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; beyond loopback requires a token.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 chooses a free one.")] = 8000,
    coordinator: Annotated[
        bool, typer.Option("--coordinator/--no-coordinator", help="Whether to run the sweeps too.")
    ] = True,
    workers: Workers = None,
    point_seconds: PointSeconds = None,
    point_memory: PointMemory = None,
    ray: OnRay = True,
) -> None:
    """Start a server: users submit sweeps over HTTP, and they run here."""
    from dse import server

    limits = point_limits(point_seconds, point_memory)
    server.serve(_home(home), host, port, coordinator, workers, limits, ray)


def coordinate(
    home: HomeFolder = None,
    workers: Workers = None,
    point_seconds: PointSeconds = None,
    point_memory: PointMemory = None,
    ray: OnRay = True,
    until_closed: Annotated[bool, typer.Option("--until-closed", hidden=True)] = False,
) -> None:
    """Run the sweeps that `dse serve --no-coordinator` accepts."""
    from dse import server

    server.coordinate(_home(home), workers, until_closed, point_limits(point_seconds, point_memory), ray)


def doctor() -> None:
    """Check the installation and compile the simulator, which takes about two CPU minutes the first time."""
    from dse.doctor import examine

    if not examine():
        raise typer.Exit(FAILED)


@token_app.command("create")
def token_create(
    name: Annotated[str, typer.Argument(help="Its holder or purpose.")],
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="read, submit (the default) or admin; each includes the previous ones."),
    ] = None,
    home: HomeFolder = None,
) -> None:
    """Create a token. Its secret is printed once and not stored."""
    from dse.cli.options import names
    from dse.tokens import create_token

    store = _store(home)
    secret = create_token(store, name, names(scope) or ["submit"])
    print(
        f"token {name} is in {store.url}: for the server of another database, give its --home",
        file=sys.stderr,
    )
    print(secret)


@token_app.command("list")
def token_list(home: HomeFolder = None, output: Format = Output.TABLE) -> None:
    """List all tokens, including revoked ones."""
    from dse.cli.terminal.output import print_rows

    store = _store(home)
    rows = [
        {
            "name": token.name,
            "scopes": ", ".join(token.scopes),
            "created": f"{token.created_at.astimezone():%Y-%m-%d %H:%M}",
            "revoked": f"{token.revoked_at.astimezone():%Y-%m-%d %H:%M}" if token.revoked_at else None,
        }
        for token in store.tokens()
    ]
    if not rows and output is Output.TABLE:
        print(f"no tokens yet in {store.url}; `dse token create NAME --scope submit` creates one")
    else:
        print_rows(rows, output)


@token_app.command("revoke")
def token_revoke(
    name: Annotated[str, typer.Argument(help="As `dse token list` shows it.")], home: HomeFolder = None
) -> None:
    """Revoke a token immediately and permanently."""
    _store(home).revoke_token(name)
    print(f"token {name} is revoked")


@mlflow_app.command("sync")
def mlflow_sync(
    sweeps: Annotated[
        list[str] | None, typer.Argument(metavar="SWEEP...", help="Default: all sweeps.")
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Delete the runs of your sweeps in MLflow and export everything again."),
    ] = False,
    home: HomeFolder = None,
    server: Server = None,
    token: Token = None,
) -> None:
    """Export what is missing in MLflow, including runs deleted there; delete the runs of deleted sweeps."""
    from dse.cli.terminal.output import command
    from dse.cli.terminal.reports import view_notes
    from dse.errors import PermissionDenied

    service = _mlflow_service(home, server, token)
    found = [service.status(key) for key in sweeps] if sweeps else list(service.sweeps())
    links: dict[str, str] = {}
    for place, sweep in enumerate(found, 1):
        name = f"sweep {sweep.id} ({sweep.name})"
        of_all = f"{place} of {len(found)}: " if len(found) > 1 else ""
        print(f"{of_all}{name}: {sweep.counts.done:,} trials, ", end="", flush=True)
        try:
            synced = service.sync_mlflow(sweep.id, again)
        except PermissionDenied as refusal:
            if sweeps:
                raise
            print(f"left alone: {refusal}", flush=True)
            continue
        print(f"{synced.runs:,} runs written", flush=True)
        links[name] = synced.sweep.mlflow_url or "in a file on the server"
    print(f"MLflow is up to date for {len(links)} sweep(s)")
    if service.ui_command:
        print(f"  {command(service.ui_command)}  # then open")
    most = max((sweep.counts.done for sweep in found), default=0)
    if len(links) > LINKS:
        print(f"the last {LINKS}:")
    lines = [f"{sweep}: {url}" for sweep, url in links.items()][-LINKS:]
    print("\n".join(f"  {line}" for line in (*lines, *view_notes(lines, most))))


def _mlflow_service(home: Path | None, server: str | None, token: str | None) -> "Service":
    """What exports to MLflow: a server, or this process for the sweeps of a folder."""
    from dse.service import LocalService
    from dse.tracking import MlflowTracker

    if server and home is None:
        return open_client(server, token).service
    store = _store(home)
    tracker = MlflowTracker(_home(home).mlflow_uri, store)
    tracker.tidy()
    return LocalService(store, tracker=tracker)


@db_app.command("upgrade")
def db_upgrade(home: HomeFolder = None) -> None:
    """Upgrade the database to the current schema."""
    print(f"{_store(home).url} has the current schema")


@db_app.command("check")
def db_check(home: HomeFolder = None) -> None:
    """Check the schema, file and counters of this machine's database, without changing anything."""
    from dse.store.check import problems
    from dse.store.database.engine import parse_url

    where = _home(home).store_url
    found = problems(where)
    print("\n".join(found) or f"{parse_url(where).render_as_string()} is intact")
    if not home and (server := os.environ.get("DSE_SERVER")):
        print(f"note: DSE_SERVER is {server}, whose database is checked on its own machine")
    if found:
        raise typer.Exit(FAILED)


def _home(folder: Path | None) -> "Home":
    from dse.home import Home

    return Home.at(folder) if folder else Home.from_environment()


def _store(folder: Path | None) -> "Store":
    from dse.store import Store

    return Store.open(_home(folder).create().store_url)
