"""The answer of a sweep as tables and text: the best variants, their ties, which one to take, and what limits them."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.answers.summary import best_row
from dse.answers.tolerance import in_words
from dse.cli.terminal.output import Row
from dse.handles import Sweep
from dse.tables.text import microseconds, shown

ADVICE_IN_A_SUMMARY = 2


def best_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """The best variant for each GPU and workload: time, speedup over the first point, ties, stalls and advice."""
    return [best_row(sweep.spec, best, sweep.speedup(best.trial)) for best in sweep.winners()]


def best_table(rows: Sequence[Row], objectives: Sequence[str]) -> Table:
    """One line for each GPU and workload; `objectives` are those other than the time."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    has_workloads = any(row["workload"] for row in rows)
    headings = ["GPU", *(["workload"] if has_workloads else []), "best variant"]
    numbers = ("predicted", *objectives, "speedup", "ties")
    for heading in (*headings, *numbers, "profile", "dominant stalls", "regime"):
        table.add_column(heading, justify="right" if heading in numbers else "left")
    for row in rows:
        place = [row["gpu"], *([row["workload"]] if has_workloads else [])]
        speedup = f"{row['speedup']:.2f}x" if row["speedup"] else "-"
        ties = f"{row['ties']} of {row['complete']}", row["label"]
        cells = (
            *place,
            row["variant"],
            microseconds(row["time_us"]),
            *("-" if row[name] is None else f"{row[name]:.4g}" for name in objectives),
            speedup,
            *ties,
            row["stalls"],
            row["regime"],
        )
        table.add_row(*(Text(shown(cell)) for cell in cells))
    return table


def print_ties(console: Console, rows: Sequence[Row]) -> None:
    """Print what the ties of each GPU and workload share, and which one to take; equal answers are grouped."""
    tolerances = {row["label"]: row["tolerance"] for row in rows}
    console.print(Text(f"ties: {in_words(tolerances)}"))
    console.print()
    told: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        told.setdefault((row["common"], row["recommended"], row["because"]), []).append(row)
    for (common, recommended, reasons), alike in told.items():
        console.print(
            Text(", ".join(f"{row['gpu']} {row['workload']}".strip() for row in alike), style="bold")
        )
        if common and any(row["ties"] > 1 for row in alike):
            _print_line(console, f"the ties share: {common}")
        _print_line(console, f"take {recommended or 'the only variant'}: {reasons}")


def print_advice(console: Console, rows: Sequence[Row]) -> None:
    """Print the most important advice; GPUs with the same advice are grouped."""
    told: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        told.setdefault(tuple(row["advice"][:ADVICE_IN_A_SUMMARY]), []).append(
            f"{row['gpu']} {row['workload']}".strip()
        )
    for advice, gpus in told.items():
        if advice:
            console.print(Text(", ".join(gpus), style="bold"))
            for line in advice:
                _print_line(console, line)


def _print_line(console: Console, line: str) -> None:
    console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
