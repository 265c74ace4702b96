"""Figures of what bounds the variants: the instruction roofline, and the Pareto front of several objectives."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dse.answers.front import hypervolumes, pareto_front
from dse.report.data import ReportData, thinned
from dse.report.theme import colours, mark, styled
from dse.store import TrialRecord
from simcore import Gpu, load_gpu

#: Marks of each case in the front.
FRONT_MARKS = 400
#: Steps of each case's hypervolume.
STEPS = 200
#: Cases whose fronts are drawn, and panels for further objectives.
FRONTS, PANELS = 8, 3
#: The memories of the roofline: the metric of their traffic.
MEMORIES = {"DRAM": "dram_bytes", "L2": "l2_bytes"}
#: How far the roofs go beyond the marks.
MARGIN = 2.0


def roofline(data: ReportData) -> go.Figure:
    """The instruction roofline: warp instructions per second against those per byte of DRAM and of L2 traffic."""
    panels = _panels(data)
    figure = make_subplots(1, len(panels) or 1, subplot_titles=[*panels], shared_yaxes=True)
    palette, told = colours(data.spec.gpus), set[str]()
    for place, (memory, marks) in enumerate(panels.items()):
        x = np.geomspace(marks["intensity"].min() / MARGIN, marks["intensity"].max() * MARGIN, 60)
        for gpu, few in marks.groupby("gpu", sort=False):
            colour, look = palette[str(gpu)], {"name": str(gpu), "legendgroup": str(gpu)}
            dots = go.Scatter(x=few["intensity"], y=few["rate"], mode="markers", text=few["variant"], **look)
            dots.update(hovertemplate="%{text}<br>%{y:,.4g} G warp instructions/s", marker=mark(colour))
            figure.add_trace(dots.update(showlegend=str(gpu) not in told), 1, place + 1)
            told.add(str(gpu))
            rates = _roof(load_gpu(data.spec.machine(str(gpu))), memory, x)
            roof = go.Scatter(x=x, y=rates, mode="lines", line_color=colour, **look)
            figure.add_trace(roof.update(showlegend=False, hoverinfo="skip"), 1, place + 1)
        figure.update_xaxes(title=f"warp instructions per byte of {memory} traffic", col=place + 1)
    figure.update_xaxes(type="log")
    figure.update_yaxes(type="log")
    figure.update_yaxes(title="G warp instructions/s", col=1)
    return styled(figure, "Instruction roofline" if panels else "Roofline: no memory traffic is known")


def not_on_the_roofline(data: ReportData) -> list[str]:
    """A sentence for each memory to which some variants move nothing, so that they have no mark."""
    notes = []
    for memory in _panels(data):
        few = [trial for trial in data.sampled if trial.metrics.get(MEMORIES[memory]) == 0]
        if few:
            best = [best.gpu for best in data.winners if best.trial.metrics.get(MEMORIES[memory]) == 0]
            among = f", the best on {', '.join(dict.fromkeys(best))} among them" if best else ""
            notes.append(
                f"{len(few):,} of {len(data.sampled):,} trials have no {memory} traffic, so no mark there{among}."
            )
    return notes


def has_roofline(data: ReportData) -> bool:
    """Whether the traffic of some variant is known."""
    return bool(_panels(data))


def front(data: ReportData) -> go.Figure:
    """The first objective against each further one, and what no other variant of its GPU and workload beats."""
    metrics = [metric for _, metric in data.spec.objectives[1 : PANELS + 1]]
    if not metrics:
        return styled(go.Figure(), "Front: the sweep has a single objective", 60)
    figure = make_subplots(1, len(metrics), shared_yaxes=True)
    palette = colours(name for name, _ in data.cases)
    for name, rows in data.cases[:FRONTS]:
        rows = rows.dropna(subset=metrics)
        best = on_front(data, rows)
        for place, metric in enumerate(metrics):
            where = {"row": 1, "col": place + 1}
            look = {"name": name, "legendgroup": name}
            few = thinned(rows, FRONT_MARKS)
            dots = go.Scatter(x=few[metric], y=few["value"], mode="markers", hoverinfo="skip", **look)
            dots.update(marker=mark(palette[name]))
            figure.add_trace(dots.update(showlegend=False), **where)
            text = [data.written(row) for _, row in best.iterrows()]
            line = go.Scatter(x=best[metric], y=best["value"], mode="lines+markers", text=text, **look)
            line.update(marker_color=palette[name], hovertemplate="%{text}<br>%{x:,.4g}, %{y:,.4g}")
            figure.add_trace(line.update(showlegend=place == 0), **where)
            figure.update_xaxes(title=metric, **where)
    figure.update_yaxes(type="log")
    figure.update_yaxes(title=data.objective, col=1)
    return styled(figure, "Front: what no other variant beats in every objective")


def hypervolume(data: ReportData) -> go.Figure:
    """How much of the hypervolume that all trials dominate the first ones do, of each GPU and workload."""
    figure, palette = go.Figure(), colours(name for name, _ in data.cases)
    for name, rows in data.cases[:FRONTS]:
        ordered = _known(data, rows.sort_values("number"))
        if ordered.empty:
            continue
        counts = np.unique(np.linspace(1, len(ordered), min(len(ordered), STEPS)).astype(int))
        share = hypervolumes(_objectives(data, ordered), counts.tolist())
        figure.add_scatter(
            x=ordered["number"].to_numpy()[counts - 1],
            y=share,
            name=name,
            mode="lines",
            line={"shape": "hv", "color": palette[name]},
        )
    figure.update_layout(xaxis_title="trial", yaxis={"title": "share of the hypervolume", "range": [0, 1.02]})
    return styled(figure, "Hypervolume: how much of the front the first trials had found")


def on_front(data: ReportData, rows: pd.DataFrame) -> pd.DataFrame:
    """The Pareto front among rows of one GPU and workload, sorted by the first objective."""
    known = _known(data, rows)
    return known.iloc[pareto_front(_objectives(data, known))]


def _known(data: ReportData, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a value of every objective."""
    return rows.dropna(subset=[metric for _, metric in data.spec.objectives[1:]])


def _objectives(data: ReportData, rows: pd.DataFrame) -> np.ndarray:
    """The objectives of rows, lower is better: an array of shape (rows, objectives)."""
    values = rows[["score", *(metric for _, metric in data.spec.objectives[1:])]].to_numpy(float)
    return values * [1.0, *data.spec.signs[1:]]


def _panels(data: ReportData) -> dict[str, pd.DataFrame]:
    """The marks of each memory that has traffic."""
    marks = {memory: _intensities(data.sampled, metric) for memory, metric in MEMORIES.items()}
    return {memory: few for memory, few in marks.items() if not few.empty}


def _intensities(trials: list[TrialRecord], metric: str) -> pd.DataFrame:
    """Instructions per byte and per second (in thousands of millions) of the trials that move any."""
    rows = [
        {
            "gpu": trial.gpu,
            "variant": " ".join(f"{name}={value}" for name, value in trial.parameters.items()),
            "intensity": trial.metrics["warp_instructions"] / trial.metrics[metric],
            "rate": trial.metrics["warp_instructions"] / trial.metrics["time_us"] / 1e3,
        }
        for trial in trials
        if trial.metrics.get("warp_instructions") and trial.metrics.get(metric) and trial.time_us
    ]
    return pd.DataFrame(rows, columns=["gpu", "variant", "intensity", "rate"])


def _roof(gpu: Gpu, memory: str, intensity: np.ndarray) -> np.ndarray:
    """The highest rate at an intensity: what the schedulers issue, or what the memory feeds; G warp instructions/s."""
    issue = gpu.sms * gpu.schedulers_per_sm * gpu.clock_mhz / 1e3
    l2_gb_per_s = gpu.l2_bytes_per_cycle_per_sm * gpu.sms * gpu.clock_mhz / 1e3
    gb_per_s = gpu.dram_gb_per_s if memory == "DRAM" else l2_gb_per_s
    return np.minimum(issue, intensity * gb_per_s)
