"""One trial in full, with its hot spots."""

import math
from dataclasses import dataclass
from typing import Any

from dse.answers.traffic import limit_in_words, traffic
from dse.evaluation.points import with_fields
from dse.notebooks import html_table
from dse.report.hot_spots import HotSpot, hot_spots
from dse.requests.specs import restore_space
from dse.store import SweepSpec, Trial
from search_spaces import Space
from search_spaces.contents import bytes_of_buffers
from simcore import Gpu, load_gpu
from simcore.diagnosis.waves import Waves
from simcore.model.occupancy import in_words


@dataclass(frozen=True, repr=False)
class Explanation:
    """Where the time of a trial goes.

    Attributes:
        trial: the trial, with its stalls, its limit and its advice.
        speedup: over the space's first point on the same GPU and workload; None if that is unknown.
        hot_spots: the source lines with the most stalls, the hottest first.
        occupancy: achieved and theoretical, the arithmetic of each limit, and how far the grid fills the GPU.
        traffic: what the memories move, and the roofline.
    """

    trial: Trial
    speedup: float | None
    hot_spots: tuple[HotSpot, ...]
    occupancy: tuple[str, ...]
    traffic: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Explanation({self.trial!r}, {limit_in_words(self.trial)})"

    def __str__(self) -> str:
        if self.trial.state == "failed":
            return f"{self.trial!r}: {self.trial.message}"
        spots = [f"{spot.share:.0%}  {spot.place}  {spot.text}  {spot.waits_for}" for spot in self.hot_spots]
        parts = [[repr(self)], spots, self.occupancy, self.traffic, self.trial.advice]
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def _repr_html_(self) -> str:
        """The hot spots as a table, below everything else; for notebooks."""
        parts = [[repr(self), self.trial.message or ""], self.occupancy, self.traffic, self.trial.advice]
        head = ("stalls", "place", "line", "waits for")
        spots = [(f"{spot.share:.0%}", spot.place, spot.text, spot.waits_for) for spot in self.hot_spots]
        return html_table("\n".join(line for lines in parts for line in lines if line), head, spots)

    def row(self) -> dict[str, Any]:
        """Everything as one record."""
        trial = self.trial
        return {
            "trial": trial.number,
            "gpu": trial.gpu,
            "parameters": dict(trial.parameters),
            "state": trial.state,
            "reason": trial.reason,
            "message": trial.message,
            "limit": trial.limit,
            "speedup": self.speedup,
            "same_code_as": trial.same_code_as,
            "stalls": trial.stalls,
            "hot_spots": [dict(vars(spot)) for spot in self.hot_spots],
            "occupancy_lines": list(self.occupancy),
            "traffic": list(self.traffic),
            "advice": list(trial.advice),
            "metrics": {name: value for name, value in trial.metrics.items() if name != "advice"},
        }


def explanation(spec: SweepSpec, trial: Trial, speedup: float | None) -> Explanation:
    """One trial in full; of a failed one, only why.

    Raises:
        SimcoreError: the trial can no longer be simulated.
    """
    if trial.state == "failed":
        return Explanation(trial, None, (), (), ())
    space = restore_space(spec)
    lines = traffic(trial, _gpu_of(space, trial), bytes_of_buffers(space.arguments(trial.parameters)))
    hottest, occupancy = hot_spots(spec, trial), occupancy_lines(spec, trial)
    return Explanation(trial, speedup, tuple(hottest), tuple(occupancy), tuple(lines))


def occupancy_lines(spec: SweepSpec, trial: Trial) -> list[str]:
    """Achieved and theoretical occupancy, the arithmetic of each limit, and how far the grid fills the GPU."""
    metrics, occupancy = trial.metrics, trial.metrics.get("occupancy", {})
    limiters = in_words(occupancy.get("limiters", ()))
    head = (
        f"occupancy {metrics['achieved_occupancy']:.0%} of {metrics['theoretical_occupancy']:.0%} theoretical: "
        f"{metrics['blocks_per_sm']} blocks per SM, limited by {limiters}; "
        f"{metrics['registers_per_thread']} registers per thread, {metrics['local_bytes_per_thread']} bytes of "
        f"local memory per thread, {metrics['shared_bytes_per_block']} bytes of shared memory per block"
    )
    space = restore_space(spec)
    blocks, sms = math.prod(space.launch(trial.parameters).grid), _gpu_of(space, trial).sms
    waves = Waves(blocks, sms, metrics["blocks_per_sm"])
    grid = f"grid: {blocks:,} blocks, {waves.number:,.3g} waves of {sms} SMs x {waves.per_sm} blocks"
    return [head, *(f"  {line}" for line in (*occupancy.get("arithmetic", ()), grid))]


def _gpu_of(space: Space, trial: Trial) -> Gpu:
    return load_gpu(with_fields(space.machine(trial.gpu), space.gpu_fields(trial.parameters)))
