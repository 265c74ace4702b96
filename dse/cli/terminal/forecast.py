"""How long a space takes, in a sentence."""

import os

from dse.evaluation.forecast import Forecast
from dse.tables.text import duration

#: Core seconds of a point below which there is nothing to say about a comparison of outputs.
QUICK_S = 1.0


def in_words(found: Forecast) -> str:
    """What a point takes, which part of it is for `expect`, and what all points take on this machine."""
    words = f"a point takes about {found.point_s:.2g} s of a core"
    if found.point_s >= QUICK_S and found.compared_s:
        words += f", {found.compared_s / found.point_s:.0%} of it to execute and compare the outputs"
    if found.points is not None:
        cores = len(os.sched_getaffinity(0))
        seconds = found.points * found.point_s / cores
        words += f"; all {found.points:,} about {duration(seconds)} on {cores} idle cores"
    return f"{words} (from {found.tried} of them)"
