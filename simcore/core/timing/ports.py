"""Stages that the schedulers of an SM share: each serves one request at a time, for as long as that holds it."""

from simcore.core.jit import jit_inline


@jit_inline()
def take(sm, port, earliest, hold):
    """Hold a stage for some cycles; returns from when."""
    start = max(sm.shared_free[port], earliest)
    sm.shared_free[port] = start + hold
    sm.busy[port] += hold
    return start
