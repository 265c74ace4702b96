"""The answer of a sweep as tables and text: the best variants, their ties, which one to take, and what limits them."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.answers.best import Best
from dse.answers.tolerance import in_words
from dse.cli.terminal.output import Row
from dse.handles import Sweep
from dse.store import Trial
from dse.tables.text import microseconds, shown, variant

STALLS_IN_A_SUMMARY = 2
ADVICE_IN_A_SUMMARY = 2


def best_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """The best variant for each GPU and workload: time, speedup over the first point, ties, stalls and advice."""
    return [best_row(sweep, best) for best in sweep.winners()]


def best_row(sweep: Sweep, best: Best) -> dict[str, Any]:
    """The best variant for one GPU and workload."""
    trial = best.trial
    return {
        "gpu": best.gpu,
        "workload": variant(best.workload),
        "variant": _chosen(sweep, trial),
        "time_us": trial.time_us,
        **{name: trial.metrics.get(name) for name in objectives_of(sweep)},
        "speedup": sweep.speedup(trial),
        "ties": best.ties,
        "complete": best.complete,
        "tolerance": best.tolerance,
        "label": best.label,
        "common": best.common,
        "recommended": _chosen(sweep, best.recommended),
        "because": because(best),
        "stalls": dominant_stalls(trial),
        "regime": trial.metrics.get("regime"),
        "advice": list(trial.advice),
        "trial": trial.number,
        "recommended_trial": best.recommended.number,
        "filter": best.filter,
        "parameters": dict(trial.parameters),
    }


def objectives_of(sweep: Sweep) -> list[str]:
    """The objectives of a sweep other than its time."""
    return [metric for _, metric in sweep.spec.objectives if metric != "time_us"]


def because(best: Best) -> str:
    """Why the recommended variant is the one to take."""
    metrics = best.recommended.metrics
    reasons = []
    if best.worst_slowdown is not None:
        reasons.append(f"at most {best.worst_slowdown:.1%} above the best of each GPU and workload")
    if registers := metrics.get("registers_per_thread"):
        reasons.append(f"{registers} registers")
    if code_bytes := metrics.get("code_bytes"):
        reasons.append(f"{code_bytes:,} bytes of code")
    return ", ".join(reasons)


def dominant_stalls(trial: Trial) -> str:
    """The largest stall reasons, with their share of the warps' time."""
    total = sum(trial.stalls.values()) or 1.0
    stalls = [(reason, warps) for reason, warps in trial.stalls.items() if reason != "selected" and warps > 0]
    return ", ".join(f"{reason} {warps / total:.0%}" for reason, warps in stalls[:STALLS_IN_A_SUMMARY])


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


def _chosen(sweep: Sweep, trial: Trial) -> str:
    """A trial's variant in one line, without its workload and what does not vary."""
    spec = sweep.spec
    chosen = spec.chosen_of(trial.parameters)
    return variant(chosen, spec.parameters)
