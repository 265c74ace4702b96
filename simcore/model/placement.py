"""Which blocks an SM gets: the hardware deals one to each SM in turn, then the next to whichever has room first."""

import heapq

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy

EVEN = 1.25
"""Blocks whose instructions differ by less than this factor are taken to last equally long: what SMs share evens them
out, and who has a little less to do does not get a block more for it."""


def busiest_blocks(
    gpu: Gpu, launch: Launch, room: Occupancy, instructions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The blocks of the SM that ends last, in the order in which it starts them.

    Args:
        instructions: warp instructions of each block, which stand for the time that it takes.
    """
    sms = min(gpu.sms, launch.blocks)
    if instructions.max() <= EVEN * instructions.min():
        return np.arange(0, launch.blocks, sms)
    owner = _deal(sms, room.blocks_per_sm, instructions)
    work = np.bincount(owner, weights=instructions, minlength=sms)
    return np.flatnonzero(owner == work.argmax())


def _deal(sms: int, slots: int, instructions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The SM of each block. Residents of an SM share it, so a block lasts as long as its work times their number."""
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
