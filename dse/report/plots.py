"""The figures of a sweep, by name: `sweep.plot.winners()` in a notebook, and those of the report."""

from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go

from dse.answers.summary import why_unranked
from dse.errors import InputError
from dse.report import bars, grids, limits, points
from dse.report.data import ReportData
from dse.report.pictures import made_folder, write_pictures
from dse.service import Service

#: Every figure, in the order of the report.
FIGURES: dict[str, Callable[[ReportData], go.Figure]] = {
    "winners": bars.winners,
    "portability": grids.portability,
    "front": limits.front,
    "parameters": points.parameters,
    "importances": bars.importances,
    "stalls": bars.stalls,
    "roofline": limits.roofline,
    "heat_map": grids.heat_map,
    "sizes": points.sizes,
    "parallel": points.parallel,
    "progress": points.progress,
    "hypervolume": limits.hypervolume,
}
#: When a figure has something to show; the others always do.
_SHOWS: dict[str, Callable[[ReportData], bool]] = {
    "portability": grids.has_portability,
    "front": lambda data: len(data.spec.objectives) > 1,
    "parameters": lambda data: bool(data.varied),
    "importances": lambda data: not bars.importance_table(data).empty,
    "roofline": limits.has_roofline,
    "heat_map": grids.has_heat_map,
    "progress": lambda data: not data.spec.is_exhaustive,
    "hypervolume": lambda data: len(data.spec.objectives) > 1 and not data.spec.is_exhaustive,
}


def drawn(data: ReportData) -> dict[str, go.Figure]:
    """The figures that have something to show; none without a complete trial."""
    if not data.variants:
        return {}
    return {name: draw(data) for name, draw in FIGURES.items() if name not in _SHOWS or _SHOWS[name](data)}


class Plots:
    """The figures of a sweep as plotly figures, from what is recorded when the first one is asked for.

    Raises:
        InputError: (of each figure) the sweep has no complete trial yet.
    """

    def __init__(self, service: Service, sweep: str) -> None:
        self._data = ReportData(service, sweep)

    def __repr__(self) -> str:
        return f"Plots({self._data.sweep!r}): {', '.join(FIGURES)}"

    def winners(self) -> go.Figure:
        """The best of each GPU and workload, with their ties and the recommended variant."""
        return self._drawn("winners")

    def portability(self) -> go.Figure:
        """The slowdown of each best variant on all GPUs and workloads."""
        return self._drawn("portability")

    def front(self) -> go.Figure:
        """The Pareto front of several objectives."""
        return self._drawn("front")

    def parameters(self) -> go.Figure:
        """The slowdown against each parameter."""
        return self._drawn("parameters")

    def importances(self) -> go.Figure:
        """The share of the variance that each parameter explains."""
        return self._drawn("importances")

    def stalls(self) -> go.Figure:
        """The warp states of some variants, from the fastest to the slowest."""
        return self._drawn("stalls")

    def roofline(self) -> go.Figure:
        """Warp instructions per second against those per byte of DRAM and L2 traffic."""
        return self._drawn("roofline")

    def heat_map(self) -> go.Figure:
        """Parallelism within a thread against occupancy."""
        return self._drawn("heat_map")

    def sizes(self) -> go.Figure:
        """The slowdown against registers and code size."""
        return self._drawn("sizes")

    def parallel(self) -> go.Figure:
        """Parallel coordinates of all parameters."""
        return self._drawn("parallel")

    def progress(self) -> go.Figure:
        """The best so far over the trials."""
        return self._drawn("progress")

    def hypervolume(self) -> go.Figure:
        """The share of the hypervolume that the first trials dominate, of several objectives."""
        return self._drawn("hypervolume")

    def save(self, folder: str | Path) -> list[Path]:
        """Write each figure that has something to show as a PNG; needs the extra `plots`, and Chrome or Chromium.

        Raises:
            InputError: the sweep has no complete trial yet, the folder cannot be written, or there is no browser.
        """
        self._check()
        folder = made_folder(Path(folder))
        return write_pictures(drawn(self._data), folder)

    def _drawn(self, name: str) -> go.Figure:
        self._check()
        figure = FIGURES[name](self._data)
        return figure if figure.data else figure.update_xaxes(visible=False).update_yaxes(visible=False)

    def _check(self) -> None:
        if not self._data.variants:
            why = why_unranked(self._data.status.counts.complete, self._data.spec)
            raise InputError(f"sweep {self._data.sweep} has {why}, so there is nothing to draw")
