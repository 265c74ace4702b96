"""The command line: `dse run rsqrt_chain --gpu a100-80gb,h100-sxm`.

Each command is a thin layer over `dse.client`; what it prints comes from `dse.display` while a sweep runs and
from `dse.reports` afterwards. Modules are imported inside the commands, so that `dse --help` answers at once.
"""

import os
import signal
import sys
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from dse.output import Output

if TYPE_CHECKING:
    from dse.client import Client, Sweep
    from dse.tasks import Value

app = typer.Typer(
    help="Finds the fastest variant of a CUDA kernel on GPUs you do not have.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
mlflow_app = typer.Typer(help="What MLflow shows of the sweeps.", no_args_is_help=True)
db_app = typer.Typer(help="The database of sweeps and results.", no_args_is_help=True)
app.add_typer(mlflow_app, name="mlflow")
app.add_typer(db_app, name="db")

#: Exit codes, as shells have them: bad input, and 128 + the signal's number.
BAD_INPUT = 2
FAILED = 1
POLL_S = 0.1

SweepId = Annotated[int, typer.Argument(metavar="SWEEP", help="The sweep's number, as `dse list` shows it.")]
Trials = Annotated[
    int | None, typer.Option("--trials", help="The most trials, over all GPUs; default: every point.")
]
Timeout = Annotated[float | None, typer.Option("--timeout", help="Stop after this many seconds.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes to simulate in; default: one a core.")
]
Format = Annotated[Output, typer.Option("--output", "-o", help="How to print.")]


@app.command()
def run(
    space: Annotated[str, typer.Argument(help="A name from the catalog, or the path of a space.yaml.")],
    gpu: Annotated[
        list[str] | None, typer.Option("--gpu", help="GPUs, separated by commas; default: the space's.")
    ] = None,
    trials: Trials = None,
    timeout: Timeout = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            "--sampler",
            help="Who chooses when not all are tried: tpe (default), random, nsga2, nsga3, qmc, cmaes, gp.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed chooses the same trials.")] = 0,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=V1,V2", help="Values for a parameter instead of the space's."),
    ] = None,
    workers: Workers = None,
    output: Format = Output.TABLE,
) -> None:
    """Explore a space: all its points, or as many as --trials and --timeout allow."""
    client = _client(workers)
    gpus = [name.strip() for names in gpu or () for name in names.split(",") if name.strip()]
    sweep = client.submit(space, gpus, trials, timeout, sampler, seed, parse_settings(set_ or ()))
    _watch(client, sweep, output)


@app.command()
def resume(
    sweep_id: SweepId,
    trials: Trials = None,
    timeout: Timeout = None,
    workers: Workers = None,
    output: Format = Output.TABLE,
) -> None:
    """Take a stopped sweep up again; with more --trials, extend one."""
    client = _client(workers)
    _watch(client, client.sweep(sweep_id).resume(trials, timeout), output)


@app.command("list")
def list_(output: Format = Output.TABLE) -> None:
    """All sweeps."""
    from dse.output import print_rows
    from dse.reports import status_row

    rows = [status_row(sweep) for sweep in _client().sweeps()]
    if not rows and output is Output.TABLE:
        print("no sweeps yet; `dse run rsqrt_chain` makes one")
    else:
        print_rows(rows, output)


@app.command()
def status(sweep_id: SweepId, output: Format = Output.TABLE) -> None:
    """How far one sweep is."""
    from dse.output import print_rows
    from dse.reports import status_row

    print_rows([status_row(_client().sweep(sweep_id))], output)


@app.command()
def results(
    sweep_id: SweepId,
    filter_: Annotated[
        str | None, typer.Option("--filter", help="As in: params.unroll >= 4 and metrics.time_us < 10")
    ] = None,
    order_by: Annotated[
        str | None, typer.Option("--order-by", help="As in: metrics.ipc desc; default: the objective.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="The most trials to print.")] = None,
    output: Format = Output.TABLE,
) -> None:
    """The trials of a sweep, best first."""
    from dse.reports import print_results

    print_results(_client().sweep(sweep_id), filter_, order_by, limit, output)


@app.command()
def best(sweep_id: SweepId, output: Format = Output.TABLE) -> None:
    """The best variant of each GPU, and why it is as fast as it is."""
    from dse.output import print_rows
    from dse.reports import best_rows, print_best

    sweep = _client().sweep(sweep_id)
    if output is Output.TABLE:
        print_best(sweep)
    else:
        print_rows(best_rows(sweep), output)


@app.command()
def explain(
    sweep_id: SweepId,
    trial: Annotated[
        int | None, typer.Argument(help="A trial's number; without it, the best of each GPU.")
    ] = None,
) -> None:
    """Where the time of a trial goes: stalls, occupancy, regime, advice."""
    from dse.reports import print_explanation

    print_explanation(_client().sweep(sweep_id), trial)


@app.command()
def compare(
    sweep_ids: Annotated[list[int], typer.Argument(metavar="SWEEP...", help="Two sweeps or more.")],
    output: Format = Output.TABLE,
) -> None:
    """The best variants of several sweeps side by side; the speedup is the last's over the first's."""
    from dse.errors import InputError
    from dse.output import print_rows
    from dse.reports import comparison_rows

    if len(sweep_ids) < 2:
        raise InputError("dse compare: give at least two sweeps, as in `dse compare 1 2`")
    client = _client()
    print_rows(comparison_rows([client.sweep(sweep_id) for sweep_id in sweep_ids]), output)


@app.command()
def delete(sweep_id: SweepId) -> None:
    """Forget a sweep and its trials; the results stay known to other sweeps."""
    _client().store.delete_sweep(sweep_id)
    print(f"sweep {sweep_id} is deleted")


@app.command()
def doctor() -> None:
    """Check the installation, and prepare the simulator, which takes a minute the first time."""
    from dse.doctor import examine

    if not examine():
        raise typer.Exit(FAILED)


@mlflow_app.command("sync")
def mlflow_sync(
    sweep_ids: Annotated[
        list[int] | None, typer.Argument(metavar="SWEEP...", help="Without any, all.")
    ] = None,
) -> None:
    """Write to MLflow what it lacks of the sweeps."""
    client = _client()
    for sweep_id in sweep_ids or [sweep.id for sweep in client.sweeps()]:
        print(f"sweep {sweep_id}: {client.tracker.sync(sweep_id)} runs written")
    print(client.tracker.ui_command())


@db_app.command("upgrade")
def db_upgrade() -> None:
    """Bring the database to this version's schema."""
    from dse.store import Store

    store = Store.open(_database())
    print(f"{store.url} has the newest schema")


@db_app.command("check")
def db_check() -> None:
    """Check the database's schema, its file and its counters; changes nothing."""
    from dse.store.check import problems

    found = problems(_database())
    print("\n".join(found) or "the database is whole")
    if found:
        raise typer.Exit(FAILED)


def parse_settings(settings: list[str] | tuple[str, ...]) -> dict[str, list["Value"]]:
    """`unroll=1,2,none` as `{"unroll": [1, 2, None]}`; the space says whether it knows the name.

    Raises:
        InputError: a setting that cannot be read.
    """
    from dse.errors import InputError

    parameters: dict[str, list[Value]] = {}
    for setting in settings:
        name, equals, values = setting.partition("=")
        words = [word.strip() for word in values.split(",")]
        if not name.strip() or not equals or not all(words):
            raise InputError(f"--set {setting}: write NAME=V1,V2, as in --set unroll=1,2,4")
        parameters[name.strip()] = [_parse_value(word) for word in words]
    return parameters


def _parse_value(word: str) -> "Value":
    if word == "none":
        return None
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _database() -> "str | Path":
    """The database that `DSE_DATABASE` names, or the file in the home folder."""
    from dse.home import Home

    return os.environ.get("DSE_DATABASE") or Home.from_environment().store_path


def _client(workers: int | None = None) -> "Client":
    from dse.client import Client, start_ray

    return Client(runner=partial(start_ray, workers))


def _watch(client: "Client", sweep: "Sweep", output: Output) -> None:
    """Show a running sweep to its end, or until a signal stops it; then its summary.

    Raises:
        typer.Exit: a signal stopped it, or not one trial is complete.
    """
    from dse.output import command, print_rows
    from dse.reports import best_rows, next_commands, print_summary

    received = _show_progress(sweep)
    rows = best_rows(sweep)
    if output is Output.TABLE:
        print_summary(sweep)
        print(next_commands(sweep, client.tracker.ui_command()))
    else:
        print_rows(rows, output)
    if sweep.mlflow_problem:
        print(f"warning: {sweep.mlflow_problem}", file=sys.stderr)
    if received:
        print(f"stopped; `{command(f'dse resume {sweep.id}')}` completes it", file=sys.stderr)
        raise typer.Exit(128 + received)
    if not rows and sweep.status().state == "finished":
        raise typer.Exit(FAILED)


def _show_progress(sweep: "Sweep") -> int | None:
    """Display the sweep until it has ended; the signal that stopped it, if one did."""
    from rich.console import Console

    from dse.display import open_display

    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if received:
            sys.exit(128 + number)
        received.append(number)
        sweep.stop()
        display.say("stopping; what is done is kept")

    with open_display(
        Console(stderr=True, highlight=False), f"sweep {sweep.id} ({sweep.record.name})"
    ) as display:
        while sweep.is_running:
            for number in (
                signal.SIGINT,
                signal.SIGTERM,
            ):  # again and again, for Ray puts its own in their place
                signal.signal(number, stop)
            if sweep.progress:
                display.update(sweep.progress)
            sweep.wait(POLL_S)
        sweep.wait()
        if sweep.progress:
            display.update(sweep.progress)
    return received[0] if received else None


def main() -> None:
    """The console script: errors that a person can put right become one message, without a traceback."""
    try:
        app()
    except Exception as error:
        if not _is_expected(error):
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _is_expected(error: Exception) -> bool:
    from dse.errors import InputError
    from dse.store import StoreError
    from dse.tracking import TrackingError
    from search_spaces import SpaceError
    from simcore.errors import SimcoreError

    return isinstance(error, InputError | SpaceError | SimcoreError | StoreError | TrackingError)
