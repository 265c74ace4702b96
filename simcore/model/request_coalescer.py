"""The L2 request coalescer (LRC): requests of SMs that read the same lines at the same time reach L2 as fewer.

Resident blocks that read the same operand, as those of a row or a column of a matrix product do, begin together and go
on at the same pace. Between the SMs and L2, the coalescer of a Hopper GPU sends requests of several SMs for a line on
as one, up to four of them, and answers all; so they get such lines at a higher rate than lines of their own
(benchmarks/silicon/micro/l2/read_together). Blocks in a row are dealt to SMs of one coalescer, blocks far apart often
are not; where nearly all SMs read all of a buffer, they may as well begin at different places. Which blocks share a
line when is not asked here: costs are between what these measure. Where data say what is read, blocks are not in step,
and words of a table that each warp reads elsewhere are not in lines that others want then: requests for parts of lines
take as long as before (micro/l2/small_tables).
"""

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy

Shares = NDArray[np.float64]


def readers_in_step(launch: Launch, occupancy: Occupancy, sms: int, touched: Shares) -> Shares:
    """How many SMs read a line of each buffer at the same time, 1 to `sms`: as many as the bytes that a wave's blocks
    touch, added up, hold the buffer.

    Args:
        touched: bytes of each buffer that all blocks touch, added up.
    """
    waves = max(launch.blocks / (sms * occupancy.blocks_per_sm), 1.0)
    starts, ends = launch.addresses
    readers: Shares = touched / waves / np.maximum(ends - starts, 1)
    return np.clip(readers, 1.0, sms)


def coalesced_cost(gpu: Gpu, readers: Shares) -> Shares:
    """Time of L2 for a sector that so many SMs read at the same time, next to one that an SM reads by itself."""
    costs = [1.0, *gpu.l2_coalesced_costs]
    found: Shares = np.interp(np.log2(readers), np.arange(len(costs)), costs)
    return found
