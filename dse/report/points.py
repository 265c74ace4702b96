"""Figures with a mark for each trial: against each parameter, in parallel coordinates, over time, by size."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dse.report.data import ReportData, column, thinned
from dse.report.theme import PANEL_HEIGHT, SCALE, colours, mark, styled
from dse.tables.text import shown

#: Maximum number of marks per GPU in a panel, over all workloads, and of lines in parallel coordinates.
MARKS, LINES = 400, 2000
#: Maximum number of steps of a curve.
STEPS = 500
COLUMNS = 3
#: The slowest trial that the axes show, relative to the best.
SLOWEST_SHOWN = 10.0


def parameters(data: ReportData) -> go.Figure:
    """Small multiples: each trial's slowdown against each parameter, and the best of each value as a line, for each
    GPU and workload."""
    names, limit = data.varied, _slowest(data.frame)
    palette = colours(name for name, _ in data.cases)
    marks = max(MARKS * len(data.spec.gpus) // max(len(data.cases), 1), 1)
    rows = -(-len(names) // COLUMNS) or 1
    figure = make_subplots(
        rows,
        min(COLUMNS, len(names)) or 1,
        subplot_titles=names,
        shared_yaxes=True,
        vertical_spacing=0.18 / rows,
    )
    for place, name in enumerate(names):
        where = {"row": place // COLUMNS + 1, "col": place % COLUMNS + 1}
        order = _ordered(data, name)
        for case, trials in data.cases:
            look = {"name": case, "legendgroup": case}
            few = thinned(trials, marks)
            each = go.Scatter(
                x=few[column(name)].astype(str),
                y=few["slowdown"].clip(upper=limit),
                text=_hover(data, few),
                mode="markers",
                marker=mark(palette[case]),
                **look,
            )
            figure.add_trace(each.update(showlegend=False, hovertemplate="%{text}"), **where)
            best = trials.groupby(column(name), observed=True)["slowdown"].min()
            best = best.reindex([value for value in order if value in best.index])
            line = go.Scatter(
                x=best.index.astype(str), y=best.clip(upper=limit), mode="lines+markers", **look
            )
            line.update(marker_color=palette[case], text=best, hovertemplate="best: %{text:.3f}x")
            figure.add_trace(line.update(showlegend=place == 0), **where)
        figure.update_xaxes(type="category", categoryorder="array", categoryarray=order, **where)
    _scale(figure, data, limit)
    return styled(figure, "Slowdown by parameter; the line is the best of each value", rows * PANEL_HEIGHT)


def parallel(data: ReportData) -> go.Figure:
    """Parallel coordinates of the best trials and an even spread of the others."""
    few = thinned(data.frame, LINES)
    dimensions = [_words("GPU", few["gpu"])]
    workload = [name for name in data.spec.workload if len(data.spec.parameters[name]) > 1]
    dimensions += [_words(name, few[column(name)]) for name in (*workload, *data.varied)]
    for name in ("registers", "occupancy"):
        if few[name].notna().all() and few[name].nunique() > 1:
            dimensions.append({"label": name, "values": few[name]})
    slow = few["slowdown"].clip(upper=_slowest(few))
    dimensions.append({"label": "slowdown", "values": slow})
    line = {"color": slow, "colorscale": SCALE, "showscale": True, "colorbar": {"title": "slowdown"}}
    return styled(go.Figure(go.Parcoords(line=line, dimensions=dimensions)), "Parallel coordinates", 330)


def progress(data: ReportData) -> go.Figure:
    """The best so far of each GPU and workload over the trials, relative to the best of all."""
    figure, cases = go.Figure(), data.cases
    palette = colours(name for name, _ in cases)
    for name, rows in cases:
        ordered = rows.sort_values("number")
        best = ordered["slowdown"].cummin()
        is_new = best.diff().ne(0) | (ordered["number"] == ordered["number"].max())
        steps = thinned(pd.DataFrame({"x": ordered["number"], "y": best})[is_new], STEPS)
        figure.add_scatter(
            x=steps["x"], y=steps["y"], name=name, mode="lines", line={"shape": "hv", "color": palette[name]}
        )
    title = f"best so far: {data.spec.ratio_in_words}"
    figure.update_layout(xaxis_title="trial", yaxis={"title": title, "type": "log"})
    return styled(figure, "Progress")


def sizes(data: ReportData) -> go.Figure:
    """Slowdown against registers and code size."""
    panels = {"registers": "registers per thread", "code_bytes": "machine code (bytes)"}
    known = {name: title for name, title in panels.items() if data.frame[name].notna().any()}
    figure = make_subplots(1, len(known) or 1, shared_yaxes=True)
    palette, limit = colours(data.spec.gpus), _slowest(data.frame)
    for place, (name, title) in enumerate(known.items()):
        for gpu, trials in data.frame.groupby("gpu", observed=True):
            few = thinned(trials, MARKS)
            slow = few["slowdown"].clip(upper=limit)
            marks = go.Scatter(x=few[name], y=slow, mode="markers", text=_hover(data, few))
            marks.update(name=str(gpu), legendgroup=str(gpu), marker=mark(palette[str(gpu)]))
            marks.update(showlegend=place == 0, hovertemplate="%{text}<br>%{x:,}")
            figure.add_trace(marks, 1, place + 1)
        figure.update_xaxes(title=title, col=place + 1)
    _scale(figure, data, limit)
    return styled(figure, "Registers and code size")


def _hover(data: ReportData, rows: pd.DataFrame) -> list[str]:
    """What is said of the mark of each trial."""
    return [
        f"{data.written(row)}<br>{row['case']}<br>+{row['slowdown'] - 1:.1%} behind the best"
        for _, row in rows.iterrows()
    ]


def _scale(figure: go.Figure, data: ReportData, limit: float) -> None:
    """Give the axes of slowdowns their range; slower trials are marked at its end."""
    beyond = f" (top: {limit:g}x or slower)" if data.frame["slowdown"].max() > limit else ""
    figure.update_yaxes(type="log", range=[-0.01, np.log10(limit) + 0.02])
    figure.update_yaxes(title=f"{data.spec.ratio_in_words}{beyond}", col=1)


def _ordered(data: ReportData, name: str) -> list[str]:
    """The values of a parameter in words: numbers by size, others as the space has them."""
    values = data.spec.parameters[name]
    numbers = sorted(value for value in values if isinstance(value, int | float))
    return [*map(shown, numbers if len(numbers) == len(values) else values)]


def _words(label: str, values: "pd.Series[str]") -> dict[str, object]:
    """A dimension whose values are words, in their order."""
    words = list(values.cat.categories)
    return {
        "label": label,
        "values": values.cat.codes,
        "tickvals": list(range(len(words))),
        "ticktext": words,
    }


def _slowest(rows: pd.DataFrame) -> float:
    """The slowest trial to show."""
    return float(min(rows["slowdown"].max() * 1.05, SLOWEST_SHOWN))
