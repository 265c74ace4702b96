"""Loads that wait for lines on their way to L1: an SM has room for so many, and until one is served no other load
passes the tag stage (benchmarks/silicon/micro/l1/pending_batches).

They are served in any order. When each is, stands in a binary heap: the earliest comes first. A load of many lines
takes several places (benchmarks/silicon/micro/l1/private_phases).
"""

from simcore.core.jit import jit, jit_inline


@jit_inline()
def room_from(sm):
    """When there is room for one more."""
    return sm.pending_loads[0]


@jit()
def add(sm, t, lines, served):
    """Give the room of the earliest to a load of some lines that is served at some time."""
    for _ in range(0, lines, t.pending_load_lines):
        _replace_the_earliest(sm, t, served)


@jit_inline()
def _replace_the_earliest(sm, t, served):
    """One place is free when the load is served."""
    place = 0
    child = _earlier_child(sm, t, place)
    while child and sm.pending_loads[child] < served:
        sm.pending_loads[place] = sm.pending_loads[child]
        place = child
        child = _earlier_child(sm, t, place)
    sm.pending_loads[place] = served


@jit_inline()
def _earlier_child(sm, t, place):
    """Which of the two places below one has the earlier load; 0 if there is none."""
    child = 2 * place + 1
    if child >= t.pending_loads:
        return 0
    other = min(child + 1, t.pending_loads - 1)
    return other if sm.pending_loads[other] < sm.pending_loads[child] else child
