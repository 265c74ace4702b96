"""The figures of a sweep, by name: `sweep.plot.winners()` in a notebook, and those of the report."""

from collections.abc import Callable

import plotly.graph_objects as go

from dse.errors import InputError
from dse.report import bars, grids, points
from dse.report.data import ReportData
from dse.service import Service

#: Every figure, in the order of the report.
FIGURES: dict[str, Callable[[ReportData], go.Figure]] = {
    "winners": bars.winners,
    "portability": grids.portability,
    "parameters": points.parameters,
    "importances": bars.importances,
    "stalls": bars.stalls,
    "heat_map": grids.heat_map,
    "sizes": points.sizes,
    "parallel": points.parallel,
    "progress": points.progress,
}


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

    def parameters(self) -> go.Figure:
        """The slowdown against each parameter."""
        return self._drawn("parameters")

    def importances(self) -> go.Figure:
        """The share of the variance that each parameter explains."""
        return self._drawn("importances")

    def stalls(self) -> go.Figure:
        """The warp states of some variants, from the fastest to the slowest."""
        return self._drawn("stalls")

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

    def _drawn(self, name: str) -> go.Figure:
        if not self._data.variants:
            raise InputError(
                f"sweep {self._data.sweep} has no complete trial yet, so there is nothing to draw"
            )
        return FIGURES[name](self._data)
