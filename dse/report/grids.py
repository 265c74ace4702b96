"""Figures of cells: the portability matrix, and parallelism within a thread against occupancy."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dse.report.data import ReportData, column
from dse.report.theme import LOSSES, styled
from dse.tables.text import slowdown, variant

#: Names of parameters that set how many independent operations a thread has in flight, in the order of preference.
ILP = ("accumulators", "chains", "unroll", "items", "per_thread", "outputs", "ilp")
#: The darkest slowdown in percent, in every report: what is far below the tolerances is as good as white.
DARKEST = 50
#: Slowdowns below this are shown as none.
LEAST_LOSS = 0.0005
ROW_HEIGHT = 34
CELL_HEIGHT = 30


def portability(data: ReportData) -> go.Figure:
    """Row: tuned for; column: runs on; cell: slowdown over the best there, in percent."""
    found = data.portability
    if isinstance(found, str):
        return styled(go.Figure(), f"Portability: {found}", 60)
    losses = [
        [None if ratio is None else (ratio - 1) * 100 for ratio in each.ratios] for _, each in found.named
    ]
    cells = [[*map(slowdown, each.ratios)] for _, each in found.named]
    names = [name for name, _ in found.named]
    hover = [[variant(each.parameters)] * len(found.cases) for _, each in found.named]
    figure = go.Figure(
        go.Heatmap(
            z=losses,
            x=[str(case) for case in found.cases],
            y=names,
            text=cells,
            customdata=hover,
            texttemplate="%{text}",
            hovertemplate="%{customdata}<br>on %{x}: %{text}",
            colorscale=LOSSES,
            zmin=0,
            zmax=DARKEST,
            showscale=False,
        )
    )
    figure.update_layout(xaxis={"side": "bottom", "title": "runs on"})
    figure.update_layout(yaxis={"autorange": "reversed", "title": "tuned for"})
    return styled(
        figure,
        "Portability: slowdown over the best of each GPU and workload",
        60 + ROW_HEIGHT * len(found.named),
    )


def has_portability(data: ReportData) -> bool:
    """Whether some variant loses anything where it was not tuned for."""
    found = data.portability
    return not isinstance(found, str) and any(
        (ratio or 1) - 1 > LEAST_LOSS for _, each in found.named for ratio in each.ratios
    )


def ilp_parameter(data: ReportData) -> str | None:
    """The parameter that sets the parallelism within a thread, by its name; None if there is none."""
    return next((name for word in ILP for name in data.varied if word in name), None)


def has_heat_map(data: ReportData) -> bool:
    """Whether there is such a parameter, and more than one occupancy."""
    return ilp_parameter(data) is not None and data.frame["occupancy"].nunique() > 1


def heat_map(data: ReportData) -> go.Figure:
    """The best slowdown for each parallelism within a thread and theoretical occupancy, one panel a GPU."""
    name, frame = ilp_parameter(data), data.frame
    if name is None or not has_heat_map(data):
        return styled(
            go.Figure(), "No parameter sets a thread's parallelism, or the occupancy is always the same", 60
        )
    gpus = [str(gpu) for gpu in frame["gpu"].cat.categories if (frame["gpu"] == gpu).any()]
    figure = make_subplots(1, len(gpus) or 1, subplot_titles=gpus, shared_yaxes=True)
    percents = (frame["occupancy"] * 100).round().astype("Int64")
    order = sorted(percents.dropna().unique())
    for place, gpu in enumerate(gpus):
        mine = frame["gpu"] == gpu
        cells = frame[mine].groupby([percents[mine], column(name)], observed=True)["slowdown"].min().unstack()
        cells = cells.reindex(order)
        text = [["" if np.isnan(cell) else f"{cell:.2f}" for cell in row] for row in cells.to_numpy(float)]
        grid = go.Heatmap(
            z=cells.to_numpy(float), x=cells.columns.astype(str), y=[f"{each}%" for each in order]
        )
        grid.update(text=text, texttemplate="%{text}", coloraxis="coloraxis")
        grid.update(
            hovertemplate=f"{name}=%{{x}}, occupancy %{{y}}: %{{z:.3f}}x the best<extra>{gpu}</extra>"
        )
        figure.add_trace(grid, 1, place + 1)
        figure.update_xaxes(title=name, type="category", col=place + 1)
    figure.update_yaxes(type="category")
    figure.update_yaxes(title="theoretical occupancy", col=1)
    figure.update_layout(coloraxis={"colorscale": LOSSES, "cmin": 1, "cmax": 1.5, "showscale": False})
    title = f"{name} against occupancy: the best slowdown of each combination"
    return styled(figure, title, 80 + CELL_HEIGHT * len(order))
