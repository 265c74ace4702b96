"""Long kernels: time an SM's first blocks and extrapolate the rest at their rate.

In a kernel with many waves all waves are alike except the first, which starts together, and the tail, which leaves
slots empty. The rate in between, in cycles per warp instruction, gives the time of the blocks that are not timed. The
difference between the rates of the window's two halves is an estimate of the error. A kernel that is long because its
blocks are long is timed in full.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_INSTRUCTIONS = 2_000_000
"""Warp instructions per SM up to which all of them are timed: about a third of a second."""

MIN_WAVES = 6
"""Minimum number of waves to time: one to start, one for the tail, and four to measure the rate of."""


@dataclass(frozen=True)
class Extrapolation:
    """The contribution of the blocks that were not timed.

    Attributes:
        cycles: SM cycles.
        error: difference between the predictions from the window's two halves, as a fraction of the total time.
        timed_share: fraction of the SM's warp instructions that was timed.
    """

    cycles: int = 0
    error: float = 0.0
    timed_share: float = 1.0


def blocks_to_time(instructions: NDArray[np.int64], slots: int) -> int:
    """How many of an SM's blocks to time.

    Args:
        instructions: warp instructions of each of its blocks, in launch order.
        slots: resident blocks.
    """
    total = int(instructions.sum())
    if total <= MAX_INSTRUCTIONS:
        return len(instructions)
    enough = int(np.searchsorted(np.cumsum(instructions), MAX_INSTRUCTIONS))
    return min(max(enough, MIN_WAVES * slots), len(instructions))


def extrapolate(
    retired: NDArray[np.int64], instructions: NDArray[np.int64], slots: int, cycles: int
) -> Extrapolation:
    """Extrapolate from the timed blocks to the others.

    Args:
        retired: cycle at which each timed block retired, ascending.
        instructions: warp instructions of all of the SM's blocks, the timed ones first.
        slots: resident blocks.
        cycles: time of the timed blocks.
    """
    timed = len(retired)
    if timed == len(instructions):
        return Extrapolation()
    done = np.cumsum(instructions[:timed])
    first, last = slots, timed - slots - 1
    middle = (first + last) // 2
    pace, early, late = (
        (retired[b] - retired[a]) / (done[b] - done[a])
        for a, b in ((first, last), (first, middle), (middle, last))
    )
    left = int(instructions[timed:].sum())
    total = cycles + left * pace
    return Extrapolation(
        cycles=round(left * pace),
        error=float(left * abs(late - early) / total),
        timed_share=float(done[-1] / instructions.sum()),
    )
