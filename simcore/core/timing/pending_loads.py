"""Loads that wait for lines on their way to L1: an SM has room for so many, and until one is served no other load
passes the tag stage (benchmarks/silicon/micro/l1/pending_batches).

They are served in any order. When each is, stands in a binary heap: the earliest comes first. Behind the last there is
one that never is, so that each place has two below it, or none. A load of many lines takes several places
(benchmarks/silicon/micro/l1/private_phases).
"""

import numpy as np

from simcore.core.jit import jit, jit_inline
from simcore.core.timing.parameters import Floats


def room_for(loads: int) -> Floats:
    """An empty heap for so many."""
    return np.append(np.zeros(loads), np.inf)


@jit_inline()
def room_from(sm):
    """When there is room for one more."""
    return sm.pending_loads[0]


@jit()
def add(sm, t, lines, served):
    """Give the room of the earliest to a load of some lines that is served at some time."""
    while lines > 0:
        _replace_the_earliest(sm, t, served)
        lines -= t.pending_load_lines


@jit_inline()
def _replace_the_earliest(sm, t, served):
    """One place is free when the load is served: most are served late, so the way goes down to the end of the heap, and
    from there up to where the load belongs."""
    heap = sm.pending_loads
    place = np.int64(0)
    child = np.int64(1)
    while child < t.pending_loads:
        child += heap[child + 1] < heap[child]
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    above = (place - 1) >> 1
    while place and heap[above] > served:
        heap[place] = heap[above]
        place = above
        above = (place - 1) >> 1
    heap[place] = served
