"""Plots of an ended sweep, shown in MLflow."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dse.store import STALL_REASONS, TrialRecord
from dse.tables.text import shown
from dse.tracking.table import ResultTable

#: Maximum number of points per GPU; more make a figure slower, but no clearer.
POINTS = 2000
#: Maximum number of distinguishable lines in a figure.
LINES = 10
#: Maximum number of readable bars in a figure.
BARS = 40
#: Colours in matplotlib's cycle.
COLOURS = 10
COLUMNS = 3
#: Inches.
PANEL_WIDTH, PANEL_HEIGHT = 4.2, 3.2
#: The warp state that is not a stall.
ISSUING = "selected"


def draw_parameters(table: ResultTable, path: Path) -> None:
    """For each parameter except the workload: every trial's objective relative to the best of its GPU and workload."""
    direction, metric = table.spec.objectives[0]
    objective = table.column(metric)
    varied = (name for name, values in table.spec.parameters.items() if len(values) > 1)
    names = [name for name in varied if name not in table.spec.workload]
    figure, axes = _panels(len(names))
    relative = [
        rows.assign(relative=_relative(rows[objective], direction))
        for _, rows in table.cases([*names, objective])
    ]
    trials = pd.concat(relative) if relative else pd.DataFrame(columns=["gpu", "relative", *names])
    for axis, name in zip(axes, names, strict=True):
        values = [_label(value) for value in table.spec.parameters[name]]
        for place, gpu in enumerate(table.spec.gpus):
            rows = trials[trials["gpu"] == gpu]
            x = rows[name].map(_label).map({value: index for index, value in enumerate(values)}).astype(float)
            best = rows["relative"].groupby(x).min()
            shown = slice(None, None, len(rows) // POINTS + 1)
            offset = 0.12 * (place - (len(table.spec.gpus) - 1) / 2)
            colour = f"C{place}"
            axis.plot(x[shown] + offset, rows["relative"][shown], ".", color=colour, alpha=0.25, markersize=4)
            axis.plot(best.index, best, "o-", color=colour, markersize=4, label=gpu)
        axis.set_xticks(range(len(values)), values, rotation=45 if len(values) > 6 else 0)
        axis.set(xlabel=name, yscale="log")
        _write_plain_numbers(axis)
    if names:
        axes[0].set_ylabel(table.spec.ratio_in_words)
        axes[0].legend(fontsize="small", title="best of each value", title_fontsize="small")
    figure.savefig(path)


def draw_progress(table: ResultTable, path: Path) -> None:
    """The best result so far over the trials, for each GPU and workload."""
    direction, metric = table.spec.objectives[0]
    objective = table.column(metric)
    figure, (axis,) = _panels(1, width=2)
    for case, rows in list(table.cases(["number", objective]))[:LINES]:
        rows = rows.dropna(subset=[objective]).sort_values("number")
        if rows.empty:
            continue
        best = rows[objective].cummin() if direction == "minimize" else rows[objective].cummax()
        is_new = best.diff().ne(0)
        is_new.iloc[-1] = True
        axis.step(rows["number"][is_new], best[is_new], where="post", label=", ".join(case))
    axis.set(xlabel="trial", ylabel=f"best {metric} so far")
    if axis.lines and all(np.min(line.get_ydata()) > 0 for line in axis.lines):
        axis.set_yscale("log")
        _write_plain_numbers(axis)
    if axis.lines:
        axis.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path)


def draw_stalls(winners: Sequence[TrialRecord], path: Path) -> None:
    """Stacked stall reasons of the winners, in Nsight Compute's unit: warps per issue-active cycle."""
    figure, (axis,) = _panels(1, width=2)
    winners = winners[:BARS]
    names = [f"{trial.gpu}/{trial.number}" for trial in winners]
    left = np.zeros(len(winners))
    reasons = [reason for reason in STALL_REASONS if reason != ISSUING]
    for place, reason in enumerate([ISSUING, *reasons]):
        warps = np.array([float(trial.metrics.get(f"stall_{reason}") or 0) for trial in winners])
        if warps.any():
            colour = "0.8" if reason == ISSUING else f"C{place % COLOURS}"
            hatch = "//" * (place // COLOURS)
            axis.barh(names, warps, left=left, label=reason, color=colour, hatch=hatch)
            left += warps
    axis.invert_yaxis()
    axis.set(xlabel="warps per issue-active cycle", title="stalls of the best variants")
    if axis.patches:
        axis.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path)


def draw_front(table: ResultTable, path: Path) -> None:
    """Every trial by the first two objectives, and the Pareto front of each GPU and workload."""
    (_, first), (_, second) = table.spec.objectives[:2]
    x, y = table.column(first), table.column(second)
    figure, (axis,) = _panels(1, width=2)
    front = pd.MultiIndex.from_tuples(table.front(POINTS), names=["gpu", "number"])
    for place, (case, rows) in enumerate(list(table.cases(["number", x, y]))[:LINES]):
        is_best = pd.MultiIndex.from_frame(rows[["gpu", "number"]].astype({"gpu": str})).isin(front)
        shown = slice(None, None, len(rows) // POINTS + 1)
        axis.plot(rows[x][shown], rows[y][shown], ".", color=f"C{place}", alpha=0.25, markersize=4)
        best = rows[is_best].sort_values(x)
        axis.plot(best[x], best[y], "o-", color=f"C{place}", markersize=4, label=", ".join(case))
    axis.set(xlabel=first, ylabel=second)
    axis.legend(fontsize="small", title="Pareto front", title_fontsize="small")
    figure.savefig(path)


def _panels(count: int, width: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure with this many axes in rows."""
    columns = min(COLUMNS, max(count, 1))
    rows = -(-max(count, 1) // columns)
    size = (PANEL_WIDTH * columns * width, PANEL_HEIGHT * rows * width**0.5)
    figure = Figure(figsize=size, layout="constrained")
    return figure, [figure.add_subplot(rows, columns, place + 1) for place in range(count)]


def _write_plain_numbers(axis: Axes) -> None:
    """Label a logarithmic axis with plain numbers (100, 200) instead of powers of ten."""
    for formatted in (axis.yaxis.set_major_formatter, axis.yaxis.set_minor_formatter):
        formatted("{x:g}")


def _relative(values: "pd.Series[float]", direction: str) -> "pd.Series[float]":
    """Ratio of each to the best; missing if the best is zero."""
    ratio = values / values.min() if direction == "minimize" else values.max() / values
    return ratio.where(np.isfinite(ratio))


def _label(value: object) -> str:
    """A cell as a parameter's value: a column with both kinds of numbers has converted integers to floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else shown(value)
