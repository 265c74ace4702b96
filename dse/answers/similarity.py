"""How the errors of predictions hang together: variants that are alike are predicted too fast or too slow alike.

The logarithm of measured over predicted time is taken for a Gaussian process over the variants. Its three rates and its
spread are round numbers, chosen on families measured on an H200 and an H100: by the likelihood of those of calibration,
and by the variants that are proposed for all of them. `python -m benchmarks.simulator.ties` scores them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import log2

import numpy as np
import numpy.typing as npt

from dse.store.records import VariantRecord
from search_spaces import Value

Floats = npt.NDArray[np.float64]

#: Standard deviation of the logarithm of measured over predicted time.
SPREAD = 0.10
#: Two variants' correlation falls by a factor of e to the power of this, if a parameter is at either end of its values,
#: and for each doubling of the size of the code and of the predicted time.
PER_RANGE, PER_CODE_DOUBLING, PER_TIME_DOUBLING = 0.5, 0.5, 1.0


def covariance(
    these: Sequence[VariantRecord], those: Sequence[VariantRecord], parameters: Mapping[str, Sequence[Value]]
) -> Floats:
    """The covariance of two lists' logarithms of measured over predicted time, of one GPU and workload."""
    distance = PER_TIME_DOUBLING * _apart(these, those, lambda trial: log2(trial.score))
    for name, values in parameters.items():
        if len(values) > 1:
            places = {value: place / (len(values) - 1) for place, value in enumerate(values)}
            distance += PER_RANGE * _apart(these, those, partial(_place, name, places))
    if all(trial.code_bytes for trial in those):
        distance += PER_CODE_DOUBLING * _apart(these, those, lambda trial: log2(trial.code_bytes or 1))
    return SPREAD**2 * np.exp(-distance)


def _place(name: str, places: Mapping[Value, float], trial: VariantRecord) -> float:
    return places[trial.parameters[name]]


def _apart(
    these: Sequence[VariantRecord], those: Sequence[VariantRecord], value: Callable[[VariantRecord], float]
) -> Floats:
    rows, columns = (np.array([value(trial) for trial in trials]) for trials in (these, those))
    apart: Floats = np.abs(rows[:, None] - columns[None])
    return apart
