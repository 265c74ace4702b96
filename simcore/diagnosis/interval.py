"""How far a time may be from the predicted one: what predictions with the same limit were off by.

`measured_errors.yaml` has the 5th and the 95th percentile of measured over predicted times, over the launches of the
catalog and of the families on the GPUs that were measured, each family with the same weight. `python -m
benchmarks.simulator.intervals` makes it, and says how often it holds for a family that had no part in it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from simcore.diagnosis.regime import Regime
from simcore.diagnosis.units import NEAR_PEAK, UNITS, busiest

FILE = Path(__file__).with_name("measured_errors.yaml")
EVERY = "every limit"
"""The entry over all launches, for limits of which too few families were measured."""

UNMEASURED = 2.0
"""The power of the ratios for profiles of GPUs that were not measured: an assumption, as for ties."""

MEASURED_LABELS = ("calibrated", "derived")
"""The labels of the profiles whose predictions were compared with measured times."""


def limit_of(regime: Regime, issue_active: float, utilisation: Mapping[str, float]) -> str:
    """What errors are told apart by: the regime, and of bandwidth the unit whose it is."""
    unit, share = busiest(issue_active, utilisation)
    is_of_unit = regime == "bandwidth" and share >= NEAR_PEAK
    return f"{regime} ({UNITS[unit].short})" if is_of_unit else regime


def interval(time_us: float, limit: str, label: str, time_error: float) -> tuple[float, float]:
    """The times between which nine of ten such launches are, in microseconds.

    Args:
        time_us: the prediction.
        limit: as `limit_of` says.
        label: of the GPU's profile.
        time_error: estimated relative error of what was extrapolated.
    """
    errors = measured_errors()
    low, high = errors.get(limit, errors[EVERY])
    power = 1.0 if label in MEASURED_LABELS else UNMEASURED
    return time_us * low**power / (1 + time_error), time_us * high**power * (1 + time_error)


@cache
def measured_errors() -> dict[str, tuple[float, float]]:
    """The percentiles of measured over predicted time by limit."""
    entries = yaml.safe_load(FILE.read_text())["limits"]
    return {limit: (entry["low"], entry["high"]) for limit, entry in entries.items()}
