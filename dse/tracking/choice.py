"""Which trials of a large sweep MLflow shows: the best, the Pareto front, and an even spread of the rest."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dse.store import SweepSpec

_Item = TypeVar("_Item")

#: The most of the children, as a share, that the best of each GPU and workload and the Pareto fronts may take.
BEST_SHARE = 0.5
#: Of all children, the share that is kept for Pareto fronts where there are several objectives.
FRONT_SHARE = 0.25
#: Its multiples, modulo 1, fill an interval evenly and in step with nothing.
GOLDEN_RATIO = (5**0.5 - 1) / 2


def best_room(spec: SweepSpec, children: int) -> int:
    """How many of the children are kept for the best and for the fronts."""
    winners = len(spec.gpus) * len(spec.workloads)
    front = int(children * FRONT_SHARE) if len(spec.objectives) > 1 else 0
    return min(winners + front, int(children * BEST_SHARE))


def spread(total: int, room: int) -> set[int]:
    """Numbers of trials spread evenly over a sweep, at most `room`: one from each of as many equal stretches.

    Where in its stretch a number lies follows no period, so that every GPU and value has its share; which numbers
    these are is known before the first trial is recorded.
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
    """At most `room` of the items, the first and the last among them, at equal distances."""
    if len(items) <= room:
        return list(items)
    return [items[int(index)] for index in np.linspace(0, len(items) - 1, room)] if room else []


def pareto_front(values: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """The rows that no other row beats or equals in every column, less being better; by the first column."""
    order = np.lexsort(values.T[::-1])
    left, position = values[order], 0
    while position < len(left):
        stays = (left < left[position]).any(axis=1)
        stays[position] = True
        position = int(stays[:position].sum()) + 1
        left, order = left[stays], order[stays]
    return order
