"""Commands that start, continue and stop sweeps."""

import signal
import sys
from collections.abc import Callable
from functools import wraps
from inspect import Signature, signature
from threading import Timer
from time import monotonic, sleep
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dse.cli.options import (
    FAILED,
    First,
    Format,
    Gpus,
    Identifier,
    Metrics,
    Objectives,
    Patience,
    PointMemory,
    PointSeconds,
    Priority,
    Sampler,
    SamplerOptions,
    Seed,
    Server,
    Settings,
    Space,
    SweepId,
    Timeout,
    Token,
    Trials,
    WarmStart,
    Workers,
    check_names,
    gpus,
    open_client,
    parse_metrics,
    parse_options,
    parse_point,
    parse_settings,
    point_limits,
)
from dse.cli.terminal.output import Output

if TYPE_CHECKING:
    from dse.handles import Sweep
    from dse.service import SweepStatus

#: Seconds of waiting for MLflow after which that is said.
NOTICE_S = 3.0
#: Seconds that `dse watch` gives a server to write the runs of a sweep that has just ended to MLflow.
LINK_S = 5.0


def add_commands(app: typer.Typer) -> None:
    """Register the commands of this module."""
    for command in (run, submit, watch, resume, extend, stop, delete):
        app.command()(command)
    app.command(context_settings={"ignore_unknown_options": True})(
        prioritize
    )  # -2 is a priority, not an option


def _request(
    space: Space,
    gpu: Gpus = None,
    trials: Trials = None,
    timeout: Timeout = None,
    sampler: Sampler = None,
    seed: Seed = 0,
    sampler_option: SamplerOptions = None,
    patience: Patience = None,
    first: First = None,
    warm_start: WarmStart = None,
    set_: Settings = None,
    metric: Metrics = None,
    objective: Objectives = None,
    id_: Identifier = None,
) -> dict[str, Any]:
    """The options of a request, as keywords of `Client.submit`."""
    return {
        "space": space,
        "gpu": gpus(gpu),
        "trials": trials,
        "timeout": timeout,
        "sampler": sampler,
        "seed": seed,
        "parameters": parse_settings(set_ or ()),
        "id": id_,
        "metrics": parse_metrics(metric or ()),
        "objectives": objective or (),
        "sampler_options": parse_options(sampler_option),
        "patience": patience,
        "first": [parse_point(each) for each in first or ()],
        "warm_start": warm_start,
    }


def _of_a_request(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of a request before its own: it gets them as its first argument."""
    common = signature(_request).parameters
    _, *own = signature(command).parameters.values()

    @wraps(command)
    def with_options(**options: Any) -> None:
        request = _request(**{name: options.pop(name) for name in common})
        command(request, **options)

    parameters = [*common.values(), *own]
    with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options


@_of_a_request
def run(
    request: dict[str, Any],
    workers: Workers = None,
    point_seconds: PointSeconds = None,
    point_memory: PointMemory = None,
    output: Format = Output.TABLE,
) -> None:
    """Explore a space in this process: all points, or as many as --trials and --timeout allow."""
    from dse.runners.starting import load_workers

    check_names(request)
    loading = load_workers()
    client = open_client(None, None, workers, point_limits(point_seconds, point_memory), loading)
    sweep = client.submit(**request)
    _warn(sweep)
    _run_to_its_end(sweep, output)


@_of_a_request
def submit(
    request: dict[str, Any],
    priority: Priority = 0,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Queue a sweep for a server, or for the one that serves this home folder, and return at once."""
    from dse.cli.terminal.output import command, print_record

    if not server:
        check_names(request)
    queue = open_client(server, token).queue()
    sweep = queue.submit(**request, priority=priority)
    _warn(sweep)
    if output is not Output.TABLE:
        print_record({"id": sweep.id}, output)
        return
    status = sweep.status()
    print(f"sweep {sweep.id} is {_shown(status)}")
    print("\nnext:")
    verbs = ("watch", "status", "best") if status.is_active else ("results", "best", "explain")
    for verb in verbs:
        print(f"  {command(f'dse {verb} {sweep.id}')}")
    if not server and status.is_active:
        print(f"  {command('dse serve')}  # runs what is queued in this home folder")


def watch(sweep: SweepId, server: Server = None, token: Token = None, output: Format = Output.TABLE) -> None:
    """Follow a sweep that runs elsewhere; interrupting this does not affect the sweep."""
    from dse.cli.terminal.reports import print_mlflow

    client = open_client(server, token)
    found = client.sweep(sweep)
    was_running = found.is_running
    if _show_progress(found, on_signal=None):
        return
    rows = _print_end(found, output)
    if output is Output.TABLE:
        sys.stdout.flush()
        if was_running:
            _wait_for_link(found)
        print_mlflow(found)
    _end_with(rows, found)


def resume(
    sweep: SweepId,
    trials: Annotated[
        int | None,
        typer.Option("--trials", help="New total budget, including existing trials; default: unchanged."),
    ] = None,
    timeout: Timeout = None,
    workers: Workers = None,
    point_seconds: PointSeconds = None,
    point_memory: PointMemory = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Continue a stopped sweep; with more --trials, extend it."""
    limits = point_limits(point_seconds, point_memory)
    found = open_client(server, token, workers, limits).sweep(sweep).resume(trials, timeout)
    _run_on(found, server, output)


def extend(
    sweep: SweepId,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials", help="New total budget, including existing trials; default: unchanged per GPU."
        ),
    ] = None,
    gpu: Annotated[
        list[str] | None, typer.Option("--gpu", help="Additional GPUs, separated by commas.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=V1,V2",
            help="Values to add to a parameter's own; `--set` of `dse run` restricts it.",
        ),
    ] = None,
    timeout: Timeout = None,
    workers: Workers = None,
    point_seconds: PointSeconds = None,
    point_memory: PointMemory = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Extend a sweep by trials, GPUs or values; known results are not evaluated again.

    The trials that the sweep has keep their numbers and their runs in MLflow.
    """
    from dse.errors import InputError

    parameters = parse_settings(set_ or ())
    if trials is None and not gpu and not parameters:
        raise InputError("dse extend: specify --trials, --gpu or --set NAME=V1,V2")
    limits = point_limits(point_seconds, point_memory)
    found = open_client(server, token, workers, limits).sweep(sweep)
    _run_on(found.extend(trials, gpus(gpu), parameters, timeout), server, output)


def prioritize(
    sweep: SweepId,
    priority: Annotated[
        int, typer.Argument(min=-10, max=10, help="Each step doubles the share of the workers.")
    ],
    server: Server = None,
    token: Token = None,
) -> None:
    """Change the priority of a sweep, even while it runs."""
    open_client(server, token).sweep(sweep).prioritize(priority)
    print(f"sweep {sweep} has priority {priority}")


def stop(sweep: SweepId, server: Server = None, token: Token = None) -> None:
    """Stop a sweep soon; completed trials are kept, and `dse resume` completes the sweep."""
    found = open_client(server, token).sweep(sweep)
    was_running = found.is_running
    found.stop()
    print(f"sweep {sweep} is stopping" if was_running else f"sweep {sweep} has already ended")


def delete(sweep: SweepId, server: Server = None, token: Token = None) -> None:
    """Delete a sweep, its trials and its MLflow runs; the results remain available to other sweeps."""
    found = open_client(server, token).sweep(sweep)
    found.delete()
    print(f"sweep {sweep} is deleted")
    if problem := found.mlflow_problem:
        print(f"warning: {problem}", file=sys.stderr)


def _warn(sweep: "Sweep") -> None:
    """Say before the work starts what will not come of it."""
    from dse.search import caution

    if message := caution(sweep.spec):
        print(f"note: {message}", file=sys.stderr)


def _run_on(sweep: "Sweep", server: str | None, output: Output) -> None:
    """Follow a sweep of this process to its end; report that a sweep of a server is queued."""
    from dse.cli.terminal.output import command, print_record

    if server is None:
        _run_to_its_end(sweep, output)
    elif output is Output.TABLE:
        status = sweep.status()
        follow = f"; `{command(f'dse watch {sweep.id}')}` follows it" if status.is_active else ""
        print(f"sweep {sweep.id} is {_shown(status)}{follow}")
    else:
        print_record({"id": sweep.id}, output)


def _shown(status: "SweepStatus") -> str:
    return f"{status.state}: {status.counts.done} of {status.total} trials done"


def _run_to_its_end(sweep: "Sweep", output: Output) -> None:
    """Follow a sweep of this process until it ends or a signal stops it, then print its summary.

    Raises:
        typer.Exit: a signal stopped it, or no trial completed.
    """
    from dse.cli.terminal.output import command
    from dse.cli.terminal.reports import print_mlflow

    received = _show_progress(sweep, on_signal=sweep.stop)
    if sweep.status().state == "failed":
        _raise_the_error(sweep)
    rows = _print_end(sweep, output)
    sys.stdout.flush()
    _wait_for_mlflow(sweep)
    if output is Output.TABLE and sweep.mlflow_url:
        print_mlflow(sweep)
    if sweep.status().counts.done and (problem := sweep.mlflow_problem):
        print(f"warning: {problem}", file=sys.stderr)
    if received:
        print(f"stopped; `{command(f'dse resume {sweep.id}')}` completes it", file=sys.stderr)
        raise typer.Exit(128 + received)
    _end_with(rows, sweep)


def _wait_for_mlflow(sweep: "Sweep") -> None:
    """Wait until the runs are in MLflow, and say so if it takes long."""
    said = "writing the runs to MLflow; they are in the database already"
    notice = Timer(NOTICE_S, print, [said], {"file": sys.stderr, "flush": True})
    notice.start()
    try:
        sweep.wait()
    finally:
        notice.cancel()


def _wait_for_link(sweep: "Sweep") -> None:
    """Give the server that ran a sweep the time to write its runs to MLflow."""
    deadline = monotonic() + LINK_S
    while not sweep.mlflow_url and monotonic() < deadline:
        sleep(0.2)


def _raise_the_error(sweep: "Sweep") -> None:
    """Raise the error that ended a sweep of this process.

    Raises:
        typer.Exit: its points all failed, which is told.
    """
    from dse.cli.terminal.output import command
    from dse.errors import PointsFailAlike

    try:
        sweep.wait()
    except PointsFailAlike as error:
        print(f"sweep {sweep.id} is given up: {error}", file=sys.stderr)
        print(f"`{command(f'dse resume {sweep.id}')}` runs the rest nevertheless", file=sys.stderr)
        raise typer.Exit(FAILED) from None


def _end_with(rows: int, sweep: "Sweep") -> None:
    """Exit with an error if a sweep has ended by itself without a complete trial."""
    if not rows and sweep.status().state in ("finished", "failed"):
        raise typer.Exit(FAILED)


def _print_end(sweep: "Sweep", output: Output) -> int:
    """Print the summary of a sweep; returns the number of best variants."""
    from dse.cli.terminal.output import print_rows
    from dse.cli.terminal.reports import next_commands, print_summary
    from dse.cli.terminal.winners import best_rows

    rows = best_rows(sweep)
    if output is Output.TABLE:
        print_summary(sweep)
        print(next_commands(sweep))
    else:
        print_rows(rows, output)
    return len(rows)


def _show_progress(sweep: "Sweep", on_signal: Callable[[], None] | None) -> int | None:
    """Display the sweep until it ends; returns the signal received, if any. Without an action a signal exits."""
    from rich.console import Console

    from dse.cli.terminal.display import open_display
    from dse.cli.terminal.output import command

    received: list[int] = []

    def obey(number: int, frame: FrameType | None) -> None:
        if received or on_signal is None:
            sys.exit(128 + number)
        received.append(number)
        on_signal()
        display.say("stopping; completed trials are kept")

    console = Console(stderr=True, highlight=False)
    best, report = (command(f"dse {verb} {sweep.id}") for verb in ("best", "report"))
    meanwhile = f"in another terminal, `{best}` and `{report}` show the results so far"
    with open_display(console, f"sweep {sweep.id} ({sweep.spec.name})", meanwhile) as display:
        for progress in sweep.follow():
            for number in (signal.SIGINT, signal.SIGTERM):  # repeatedly, since Ray installs its own handlers
                signal.signal(number, obey)
            display.update(progress)
        for (gpu, reason), count in progress.excluded.items():
            display.say(f"{gpu}: {count} points are impossible and were not tried: {reason}")
    return received[0] if received else None
