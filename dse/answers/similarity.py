"""How the errors of predictions hang together: variants that load a GPU alike are predicted too fast or too slow alike.

The logarithm of measured over predicted time is taken for a Gaussian process over the variants of a GPU and workload.
Its coordinates are not the parameters but what these do to the GPU: the predicted time, how full the SMs are, how much
of an SM a block takes, and for how much of the time each unit is busy.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
import numpy.typing as npt

from dse.store.records import VariantRecord
from simcore.diagnosis.units import UNITS

Floats = npt.NDArray[np.float64]
#: Reads the metrics of variants by their numbers, in any order, and perhaps of others, too.
ReadMetrics = Callable[[Sequence[VariantRecord]], Iterable[tuple[int, Mapping[str, Any]]]]

#: Coordinates of `loads` before those of the units.
FIGURES = 3


@dataclass(frozen=True)
class Errors:
    """How predictions err.

    Attributes:
        spread: standard deviation of the logarithm of measured over predicted time.
        per_doubling: two variants' correlation falls by a factor of e to the power of this for each doubling of the
            predicted time, of the achieved occupancy, and of the share of an SM that a block takes.
        per_unit: the same for each unit that is busy all of the time instead of never.
    """

    spread: float
    per_doubling: tuple[float, float, float]
    per_unit: float

    def covariance(self, these: Floats, those: Floats) -> Floats:
        """The covariance of two lists' logarithms of measured over predicted time, by their `loads`."""
        from scipy.spatial.distance import cdist

        distance = cdist(these[:, :FIGURES], those[:, :FIGURES], "cityblock", w=self.per_doubling)
        distance += self.per_unit * cdist(these[:, FIGURES:], those[:, FIGURES:])
        return np.asarray(self.spread**2 * np.exp(-distance))


#: Round numbers of greatest likelihood over the families measured on an H200 and an H100, whose spreads have this mean:
#: `python -m benchmarks.simulator.likeness`.
TYPICAL = Errors(spread=0.07, per_doubling=(0.8, 0.1, 0.1), per_unit=0.8)


def loads(variants: Sequence[VariantRecord], read: ReadMetrics) -> Floats:
    """How variants load their GPU: a row of coordinates for each."""
    rows = {number: _load(metrics) for number, metrics in read(variants)}
    return np.array([rows[variant.number] for variant in variants])


def _load(metrics: Mapping[str, Any]) -> Floats:
    """The coordinates; an unknown occupancy counts as full, an unknown unit as idle."""
    full = metrics.get("theoretical_occupancy") or 1.0
    achieved, blocks = metrics.get("achieved_occupancy") or full, metrics.get("blocks_per_sm") or 1
    busy = metrics.get("utilisation") or {}
    figures = metrics["time_us"], achieved, full / blocks
    return np.array([*map(log2, figures), *(busy.get(unit, 0.0) for unit in UNITS)])
