"""Long kernels: time an SM's first blocks, and let the rest go on at their pace.

Of a kernel with many waves all are alike but the first, which starts together, and the last, which leaves slots empty.
So the pace between them, cycles for each warp instruction, tells how long the blocks take that are not timed. How far
the paces of the window's two halves lie apart tells how far to trust it. A kernel that is long because its blocks are
long is timed in full.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_INSTRUCTIONS = 2_000_000
"""Warp instructions of one SM up to which all of them are timed: about a third of a second."""

MIN_WAVES = 6
"""Waves that are timed at the least: one to start, one to end, and four to measure the pace of."""


@dataclass(frozen=True)
class Extrapolation:
    """What the blocks that were not timed add.

    Attributes:
        cycles: SM cycles.
        error: share of the whole time by which the window's two halves would have it differ.
        timed_share: share of the SM's warp instructions that was timed.
    """

    cycles: int = 0
    error: float = 0.0
    timed_share: float = 1.0


def blocks_to_time(instructions: NDArray[np.int64], slots: int) -> int:
    """How many of an SM's blocks to time.

    Args:
        instructions: warp instructions of each of its blocks, in the order of their launch.
        slots: blocks that reside at a time.
    """
    total = int(instructions.sum())
    if total <= MAX_INSTRUCTIONS:
        return len(instructions)
    enough = int(np.searchsorted(np.cumsum(instructions), MAX_INSTRUCTIONS))
    return min(max(enough, MIN_WAVES * slots), len(instructions))


def extrapolate(
    retired: NDArray[np.int64], instructions: NDArray[np.int64], slots: int, cycles: int
) -> Extrapolation:
    """What follows from the blocks that were timed for the others.

    Args:
        retired: cycle at which each timed block ended, in the order of their ends.
        instructions: of all of the SM's blocks; the timed ones are the first.
        slots: blocks that reside at a time.
        cycles: that the timed ones took.
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
