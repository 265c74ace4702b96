"""Commands that show sweeps and their results."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options import FAILED, Filter, Format, OneGpu, Server, SweepId, Token, names, open_client, states
from dse.cli.terminal.output import Output

if TYPE_CHECKING:
    from dse.handles import Sweep


class ExportFormat(StrEnum):
    """Formats of other tools."""

    KERNEL_TUNER = "kernel-tuner"
    T1 = "t1"
    T4 = "t4"
    OPTUNA = "optuna"


def add_commands(app: typer.Typer) -> None:
    """Register the commands of this module."""
    app.command("list")(list_)
    app.command("measure-list")(measure_list)
    for command in (
        status,
        results,
        best,
        front,
        explain,
        sass,
        diff,
        compare,
        calibrate,
        report,
        export,
        spaces,
    ):
        app.command()(command)


def list_(
    state: Annotated[
        list[str] | None, typer.Option("--state", help="queued, running, stopped, finished or failed.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Only sweeps of this kernel.")] = None,
    owner: Annotated[
        str | None, typer.Option("--owner", help="Only sweeps submitted with this token.")
    ] = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """List sweeps, newest first."""
    from dse.cli.terminal.output import print_rows
    from dse.cli.terminal.reports import print_statuses, status_row
    from dse.store.queries import SweepQuery

    query = SweepQuery(states(state), name, owner, newest_first=True)
    found = list(open_client(server, token).service.sweeps(query))
    if output is not Output.TABLE:
        print_rows([status_row(status) for status in found], output)
    elif found:
        print_statuses(found)
    else:
        is_everything = not (state or name or owner)
        print("no sweeps yet; `dse run rsqrt_chain` starts one" if is_everything else "no matching sweep")


def status(sweep: SweepId, server: Server = None, token: Token = None, output: Format = Output.TABLE) -> None:
    """Show the status of a sweep."""
    from dse.cli.terminal.output import print_record
    from dse.cli.terminal.reports import (
        failure_line,
        print_mlflow,
        print_statuses,
        status_row,
        why_nothing_completed,
    )

    found = open_client(server, token).sweep(sweep)
    status = found.status()
    if output is not Output.TABLE:
        reason = next(iter(status.counts.failures), None)
        print_record(status_row(status) | {"reason": reason, "mlflow": status.mlflow_url}, output)
        return
    print_statuses([status])
    if reason := why_nothing_completed(found):
        if reason != status.error:
            print(f"\n{reason}")
    elif status.is_active and status.counts.failed:
        print(f"\n{failure_line(found)}")
    if status.counts.done:
        print()
    print_mlflow(found)


def results(
    sweep: SweepId,
    filter_: Filter = None,
    order_by: Annotated[
        str | None,
        typer.Option(
            "--order-by",
            help="For example: metrics.ipc desc; default: tables best first, other formats by point.",
        ),
    ] = None,
    gpu: OneGpu = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Maximum number of trials.")] = None,
    times: Annotated[
        bool,
        typer.Option("--times", help="Also print the source of each result and the seconds that it took."),
    ] = False,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """List the trials of a sweep: a table of the best, or all of them as CSV, JSON or Parquet."""
    from dse.cli.terminal.reports import print_results
    from dse.requests.gpus import check_gpu_of
    from dse.store.filters import parse_filter
    from dse.store.queries import TrialQuery

    found = open_client(server, token).sweep(sweep)
    if filter_:
        parse_filter(filter_, found.spec)  # an error quotes it as it was typed
    if gpu is not None:
        check_gpu_of(found.id, found.spec.gpus, gpu)
        filter_ = f"gpu = '{gpu}'" + (f" and ({filter_})" if filter_ else "")
    print_results(found, TrialQuery(filter_, order_by, limit), times, output)


def best(
    sweep: SweepId,
    portable: Annotated[
        bool, typer.Option("--portable", help="One variant for all GPUs and workloads instead.")
    ] = False,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights", metavar="GPU=SHARE,...", help="Shares of the GPUs with --portable; default: equal."
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            "--within", min=0, metavar="PERCENT", help="With --portable: the slowdown of a set; default: 5."
        ),
    ] = None,
    gpu: OneGpu = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Show the best variant for each GPU, its ties (too close to tell which is faster), and what limits it."""
    from dse.answers.summary import why_unranked
    from dse.cli.terminal.output import print_rows
    from dse.cli.terminal.portability import portable_rows, print_portable
    from dse.cli.terminal.reports import print_best, why_nothing_completed
    from dse.cli.terminal.winners import rows_of

    found = open_client(server, token).sweep(sweep)
    _check_options_of_best(found, portable, weights, within, gpu)
    if reason := why_nothing_completed(found):
        print(f"sweep {found.id} has no complete trial: {reason}", file=sys.stderr)
        raise typer.Exit(FAILED)
    if portable:
        answer = found.portable(*_portable_options(weights, within))
        print_portable(found, answer) if output is Output.TABLE else print_rows(portable_rows(answer), output)
        return
    winners = [each for each in found.winners() if gpu in (None, each.gpu)]
    if not winners:
        where = f" on {gpu}" if gpu else ""
        why = why_unranked(found.status().counts.complete, found.spec)
        print(f"sweep {found.id} has {why}{where}; `dse status {found.id}`", file=sys.stderr)
        raise typer.Exit(FAILED)
    if output is Output.TABLE:
        print_best(found, winners)
    else:
        print_rows(rows_of(found, winners), output)


def _check_options_of_best(
    sweep: "Sweep", portable: bool, weights: str | None, within: float | None, gpu: str | None
) -> None:
    from dse.errors import InputError
    from dse.requests.gpus import check_gpu_of

    if not portable and (weights or within is not None):
        raise InputError("--weights and --within belong to --portable")
    if gpu is not None:
        check_gpu_of(sweep.id, sweep.spec.gpus, gpu)
        if portable:
            raise InputError("--portable is about all GPUs of the sweep: leave out --gpu")


def _portable_options(weights: str | None, within: float | None) -> tuple[dict[str, float] | None, float]:
    """Weights by GPU, and the slowdown as a fraction."""
    from dse.answers.portability import WITHIN, parse_weights

    return parse_weights(names([weights] if weights else None)), WITHIN if within is None else within / 100


def explain(
    sweep: SweepId,
    trial: Annotated[
        int | None, typer.Argument(help="Number of a trial; default: the best for each GPU.")
    ] = None,
    against: Annotated[
        int | None,
        typer.Option(
            "--against", metavar="TRIAL", help="Also show what changed from this trial, and so why."
        ),
    ] = None,
    gpu: OneGpu = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Show where the time of a trial goes: stalls, hot spots, occupancy, memory, regime, advice."""
    from dse.cli.terminal.difference import difference
    from dse.cli.terminal.output import print_rows, stdout
    from dse.cli.terminal.reports import explained, trials_to_explain
    from dse.errors import InputError

    if against is not None and (trial is None or output is not Output.TABLE):
        raise InputError(
            f"--against {against}: name the trial to explain, too, as in `dse explain {sweep} 3 --against 1`"
            if trial is None
            else f"--against {against} is for tables; `dse diff {sweep} {against} {trial} -o {output}` has the rows"
        )
    found = open_client(server, token).sweep(sweep)
    changed = None if against is None or trial is None else found.diff(against, trial)
    explanations = (found.explain(each) for each in trials_to_explain(found, trial, gpu))
    if output is not Output.TABLE:
        print_rows([each.row() for each in explanations], output)
        return
    for each in explanations:
        stdout().print(explained(each))
    if changed:
        stdout().print(difference(changed))


def sass(
    sweep: SweepId,
    trial: Annotated[int, typer.Argument(help="Number of a trial.")],
    against: Annotated[
        int | None,
        typer.Option("--against", metavar="TRIAL", help="The machine code of this trial beside it."),
    ] = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Show the machine code of a trial, with the predicted issues and stalls of each instruction."""
    from dse.cli.terminal.difference import MARKS, listing, pair_rows, two_listings
    from dse.cli.terminal.output import print_rows, stdout

    found = open_client(server, token).sweep(sweep)
    codes = [found.sass(each) for each in (trial, against) if each is not None]
    if output is not Output.TABLE:
        print_rows(codes[0].rows() if against is None else pair_rows(codes[0].against(codes[1])), output)
        return
    stdout().print(listing(codes[0]) if against is None else two_listings(*codes))
    if against is not None:
        print(MARKS)


def diff(
    sweep: SweepId,
    trial: Annotated[int, typer.Argument(help="Number of a trial.")],
    other: Annotated[int, typer.Argument(help="Number of the trial to compare with it.")],
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Show what changed from one trial to another: metrics, warp states, executed instructions, the GPU."""
    from dse.cli.terminal.difference import difference
    from dse.cli.terminal.output import print_rows, stdout

    found = open_client(server, token).sweep(sweep).diff(trial, other)
    if output is Output.TABLE:
        stdout().print(difference(found))
    else:
        print_rows(found.rows(), output)


def compare(
    sweeps: Annotated[list[str], typer.Argument(metavar="SWEEP...", help="Two or more sweeps.")],
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Compare the best variants of several sweeps by GPU; speedups are relative to the first sweep."""
    from dse.cli.terminal.output import print_rows
    from dse.cli.terminal.reports import comparison_rows, print_comparison
    from dse.errors import InputError

    if len(sweeps) < 2:
        raise InputError("dse compare: give at least two sweeps, as in `dse compare 1 2`")
    client = open_client(server, token)
    found = [client.sweep(sweep) for sweep in sweeps]
    rows = comparison_rows(found)
    if not rows:
        print(f"no complete trial in {', '.join(sweep.id for sweep in found)}", file=sys.stderr)
        raise typer.Exit(FAILED)
    if output is Output.TABLE:
        print_comparison(found, rows)
    else:
        print_rows(rows, output)


def measure_list(
    sweep: SweepId,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, help="Number of variants for each GPU and workload.")
    ] = 5,
    gpu: Annotated[str | None, typer.Option("--gpu", help="Only this GPU.")] = None,
    filter_: Filter = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Write a folder for each GPU here, with a program that measures them."),
    ] = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """List the few variants worth measuring on a real GPU: fast ones that differ."""
    from dse.cli.terminal.output import print_rows
    from dse.tables.text import variant

    found = open_client(server, token).sweep(sweep)
    chosen = found.to_measure(count, gpu, filter_)
    rows = [
        {
            "gpu": each.gpu,
            "trial": each.number,
            "predicted_us": each.score,
            "variant": variant(each.parameters),
        }
        for each in chosen
    ]
    programs = found.write_bundles(chosen, folder) if folder else []
    print_rows(rows, output)
    if output is Output.TABLE:
        print("most useful first: each is expected to improve most on the fastest of those before it")
    for program in programs:
        print(f"copy {program.parent} to the machine with this GPU, then: python3 {program.name}")


def calibrate(
    sweep: SweepId,
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Measured times: a CSV or Parquet table, an Optuna storage, Kernel Tuner's cache, T4 results.",
        ),
    ],
    gpu: Annotated[
        str | None,
        typer.Option("--gpu", help="The GPU that was measured; default: the one that the file names."),
    ] = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Rescale and re-rank all variants by the measured times of a few, with the interval that is left."""
    from dse.cli.terminal.calibration import calibration_rows, print_calibration
    from dse.cli.terminal.output import print_rows

    found = open_client(server, token).sweep(sweep)
    answers = found.calibrate(path, gpu)
    if output is Output.TABLE:
        for answer in answers:
            print_calibration(found, answer)
    else:
        print_rows([row for answer in answers for row in calibration_rows(found, answer)], output)


def report(
    sweep: SweepId,
    path: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: report-SWEEP.html.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--png", metavar="FOLDER", help="Also write each figure as a PNG here.")
    ] = None,
    server: Server = None,
    token: Token = None,
) -> None:
    """Write a report: one HTML file with figures and tables that needs no network."""
    found = open_client(server, token).sweep(sweep)
    print(found.report(path or Path(f"report-{found.id}.html")))
    for picture in found.plot.save(pictures) if pictures else []:
        print(picture)


def front(sweep: SweepId, server: Server = None, token: Token = None, output: Format = Output.TABLE) -> None:
    """Show the Pareto front of each GPU and workload, for sweeps with several objectives."""
    from dse.cli.terminal.output import print_rows
    from dse.cli.terminal.reports import front_rows

    print_rows(front_rows(open_client(server, token).sweep(sweep)), output)


def export(
    sweep: SweepId,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    gpu: Annotated[str | None, typer.Option("--gpu", help="The GPU, if the sweep has several.")] = None,
    format_: Annotated[
        ExportFormat,
        typer.Option(
            "--format",
            help="A cache of kernel-tuner, the t1 problem or t4 results of an autotuner, an optuna storage in SQLite.",
        ),
    ] = ExportFormat.KERNEL_TUNER,
    server: Server = None,
    token: Token = None,
) -> None:
    """Write the sweep for another tool: Kernel Tuner's simulation mode, T1 and T4 readers, Optuna's dashboard."""
    written = open_client(server, token).sweep(sweep).export(path, gpu, format_.value)
    print(f"{path}: {written} variants")


def spaces(server: Server = None, token: Token = None, output: Format = Output.TABLE) -> None:
    """List the available spaces."""
    from dataclasses import asdict

    from dse.cli.terminal.output import print_rows

    print_rows([asdict(space) for space in open_client(server, token).spaces()], output)
