"""By how much two predicted times must differ before the model can tell which variant is the faster one.

Measured by `python -m benchmarks.simulator.ties`, over the catalog and the families on an H200 and an H100 SXM, whose
profiles are calibrated.
"""

from collections.abc import Mapping

from search_spaces.metrics import NO_METRICS, UserMetrics

#: Objectives that are times; all others are counted, so only equal values are ties.
TIMES = ("time_us", "cycles")

#: By the profile's label: the GPU's fastest variant is within this of the fastest prediction in 95 % of the cases. The
#: H100 SXM alone needs 6 %. No GPU with a derived or an extrapolated profile has been measured; as much, and twice as
#: much, are assumptions.
TOLERANCE: Mapping[str, float] = {"calibrated": 0.10, "derived": 0.10, "extrapolated": 0.20}


def tolerance_of(metric: str, label: str | None, own: UserMetrics = NO_METRICS) -> float:
    """The relative difference below which two values of an objective are a tie, on a profile with this label.

    A metric of the user's `own` that depends on a time is as far off as that time.
    """
    is_time = not own.ingredients(metric).isdisjoint(TIMES)
    return TOLERANCE.get(label or "", TOLERANCE["extrapolated"]) if is_time else 0.0


def in_words(tolerances: Mapping[str, float]) -> str:
    """What ties are, for tolerances by the profile's label."""
    if not any(tolerances.values()):
        return "as good as the best"
    limits = ", ".join(f"{tolerance:.0%} ({label})" for label, tolerance in tolerances.items())
    return f"within {limits} of the best, too close for the model to tell which is the fastest"
