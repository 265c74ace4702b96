"""Choice of the trials of a large sweep with runs in MLflow: the best, the Pareto front, an even spread."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from dse.store import SweepSpec

_Item = TypeVar("_Item")

#: Maximum fraction of the children for the best of each GPU and workload and the Pareto fronts.
BEST_SHARE = 0.5
#: Fraction of the children reserved for Pareto fronts if there are several objectives.
FRONT_SHARE = 0.25
#: The golden ratio: its multiples modulo 1 fill an interval evenly without a period.
GOLDEN_RATIO = (5**0.5 - 1) / 2


def best_room(spec: SweepSpec, children: int) -> int:
    """Number of children reserved for the best and for the fronts."""
    winners = len(spec.gpus) * len(spec.workloads)
    front = int(children * FRONT_SHARE) if len(spec.objectives) > 1 else 0
    return min(winners + front, int(children * BEST_SHARE))


def spread(total: int, room: int) -> set[int]:
    """At most `room` trial numbers spread evenly over a sweep: one from each of as many equal intervals.

    Positions within the intervals are aperiodic, so that every GPU and value gets its share. The numbers are known
    before the first trial is recorded.
    """
    room = min(room, total)
    if room < 1:
        return set()
    edges = [-(-stretch * total // room) for stretch in range(room + 1)]
    return {
        low + int((high - low) * (stretch * GOLDEN_RATIO % 1))
        for stretch, (low, high) in enumerate(pairwise(edges))
    }


def evenly(items: Sequence[_Item], room: int) -> list[_Item]:
    """At most `room` of the items, equally spaced, including the first and the last."""
    if len(items) <= room:
        return list(items)
    return [items[int(index)] for index in np.linspace(0, len(items) - 1, room)] if room else []
