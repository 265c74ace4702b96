"""`dse experiments`: the experiments that everybody quotes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options import Format, Workers
from dse.cli.terminal.output import Output

if TYPE_CHECKING:
    from dse.experiments.report import Report

experiments = typer.Typer(
    help="Well-known experiments: published, measured and predicted.",
    invoke_without_command=True,
)


def add_commands(app: typer.Typer) -> None:
    """Register the commands of this module."""
    app.add_typer(experiments, name="experiments")


@experiments.callback()
def list_(context: typer.Context, output: Format = Output.TABLE) -> None:
    """List the experiments."""
    from dse.cli.terminal.output import print_rows
    from dse.experiments.listing import titles

    if context.invoked_subcommand is None:
        print_rows([{"name": name, "about": title} for name, title in titles().items()], output)


@experiments.command()
def run(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="As `dse experiments` lists them.")],
    workers: Workers = None,
) -> None:
    """Run experiments, and print their claims with verdicts, and the figures behind them."""
    from dse.cli.terminal.experiments import print_report

    for report in _reports(names, workers):
        print_report(report)


@experiments.command()
def page(
    file: Annotated[Path, typer.Argument(help="The document to write, such as docs/experiments.md.")],
    workers: Workers = None,
) -> None:
    """Run all experiments, and write the page with their pictures."""
    from dse.experiments.listing import NAMES
    from dse.experiments.page import write_page

    write_page(file, _reports(list(NAMES), workers))
    print(f"{file}: {len(NAMES)} experiments")


def _reports(names: list[str], workers: int | None) -> list["Report"]:
    import sys

    from dse.experiments.lab import Lab
    from dse.experiments.listing import check_name, run_experiment
    from dse.runners.local import LocalRunner

    for name in names:
        check_name(name)
    reports = []
    with LocalRunner(workers=workers) as runner:
        for name in names:
            print(f"{name} ...", file=sys.stderr)
            reports.append(run_experiment(name, Lab(runner)))
    return reports
