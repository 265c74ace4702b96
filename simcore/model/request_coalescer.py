"""The L2 request coalescer (LRC): requests of SMs that read the same lines at the same time reach L2 as fewer.

Resident blocks that read the same operand, as those of a row or a column of a matrix product do, begin together and go
on at the same pace. Between the SMs and L2, the coalescer of a Hopper GPU sends requests of several SMs for a line on
as one, up to four of them, and answers all; so they get such lines at a higher rate than lines of their own
(benchmarks/silicon/micro/l2/read_together, burst_reads). Blocks in a row are dealt to SMs of one coalescer, and two of
them are enough; of blocks far apart it takes sixteen and more until some meet there. Where all SMs read all of a
buffer, but each begins elsewhere, nobody reads in step (micro/l2/shared_reads). Where data say what is read, blocks
are not in step, and words of a table that each warp reads elsewhere are not in lines that others want then: requests
for parts of lines take as long as before (micro/l2/small_tables).
"""

import numpy as np
from numpy.typing import NDArray

from simcore.gpu import Gpu
from simcore.model.launch import Launch
from simcore.model.occupancy import Occupancy

Ints = NDArray[np.int64]
Shares = NDArray[np.float64]


def coalesced_cost(
    gpu: Gpu,
    launch: Launch,
    occupancy: Occupancy,
    sms: int,
    in_a_row: Shares,
    distances: Ints,
    far_apart: Shares,
) -> Shares:
    """Time of L2 for a sector of each buffer, next to one that an SM reads by itself.

    Args:
        sms: busy SMs.
        in_a_row: [buffer] share that neighbours in the order of launch read at the same time.
        distances: [other] of blocks far apart.
        far_apart: [other, buffer] share that they do.
    """
    measured = [1.0, *gpu.l2_coalesced_costs_apart]
    readers = _readers(launch, occupancy, sms, distances)
    costs = np.interp(np.log2(readers), np.arange(len(measured)), measured)
    others = (1.0 - far_apart * (1.0 - costs[:, None])).min(axis=0, initial=1.0)
    found: Shares = in_a_row * gpu.l2_coalesced_cost + (1.0 - in_a_row) * others
    return found


def _readers(launch: Launch, occupancy: Occupancy, sms: int, distances: Ints) -> Shares:
    """How many SMs of a wave read the same if blocks at such distances do, 1 to all."""
    resident = min(sms * occupancy.blocks_per_sm, launch.blocks)
    found: Shares = np.clip(resident / np.maximum(distances, 1), 1.0, sms)
    return found
