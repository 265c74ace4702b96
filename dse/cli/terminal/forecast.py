"""How long a space takes, in a sentence."""

from collections.abc import Sequence

from dse.evaluation.forecast import Failure, Forecast
from dse.tables.text import duration, variant

#: Core seconds of a point below which there is nothing to say about a comparison of outputs.
QUICK_S = 1.0
#: Ratio of the dearest pair of GPU and workload to the cheapest below which their difference is not worth a word.
UNEQUAL = 2.0


def total_s(found: Forecast, cores: int) -> float:
    """Seconds that all points take on so many cores; 0 if there are too many to count."""
    return (found.points or 0) * found.point_s / cores


def in_words(found: Forecast, cores: int) -> str:
    """What a point takes, which part of it is for `expect`, and what all points take on so many cores."""
    words = f"a point takes about {found.point_s:.2g} s of a core"
    if found.point_s >= QUICK_S and found.compared_s:
        words += f", {found.compared_s / found.point_s:.0%} of it to execute and compare the outputs"
    if found.range_s and found.range_s[1] > UNEQUAL * found.range_s[0]:
        least, most = found.range_s
        words += f", {least:.2g} to {most:.2g} s by GPU and workload"
    if found.points is not None:
        words += f"; all {found.points:,} about {duration(total_s(found, cores))} on {cores} idle cores"
    return f"{words} (from {found.tried} of them)"


def failures_in_words(failures: Sequence[Failure], tried: int) -> str:
    """How many of the points that were tried failed, and why the first of them did."""
    share = f"{len(failures)} of {tried}" if len(failures) < tried else f"all {tried}"
    first = failures[0]
    why = f"{type(first.error).__name__}: {first.error}"
    return f"{share} points that were tried failed, such as {first.gpu} {variant(first.point)}: {why}"
