"""The answer of a sweep as tables and text: the best variants, their ties, which one to take, and what limits them."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.answers.best import Best
from dse.answers.between_gpus import GpuRatio, as_table
from dse.answers.once import once
from dse.answers.recommendation import CODES, which_is_which
from dse.answers.summary import best_row, taken_once
from dse.answers.ties import counted
from dse.answers.tolerance import in_words
from dse.answers.traffic import FROM_L2, is_from_l2
from dse.cli.terminal.output import Row
from dse.handles import Sweep
from dse.store import SweepSpec
from dse.tables.text import INTERVAL, interval, microseconds, shown

#: Lines of advice in the summary of a run, and pieces of advice, each for the GPUs and workloads that it is true of.
ADVICE_IN_A_SUMMARY, PIECES_IN_A_SUMMARY = 2, 2


#: The variant where no parameter varies.
ONLY = "the only one"


def best_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """The best variant for each GPU and workload: time, speedup over the first point, ties, stalls and advice."""
    return rows_of(sweep, sweep.winners())


def rows_of(sweep: Sweep, winners: Sequence[Best]) -> list[dict[str, Any]]:
    """The same of winners that are known."""
    return [best_row(sweep.spec, best, sweep.speedup(best.trial)) for best in winners]


def best_table(rows: Sequence[Row], objectives: Sequence[str]) -> Table:
    """One line for each GPU and workload; `objectives` are those other than the time."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    has_workloads = any(row["workload"] for row in rows)
    headings = ["GPU", *(["workload"] if has_workloads else []), "best variant"]
    numbers = ("predicted", INTERVAL, *objectives, "speedup", "ties")
    for heading in (*headings, *numbers, "profile", "dominant stalls", "regime"):
        table.add_column(heading, justify="right" if heading in numbers else "left")
    for row in rows:
        place = [row["gpu"], *([row["workload"]] if has_workloads else [])]
        speedup = f"{row['speedup']:.2f}x" if row["speedup"] else "-"
        cells = (
            *place,
            row["variant"] or ONLY,
            microseconds(row["time_us"]),
            interval(row),
            *("-" if row[name] is None else f"{row[name]:.4g}" for name in objectives),
            speedup,
            counted(row["ties"], row["codes"], row["complete"]),
            row["label"],
            row["stalls"],
            row["limit"],
        )
        table.add_row(*(Text(shown(cell)) for cell in cells))
    return table


def speedup_note(rows: Sequence[Row]) -> list[str]:
    """Why a speedup is missing."""
    missing = [_case(row) for row in rows if not row["speedup"]]
    if not missing:
        return []
    where = "" if len(missing) == len(rows) else f" on {', '.join(missing)}"
    return [f"note: no speedup{where}, since the space's first point was not tried, or failed"]


def ratio_table(found: Sequence[GpuRatio]) -> Table:
    """Each GPU relative to the first, by workload."""
    head, rows = as_table(found)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for place, name in enumerate(head):
        table.add_column(name, justify="right" if place >= len(head) - 2 else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def print_failed_values(console: Console, sweep: Sweep) -> None:
    """Warn of values that the answer leaves out because every point with them failed."""
    for found in sweep.failed_values():
        console.print(Text(f"warning: {found.words}", style="bold"))


def print_ties(console: Console, spec: SweepSpec, winners: Sequence[Best]) -> None:
    """Print what the ties share and which one to take, once for all GPUs and workloads for which it is the same."""
    if all(best.complete == 1 for best in winners):
        return
    console.print(Text(f"ties: {in_words({best.label: best.tolerance for best in winners})}"))
    if any(best.codes < best.ties for best in winners):
        console.print(Text(CODES))
    console.print(Text(which_is_which(len(spec.gpus) * len(spec.workloads))))
    if any(is_from_l2(best.trial.metrics) for best in winners):
        console.print(Text(FROM_L2))
    console.print()
    for each in taken_once(spec, winners):
        console.print(Text(", ".join(each.cases), style="bold"))
        for where, common in each.said(each.common):
            _print_line(console, f"the ties share{where}: {common}")
        for where, reasons in each.said(each.because):
            _print_line(console, f"take {each.variant or 'the only variant'}{where}: {reasons}")
    console.print()


def print_advice(
    console: Console, rows: Sequence[Row], lines: int | None = None, cases: int | None = None
) -> int:
    """Print advice, once for all GPUs and workloads for which it says the same.

    Args:
        lines: of the most important advice; None for all, and what the neighbours of each best variant take.
        cases: pieces of advice to print; None for all.

    Returns:
        How many pieces were not printed.
    """
    told = [(_case(row), "\n".join(row["advice"][:lines])) for row in rows]
    pieces = [(whose, advice) for whose, advice in once(told) if advice]
    for whose, advice in pieces[:cases]:
        _print_piece(console, rows, whose, advice, with_neighbours=lines is None or len(rows) == 1)
    return len(pieces[cases:]) if cases is not None else 0


def _print_piece(
    console: Console, rows: Sequence[Row], cases: Sequence[str], advice: str, with_neighbours: bool
) -> None:
    console.print(Text(", ".join(cases), style="bold"))
    for line in advice.splitlines():
        _print_line(console, line)
    for whose, tried in once((_case(row), row["tried"]) for row in rows if _case(row) in cases):
        if tried and with_neighbours:
            _print_line(console, tried if len(whose) == len(cases) else f"{tried} ({', '.join(whose)})")


def _case(row: Row) -> str:
    return f"{row['gpu']} {row['workload']}".strip()


def _print_line(console: Console, line: str) -> None:
    console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
