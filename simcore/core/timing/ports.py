"""Stages that the schedulers of an SM share: each serves one request at a time, for as long as that holds it."""

from simcore.core.jit import jit_inline

# Cycles for which an SM may leave its part of what all share unused and use it later: others are in other phases then
# (benchmarks/silicon/micro/dram/copy_latency, where blocks meet before they write, and micro/l2/bursts_of_blocks).
CREDIT = 1000.0


@jit_inline()
def take(sm, port, earliest, hold):
    """Hold a stage for some cycles; returns from when."""
    return take_one(sm.shared_free, sm.busy, port, earliest, hold)


@jit_inline()
def take_one(free, busy, number, earliest, hold):
    """Hold one of several for some cycles; returns from when.

    Args:
        free: [number] when each is free, which is changed.
        busy: [number] cycles for which it was held, likewise.
    """
    start = max(free[number], earliest)
    free[number] = start + hold
    busy[number] += hold
    return start


@jit_inline()
def take_late(sm, port, earliest, hold):
    """Hold this SM's part of what all SMs share, of which it may use later what it left unused of late; not
    before its first use, as all SMs begin together."""
    if sm.busy[port] == 0.0:
        sm.shared_free[port] = earliest
    start = max(sm.shared_free[port], earliest - CREDIT)
    sm.shared_free[port] = start + hold
    sm.busy[port] += hold
    return max(start, earliest)
