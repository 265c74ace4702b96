"""Sectors that were written in part and that L2 does not have: it fetches them, unless their other words follow.

L2 keeps which bytes of a sector were written. Stores of 128 bits that leave out every other half of a sector, and
others that bring these, read nothing from DRAM (benchmarks/silicon/micro/l2/half_sectors on an H200 and an H100);
lone words make it read each sector (micro/dram/dram_stores). How long L2 waits is not known: here until it has so many
other such lines of this SM, or loses the line.
"""

import numpy as np

from simcore.core import isa
from simcore.core.geometry import SECTOR_BYTES
from simcore.core.jit import jit, jit_inline
from simcore.core.timing import dram, rings
from simcore.core.timing.sectors import count_of, whole_sectors

MOST = 512
"""Lines of an SM: as many as 64 warps write with a store of 128 bits each, at a stride of 32 bytes."""

LACKING_SHIFT = 32
"""Of a place in `Sm.l2_partial`: above the words of its line that were written, the sectors that L2 lacks."""

(PLACE, LINE, PARTIAL) = range(3)
"""Columns of the lines that wait."""


@jit_inline()
def are_expected(sm):
    """Whether there was ever such a line."""
    return sm.partial[0, LINE] >= 0


@jit()
def expect_the_rest(sm, t, place, line, lacking, now):
    """Sectors of a line were written in part; that which waits longest makes room for it."""
    if not sm.l2_partial[place]:
        at = sm.partial_next[0]
        oldest = sm.partial[at, PLACE]
        if sm.partial[at, LINE] >= 0 and sm.l2_tag[oldest] == sm.partial[at, LINE]:
            fill(sm, t, oldest, now)
        sm.partial[at, PLACE] = place
        sm.partial[at, LINE] = line
        sm.partial_next[0] = rings.wrapped(at + 1, MOST)
    sm.l2_partial[place] |= np.int64(lacking) << LACKING_SHIFT


@jit()
def fill(sm, t, place, now):
    """What is still missing of a line's sectors comes from DRAM."""
    partial = sm.l2_partial[place]
    sm.l2_partial[place] = 0
    missing = partial >> LACKING_SHIFT & ~whole_sectors(partial & isa.FULL_MASK)
    if missing:
        size = float(count_of(missing) * SECTOR_BYTES)
        dram.occupy(sm, t, float(now), size, max(size, t.dram_request_bytes), False)
