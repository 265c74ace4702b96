"""Long kernels: time some of an SM's blocks, at the beginning, in the middle and at the end, and infer the others.

In a kernel with many waves each is like those near it, except the first, which starts together, and the tail, which
leaves slots empty. Blocks of three windows are timed, one window after the other in one run; each shows a rate, in
cycles per warp instruction, and the blocks between two windows go at the mean of both rates. Half of the range of the
rates of all halves of windows is an estimate of the error. A kernel that is long because its blocks are long is
timed in full.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_INSTRUCTIONS = 2_000_000
"""Warp instructions per SM up to which all of them are timed: about a third of a second."""

WINDOWS = 3

MIN_WAVES = 3
"""Waves of a window at least: one in which it begins, and two to measure the rate of; the last has its tail beside."""

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Extrapolation:
    """The contribution of the blocks that were not timed.

    Attributes:
        cycles: SM cycles.
        error: how far these may be off, as a fraction of the total time.
        timed_share: fraction of the SM's warp instructions that was timed.
    """

    cycles: int = 0
    error: float = 0.0
    timed_share: float = 1.0


class _Rate(NamedTuple):
    """Cycles per warp instruction in a window, and in its halves."""

    pace: float
    early: float
    late: float


def blocks_to_time(instructions: NDArray[np.int64], slots: int) -> Indices:
    """Which of an SM's blocks to time: their places in the launch order, ascending.

    Args:
        instructions: warp instructions of each of its blocks, in launch order.
        slots: resident blocks.
    """
    count = len(instructions)
    done = np.concatenate([np.zeros(1, np.int64), np.cumsum(instructions)])
    if done[-1] <= MAX_INSTRUCTIONS:
        return np.arange(count)
    chosen = np.zeros(count, bool)
    for window in range(WINDOWS):
        waves = MIN_WAVES + (window == WINDOWS - 1)
        middle = done[-1] * window / (WINDOWS - 1)
        least = MAX_INSTRUCTIONS / WINDOWS
        begin = min(max(middle - least / 2, 0), done[-1] - least)
        first, last = np.searchsorted(done, [begin, begin + least])
        more = max(waves * slots - (last - first), 0)
        first = min(max(first - more // 2, 0), max(count - waves * slots, 0))
        chosen[first : max(last, first + waves * slots)] = True
    return np.flatnonzero(chosen)


def extrapolate(
    retired: NDArray[np.int64], timed: Indices, instructions: NDArray[np.int64], slots: int, cycles: int
) -> Extrapolation:
    """Infer the blocks that were not timed.

    Args:
        retired: cycle at which each timed block retired, ascending.
        timed: the places of the timed blocks in the launch order.
        instructions: warp instructions of all of the SM's blocks.
        slots: resident blocks.
        cycles: time of the timed blocks.
    """
    gaps = np.flatnonzero(np.diff(timed) > 1)
    if not len(gaps):
        return Extrapolation()
    ends = [*(gaps + 1).tolist(), len(timed)]
    begins = [0, *ends[:-1]]
    done = np.cumsum(instructions[timed])
    rates = [
        _rate(retired, done, begin + slots - 1, end - 1 - (slots if end == len(timed) else 0))
        for begin, end in zip(begins, ends, strict=True)
    ]
    between = [float(instructions[timed[gap] + 1 : timed[gap + 1]].sum()) for gap in gaps]
    left = sum(
        count * (before.pace + after.pace) / 2
        for count, before, after in zip(between, rates, rates[1:], strict=False)
    )
    spread = np.ptp([rate[1:] for rate in rates]) / 2
    return Extrapolation(
        cycles=round(left),
        error=float(sum(between) * spread / (cycles + left)),
        timed_share=float(done[-1] / instructions.sum()),
    )


def _rate(retired: NDArray[np.int64], done: NDArray[np.int64], first: int, last: int) -> _Rate:
    """The rate from one block's end to another's."""
    middle = (first + last) // 2
    pace, early, late = (
        float((retired[b] - retired[a]) / (done[b] - done[a]))
        for a, b in ((first, last), (first, middle), (middle, last))
    )
    return _Rate(pace, early, late)
