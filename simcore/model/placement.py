"""Which blocks run on which SM: round robin until the SMs are full, then the next block to the first free slot."""

import heapq

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy

EVEN = 1.25
"""Blocks whose instruction counts differ by less than this factor are assumed to take equally long: shared resources
even out small differences, so an SM with slightly less work does not get an extra block."""


def busiest_blocks(
    gpu: Gpu, launch: Launch, occupancy: Occupancy, instructions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The blocks of the SM that finishes last, in launch order.

    Args:
        instructions: warp instructions of each block, a proxy for its time.
    """
    sms = min(gpu.sms, launch.blocks)
    if instructions.max() <= EVEN * instructions.min():
        return np.arange(0, launch.blocks, sms)
    owner = _deal(sms, occupancy.blocks_per_sm, instructions)
    work = np.bincount(owner, weights=instructions, minlength=sms)
    return np.flatnonzero(owner == work.argmax())


def _deal(sms: int, slots: int, instructions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The SM of each block. Resident blocks share the SM, so a block takes its work times their number."""
    owner = np.empty(len(instructions), np.int64)
    first = min(sms * slots, len(instructions))
    owner[:first] = np.arange(first) % sms
    busy = np.bincount(owner[:first], minlength=sms)
    ends = [(int(instructions[b]) * int(busy[owner[b]]), int(owner[b])) for b in range(first)]
    heapq.heapify(ends)
    for block in range(first, len(instructions)):
        at, sm = heapq.heappop(ends)
        owner[block] = sm
        heapq.heappush(ends, (at + int(instructions[block]) * int(busy[sm]), sm))
    return owner
