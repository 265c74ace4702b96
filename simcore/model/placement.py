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


def last_blocks(
    gpu: Gpu,
    launch: Launch,
    occupancy: Occupancy,
    executed: NDArray[np.int64],
    longest: NDArray[np.int64],
) -> list[NDArray[np.int64]]:
    """The blocks, in launch order, of each SM that may finish last: the one with most work, and the one with the
    longest warp if all warps of the former are shorter.

    Args:
        executed: warp instructions of each block, a proxy for its time.
        longest: the most that one warp of each block executes.
    """
    sms = min(gpu.sms, launch.blocks)
    if executed.max() <= EVEN * executed.min():
        owner = np.arange(launch.blocks) % sms
        busiest = 0
    else:
        owner = _deal(sms, occupancy.blocks_per_sm, executed)
        busiest = int(np.bincount(owner, weights=executed, minlength=sms).argmax())
    blocks = np.flatnonzero(owner == busiest)
    with_longest = owner[longest.argmax()]
    if longest.max() <= EVEN * longest[blocks].max():
        return [blocks]
    return [blocks, np.flatnonzero(owner == with_longest)]


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
