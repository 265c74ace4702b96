"""Dependence counters: what an instruction of variable latency holds, and what later ones of its warp wait for."""

import numpy as np

from simcore.core.execution import control
from simcore.core.jit import fix_extents, jit, jit_inline, lowest_bit
from simcore.core.timing import ledger
from simcore.core.timing.state import DRAIN, LONG_SCOREBOARD, SHORT_SCOREBOARD

COUNTERS = 6  # of a warp; the machine code names them in three bits
NO_COUNTER = 7

LONG, ROW = 6, 8
"""Of what is kept of a warp's counters, beside when each is released: which are for an L1TEX operation; and the extent
of all that, a line of the processor's cache."""

REMEMBERED = 64
"""Operations of a counter that a DEPBAR looks back on, a power of two: more than a warp has under way."""

fix_extents("Sm", release=(ROW,), pending_count=(COUNTERS,))


@jit_inline()
def hold(sm, w, counter, until, is_long):
    """An operation holds a counter until it is done."""
    if until >= sm.release[w, counter]:
        sm.release[w, counter] = until
        others = sm.release[w, LONG] & ~(np.int64(1) << counter)
        sm.release[w, LONG] = others | np.int64(is_long) << counter
    if sm.pending.size:
        count = sm.pending_count[w, counter]
        sm.pending[w, counter, count & (REMEMBERED - 1)] = until
        sm.pending_count[w, counter] = count + 1


@jit_inline()
def clear(sm, w):
    """Nothing is under way of a warp that starts."""
    for counter in range(COUNTERS):
        sm.release[w, counter] = 0
        sm.pending_count[w, counter] = 0


@jit_inline()
def wait_for_counters(m, sm, w, at):
    """Make the warp ready once the counters that its next instruction waits for are released; returns when that is.

    An L1TEX operation is `long_scoreboard` until it is done; what any other takes beyond that is `short_scoreboard`.
    A warp that exits waits for its stores too.
    """
    pc = m.pc[w]
    ins = m.code[pc]
    until_short, until_long = _released(sm, w, ins)
    at = ledger.wait(sm.ledger, w, pc, LONG_SCOREBOARD, at, until_long)
    at = ledger.wait(sm.ledger, w, pc, SHORT_SCOREBOARD, at, until_short)
    if ins.operation == control.EXIT:
        at = ledger.wait(sm.ledger, w, pc, DRAIN, at, np.int64(sm.stores_left[w]))
    sm.ready[w] = at
    sm.unit[w] = ins.unit
    return at


@jit_inline()
def _released(sm, w, ins):
    """When the counters of the wait mask, and of a DEPBAR, are released: by other than L1TEX operations, by those."""
    mask = np.int64(ins.wait_mask)
    until_short = np.int64(0)
    until_long = np.int64(0)
    while mask:
        counter = lowest_bit(mask)
        mask &= mask - 1
        until = sm.release[w, counter]
        is_long = -(sm.release[w, LONG] >> counter & 1)
        until_long = max(until_long, until & is_long)
        until_short = max(until_short, until & ~is_long)
    if ins.operation == control.DEPBAR:
        until_long = max(until_long, _partial_release(sm, w, ins.mode, ins.value))
    return until_short, until_long


@jit()
def _partial_release(sm, w, counter, allowed):
    """When at most `allowed` of a counter's operations are outstanding (they end in order)."""
    count = sm.pending_count[w, counter]
    latest = np.int64(0)
    for i in range(max(count - REMEMBERED + 1, 0), count - allowed):
        latest = max(latest, sm.pending[w, counter, i & (REMEMBERED - 1)])
    return latest
