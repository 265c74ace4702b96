"""The report of an experiment, printed."""

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.cli.terminal.output import Output, print_rows, stdout
from dse.experiments.report import Claim, Report


def print_report(report: Report) -> None:
    """Claims with verdicts, then the figures."""
    console = stdout()
    console.print(Text(f"\n{report.name}: {report.title}", style="bold"))
    for claim in report.claims:
        console.print(Padding(_claim(claim), (1, 0, 0, 2), expand=False))
    for table in report.tables:
        console.print(Text(f"\n  {table.heading}", style="bold"))
        print_rows(list(table.rows), Output.TABLE)


def _claim(claim: Claim) -> Group:
    columns = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for name in ("published", "measured", "predicted"):
        columns.add_row(name, Text(getattr(claim, name)))
    columns.add_row(Text(claim.verdict, style="bold"), Text(claim.because))
    return Group(Text(f"{claim.text} ({claim.source})"), Padding(columns, (0, 0, 0, 2)))
