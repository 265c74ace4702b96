"""Figures of a few variants: the winners with their ties, stalls, and what each parameter is worth."""

from functools import lru_cache
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dse.answers.importance import importance
from dse.report.data import ReportData, column, thinned
from dse.report.theme import COLOURS, STALL_COLOURS, colours, styled
from dse.store import STALL_REASONS, TrialRecord
from dse.tables.text import microseconds

#: Maximum number of ties drawn for each GPU and workload.
TIES = 100
#: Variants whose stalls are drawn for each GPU and workload, from the fastest to the slowest; and of how many of these.
VARIANTS, CASES = 6, 8
ROW_HEIGHT, LINE_HEIGHT = 26, 12
#: Letters in a line of a bar's name: it takes a third of a narrow page.
LETTERS = 36
BREAK, NO_BREAK = "<br>", "\u00a0"
#: Warp states below this share in all variants of a case are left out.
LEAST_SHARE = 0.005


def winners(data: ReportData) -> go.Figure:
    """The best of each GPU and workload, and how close their ties and the recommended variant are."""
    figure, palette = go.Figure(), colours(data.spec.gpus)
    by_case = dict(data.cases)
    names = list(by_case)
    for best, name in zip(data.winners, names, strict=True):
        few = thinned(by_case[name].head(best.ties), TIES)
        look = {"color": palette[best.gpu], "symbol": "line-ns-open", "size": 12}
        figure.add_scatter(
            x=(few["slowdown"] - 1) * 100,
            y=[name] * len(few),
            mode="markers",
            marker=look,
            text=[data.written(row) for _, row in few.iterrows()],
            hovertemplate="%{text}<br>+%{x:.2f} %",
            showlegend=False,
        )
    take = [best.slowdown * 100 for best in data.winners]
    figure.add_scatter(
        x=take,
        y=names,
        mode="markers",
        name="recommended",
        marker={"symbol": "diamond", "size": 10, "color": COLOURS[5]},
    )
    limits = [best.tolerance * 100 for best in data.winners]
    figure.add_scatter(
        x=limits,
        y=names,
        mode="markers",
        name="tolerance",
        marker={"symbol": "x-thin", "size": 9, "line": {"width": 2, "color": "#808080"}},
    )
    figure.update_layout(
        xaxis_title=f"{data.spec.objectives[0][1]}, behind the best (%)",
        yaxis={"autorange": "reversed"},
    )
    return styled(figure, "The best and their ties", 60 + ROW_HEIGHT * len(names))


def stalls(data: ReportData) -> go.Figure:
    """Warp states of some variants of each GPU and workload, from the fastest to the slowest."""
    cases = data.cases[:CASES]
    chosen = [
        rows.iloc[sorted(set(np.linspace(0, len(rows) - 1, VARIANTS).astype(int)))] for _, rows in cases
    ]
    places = [(str(row["gpu"]), int(row["point_index"])) for rows in chosen for _, row in rows.iterrows()]
    trials = {trial.place: trial for trial in data.read(places)}
    count = len(cases) or 1
    titles = [name for name, _ in cases]
    figure = make_subplots(count, 1, subplot_titles=titles, shared_xaxes=True, vertical_spacing=0.15 / count)
    told: set[str] = set()
    lines = 1
    for place, rows in enumerate(chosen):
        here = [trials[str(row["gpu"]), int(row["point_index"])] for _, row in rows.iterrows()]
        names = [
            _wrapped(data.written(row), _time(trial))
            for (_, row), trial in zip(rows.iterrows(), here, strict=True)
        ]
        lines = max(lines, *(name.count(BREAK) + 1 for name in names))
        for reason in STALL_REASONS:
            warps = [float(trial.metrics.get(f"stall_{reason}") or 0) for trial in here]
            shares = [
                some / (sum(trial.stalls.values()) or 1) for some, trial in zip(warps, here, strict=True)
            ]
            if max(shares) > LEAST_SHARE:
                bars = go.Bar(x=shares, y=names, orientation="h", name=reason, legendgroup=reason)
                bars.update(marker_color=STALL_COLOURS[reason], showlegend=reason not in told)
                bars.update(
                    texttemplate="", hovertemplate="%{x:.1%}: %{text:.2f} warps per issued instruction"
                )
                figure.add_trace(bars, place + 1, 1)
                told.add(reason)
    figure.update_layout(barmode="stack")
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(range=[0, 1], tickformat=".0%")
    figure.update_xaxes(title="share of the warps' time", row=count)
    row_height = ROW_HEIGHT + LINE_HEIGHT * (lines - 1)
    height = 40 * len(cases) + row_height * sum(map(len, chosen))
    title = "Warp states, from the fastest to the slowest variant"
    return styled(figure, title, max(height, 200), letters=LETTERS)


def importances(data: ReportData) -> go.Figure:
    """The share of the variance that is due to each parameter alone, by GPU."""
    table, palette = importance_table(data), colours(data.spec.gpus)
    figure = go.Figure()
    for gpu in table.columns:
        figure.add_bar(
            x=table[gpu] * 100, y=table.index, orientation="h", name=gpu, marker_color=palette[gpu]
        )
    figure.update_layout(
        xaxis_title="share of the variance of the logarithm (%)", yaxis={"autorange": "reversed"}
    )
    return styled(figure, "Importance of each parameter", 80 + ROW_HEIGHT * max(table.size, 2))


@lru_cache(maxsize=1)
def importance_table(data: ReportData) -> pd.DataFrame:
    """By parameter and GPU: the share of the variance of the logarithm that is due to it, averaged over the workloads.

    `together` is what no single parameter explains: how they act together. GPUs with too few trials are left out.
    """
    shares: dict[str, list[tuple[float, ...]]] = {}
    for _, rows in data.cases:
        rows = rows[np.isfinite(rows["slowdown"])]
        codes = [rows[column(name)].cat.codes.to_numpy(int) for name in data.varied]
        if found := importance(np.log(rows["slowdown"].to_numpy(float)), codes, data.is_sample):
            shares.setdefault(str(rows["gpu"].iloc[0]), []).append((*found.parameters, found.together))
    means = {gpu: np.mean(each, axis=0) for gpu, each in shares.items()}
    return pd.DataFrame(means, index=[*data.varied, "together"])


def _wrapped(variant: str, time: str) -> str:
    """A bar's name in as many lines as it needs; the time stays in one."""
    name = f"{variant} {time.replace(' ', NO_BREAK)}"
    return BREAK.join(wrap(name, LETTERS, break_long_words=False, break_on_hyphens=False))


def _time(trial: TrialRecord) -> str:
    return microseconds(trial.time_us) if trial.time_us is not None else ""
